"""The one loop: it drives work from its first step, or from a checkpoint, to the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from os import PathLike
from typing import Any, Generic, TypeVar

from hannan import arguments
from hannan.errors import HannanError, RulesError, UnsuitableError
from hannan.files import check_writable
from hannan.runs.interrupts import interrupts
from hannan.runs.limits import Limits
from hannan.runs.log import Log
from hannan.runs.progress import Point, Progress, time_left
from hannan.runs.result import Stop
from hannan.runs.schedule import GAPS, Schedule
from hannan.runs.watching import Watcher, watcher
from hannan.runs.work import Ending, Measurement, Work

SLICE = 0.1
"""Seconds of work between two looks at the clock."""

PATIENCE = 1.0
"""Seconds that one long step is given at least, however little time is left."""

EVERY = 60.0
"""Seconds between two checkpoints."""

R = TypeVar("R")
PathTo = str | PathLike[str]


@dataclass(frozen=True)
class Past:
    """What was done before a run was resumed."""

    seconds: float
    curve: tuple[Point, ...]


class Run(Generic[R]):
    """Work under way: its clock, its curve, its limits, its checkpoint and its log."""

    def __init__(
        self,
        work: Work[R],
        until: Limits,
        *,
        past: Past | None = None,
        schedule: Schedule = GAPS,
        checkpoint: PathTo | None = None,
        every: float = EVERY,
        log: PathTo | None = None,
        progress: bool | Watcher | None = None,
    ) -> None:
        """Limits count from the very beginning of the work, also where there is a `past`.

        `checkpoint` is written about `every` so many seconds, at the end, and where rules break a promise. `log` takes
        every measurement, and goes on with an earlier one where there is a past. `progress` is told how far the run
        is; True shows it on a terminal.
        """
        for path in (checkpoint, log):
            if path is not None:
                check_writable(path)
        work.check(until)
        self.work, self.until, self.schedule = work, until, schedule
        self.checkpoint, self.every = checkpoint, arguments.limit("every", every)
        self.log, self.progress = log, progress
        self.resumed = past is not None
        self.seconds = 0.0 if past is None else past.seconds
        """Spent in steps alone: neither compiling nor measuring."""
        self.curve = [] if past is None else schedule.kept(past.curve)
        self.stop: Stop | None = None
        """Why the run has ended, once it has."""
        self.unsaved: HannanError | None = None
        """Why the last checkpoint could not be written, where it could not."""
        self._log: Log | None = None
        self._show: Watcher | None = None
        self._presses: Callable[[], int] = lambda: 0
        self._due = time.monotonic() + self.every

    @property
    def notes(self) -> Sequence[str]:
        """What people should know before the run begins, such as why a method was chosen."""
        return self.work.notes(self.until)

    def finish(self) -> R:
        """Go on to the first limit that is reached, and return the result. Ctrl-C ends the run with what it has."""
        with ExitStack() as stack:
            self._presses = stack.enter_context(interrupts(1 if self.work.exact else 2))
            self._show = stack.enter_context(watcher(self.progress))
            if self.log is not None:
                self._log = stack.enter_context(Log(self.log, self.work.heading(), append=self.resumed))
            try:
                for _ in self.measurements():
                    pass
            except (RulesError, UnsuitableError):  # in the middle of a play: the work stands where it was before
                self.save()
                raise
            assert self.stop is not None
            if self._log is not None:
                self._log.stop(self.stop)
            self.save()  # before the result, which may take a while to estimate
            patience = 1 if self.stop == "interrupted" else 0
            ending = Ending(self.stop, self.seconds, tuple(self.curve), lambda: self._presses() > patience)
            result = self.work.result(ending)
        if self.unsaved is not None:
            self.save()
        return result

    def measurements(self) -> Iterator[Point]:
        """Go on to the first limit that is reached, and yield every measurement; whoever has enough just stops."""
        self.work.prepare()
        limits = (self.until.iterations, self.work.most)
        most = min((number for number in limits if number is not None), default=None)
        target = self.schedule.at(self.work.steps)  # a checkpoint may be just before a measurement, or just after it
        while self.stop is None:
            if most is not None:
                target = max(min(target, most), self.work.steps)
            self.stop = self._advance(target)
            measured = self.work.measure()
            self._note(measured)
            if self.work.solved:
                self.stop = "exact"
            elif measured is not None and self.until.gap is not None and measured.gap <= self.until.gap:
                self.stop = "gap"
            elif self.stop is None and most is not None and self.work.steps >= most:
                self.stop = "iterations"
            if measured is not None:
                yield self.curve[-1]
            target = self.schedule.after(self.work.steps)

    def save(self) -> None:
        """Write the checkpoint, where one is wanted; what cannot be written is kept in `unsaved`, and tried again."""
        if self.checkpoint is None:
            return
        try:
            self.work.save(self.checkpoint, self.facts())
            self.unsaved = None
        except HannanError as error:
            self.unsaved = error

    def facts(self) -> dict[str, Any]:
        """Return what a checkpoint says of the run itself."""
        return {"seconds": self.seconds, "curve": [astuple(point) for point in self.curve]}

    def _advance(self, target: int) -> Stop | None:
        """Go up to step `target` in slices of about a tenth of a second; say why, if it ends before."""
        size, work = 1, self.work
        if work.steps > 0 and self._late:
            return "seconds"
        while work.steps < target:
            some = min(size, target - work.steps)
            left = None if self.until.seconds is None else max(self.until.seconds - self.seconds, PATIENCE)
            before = time.perf_counter()
            work.advance(some, left)
            took = time.perf_counter() - before
            self.seconds += took
            size = max(1, min(2 * some, int(some * SLICE / max(took, 1e-9))))
            if time.monotonic() >= self._due:
                self.save()
                self._due = time.monotonic() + self.every
            if self._show is not None:
                self._show(self._progress())
            if work.blocked is not None:
                return work.blocked
            if self._presses() > 0:
                return "interrupted"
            if self._late:
                return "seconds"
        return None

    @property
    def _late(self) -> bool:
        return self.until.seconds is not None and self.seconds >= self.until.seconds

    def _progress(self) -> Progress:
        steps = self.work.steps
        last = self.curve[-1].gap if self.curve and self.work.exact else None
        left = time_left(self.until, self.curve, steps, self.seconds)
        return Progress(steps, self.seconds, last, steps / max(self.seconds, 1e-9), left, self.work.status)

    def _note(self, measured: Measurement | None) -> None:
        """Add a measurement to the curve and the log, once for each step; again, where it has a variance only now."""
        if measured is None:
            return
        if self.curve and self.curve[-1].iteration == self.work.steps:
            if measured.variance is None or self.curve[-1].variance is not None:
                return
            self.curve.pop()
        self.curve.append(Point(self.work.steps, self.seconds, *astuple(measured)))
        if self._log is not None:
            self._log.point(self.curve[-1])
