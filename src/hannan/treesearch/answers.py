"""Whole strategies from a search that knows one position at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.rules.observations import canonical
from hannan.rules.plain import CHANCE, END, movers
from hannan.strategies.policy import Policy

Ask = Callable[[Any], tuple[Floats, Floats]]
"""From a state to the probabilities of both players' actions there; empty for a player that does not move."""


def by_induction(game: ExpandedGame) -> tuple[Floats, Floats]:
    """Return the strategies of backward induction over the whole tree: zero gain in every subgame."""
    from hannan.kernels.search.tree import induce
    from hannan.treesearch.matrix import scratch

    tree = game.tree
    first, second = tree.treeplexes
    value = np.zeros(tree.nodes)
    np.add.at(value, tree.gain_node, tree.gain[:, 0])
    width = max(int(plex.sizes.max(initial=1)) for plex in tree.treeplexes)
    strategies = np.ones(first.sequences), np.ones(second.sequences)
    induce(
        tree.children, tree.turn, tree.slot_begin, tree.slots, tree.probability, (first.begin, second.begin), value,
        strategies, np.zeros((width, width)), np.zeros(width), np.zeros(width), scratch(width),
    )  # fmt: skip
    return strategies


class AnswerTable:
    """The table of a policy under construction: sets in the order in which they are met."""

    def __init__(self, game: PlayedGame) -> None:
        self.game = game
        self.rows: list[tuple[int, int, int, int]] = []
        self.probability: list[float] = [1.0] * game.players
        self.places: dict[tuple[int, Any], int] = {}
        self.met: dict[Any, int] = {}
        self.coded = game.coded

    def enter(self, parent: int, seen: Any, plays: Sequence[float]) -> int:
        """Record the probabilities at a set; return its first sequence."""
        base = self.places.get((parent, seen))
        if base is None:
            base = self.places[parent, seen] = len(self.probability)
            code = int(seen) if self.coded else self.met.setdefault(seen, len(self.met))
            self.rows.append((parent, code, base, len(plays)))
            self.probability += [float(share) for share in plays]
        return base

    def lead(self, moves: Sequence[Any]) -> tuple[Any, list[int]]:
        """Play moves from the start and record uniform play on the way; return the state and each player's sequence."""
        rules = self.game.rules
        state, last = rules.start(), [0, 1]
        for move in moves:
            turn = rules.turn(state)
            for k, player in enumerate(movers(turn)):
                menu = list(rules.actions(state, player))
                base = self.enter(last[player], rules.observe(state, player), [1 / len(menu)] * len(menu))
                last[player] = base + menu.index(move[k] if isinstance(turn, tuple) else move)
            state = rules.after(state, move)
        return state, last

    def policy(self, facts: dict[str, Any]) -> Policy:
        """Return the policy with all sets entered so far."""
        columns = np.array(self.rows, np.int64).reshape(-1, 4).T
        labels = None if self.coded else tuple(map(canonical, self.met))
        met = None if self.coded else self.met
        parent, observation, base, size = (np.ascontiguousarray(column) for column in columns)
        return Policy(self.game, parent, observation, base, size, np.array(self.probability), labels, facts, met)


def of_played(game: PlayedGame, moves_before: Sequence[Any], ask: Ask, most: int, facts: dict[str, Any]) -> Policy:
    """Return a policy for the positions that a player's own strategy can lead to, whatever the other does.

    The policy holds the first `most` sets, the earliest first, and is uniform elsewhere. On the way to a position that
    is not the start it is uniform too.
    """
    rules, table = game.rules, AnswerTable(game)
    state, last = table.lead(moves_before)
    waiting = deque([(state, tuple(last), (True, True))])
    while waiting and len(table.rows) < most:
        state, own, there = waiting.popleft()
        turn = rules.turn(state)
        if turn == END:
            continue
        if turn == CHANCE:
            for outcome, weight in rules.chance(state):
                if weight > 0:
                    waiting.append((rules.after(state, outcome), own, there))
            continue
        plays, who = ask(state), movers(turn)
        menus = {player: list(rules.actions(state, player)) for player in who}
        bases = {
            player: table.enter(own[player], rules.observe(state, player), plays[player].tolist())
            for player in who
            if there[player]
        }
        for joint in product(*(range(len(menus[player])) for player in who)):
            chosen = dict(zip(who, joint, strict=True))
            kept = [there[p] and (p not in chosen or bool(plays[p][chosen[p]] > 0)) for p in range(2)]
            if any(kept):
                acted = tuple(menus[player][k] for player, k in chosen.items())
                following = rules.after(state, acted if isinstance(turn, tuple) else acted[0])
                after = tuple(bases[p] + chosen[p] if p in chosen and p in bases else own[p] for p in range(2))
                waiting.append((following, after, (kept[0], kept[1])))
    return table.policy(facts)
