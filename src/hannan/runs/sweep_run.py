"""One run of a sweep, as a piece of work for any worker. It continues from its own checkpoint, if there is one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from hannan.arguments import shown
from hannan.errors import STRAY, FileError, HannanError
from hannan.files import CHANGED, digest, read_bytes, understanding, write_text
from hannan.forms.game import Game
from hannan.interrupts import Halted, go_on
from hannan.runs.progress import Point, Progress
from hannan.runs.result import Result
from hannan.runs.run import Run
from hannan.runs.solve import solve
from hannan.runs.sweep_plan import Plan, PlannedRun, SweptMethod

FORMAT, VERSION = "hannan.swept", 1
REAL = int | float
KNOWN: Mapping[str, Any] = {
    "method": str, "iterations": int, "seconds": REAL, "stop": str, "gap": REAL | None, "nash_conv": REAL | None,
    "exploitability": REAL | None, "cce_gap": REAL | None, "updates": str | None,
}  # fmt: skip
"""The keys of the record of a result, and their types."""


@dataclass(frozen=True)
class Sent:
    """The data that every run of a sweep needs."""

    games: tuple[Game, ...]
    methods: tuple[SweptMethod, ...]
    folder: str | None
    """The folder for checkpoints; a worker that does not see this folder writes none."""
    every: float
    """Seconds between two checkpoints."""

    @classmethod
    def of(cls, plan: Plan, folder: Path | None, every: float) -> Sent:
        """Return the data of a plan."""
        games = tuple(one.game for one in plan.games)
        return cls(games, plan.methods, None if folder is None else str(folder.resolve()), every)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run: its numbers and its curve, or why there are none."""

    numbers: Mapping[str, Any]
    """The record of a result, as `hannan solve --json` prints it."""
    curve: tuple[Point, ...]
    gap_name: str = ""
    error: str = ""
    """Why the run failed; empty: it did not."""

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped from outside: its numbers are not those of a whole run."""
        return self.numbers.get("stop") == "interrupted"


def checkpoint_of(folder: str | PathLike[str], key: str) -> Path:
    """Return the checkpoint of a run that is under way."""
    return Path(folder) / f"{key}.checkpoint"


def make_run(sent: Sent, planned: PlannedRun) -> Outcome:
    """Make one run. An error becomes its outcome, and does not end the sweep."""
    run: Run[Result] | None = None
    try:
        run = _begun(sent, planned)
        result = run.finish()
    except Halted:  # the sweep should stop now
        if run is not None:
            run.save()
        raise
    except HannanError as error:
        return Outcome({}, (), error=str(error))
    except MemoryError:
        return Outcome({}, (), error="there was not enough memory")
    except STRAY as error:  # such as an error of a user's method
        return Outcome({}, (), error=f"{type(error).__name__}: {error}")
    numbers = json.loads(json.dumps(result.record(), default=list))
    return Outcome(numbers, result.curve, result.gap_name)


def _begun(sent: Sent, planned: PlannedRun) -> Run[Result]:
    """Return the run, from its checkpoint if that can be read."""
    game, method = sent.games[planned.game], sent.methods[planned.method]
    wanted: dict[str, Any] = {**method.limits, **method.given, "curve": True, "progress": _watch}
    if planned.seed is not None:
        wanted["seed"] = planned.seed
    if sent.folder is not None and Path(sent.folder).is_dir():
        path = checkpoint_of(sent.folder, planned.key)
        wanted |= {"checkpoint": path, "every": sent.every}
        if path.exists():
            with suppress(HannanError):  # damaged, or of another version: begin anew
                return solve.begin(game, method.method, resume=path, **wanted)
    return solve.begin(game, method.method, **wanted)


def _watch(progress: Progress) -> None:
    go_on()


def write_outcome(path: Path, planned: PlannedRun, outcome: Outcome) -> None:
    """Write the outcome of a run, with a digest over all of it."""
    record = {
        "format": FORMAT, "version": VERSION, "key": planned.key, "numbers": outcome.numbers,
        "gap_name": outcome.gap_name, "curve": [astuple(point) for point in outcome.curve],
    }  # fmt: skip
    write_text(path, json.dumps({**record, "digest": digest({}, record)}) + "\n")


def read_outcome(path: Path, planned: PlannedRun) -> Outcome | None:
    """Return the outcome of an earlier run; None if the file does not exist."""
    if not path.exists():
        return None
    with understanding(path, "a finished run of a sweep: delete it, or choose another folder"):
        saved = json.loads(read_bytes(path))
        if (saved["format"], saved["version"], saved["key"]) != (FORMAT, VERSION, planned.key):
            raise ValueError("it is of another run or version")
        if saved["digest"] != digest({}, saved):
            raise FileError(f"{path} {CHANGED}")
        numbers = dict(saved["numbers"])
        for name, kind in KNOWN.items():
            _check(name, numbers[name], kind)
        for name in ("values", "gains"):
            for number in numbers[name] or ():
                _check(name, number, REAL)
        curve = tuple(Point(*point) for point in saved["curve"])
        for point in curve:
            _check("iteration", point.iteration, int)
            for number in astuple(point)[1:]:
                _check("a point of the curve", number, REAL | None)
        return Outcome(numbers, curve, str(saved["gap_name"]))


def _check(name: str, value: Any, kind: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, kind):
        raise ValueError(f"{name} is {shown(value)}")
