"""How good is a profile, in rational arithmetic: a check that shares no code with `evaluate`.

Floats are fractions with a power of two below, so sums and products of them are exact in whole numbers. The game that
is checked is the sequence form with its payoffs as they are stored: chance's probabilities are folded into these as
floats, so a payoff of 1/3 is the float next to it. For that game the result has no error at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hannan.arrays import Floats
from hannan.errors import SizeError
from hannan.forms.loading import Loadable, load_expanded
from hannan.forms.treeplex import Treeplex
from hannan.strategies.profile import Profile, check_profile

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


@dataclass(frozen=True)
class _Whole:
    """Numbers as integers, all over 2**bits."""

    numbers: list[int]
    bits: int


def exact_gap(game: Loadable, profile: Profile, limit: int = MOST_ENTRIES) -> ExactGap:
    """Measure a profile in rational arithmetic.

    Each probability is read as the fraction that its float is; at each set the largest one takes what the others
    leave, so that they sum to exactly 1. Games with more than `limit` payoff entries are refused.
    """
    game = load_expanded(game)
    form = game.form
    check_profile(game, profile)
    if form.entries > limit:
        raise SizeError(
            f"{game.address} has {form.entries:,} payoff entries, more than the limit of {limit:,} for rational "
            "arithmetic; `evaluate` measures it in floating point, or give a larger limit"
        )
    reach = [_reach(plex, part) for plex, part in zip(form.treeplexes, profile.strategies, strict=True)]
    sequences = [form.sequences[p].tolist() for p in range(form.players)]
    values, bests = [], []
    for player, plex in enumerate(form.treeplexes):
        payoff = _whole(form.payoff(player).tolist())
        others = [q for q in range(form.players) if q != player]
        bits = payoff.bits + sum(reach[q].bits for q in others)
        gradient = [0] * plex.sequences
        for entry, gained in enumerate(payoff.numbers):
            for q in others:
                gained *= reach[q].numbers[sequences[q][entry]]
            gradient[sequences[player][entry]] += gained
        earned = sum(gain * weight for gain, weight in zip(gradient, reach[player].numbers, strict=True))
        values.append(Fraction(earned, 1 << (bits + reach[player].bits)))
        bests.append(Fraction(_best(plex, gradient), 1 << bits))
    return ExactGap(tuple(values), tuple(bests))


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
