"""At which iterations something is measured: a fixed sequence, which never depends on the clock."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from hannan.runs.progress import Point


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
