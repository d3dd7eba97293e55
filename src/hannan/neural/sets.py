"""Rows of all information sets of an expanded game, and strategies from the outputs of networks there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.forms.game import ExpandedGame
from hannan.forms.tree import ROOT, GameTree
from hannan.forms.treeplex import Treeplex
from hannan.neural.encoding import Encoding, observation_number
from hannan.neural.traversals import Singles
from hannan.rules.paths import move_at


@dataclass(frozen=True)
class SetRows:
    """The rows of one player's information sets."""

    known: Singles  # [sets, row size]
    head: Longs  # [sequences]  the output that stands for the sequence's last action; 0 for the empty one
    plex: Treeplex

    def of(self, values: Floats) -> Floats:
        """Return numbers by set and head as numbers by sequence; 0 for the empty one."""
        result: Floats = np.zeros(self.plex.sequences)
        result[1:] = values[self.plex.set_of[1:], self.head[1:]]
        return result

    def matched(self, values: Floats) -> Floats:
        """Return the strategy by regret matching; if no number is positive, it is uniform over the largest ones."""
        return self._weighed(values, lambda number, best: np.where(best > 0.0, np.maximum(number, 0.0), number == best))

    def softened(self, values: Floats) -> Floats:
        """Return the strategy whose logarithms are the numbers, up to a constant per set."""
        return self._weighed(values, lambda number, best: np.exp(number - best))

    def _weighed(self, values: Floats, weigh: Callable[[Floats, Floats], Floats]) -> Floats:
        """Return the strategy in proportion to weights; `weigh` gets the numbers and the largest one at each set."""
        number, plex = self.of(values), self.plex
        strategy: Floats = np.ones(plex.sequences)
        if plex.sets:
            best = np.repeat(np.maximum.reduceat(number, plex.begin[:-1]), plex.sizes)
            weight = weigh(number[1:], best)
            total = np.add.reduceat(np.concatenate(([0.0], weight)), plex.begin[:-1])
            strategy[1:] = weight / np.repeat(total, plex.sizes)
        return strategy

    def targets(self, numbers: Floats, heads: int) -> Floats:
        """Return numbers by sequence as numbers by set and head; NaN: no such action."""
        result: Floats = np.full((self.plex.sets, heads), np.nan)
        result[self.plex.set_of[1:], self.head[1:]] = numbers[1:]
        return result


def set_rows(game: ExpandedGame, encoding: Encoding) -> tuple[SetRows, ...]:
    """Return the rows of all sets, the same as traversals write."""
    states = _States(game.tree)
    return tuple(_rows(game, encoding, player, states) for player in range(game.players))


def _rows(game: ExpandedGame, encoding: Encoding, player: int, states: _States) -> SetRows:
    tree, plex, e = game.tree, game.tree.treeplexes[player], encoding
    known = np.zeros((plex.sets, e.size), np.float32)
    inside = np.arange(plex.sequences - 1) - (plex.begin[plex.set_of[1:]] - 1)
    head = np.zeros(plex.sequences, np.int64)
    head[1:] = [int(str(tree.action_of(code))) for code in plex.action[1:].tolist()] if e.by_code else inside
    seen = _seen(tree, plex)
    past: list[list[tuple[int, int]]] = []
    for j in range(plex.sets):
        if e.features:
            known[j, : e.features] = game.rules.features(states.at(int(plex.node[j])), player)
        before = int(plex.parent[j])
        above = int(plex.set_of[before]) if before else -1
        past.append([] if above < 0 else [*past[above], (seen[above], int(head[before]))])
        if e.steps:
            write_history(known[j, e.features :], e, past[j], seen[j])
    return SetRows(known, head, plex)


def _seen(tree: GameTree, plex: Treeplex) -> list[int]:
    codes = plex.observation.tolist()
    return codes if tree.labels is None else [observation_number(tree.labels.observations[code]) for code in codes]


def write_history(out: Any, encoding: Encoding, past: list[tuple[int, int]], seen: int) -> None:
    """Write a player's own choices (observation, and head of the action) and its present observation."""
    shown = past[max(0, len(past) - encoding.steps + 1) :]
    for j, (code, head) in enumerate([*shown, (seen, -1)]):
        begin = j * encoding.token
        out[begin : begin + encoding.bits] = [code >> bit & 1 for bit in range(encoding.bits)]
        if head >= 0:
            out[begin + encoding.bits + head] = 1.0


class _States:
    """The states of an expanded game's histories, each made from its parent's."""

    def __init__(self, tree: GameTree) -> None:
        self.tree, self.known = tree, {ROOT: tree.rules.start()}

    def at(self, node: int) -> Any:
        """Return the state of a history."""
        way = []
        while node not in self.known:
            way.append(node)
            node = int(self.tree.parent[node])
        for child in reversed(way):
            number = child - int(self.tree.children[node])
            rules, state = self.tree.rules, self.known[node]
            self.known[child] = rules.after(state, move_at(rules, state, number)[0])
            node = child
        return self.known[node]
