"""Bounds on means of independent samples in a known range. They hold for every distribution within the range.

A bound may be false with at most the stated failure probability, at all sample sizes together, so a caller may look at
it and stop whenever it likes. The argument, for a lower bound on the mean μ of samples x in [0, 1]:

1. A gambler bets that the mean is above m. For a bet b in [0, 1], the capital after n samples is
   W(m) = Π (1 + c ξᵢ), with ξᵢ = (xᵢ − m)/m ≥ −1 and c = b √m. Each factor falls as m grows, and at m = μ its
   expectation is 1. So W(μ) is a nonnegative martingale, and by Ville's inequality it ever reaches 1/α with
   probability α at most. The same holds for the mean of W over a fixed list of bets.
   I. Waudby-Smith, A. Ramdas (2024), Estimating means of bounded random variables by betting.
2. log(1 + cξ) ≥ cξ − ψ(c) ξ² with ψ(c) = −log(1 − c) − c, for ξ ≥ −1.
   X. Fan, I. Grama, Q. Liu (2015), Exponential inequalities for martingales with applications, lemma 4.1.
   So log W(m) ≥ c n (x̄ − m)/m − ψ(c) (S + n (x̄ − m)²)/m², where S is the sum of squared distances from the sample
   mean x̄. Count, mean and squares are all that is needed, in any order.
3. Any m at which the right side reaches log(1/α) is a lower bound: W(m), and W at every smaller mean, is at least 1/α.

For many samples the width is about √(2 (log(1/α) + 2.7)) standard errors; 2.7 is the price of not knowing the best bet.
Rounding errors of the moments are bounded and counted against the bound.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.measures.means import Mean

Range = tuple[float, float]
"""The least and the most that one sample can be."""

BETS: Floats = np.concatenate(([0.0], 1 / (1 + 2.0 ** (np.arange(-8, 25) / 2))))
"""The bets b. Capital is split among them equally; 0 keeps the sum from falling to nothing."""
ROUNDING = 1e-9
"""Rounding errors of the logarithm of the capital, at most; those of the moments are counted separately."""
FIRST_POINTS, POINTS, ROUNDS = 120, 24, 5
"""Means that a search for a bound tries in its first round and in each later one, and the number of rounds. Each later
round lies between two means of the round before."""
CURVE = 1500
"""Means below the sample mean at which the capital is computed for a difference of two means."""
LEAST = 1e-12
"""If the sample mean is closer to the low end than this share of the range, the bound is the low end."""


def lower_bound(sample: Mean, ends: Range, failure: float) -> float:
    """Return a number that the mean is at least, except with probability `failure`.

    Parameters
    ----------
    sample
        Independent samples, or samples of which each has the same conditional mean given those before it.
    ends
        The least and the most that a sample can be.
    failure
        The probability that the bound is ever false, whatever the number of samples at which the caller stops.
    """
    unit = _Unit(sample, ends)
    if unit.mean < LEAST:
        return ends[0]
    needed = -math.log(failure)
    share = np.geomspace(1e-9, 1.0, FIRST_POINTS)[:-1]  # of the distance between the sample mean and the low end
    for _ in range(ROUNDS):
        enough = np.flatnonzero(unit.log_capital(unit.mean * (1 - share)) >= needed)
        if not len(enough):
            return ends[0]
        first = int(enough[0])
        found = float(unit.mean * (1 - share[first]))
        if first == 0:
            break
        share = np.linspace(share[first - 1], share[first], POINTS)
    return unit.raw(found)


def upper_bound(sample: Mean, ends: Range, failure: float) -> float:
    """Return a number that the mean is at most, except with probability `failure`; see `lower_bound`."""
    return -lower_bound(_negative(sample), (-ends[1], -ends[0]), failure)


def half_width(sample: Mean, ends: Range, failure: float) -> float:
    """Return how far the mean can be from the sample mean, except with probability `failure` on either side."""
    lower, upper = lower_bound(sample, ends, failure), upper_bound(sample, ends, failure)
    return max(upper - sample.value, sample.value - lower)


def difference_bound(one: Mean, ends: Range, other: Mean, other_ends: Range, failure: float) -> float:
    """Return a number that the mean of `one` less that of `other` is at least, except with probability `failure`.

    The samples are independent of each other. The capital of a gambler who bets on both is the product of the two
    capitals. The pairs of means at which it stays below 1/failure remain possible, and the bound is the least
    difference among them. This is tighter than two bounds at half the failure probability each.
    """
    first, second = _Unit(one, ends), _Unit(_negative(other), (-other_ends[1], -other_ends[0]))
    means, capital = first.curve()
    others, its_capital = second.curve()
    needed = -math.log(failure) - capital[1:]  # between two points, the capital is at least that of the upper one
    place = np.searchsorted(-its_capital, -needed, side="right") - 1  # the last of the others with the needed capital
    least = np.where(place < 0, second.low, second.raw_all(others[np.maximum(place, 0)]))
    least[place == len(others) - 1] = math.inf  # enough capital at every mean of the other sample: none is possible
    found = float(np.min(first.raw_all(means[:-1]) + least))
    return found - 4 * _EPSILON * (abs(found) + first.largest + second.largest)


_EPSILON = float(np.finfo(np.float64).eps)


class _Unit:
    """A sample moved into [0, 1], with moments that are on the safe side of their rounding errors."""

    def __init__(self, sample: Mean, ends: Range) -> None:
        self.low, high = ends
        self.span = max(high - self.low, math.ulp(max(abs(high), abs(self.low), 1e-300)))
        self.largest = max(abs(high), abs(self.low))
        self.count = sample.plays
        steps = (self.count + 10) * _EPSILON
        off = steps * self.largest  # of the mean, by summing `count` numbers in any order
        squares = sample.squares * (1 + 4 * steps) + self.count * off**2
        squares += 2 * steps * math.sqrt(sample.squares * self.count) * self.largest
        self.mean = min(max((sample.value - off - self.low) / self.span, 0.0), 1.0)
        self.off = 2 * off / self.span
        self.squares = squares / self.span**2

    def log_capital(self, means: Any) -> Floats:
        """Return the logarithm of a lower bound on the capital at each of some means in (0, 1]."""
        m = np.asarray(means)[:, None]
        away = self.mean - m
        c = BETS * np.sqrt(m)
        squares = self.squares + self.count * (np.abs(away) + self.off) ** 2
        won = c * (self.count * away / m) + (np.log1p(-c) + c) * (squares / m**2)
        most = won.max(axis=1)
        total: Floats = most + np.log(np.exp(won - most[:, None]).mean(axis=1)) - ROUNDING
        return total

    def curve(self) -> tuple[Floats, Floats]:
        """Return means from 0 to 1, and at each a lower bound on the logarithm of the capital, which never rises."""
        if self.mean < LEAST:
            return np.array([0.0, 1.0]), np.full(2, -math.log(len(BETS)))  # the share of the capital that never bets
        away = np.geomspace(1e-6, 1.0, CURVE)
        below, above = self.mean * (1 - away[:-1]), self.mean + (1 - self.mean) * away[9::10]
        means = np.concatenate((below[::-1], [self.mean], above))
        capital = self.log_capital(means)
        capital = np.maximum.accumulate(capital[::-1])[::-1]  # the capital never falls as the mean falls
        return np.concatenate(([0.0], means)), np.concatenate(([capital[0]], capital))

    def raw_all(self, means: Floats) -> Floats:
        """Return means of the unit interval as numbers of the range; rounding is left to the caller."""
        result: Floats = self.low + self.span * means
        return result

    def raw(self, mean: float) -> float:
        """Return one mean of the unit interval as a number of the range, rounded down."""
        return max(self.low + self.span * mean - 4 * _EPSILON * (self.largest + self.span), self.low)


def _negative(sample: Mean) -> Mean:
    return Mean(sample.plays, -sample.value, sample.squares, -sample.most, -sample.least)
