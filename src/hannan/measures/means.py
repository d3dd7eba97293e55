"""Means of independent plays, and their error by the normal approximation."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist

from hannan.arrays import Floats


@dataclass(frozen=True)
class Mean:
    """The mean of one player's earnings in `plays` independent plays."""

    plays: int
    value: float
    squares: float
    """The sum of squared distances from the mean."""
    least: float
    """The least that the player earned in a play."""
    most: float

    @staticmethod
    def of(earned: Floats) -> Mean:
        """Return the mean of the earnings in each play, [plays]."""
        value = float(earned.mean())
        squares = float(((earned - value) ** 2).sum())
        return Mean(len(earned), value, squares, float(earned.min()), float(earned.max()))

    def joined(self, other: Mean) -> Mean:
        """Return the mean of these plays and the plays of `other`."""
        plays, off = self.plays + other.plays, other.value - self.value
        return Mean(
            plays,
            self.value + off * (other.plays / plays),
            self.squares + other.squares + off**2 * (self.plays * other.plays / plays),
            min(self.least, other.least),
            max(self.most, other.most),
        )

    @property
    def standard_error(self) -> float:
        """The standard error of the value; infinite for a single play."""
        return sqrt(self.squares / (self.plays - 1) / self.plays) if self.plays > 1 else inf


def normal_half_width(standard_error: float, confidence: float) -> float:
    """Return half of the width of a two-sided normal interval: an approximation, not a bound."""
    return NormalDist().inv_cdf(0.5 + confidence / 2) * standard_error
