"""The one loop: it drives work from its first step, or from a checkpoint, to the result."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import astuple, dataclass
from functools import wraps
from inspect import signature
from os import PathLike
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

from hannan import arguments
from hannan.arguments import Option
from hannan.errors import FileError, HannanError, PieceError, RulesError, SizeError, UnsuitableError
from hannan.files import check_writable
from hannan.holds import held
from hannan.interrupts import interrupts, patience
from hannan.memory import ending_well
from hannan.runs.log import Log
from hannan.runs.progress import GAPS, Ending, Limits, Measurement, Point, Progress, Schedule, Stop, Work, time_left
from hannan.runs.status_line import Watcher, check_watcher, stderr, watcher

PATIENCE = 1.0
"""The fewest seconds that one long step may take, however little time is left."""

EVERY = 60.0
"""Seconds between two checkpoints."""

R = TypeVar("R")
P = ParamSpec("P")
PathTo = str | PathLike[str]


@dataclass(frozen=True)
class Past:
    """The clock and the curve of a run before it was resumed."""

    seconds: float
    curve: tuple[Point, ...]
    measuring: float = 0.0
    """Seconds spent measuring."""


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
        trains: bool = False,
    ) -> None:
        """Limits count from the very beginning of the work, even if there is a `past`.

        `checkpoint` is written about once per `every` seconds, at the end, and if rules break a promise. `log` takes
        every measurement; with a past, it continues an earlier log. `progress` is called with the progress of the run;
        True shows it on a terminal. `trains`: measuring is training, so that the limit of time includes it.
        """
        if checkpoint is not None:
            check_writable(checkpoint)
        if log is not None:
            check_writable(log, renamed=False)
        check_watcher(progress)
        work.check(until)
        self.work, self.until, self.schedule = work, until, schedule
        self.checkpoint, self.every = checkpoint, arguments.limit("every", every)
        self.log, self.progress = log, progress
        self.resumed = past is not None
        self.seconds = 0.0 if past is None else past.seconds
        """Seconds spent in steps only: neither compiling nor measuring."""
        self.measuring = 0.0 if past is None else past.measuring
        """Seconds spent measuring."""
        self._trains, self._trained, self._last_took = trains, 0.0, 0.0
        self.curve = [] if past is None else schedule.kept(past.curve)
        self.stop: Stop | None = None
        """Why the run has ended, once it has."""
        self._unsaved: HannanError | None = None
        self._told: set[str] = set()
        self._log: Log | None = None
        self._show: Watcher | None = None
        self._presses: Callable[[], int] = lambda: 0
        self._due = time.monotonic() + self.every
        self.estimating: Callable[[Any, int], None] = lambda strategy, plays: None
        """Called before the numbers of a result are estimated; see `Ending`."""
        self.hold = ExitStack()
        """The files that are released when the run has ended."""

    @property
    def unsaved(self) -> HannanError | None:
        """Why the last checkpoint, or the last lines of the log, could not be written; None if they could."""
        unlogged = None if self._log is None else self._log.unwritten
        return self._unsaved or unlogged

    def warn(self) -> None:
        """Warn the user, at the end of the run, if a file could not be written."""
        if self.unsaved is not None:
            what = "its checkpoint was" if self._unsaved is not None else "the end of its log was"
            warnings.warn(f"the run ended well, but {what} not written: {self.unsaved}", stacklevel=3)

    @property
    def notes(self) -> Sequence[str]:
        """Notes for the user before the run begins, such as why a method was chosen."""
        return self.work.notes(self.until)

    def finish(self) -> R:
        """Run to the first limit that is reached, and return the result. Ctrl-C ends the run with the result so far."""
        with ExitStack() as stack:
            stack.enter_context(self.hold)
            self._presses = stack.enter_context(interrupts(2 if self.work.estimates else 1))
            self._show = stack.enter_context(watcher(self.progress))
            if self.log is not None:
                self._log = stack.enter_context(Log(self.log, self.work.heading(), append=self.resumed))
            lost: PieceError | None = None
            try:
                for _ in self.measurements():
                    pass
            except PieceError as error:  # workers are lost: the work is at its last whole step
                self.stop, lost = "failed", error
            except (RulesError, UnsuitableError):  # in the middle of a play: the work is at the step before
                self.save()
                raise
            except MemoryError as error:
                kept = "" if self.checkpoint is None else f"; {self.checkpoint} holds what was saved before"
                raise SizeError(
                    f"there is not enough memory to go on after {self.work.steps:,} iterations{kept}; choose a smaller "
                    "game, fewer threads, or a method that needs less (`hannan inspect` lists what each takes)"
                ) from error
            assert self.stop is not None
            if self._log is not None:
                between = self.schedule.at(self.work.steps) != self.work.steps
                self._log.stop(self.stop, between, self.work.outcome())
                self._tell(self._log.unwritten)
            self.save()  # before the result, which may take a while to estimate
            patience = 1 if self.stop == "interrupted" else 0
            ending = Ending(
                self.stop, self.seconds, self.measuring, tuple(self.curve), lambda: self._presses() > patience,
                self.estimating,
            )  # fmt: skip
            result = self.work.result(ending)
            if self._unsaved is not None:
                self.save()
            if lost is not None:
                lost.partial = result
                raise lost
        return result

    def measurements(self) -> Iterator[Point]:
        """Run to the first limit and yield every measurement; the caller may stop at any of them."""
        self.work.prepare()
        target = self.schedule.at(self.work.steps)  # a checkpoint may be just before a measurement, or just after it
        while self.stop is None:
            self.stop = self._advance(target)
            measured = self._measure()
            self._note(measured)
            if self.stop is None and self._presses() > 0:
                self.stop = "interrupted"
            if self.work.solved:
                self.stop = "exact"
            elif measured is not None and self.until.gap is not None and measured.gap <= self.until.gap:
                self.stop = "failed" if self.stop == "failed" else "gap"
            elif self.stop is None and self._most is not None and self.work.steps >= self._most:
                self.stop = "iterations"
            if measured is not None:
                yield self.curve[-1]
            target = self.schedule.after(self.work.steps)

    def change(self, until: Limits) -> None:
        """Change the limits. The new ones count from the very beginning of the work, too."""
        self.work.check(until)
        self.until = until

    @property
    def _most(self) -> int | None:
        """The most steps in all; None: unlimited."""
        limits = (self.until.iterations, self.work.most)
        return min((number for number in limits if number is not None), default=None)

    def save(self) -> None:
        """Write the checkpoint, if the run has one. A failed write is kept in `unsaved`, and tried again."""
        if self.checkpoint is None:
            return
        try:
            self.work.save(self.checkpoint, self.facts())
            self._unsaved = None
            self._told.clear()
            return
        except HannanError as error:
            self._unsaved = error
        except MemoryError:
            self._unsaved = FileError(f"{self.checkpoint} cannot be written: not enough memory for a copy of the state")
        except OSError as error:
            self._unsaved = FileError(f"{self.checkpoint} cannot be written: {error.strerror or error}")
        self._tell(self._unsaved)

    def _tell(self, error: HannanError | None) -> None:
        """Print at once that a file cannot be written, if there is a terminal; print each sentence once."""
        if error is None or self.progress is not True or str(error) in self._told:
            return
        self._told.add(str(error))
        with suppress(OSError):
            stderr().print(f"{error}; the run goes on, and it is tried again", soft_wrap=True)

    def facts(self) -> dict[str, Any]:
        """Return the facts about the run for a checkpoint."""
        curve = [astuple(point) for point in self.curve]
        return {"seconds": self.seconds, "measure_seconds": self.measuring, "curve": curve}

    def _within(self, target: int) -> int:
        """Return `target`, or the last step that the limits allow; they may change during the run."""
        return target if self._most is None else min(target, self._most)

    def _advance(self, target: int) -> Stop | None:
        """Advance to step `target` in slices of about a tenth of a second; return why, if the run ends before."""
        size, work = 1, self.work
        if work.steps > 0 and self._late:
            return "seconds"
        while (ahead := self._within(target) - work.steps) > 0 and not work.solved:
            some = min(size, ahead)
            left = None if self._left is None else max(self._left, PATIENCE)
            before = time.perf_counter()
            with patience(self._enough(before, left)):
                work.advance(some, left)
            took = time.perf_counter() - before
            self.seconds += took
            work.decide()
            size = max(1, min(2 * some, int(some * work.slice / max(took, 1e-9))))
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
    def _left(self) -> float | None:
        """The seconds that are left; None: unlimited. If measuring is training, one more measurement is set aside."""
        if self.until.seconds is None:
            return None
        return self.until.seconds - self.seconds - self._trained - self._last_took

    @property
    def _late(self) -> bool:
        return self._left is not None and self._left <= 0.0

    def _enough(self, begun: float, seconds: float | None) -> Callable[[], bool]:
        """Return a function that says whether to halt a step or a measurement. seconds: None: time does not halt it."""
        return lambda: self._presses() > 0 or (seconds is not None and time.perf_counter() - begun >= seconds)

    def _measure(self) -> Measurement | None:
        """Measure. Ctrl-C halts it, and so does the clock, after the time left and twice the length of the last one."""
        before = time.perf_counter()
        known = self._left is not None and self._last_took > 0.0
        with patience(self._enough(before, max(self._left or 0.0, 0.0) + 2 * self._last_took if known else None)):
            measured = self.work.measure()
        took = time.perf_counter() - before
        self.measuring += took
        if self._trains:
            self._last_took = took
            self._trained += took
        return measured

    def _progress(self) -> Progress:
        steps = self.work.steps
        last = self.curve[-1].gap if self.curve else None
        rate = steps / max(self.seconds, 1e-9)
        solved = self.work.solved
        left, at_most = (None, False) if solved else time_left(self.until, self.curve, steps, self.seconds)
        return Progress(steps, self.seconds, last, rate, left, self.work.status, at_most, self.work.gap_text)

    def _note(self, measured: Measurement | None) -> None:
        """Add a measurement to the curve and the log, once per step; once more if it has a variance only now."""
        if measured is None:
            return
        if self.curve and self.curve[-1].iteration == self.work.steps:
            if measured.variance is None or self.curve[-1].variance is not None:
                return
            self.curve.pop()
        self.curve.append(Point(self.work.steps, self.seconds, *astuple(measured)))
        if self._log is not None:
            self._log.point(self.curve[-1])
            self._tell(self._log.unwritten)


class Finishing(Protocol[P, R]):
    """A public function that makes a run and finishes it; `begin` returns the run, everything checked."""

    begin: Callable[P, Run[R]]
    options: Mapping[str, Option]
    """The options as declared; see `hannan.options.declaring`."""

    def __call__(self, *args: P.args, **keywords: P.kwargs) -> R: ...


def finishing(what: str, *files: Sequence[str]) -> Callable[[Callable[P, Run[R]]], Finishing[P, R]]:
    """Make a public function of one that returns a run: it finishes the run, and returns the result.

    The run holds the files that keywords name, from before anything is read: of each of `files`, the first keyword that
    is given. A second run on the same checkpoint would overwrite what the first one saves. `what` names the work where
    memory ends.
    """

    def decorated(make: Callable[P, Run[R]]) -> Finishing[P, R]:
        def begin(*args: P.args, **keywords: P.kwargs) -> Run[R]:
            with ExitStack() as stack:
                for names in files:
                    for path in [keywords[name] for name in names if keywords.get(name) is not None][:1]:
                        stack.enter_context(held(cast("PathTo", path)))
                run = make(*args, **keywords)
                run.hold.push(stack.pop_all())
            return run

        @wraps(make)
        def finished(*args: P.args, **keywords: P.kwargs) -> R:
            with ending_well(what):
                run = begin(*args, **keywords)
                result = run.finish()
            run.warn()
            return result

        declared = signature(make)
        made = str(declared.return_annotation).removeprefix("Run[").removesuffix("]")
        public = cast("Any", finished)
        public.begin, public.__signature__ = begin, declared.replace(return_annotation=made)
        public.__annotations__ = {**make.__annotations__, "return": made}
        return cast("Finishing[P, R]", public)

    return decorated
