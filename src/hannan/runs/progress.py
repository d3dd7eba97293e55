"""How far a run is, when it measures, and when it stops."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hannan import arguments

LEAST = 0.1
"""Seconds of work, below which nothing is guessed from its speed: the first steps are slow."""


@dataclass(frozen=True)
class Limits:
    """When to stop: at the first that is reached. All count from the start of the work, also where it is resumed."""

    gap: float | None = None
    iterations: int | None = None
    seconds: float | None = None


DEFAULT = Limits(gap=1e-4, iterations=100_000)
"""Where a run stops that was given no limit."""


def limits(gap: float | None = None, iterations: int | None = None, seconds: float | None = None) -> Limits:
    """Check the three limits; return the defaults where there is none."""
    for name, number in (("gap", gap), ("seconds", seconds)):
        if number is not None:
            arguments.limit(name, number)
    if gap is None and iterations is None and seconds is None:
        return DEFAULT
    return Limits(gap, None if iterations is None else arguments.count("iterations", iterations), seconds)


@dataclass(frozen=True)
class Point:
    """One measurement of a run."""

    iteration: int
    seconds: float
    """Solving alone."""
    gap: float
    """NaN, like `nash_conv`, where the game is too large to measure it."""
    nash_conv: float
    variance: float | None = None
    """The sum of the variances of a sampler's estimates, where that was asked for."""
    given_visit: float | None = None
    """The sum of the variances of the values given the visit, each times the probability of the visit."""


@dataclass(frozen=True)
class Schedule:
    """Iterations that begin at `first` and grow by a factor, and by so many steps at least."""

    first: int = 1
    spacing: float = 1.2
    step: int = 1

    def at(self, iteration: int) -> int:
        """Return the first measurement at this iteration or later."""
        point = self.first
        while point < iteration:
            point = max(point + self.step, math.ceil(point * self.spacing))
        return point

    def after(self, iteration: int) -> int:
        """Return the first measurement after this iteration."""
        return self.at(iteration + 1)

    def kept(self, curve: Iterable[Point]) -> list[Point]:
        """Return the measurements of the schedule: a run that ended between two of them has made one more."""
        return [point for point in curve if self.at(point.iteration) == point.iteration]


GAPS = Schedule()
"""Where the gap is measured."""


@dataclass(frozen=True)
class Progress:
    """A run in the middle."""

    iteration: int
    seconds: float
    gap: float | None
    rate: float
    """Iterations a second."""
    left: float | None
    """Seconds until the first limit is reached, as far as one can tell."""
    status: str = ""
    """How far a long iteration is, in words; empty where iterations say it."""


def time_left(limits: Limits, curve: Sequence[Point], iteration: int, seconds: float) -> float | None:
    """Guess how long a run still takes; the gap is extrapolated along the last points on log–log scales."""
    guesses = []
    rate = iteration / seconds if seconds > LEAST else 0.0
    if limits.iterations is not None and rate > 0:
        guesses.append((limits.iterations - iteration) / rate)
    if limits.seconds is not None:
        guesses.append(limits.seconds - seconds)
    if limits.gap is not None and limits.gap > 0 and len(curve) >= 4:
        early, late = curve[len(curve) // 2], curve[-1]
        if 0 < late.gap < early.gap and late.seconds > early.seconds > 0:
            slope = math.log(late.gap / early.gap) / math.log(late.seconds / early.seconds)
            power = math.log(limits.gap / late.gap) / slope
            if power < 50:
                guesses.append(late.seconds * math.exp(power) - seconds)
    return max(min(guesses), 0.0) if guesses else None
