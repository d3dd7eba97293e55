"""The payoffs of a game as fractions, the input of rational arithmetic.

If the rules know their numbers as fractions (`ExactRules`, such as Gambit files), these fractions are used. For any
other game there are two readings: as stored (floats, with the probabilities of chance folded into the payoffs), or as
meant (odds of 1/3 are 1/3, and not the float next to it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any

import numpy as np

from hannan.forms.game import ExpandedGame
from hannan.forms.tree import CHANCE_TURN, TERMINAL, GameTree
from hannan.rules.exact import ExactRules
from hannan.rules.paths import moves_at

MOST_READ = 200_000
"""The most histories of a game whose floats are read as short fractions."""

MOST_BELOW = 10**6
"""The largest denominator of a short fraction."""

Gains = dict[int, tuple[Fraction, ...]]
"""What each player gains at a node, by the number of the node. Nodes without gains are left out."""


@dataclass(frozen=True)
class Whole:
    """Numbers as integers over the common denominator 2**bits."""

    numbers: list[int]
    bits: int


@dataclass(frozen=True)
class ExactPayoffs:
    """The gain of each player at each tuple of sequences, as integers over one denominator per player."""

    sequences: list[list[int]]  # [players][entries]
    gained: list[list[int]]  # [players][entries]
    over: list[int]  # [players]

    def earned(self, plans: Sequence[Sequence[Fraction]]) -> tuple[Fraction, ...]:
        """Return the expected payoff of each player, given the probability of every sequence of every player."""
        totals = [Fraction(0)] * len(self.over)
        for entry, sequences in enumerate(zip(*self.sequences, strict=True)):
            weight = prod((own[k] for own, k in zip(plans, sequences, strict=True)), start=Fraction(1))
            if weight:
                totals = [total + weight * row[entry] for total, row in zip(totals, self.gained, strict=True)]
        return tuple(total / below for total, below in zip(totals, self.over, strict=True))


def stored_payoffs(game: ExpandedGame) -> ExactPayoffs:
    """Return the payoffs as fractions that the rules state, else as floats that the sequence form stores."""
    return _folded(game.tree, *exact_numbers(game)) if _states(game) else _stored(game)


def exact_payoffs(game: ExpandedGame) -> ExactPayoffs:
    """Return the payoffs as meant: as fractions that the rules state, or with each float read as a short fraction.

    A float is read as the fraction nearest to it with a denominator of at most a million, if that fraction rounds to
    this float; else as itself. So odds of 1/3 are 1/3. If a game has more than `MOST_READ` histories, or locks, the
    payoffs are those that its sequence form stores.
    """
    if _states(game) or type(game) is not ExpandedGame or game.sizes.histories > MOST_READ:
        return stored_payoffs(game)
    return _folded(game.tree, *exact_numbers(game))


def exact_numbers(game: ExpandedGame) -> tuple[Gains, list[Fraction]]:
    """Return the gains at each node of a tree, and the odds of the edge into it, stated or read as fractions."""
    return _stated(game.tree, game.rules) if _states(game) else _read(game.tree)


def _states(game: ExpandedGame) -> bool:
    """Return whether the rules state fractions. Not for a locked game: its sequence form is not that of its rules."""
    return type(game) is ExpandedGame and isinstance(game.rules, ExactRules)


def short_fraction(number: float) -> Fraction:
    """Return the fraction with a denominator of at most a million that rounds to a float, else the float itself."""
    exact = Fraction(number)
    if exact.denominator == 1:
        return exact
    near = exact.limit_denominator(MOST_BELOW)
    return near if float(near) == number else exact


def summing_to_one(floats: list[float]) -> tuple[Fraction, ...]:
    """Read probabilities as short fractions if these sum to 1; else as the floats, with the largest adjusted."""
    short = tuple(map(short_fraction, floats))
    if sum(short) == 1:
        return short
    exact = list(map(Fraction, floats))
    largest = floats.index(max(floats))
    exact[largest] += 1 - sum(exact)
    return tuple(exact)


def _stored(game: ExpandedGame) -> ExactPayoffs:
    """Return the payoffs of the sequence form, which are floats."""
    form = game.form
    rows = [whole(form.payoff(player).tolist()) for player in range(form.players)]
    return ExactPayoffs(
        [form.sequence(p).tolist() for p in range(form.players)],
        [row.numbers for row in rows],
        [1 << row.bits for row in rows],
    )


def _read(tree: GameTree) -> tuple[Gains, list[Fraction]]:
    """Return the gains and the odds of a tree, its floats read as short fractions."""
    gains = {
        node: tuple(map(short_fraction, row))
        for node, row in zip(tree.gain_node.tolist(), tree.gain.tolist(), strict=True)
    }
    odds = [Fraction(1)] * tree.nodes
    for node in np.flatnonzero(tree.turn == CHANCE_TURN).tolist():
        below = slice(int(tree.children[node]), int(tree.children[node + 1]))
        odds[below] = summing_to_one(tree.probability[below].tolist())
    return gains, odds


def _stated(tree: GameTree, rules: Any) -> tuple[Gains, list[Fraction]]:
    """Return the gains and the odds that the rules state as fractions, by one walk over the tree."""
    gains: Gains = {}
    odds = [Fraction(1)] * tree.nodes
    level, node = [rules.start()], 0
    while level:
        following = []
        for state in level:
            gained = tuple(rules.exact_gains(state))
            if any(gained):
                gains[node] = gained
            if tree.turn[node] != TERMINAL:
                following += [rules.after(state, move) for move, _ in moves_at(rules, state)]
            if tree.turn[node] == CHANCE_TURN:
                odds[int(tree.children[node]) : int(tree.children[node + 1])] = rules.exact_odds(state)
            node += 1
        level = following
    return gains, odds


def _folded(tree: GameTree, gains: Gains, odds: list[Fraction]) -> ExactPayoffs:
    """Add up the gains at each tuple of last sequences, with chance folded in."""
    players = range(tree.players)
    begins = [plex.begin.tolist() for plex in tree.treeplexes]
    children, turns, slots = tree.children.tolist(), tree.turn.tolist(), tree.slots.tolist()
    slot_begin = tree.slot_begin.tolist()
    entries: dict[tuple[int, ...], list[Fraction]] = {}
    reach, last = [Fraction(1)] * tree.nodes, [(0,) * tree.players] * tree.nodes
    for node, turn in enumerate(turns):
        if node in gains:
            row = entries.setdefault(last[node], [Fraction(0)] * tree.players)
            for player in players:
                row[player] += reach[node] * gains[node][player]
        if turn == TERMINAL:
            continue
        joint = [last[node]]
        if turn != CHANCE_TURN:
            movers = [player for player in players if turn >> player & 1]
            for player, number in zip(movers, slots[slot_begin[node] : slot_begin[node + 1]], strict=True):
                own = range(begins[player][number], begins[player][number + 1])
                joint = [(*one[:player], sequence, *one[player + 1 :]) for one in joint for sequence in own]
        for k, child in enumerate(range(children[node], children[node + 1])):
            reach[child] = reach[node] * odds[child]
            last[child] = joint[0] if turn == CHANCE_TURN else joint[k]
    over = [lcm(*(row[player].denominator for row in entries.values())) for player in players]
    gained = [[int(row[player] * over[player]) for row in entries.values()] for player in players]
    return ExactPayoffs([[key[player] for key in entries] for player in players], gained, over)


def whole(floats: Sequence[float]) -> Whole:
    """Write floats over their least common power of two."""
    ratios = [number.as_integer_ratio() for number in floats]
    bits = max((below.bit_length() - 1 for _, below in ratios), default=0)
    return Whole([above << (bits + 1 - below.bit_length()) for above, below in ratios], bits)
