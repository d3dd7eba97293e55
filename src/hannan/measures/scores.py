"""Moments of scores that arrive in batches: means, variances, Student's intervals, and bounds within a range."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from hannan.arrays import Floats
from hannan.measures.bounds import Range, lower_bound, upper_bound
from hannan.measures.means import Mean


class Moments:
    """Mean and variance of several numbers, updated batch by batch."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.count = 0
        self.mean, self._squares = np.zeros(shape), np.zeros(shape)

    def add(self, batch: Floats) -> None:
        """Add rows, [rows, *shape]."""
        many = len(batch)
        if not many:
            return
        mean = batch.mean(axis=0)
        total, off = self.count + many, mean - self.mean
        self._squares += ((batch - mean) ** 2).sum(axis=0) + off**2 * (self.count * many / total)
        self.mean, self.count = self.mean + off * (many / total), total

    def state(self) -> tuple[Floats, Floats]:
        """Return the mean and the sum of squared deviations from it."""
        return self.mean, self._squares

    def restore(self, count: int, mean: Floats, squares: Floats) -> None:
        """Set the number of rows, the mean and the sum of squared deviations."""
        shape = self.mean.shape
        self.count, self.mean, self._squares = count, mean.reshape(shape).copy(), squares.reshape(shape).copy()

    @property
    def variance(self) -> Floats:
        """The unbiased variance; NaN before the second row."""
        return self._squares / (self.count - 1) if self.count > 1 else np.full(self.mean.shape, math.nan)

    def bounds(self, ranges: Sequence[Range], failure: float) -> tuple[Floats, Floats]:
        """Return lower and upper bounds on the mean of each number; each bound is false with probability `failure`.

        A bound holds for all numbers of rows together (`measures.bounds`). ranges: the least and the most of each
        number.
        """
        if not self.count:
            low, high = np.array(ranges).T
            return low, high
        means = [
            Mean(self.count, mean, squares, mean, mean)
            for mean, squares in zip(self.mean.tolist(), self._squares.tolist(), strict=True)
        ]
        pairs = list(zip(means, ranges, strict=True))
        lower, upper = ([end(*pair, failure) for pair in pairs] for end in (lower_bound, upper_bound))
        return np.array(lower), np.array(upper)

    def interval_half_widths(self, failure: float) -> Floats:
        """Return half widths of Student's intervals; each misses with probability of about `failure`. Not bounds."""
        if self.count < 2:
            return np.full(self.mean.shape, math.inf)
        result: Floats = float(stdtrit(self.count - 1, 1 - failure / 2)) * np.sqrt(self.variance / self.count)
        return result
