"""How good is a profile, in rational arithmetic: a check that shares no code with `evaluate`.

Floats are fractions with a power of two below, so sums and products of them are exact in whole numbers. The game that
is checked is the sequence form with its payoffs as they are stored: chance's probabilities are folded into these as
floats, so a payoff of 1/3 is the float next to it. For that game the result has no error at all. Rules that know their
numbers as fractions (`ExactRules`, such as Gambit's files) are checked as they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from hannan.arguments import count
from hannan.arrays import Floats
from hannan.errors import SizeError
from hannan.forms.game import ExpandedGame
from hannan.forms.tree import CHANCE_TURN, TERMINAL
from hannan.forms.treeplex import Treeplex
from hannan.rules.exact import ExactRules
from hannan.rules.paths import moves_at
from hannan.strategies.given import Given, two_forms
from hannan.strategies.locks import LockedGame

MOST_ENTRIES = 2_000_000


@dataclass(frozen=True)
class ExactGap:
    """What a profile is worth and what each player could gain, as fractions."""

    values: tuple[Fraction, ...]
    best_values: tuple[Fraction, ...]

    @property
    def gains(self) -> tuple[Fraction, ...]:
        """best_values minus values: 0 or more, without any rounding."""
        return tuple(best - value for best, value in zip(self.best_values, self.values, strict=True))

    @property
    def nash_conv(self) -> Fraction:
        """The sum of the gains."""
        return sum(self.gains, Fraction(0))

    def __repr__(self) -> str:
        values, gains = ([float(f"{float(x):.6g}") for x in fractions] for fractions in (self.values, self.gains))
        return f"ExactGap(fractions: NashConv {float(self.nash_conv):.6g}, values {values}, gains {gains})"


@dataclass(frozen=True)
class _Whole:
    """Numbers as integers, all over 2**bits."""

    numbers: list[int]
    bits: int


@dataclass(frozen=True)
class _Payoffs:
    """What each tuple of sequences gains each player, as integers over one denominator a player."""

    sequences: list[list[int]]  # [players][entries]
    gained: list[list[int]]  # [players][entries]
    over: list[int]  # [players]


def exact_gap(game: Given, strategy: Given | None = None, limit: int = MOST_ENTRIES) -> ExactGap:
    """Measure a strategy in rational arithmetic: `exact_gap(strategy)`, or with its game before it.

    Each probability is read as the fraction that its float is; at each set the largest one takes what the others
    leave, so that they sum to exactly 1. Games with more than `limit` payoff entries are refused. With locks, payoffs
    are the floats of the sequence form.
    """
    limit, profile = count("limit", limit), two_forms(game, strategy).profile()
    game = profile.game
    form = game.form
    if form.entries > limit:
        raise SizeError(
            f"{game.address} has {form.entries:,} payoff entries, more than the limit of {limit:,} for rational "
            "arithmetic; `evaluate` measures it in floating point, or give a larger limit"
        )
    reach = [_reach(plex, part) for plex, part in zip(form.treeplexes, profile.strategies, strict=True)]
    stated = not isinstance(game, LockedGame) and isinstance(game.rules, ExactRules)
    payoffs = _stated(game, game.rules) if stated else _stored(game)
    values, bests = [], []
    for player, plex in enumerate(form.treeplexes):
        others = [q for q in range(form.players) if q != player]
        over = payoffs.over[player] << sum(reach[q].bits for q in others)
        gradient = [0] * plex.sequences
        for entry, gained in enumerate(payoffs.gained[player]):
            for q in others:
                gained *= reach[q].numbers[payoffs.sequences[q][entry]]
            gradient[payoffs.sequences[player][entry]] += gained
        earned = sum(gain * weight for gain, weight in zip(gradient, reach[player].numbers, strict=True))
        values.append(Fraction(earned, over << reach[player].bits))
        bests.append(Fraction(_best(plex, gradient), over))
    return ExactGap(tuple(values), tuple(bests))


def _stored(game: ExpandedGame) -> _Payoffs:
    """Return the payoffs of the sequence form, which are floats."""
    form = game.form
    rows = [_whole(form.payoff(player).tolist()) for player in range(form.players)]
    return _Payoffs(
        [form.sequence(p).tolist() for p in range(form.players)],
        [row.numbers for row in rows],
        [1 << row.bits for row in rows],
    )


def _stated(game: ExpandedGame, rules: Any) -> _Payoffs:
    """Return the payoffs that rules know as fractions, by one walk over the tree."""
    tree, players = game.tree, range(game.players)
    begins = [plex.begin.tolist() for plex in tree.treeplexes]
    entries: dict[tuple[int, ...], list[Fraction]] = {}
    level = [(rules.start(), Fraction(1), (0,) * game.players)]  # state, chance's part of the reach, last sequences
    node = 0
    while level:
        following = []
        for state, reach, last in level:
            gains = rules.exact_gains(state)
            if any(gains):
                row = entries.setdefault(last, [Fraction(0)] * game.players)
                for player in players:
                    row[player] += reach * gains[player]
            turn, slot = int(tree.turn[node]), int(tree.slot_begin[node])
            node += 1
            if turn == TERMINAL:
                continue
            moves = [rules.after(state, move) for move, _ in moves_at(rules, state)]
            if turn == CHANCE_TURN:
                odds = rules.exact_odds(state)
                following += [(after, reach * odd, last) for after, odd in zip(moves, odds, strict=True)]
                continue
            joint = [last]
            for player in players:
                if turn >> player & 1:
                    begin, number = begins[player], int(tree.slots[slot])
                    slot += 1
                    own = range(begin[number], begin[number + 1])
                    joint = [(*one[:player], sequence, *one[player + 1 :]) for one in joint for sequence in own]
            following += [(after, reach, one) for after, one in zip(moves, joint, strict=True)]
        level = following
    over = [lcm(*(row[player].denominator for row in entries.values())) for player in players]
    gained = [[int(row[player] * over[player]) for row in entries.values()] for player in players]
    return _Payoffs([[key[player] for key in entries] for player in players], gained, over)


def _whole(floats: Sequence[float]) -> _Whole:
    """Write floats over their least common power of two."""
    ratios = [number.as_integer_ratio() for number in floats]
    bits = max((below.bit_length() - 1 for _, below in ratios), default=0)
    return _Whole([above << (bits + 1 - below.bit_length()) for above, below in ratios], bits)


def _reach(plex: Treeplex, strategy: Floats) -> _Whole:
    """Return the probability of each sequence; all have the power of two of the longest ones."""
    chances = _whole(strategy.tolist())
    one = 1 << chances.bits
    reach = [0] * plex.sequences
    reach[0] = one**plex.levels
    for first, last, parent in zip(
        plex.begin[:-1].tolist(), plex.begin[1:].tolist(), plex.parent.tolist(), strict=True
    ):
        here = chances.numbers[first:last]
        largest = here.index(max(here))
        here[largest] += one - sum(here)
        for action, chance in enumerate(here):
            # the power that the choice adds is taken from the parent, where it is a factor of the number
            reach[first + action] = (reach[parent] >> chances.bits) * chance
    return _Whole(reach, chances.bits * plex.levels)


def _best(plex: Treeplex, gradient: list[int]) -> int:
    """Return the value of a best response, from the last sets up."""
    worth = gradient.copy()
    begin, parent = plex.begin.tolist(), plex.parent.tolist()
    for j in reversed(range(plex.sets)):
        worth[parent[j]] += max(worth[begin[j] : begin[j + 1]])
    return worth[0]
