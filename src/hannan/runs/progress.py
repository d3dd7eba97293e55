"""How far a run is: what people watch while they wait."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hannan.runs.limits import Limits

LEAST = 0.1
"""Seconds of work, below which nothing is guessed from its speed: the first steps are slow."""


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
