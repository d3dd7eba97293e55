"""What plays say of their players: means with intervals, and how many independent plays they are worth.

Intervals for a number of plays that was fixed beforehand are Student's. Those that hold at every number of plays at
once, so that one may stop when they say enough, are empirical Bernstein confidence sequences:
I. Waudby-Smith, A. Ramdas (2024), Estimating means of bounded random variables by betting, theorem 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import stdtrit

from hannan.arrays import Floats

LARGEST_BET = 0.5
"""The constant c of the paper's predictable plug-in."""


class Moments:
    """Mean and variance of several numbers, of which batches come one after another."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.count = 0
        self.mean, self._squares = np.zeros(shape), np.zeros(shape)

    def add(self, batch: Floats) -> None:
        """Take more rows, [rows, *shape]."""
        many = len(batch)
        if not many:
            return
        mean = batch.mean(axis=0)
        total, off = self.count + many, mean - self.mean
        self._squares += ((batch - mean) ** 2).sum(axis=0) + off**2 * (self.count * many / total)
        self.mean, self.count = self.mean + off * (many / total), total

    def state(self) -> tuple[Floats, Floats]:
        """Return the mean and the sum of squared distances from it."""
        return self.mean, self._squares

    def restore(self, count: int, mean: Floats, squares: Floats) -> None:
        """Take them over."""
        shape = self.mean.shape
        self.count, self.mean, self._squares = count, mean.reshape(shape).copy(), squares.reshape(shape).copy()

    @property
    def variance(self) -> Floats:
        """The unbiased variance; not a number before the second row."""
        return self._squares / (self.count - 1) if self.count > 1 else np.full(self.mean.shape, math.nan)

    def half_widths(self, failure: float) -> Floats:
        """Student's intervals, each of which fails with this probability."""
        if self.count < 2:
            return np.full(self.mean.shape, math.inf)
        result: Floats = float(stdtrit(self.count - 1, 1 - failure / 2)) * np.sqrt(self.variance / self.count)
        return result


class Anytime:
    """Intervals of the means of numbers in [low, high], all of which hold at once with probability 1 - failure."""

    SUMS = ("sum", "squares", "bets", "weighted", "spent")

    def __init__(self, low: Floats, high: Floats, failure: float) -> None:
        self.low, self.span = low, np.maximum(high - low, 1e-300)
        self.log = math.log(2 / failure)
        self.count = 0
        self._sum, self._squares = np.full(low.shape, 0.5), np.full(low.shape, 0.25)
        self._bets, self._weighted, self._spent = np.zeros(low.shape), np.zeros(low.shape), np.zeros(low.shape)

    def add(self, batch: Floats) -> None:
        """Take more rows, [rows, numbers]; how they are cut into batches does not matter."""
        unit = np.clip((batch - self.low) / self.span, 0.0, 1.0)  # rounding alone leads outside
        t = self.count + np.arange(1, len(unit) + 1)[:, None]
        sums = self._sum + np.cumsum(unit, axis=0)
        before = np.vstack((self._sum[None], sums[:-1])) / t
        squares = self._squares + np.cumsum((unit - sums / (t + 1)) ** 2, axis=0)
        spread = np.vstack((self._squares[None], squares[:-1])) / t
        bet = np.minimum(np.sqrt(2 * self.log / (spread * t * np.log1p(t))), LARGEST_BET)
        self._bets = self._bets + bet.sum(axis=0)
        self._weighted = self._weighted + (bet * unit).sum(axis=0)
        self._spent = self._spent + ((unit - before) ** 2 * (-np.log1p(-bet) - bet)).sum(axis=0)
        self._sum, self._squares, self.count = sums[-1], squares[-1], self.count + len(unit)

    def state(self) -> dict[str, Floats]:
        """Return the sums, and the range in which they were counted."""
        return {"low": self.low, "span": self.span, **{name: getattr(self, f"_{name}") for name in self.SUMS}}

    def restore(self, state: Mapping[str, Floats], count: int) -> None:
        """Take the sums over, which must be of the same range."""
        self.count = count
        for name in self.SUMS:
            setattr(self, f"_{name}", state[name].reshape(self.low.shape).copy())

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the lower and the upper end of each interval."""
        if not self.count:
            return self.low, self.low + self.span
        middle, width = self._weighted / self._bets, (self.log + self._spent) / self._bets
        lower, upper = np.maximum(middle - width, 0.0), np.minimum(middle + width, 1.0)
        return self.low + self.span * lower, self.low + self.span * upper
