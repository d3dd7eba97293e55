"""What a run drives: the seam between the loop and a solver, a search, a certification or a training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Generic, TypeVar

from hannan.runs.progress import Limits, Point
from hannan.runs.result import Stop

R_co = TypeVar("R_co", covariant=True)


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
