"""What a run and its work tell each other: limits, when to measure, how far it is, and the seam between the two."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Generic, Literal, TypeVar

from hannan import arguments

Stop = Literal["gap", "iterations", "seconds", "interrupted", "exact", "memory", "failed", "games", "decided"]
"""Why a run ended."""

R_co = TypeVar("R_co", covariant=True)

LEAST = 0.1
"""Seconds of work, below which nothing is guessed from its speed: the first steps are slow."""


@dataclass(frozen=True)
class Limits:
    """When to stop: at the first that is reached. All count from the start of the work, also where it is resumed."""

    gap: float | None = None
    iterations: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        """Say when a run stops."""
        gap = "" if self.gap is None else f"at gap {self.gap:g}"
        iterations = "" if self.iterations is None else f"after {self.iterations:,} iterations"
        seconds = "" if self.seconds is None else f"after {self.seconds:g} seconds"
        return " or ".join(filter(None, (gap, iterations, seconds)))


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
        if self.spacing == 1:
            return self.first + max(0, -(-(iteration - self.first) // self.step)) * self.step
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


def schedule(every: int | None) -> Schedule:
    """Return when to measure: after every so many iterations; None: ever more rarely, as `GAPS` says."""
    if every is None:
        return GAPS
    step = arguments.whole("measure_every", every)
    return Schedule(step, 1.0, step)


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


@dataclass(frozen=True)
class Measurement:
    """What was measured between two steps."""

    gap: float
    """NaN, like `nash_conv`, where it cannot be measured."""
    nash_conv: float
    variance: float | None = None
    given_visit: float | None = None


@dataclass(frozen=True)
class Ending:
    """How a run ended: what the work is told when it is asked for its result."""

    stop: Stop
    seconds: float
    """Spent in steps alone."""
    measuring: float
    """Seconds spent measuring, which for some methods is training."""
    curve: tuple[Point, ...]
    enough: Callable[[], bool]
    """Whether somebody has pressed Ctrl-C (again): estimates then end with what they have."""
    estimating: Callable[[Any, int], None]
    """To be told before numbers are estimated: the strategies, and how many plays there will be for each player."""


class Work(ABC, Generic[R_co]):
    """Something that goes forward in steps, can be saved between two of them, and ends in a result."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many steps are done."""

    @property
    def most(self) -> int | None:
        """How many steps there may be in all; None where there is no end."""
        return None

    @property
    def estimates(self) -> bool:
        """Whether the result is estimated at the end, which takes a while."""
        return False

    @property
    def measured(self) -> bool:
        """Whether `measure` has anything to say."""
        return True

    @property
    def status(self) -> str:
        """How far a long step is, in words; empty where the number of steps says it."""
        return ""

    def notes(self, until: Limits) -> Sequence[str]:
        """Return what people should know before the first step."""
        return ()

    @property
    def solved(self) -> bool:
        """Whether there is nothing left to improve."""
        return False

    @property
    def blocked(self) -> Stop | None:
        """Why it cannot go on, where it cannot."""
        return None

    def check(self, until: Limits) -> None:  # most take any limits
        """Refuse limits under which it would never stop, or cannot go on so long."""

    def prepare(self) -> None:  # some have nothing to compile
        """Compile what is needed, so that compiling is not timed."""

    def decide(self) -> None:  # most have one algorithm only
        """Change the algorithm before the next steps, where another one would do better."""

    @abstractmethod
    def advance(self, steps: int, seconds: float | None) -> None:
        """Go so many steps forward; a single long one may give up after so many seconds."""

    @abstractmethod
    def measure(self) -> Measurement | None:
        """Measure how good it is by now; None where there is nothing to measure."""

    @abstractmethod
    def heading(self) -> Mapping[str, Any]:
        """Return what its log says of it in the first line."""

    @abstractmethod
    def save(self, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
        """Write its state with the run's facts."""

    @abstractmethod
    def result(self, ending: Ending) -> R_co:
        """Return what came out."""
