"""The payoffs of a game as fractions: the numbers that rational arithmetic starts from.

Floats are fractions with a power of two below. Rules that know their numbers as fractions (`ExactRules`, such as
Gambit's files) are read as they are written. Any other game is its sequence form as it is stored: the probabilities of
chance are folded into the payoffs as floats, so a payoff of 1/3 is the float next to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from hannan.forms.game import ExpandedGame
from hannan.forms.tree import CHANCE_TURN, TERMINAL
from hannan.rules.exact import ExactRules
from hannan.rules.paths import moves_at


@dataclass(frozen=True)
class Whole:
    """Numbers as integers, all over 2**bits."""

    numbers: list[int]
    bits: int


@dataclass(frozen=True)
class ExactPayoffs:
    """What each tuple of sequences gains each player, as integers over one denominator per player."""

    sequences: list[list[int]]  # [players][entries]
    gained: list[list[int]]  # [players][entries]
    over: list[int]  # [players]


def exact_payoffs(game: ExpandedGame) -> ExactPayoffs:
    """Return the payoffs of a game: as its rules state them in fractions, or as its sequence form stores them."""
    # a locked game has the rules of its base and a sequence form of its own
    stated = type(game) is ExpandedGame and isinstance(game.rules, ExactRules)
    return _stated(game, game.rules) if stated else _stored(game)


def _stored(game: ExpandedGame) -> ExactPayoffs:
    """Return the payoffs of the sequence form, which are floats."""
    form = game.form
    rows = [whole(form.payoff(player).tolist()) for player in range(form.players)]
    return ExactPayoffs(
        [form.sequence(p).tolist() for p in range(form.players)],
        [row.numbers for row in rows],
        [1 << row.bits for row in rows],
    )


def _stated(game: ExpandedGame, rules: Any) -> ExactPayoffs:
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
    return ExactPayoffs([[key[player] for key in entries] for player in players], gained, over)


def whole(floats: Sequence[float]) -> Whole:
    """Write floats over their least common power of two."""
    ratios = [number.as_integer_ratio() for number in floats]
    bits = max((below.bit_length() - 1 for _, below in ratios), default=0)
    return Whole([above << (bits + 1 - below.bit_length()) for above, below in ratios], bits)
