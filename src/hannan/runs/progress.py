"""The interface between a run and its work: limits, when to measure, progress, and the class `Work`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from hannan import arguments
from hannan.arrays import Known

Stop = Literal["gap", "iterations", "seconds", "interrupted", "exact", "memory", "failed", "games", "decided"]
"""Why a run ended."""

R_co = TypeVar("R_co", covariant=True)

SLICE = 0.1
"""Seconds of work between two readings of the clock, unless the work needs more."""

LEAST = 0.1
"""Seconds of work below which its speed gives no forecast, since the first steps are slow."""

FEWEST, FORECASTS = 4, 5
"""The fewest points of a line that forecasts a gap; and how many forecasts must agree before one is shown."""
AGREEMENT, FARTHEST = 2.0, 100.0
"""The largest ratio of two forecasts that agree; and the largest ratio of forecast to elapsed time."""


@dataclass(frozen=True)
class Limits:
    """When to stop: at the first limit that is reached. All count from the start of the work, even if it is resumed."""

    gap: float | None = None
    iterations: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        """Return when a run stops, in words."""
        gap = "" if self.gap is None else f"at gap {self.gap:g}"
        iterations = "" if self.iterations is None else f"after {self.iterations:,} iterations"
        seconds = "" if self.seconds is None else f"after {self.seconds:g} seconds"
        return " or ".join(filter(None, (gap, iterations, seconds)))


DEFAULT = Limits(gap=1e-4, iterations=100_000)
"""The limits of a run without other limits."""


def limits(gap: float | None = None, iterations: int | None = None, seconds: float | None = None) -> Limits:
    """Check the three limits; return the defaults if none is given."""
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
    """Of solving only."""
    gap: Known  # float | None
    """None, like `nash_conv`, if the game is too large to measure it."""
    nash_conv: Known  # float | None
    variance: float | None = None
    """The sum of the variances of a sampler's estimates, if it was asked for."""
    given_visit: float | None = None
    """The sum of the variances of the values given the visit, each times the probability of the visit."""


class Plottable(ABC):
    """A record that holds the curve of a run."""

    curve: tuple[Any, ...]

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Return the numbers as one object that JSON can hold. Numbers that were not measured are None."""

    def plot(self, path: str | PathLike[str] | None = None, **options: Any) -> Any:
        """Draw the convergence, and return matplotlib's axes; path and options are those of `hannan.plot`."""
        from hannan import plot

        return plot(self, path, **options)  # type: ignore[arg-type]  # its kinds stand right of this room

    def _repr_html_(self) -> str:
        from hannan.markup import chart, facts, page

        facts_of = self.record()
        known = [(point.iteration, point.gap) for point in self.curve if point.gap is not None]
        steps = str(facts_of.get("counts", "iterations"))
        return page(str(facts_of.get("game", "?")), facts(facts_of), chart(known, steps, "gap"))


@dataclass(frozen=True)
class Schedule:
    """Which iterations are measured: they begin at `first` and grow by a factor, and by at least a number of steps."""

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
        """Return the measurements that belong to the schedule: a run that ended between two of them made one more."""
        return [point for point in curve if self.at(point.iteration) == point.iteration]


GAPS = Schedule()
"""The iterations at which the gap is measured."""


def schedule(every: int | None, distance: int = 1) -> Schedule:
    """Return when to measure: after each `every` iterations; None: at growing distances, at least `distance`."""
    if every is None:
        return GAPS if distance == 1 else Schedule(distance, GAPS.spacing, distance)
    step = arguments.whole("measure_every", every)
    return Schedule(step, 1.0, step)


@dataclass(frozen=True)
class Progress:
    """The state of a run that is under way."""

    iteration: int
    seconds: float
    gap: float | None
    rate: float
    """Iterations per second."""
    left: float | None
    """Seconds until the first limit is reached; None: unknown."""
    status: str = ""
    """The progress inside a long iteration, in words; else empty."""
    at_most: bool = False
    """Whether `left` is an upper bound: the limit on the gap may end the run earlier, at an unknown time."""
    gap_text: str = ""
    """The last gap in the units of the game, for example a share of the pot; empty: show the number."""


class Left(NamedTuple):
    """The time that a run still takes."""

    seconds: float | None
    """None: unknown."""
    at_most: bool = False
    """Whether this is an upper bound."""


def time_left(limits: Limits, curve: Sequence[Point], iteration: int, seconds: float) -> Left:
    """Forecast how long a run still takes.

    The gap is extrapolated on log–log scales. This forecast counts only if the forecasts of the last measurements
    agree; else the other limits give an upper bound.
    """
    sure = []
    if limits.iterations is not None and seconds > LEAST and iteration > 0:
        sure.append((limits.iterations - iteration) * seconds / iteration)
    if limits.seconds is not None:
        sure.append(limits.seconds - seconds)
    bound = max(min(sure), 0.0) if sure else None
    if limits.gap is None:
        return Left(bound)
    end = None if limits.gap <= 0 else _steady_end(limits.gap, curve)
    if end is None:
        return Left(bound, at_most=bound is not None)
    left = max(end - seconds, 0.0)
    return Left(left if bound is None else min(left, bound))


def _steady_end(gap: float, curve: Sequence[Point]) -> float | None:
    """Return when a gap is reached, in seconds of the run: the median of the last forecasts; None if they disagree.

    The forecast does not end the run: it continues until the next measurement of the gap.
    """
    ends = []
    for points in range(len(curve) - FORECASTS + 1, len(curve) + 1):
        end = _end(gap, curve[: max(points, 0)])
        if end is None:
            return None
        ends.append(end)
    before, last = curve[-2].seconds, curve[-1].seconds
    return max(float(np.median(ends)), last * last / before) if max(ends) <= AGREEMENT * min(ends) else None


def _end(gap: float, curve: Sequence[Point]) -> float | None:
    """Return when the line through the later half of a curve, on log–log scales, reaches a gap; None if never."""
    later = [point for point in curve[len(curve) // 2 :] if point.gap and point.seconds > 0]
    if len(later) < FEWEST or later[-1].seconds < LEAST:
        return None
    at, gaps = [math.log(point.seconds) for point in later], [math.log(point.gap) for point in later]
    if at[0] == at[-1]:
        return None
    slope, start = np.polyfit(at, gaps, 1).tolist()
    power = (math.log(gap) - start) / slope if slope < 0 else math.inf
    return math.exp(power) if power < at[-1] + math.log(FARTHEST) else None


@dataclass(frozen=True)
class Measurement:
    """A measurement between two steps."""

    gap: Known  # float | None
    """None, like `nash_conv`, if it cannot be measured."""
    nash_conv: Known  # float | None
    variance: float | None = None
    given_visit: float | None = None


@dataclass(frozen=True)
class Ending:
    """How a run ended: the argument of `Work.result`."""

    stop: Stop
    seconds: float
    """Seconds spent in steps only."""
    measuring: float
    """Seconds spent measuring, which for some methods is training."""
    curve: tuple[Point, ...]
    enough: Callable[[], bool]
    """Whether the user has pressed Ctrl-C (again): estimates then end with the plays so far."""
    estimating: Callable[[Any, int], None]
    """Called before numbers are estimated, with the strategies and the number of plays for each player."""


class Work(ABC, Generic[R_co]):
    """Work that advances in steps, can be saved between two of them, and ends in a result."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """The number of steps done."""

    @property
    def most(self) -> int | None:
        """The largest number of steps in all; None: unlimited."""
        return None

    @property
    def estimates(self) -> bool:
        """Whether the result is estimated at the end, which takes a while."""
        return False

    @property
    def measured(self) -> bool:
        """Whether `measure` measures anything."""
        return True

    @property
    def status(self) -> str:
        """The progress inside a long step, in words; empty if steps are short."""
        return ""

    @property
    def slice(self) -> float:
        """Seconds of work between two readings of the clock."""
        return SLICE

    @property
    def gap_text(self) -> str:
        """The last gap in the units of the game; empty: show the number."""
        return ""

    def notes(self, until: Limits) -> Sequence[str]:
        """Return notes for the user before the first step."""
        return ()

    @property
    def solved(self) -> bool:
        """Whether there is nothing left to improve."""
        return False

    @property
    def blocked(self) -> Stop | None:
        """Why the work cannot continue; None if it can."""
        return None

    def check(self, until: Limits) -> None:  # most take any limits
        """Refuse limits under which the work would never stop, or that it cannot reach."""

    def prepare(self) -> None:  # some have nothing to compile
        """Compile what is needed, so that compiling is not timed."""

    def decide(self) -> None:  # most have one algorithm only
        """Change the algorithm before the next steps, if another one would do better."""

    @abstractmethod
    def advance(self, steps: int, seconds: float | None) -> None:
        """Advance by `steps` steps; a single long step may give up after `seconds` seconds."""

    @abstractmethod
    def measure(self) -> Measurement | None:
        """Measure the quality of the present result; return None if there is nothing to measure."""

    @abstractmethod
    def heading(self) -> Mapping[str, Any]:
        """Return the first line of its log."""

    def outcome(self) -> Mapping[str, Any]:
        """Return the fields of the last line of the log, in addition to why the run ended."""
        return {}

    @abstractmethod
    def save(self, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
        """Write the state of the work, with the run's facts."""

    @abstractmethod
    def result(self, ending: Ending) -> R_co:
        """Return the result."""
