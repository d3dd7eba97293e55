"""What a run drives: the seam between the loop and a solver, a search, a certification or a training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Protocol, TypeVar

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


class Work(Protocol[R_co]):
    """Something that goes forward in steps, can be saved between two of them, and ends in a result."""

    @property
    def steps(self) -> int:
        """How many steps are done."""

    @property
    def most(self) -> int | None:
        """How many steps there may be in all; None where there is no end."""

    @property
    def exact(self) -> bool:
        """Whether its gap can be measured; else the result is an estimate, which takes a while to make."""

    @property
    def measured(self) -> bool:
        """Whether `measure` has anything to say."""

    @property
    def status(self) -> str:
        """How far a long step is, in words; empty where the number of steps says it."""

    def notes(self, until: Limits) -> Sequence[str]:
        """Return what people should know before the first step."""

    @property
    def solved(self) -> bool:
        """Whether there is nothing left to improve."""

    @property
    def blocked(self) -> Stop | None:
        """Why it cannot go on, where it cannot."""

    def check(self, until: Limits) -> None:
        """Refuse limits under which it would never stop, or cannot go on so long."""

    def prepare(self) -> None:
        """Compile what is needed, so that compiling is not timed."""

    def advance(self, steps: int, seconds: float | None) -> None:
        """Go so many steps forward; a single long one may give up after so many seconds."""

    def measure(self) -> Measurement | None:
        """Measure how good it is by now; None where there is nothing to measure."""

    def heading(self) -> Mapping[str, Any]:
        """Return what its log says of it in the first line."""

    def save(self, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
        """Write its state with the run's facts."""

    def result(self, ending: Ending) -> R_co:
        """Return what came out."""
