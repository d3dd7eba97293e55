"""A solve that pages start, watch, pause and resume. Its files are in a folder of its own, and outlive the server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hannan.errors import FileError, HannanError
from hannan.files import NONSENSE, read_bytes, write_text
from hannan.web.heavy import Heavy
from hannan.web.locking import Resolved, read_locks, texts
from hannan.web.numbers import finite, number_text, plain
from hannan.web.refusals import StateError

if TYPE_CHECKING:
    from hannan.web.opened import OpenGame
    from hannan.web.session import Session

FORMAT, VERSION = "hannan.explorer run", 1
UNDER_WAY = ("queued", "starting", "running", "pausing", "stopping")
ENDED = ("finished", "paused", "interrupted", "failed")
LIMITS = ("gap", "iterations", "seconds")
MOST_POINTS = 2000
"""The most points of a curve in one answer."""


@dataclass
class Asked:
    """The request for a run. Only its name and its limits may change."""

    name: str
    address: str
    built_in: bool
    method: str
    parameters: dict[str, Any]
    options: dict[str, Any]
    limits: dict[str, Any]
    locks: list[dict[str, Any]]
    created: str


@dataclass
class Standing:
    """The state and progress of a run."""

    state: str = "queued"
    error: str | None = None
    stop: str | None = None
    iteration: int = 0
    seconds: float = 0.0
    gap: float | None = None
    gap_name: str | None = None
    gap_text: str = ""
    rate: float | None = None
    left: float | None = None
    left_at_most: bool = False
    why: str = ""
    used: str | None = None
    """The method that was chosen, if `auto` was asked for."""
    result: dict[str, Any] | None = None


class SolveRun(Heavy):
    """One run."""

    def __init__(
        self, session: Session, folder: Path, asked: Asked, game: OpenGame | None, locks: Resolved | None = None
    ) -> None:
        super().__init__(session)
        self.id, self.folder, self.asked, self.game = f"r{folder.name}", folder, asked, game
        self.locks = locks
        self.now = Standing()
        self.points: list[dict[str, Any]] = []
        self.base: str | None = None
        """The strategy that the result is compared with."""
        self.strategy: str | None = None
        self._wanted = ""

    @property
    def state(self) -> str:  # type: ignore[override]
        """The state of the run."""
        return self.now.state

    @property
    def under_way(self) -> bool:
        """Whether the run works or waits in the queue."""
        return self.now.state in UNDER_WAY

    # requests of pages

    def pause(self, wanted: str = "pause") -> None:
        """End the process with a checkpoint; `wanted` is `pause`, or `stop`."""
        if self.now.state not in ("queued", "starting", "running"):
            raise StateError(f"{self.asked.name} is {self.now.state}: it cannot {wanted} now")
        self._wanted = wanted
        if self.session.runs.withdraw(self):
            self._become("paused")
            return
        self._become("pausing" if wanted == "pause" else "stopping")
        self.wish(do="stop")

    def go_on(self) -> None:
        """Queue the run, to continue from its checkpoint."""
        if "go-on" not in self.can():
            raise StateError(f"{self.asked.name} is {self.now.state}, and cannot go on")
        if self.game is None or self.game.id not in self.session.games:
            self.game, _ = self.session.open_built_in(self.asked.address)
        self.session.runs.submit(self)

    def change(self, name: str | None, limits: Mapping[str, Any] | None) -> None:
        """Change the name or the limits."""
        if limits is not None:
            from hannan.runs.progress import limits as checked

            checked(**{each: limits.get(each) for each in LIMITS})
            if "limits" not in self.can():
                raise StateError(f"{self.asked.name} is {self.now.state}: its limits do not change now")
            self.asked.limits = {each: limits.get(each) for each in LIMITS}
            self.wish(do="limits", limits=self.asked.limits)
        if name is not None:
            self.asked.name = name.strip()[:100] or self.asked.name
        self._become(self.now.state)

    def can(self) -> list[str]:
        """Return the requests that are possible now."""
        state = self.now.state
        if state in ("queued", "starting", "running"):
            return ["pause", "stop", "limits"]
        if state in ("pausing", "stopping"):
            return []
        more = ["go-on", "limits"] if self.now.stop != "exact" else []
        if state == "failed" and not (self.folder / "checkpoint").is_file():
            more = []
        return [*more, *(["save"] if (self.folder / "strategy").is_file() else []), "delete"]

    def delete(self) -> None:
        """Delete the files of the run."""
        if self.under_way:
            raise StateError(f"{self.asked.name} is {self.now.state}; stop it first")
        shutil.rmtree(self.folder, ignore_errors=True)

    # messages of the process

    def queue(self) -> None:
        self._wanted = ""
        self.now.error = self.now.stop = None
        self._become("queued")

    def job(self) -> dict[str, Any]:
        asked = self.asked
        opened = self.game
        assert opened is not None
        given = asked.address if asked.built_in else opened.given
        if self.locks is None:
            self.locks = read_locks(self.folder / "locks.json")
        start = self.folder / "start"
        self._become("starting")
        return {
            "kind": "solve", "game": given, "method": asked.method, "parameters": asked.parameters,
            "options": asked.options, "limits": asked.limits, "locks": self.locks,
            "start": str(start) if start.is_file() else None, "folder": str(self.folder),
        }  # fmt: skip

    def started(self) -> None:
        if self._wanted:  # a page asked for the end before the process had started
            self.wish(do="stop")

    def interrupt(self) -> None:
        if not self._wanted:
            self._wanted = "interrupt"
        self.wish(do="stop")

    def hear(self, kind: str, told: Any) -> None:
        now = self.now
        if kind == "progress":
            now.iteration, now.seconds, now.rate = told["iteration"], told["seconds"], finite(told["rate"])
            now.gap, now.left, now.left_at_most = finite(told["gap"]), finite(told["left"]), told["at_most"]
            now.gap_text = told["gap_text"]
            self.session.events.tell("progress", self.progress())
        elif kind == "points":
            new = [point_record(point) for point in told]
            self.points += new
            self.session.events.tell("points", {"run": self.id, "points": new})
        elif kind == "begun":
            now.used, now.why = told["method"], told["why"]
            self.points = [point_record(point) for point in told["points"]]
            if now.state == "starting":
                self._become("running")
        elif kind == "done":
            self._done(told)
        elif kind == "stopped":
            self._become("interrupted" if self._wanted == "interrupt" else "paused")
        else:
            now.error = told["error"]
            self._become("failed")

    def _done(self, told: Mapping[str, Any]) -> None:
        now, result = self.now, plain(told["result"])
        now.result, now.stop, now.why = result, result["stop"], result.pop("why") or now.why
        now.gap_name, now.gap = result.pop("gap_name"), result["gap"]
        now.iteration, now.seconds = result["iterations"], result["seconds"]
        now.left, now.error = None, told["unsaved"] or None
        broken = now.stop == "interrupted"
        ended = {"pause": "paused", "interrupt": "interrupted"}.get(self._wanted, "finished") if broken else "finished"
        if self._wanted != "interrupt":
            self.open_strategy()
        self._become(ended)
        self.session.events.tell("files", {})

    def open_strategy(self) -> None:
        """Open the strategy that the run has written, and close the earlier one."""
        path = self.folder / "strategy"
        if self.strategy in self.session.strategies:
            self.session.close_strategy(str(self.strategy))
        self.strategy = None
        with suppress(HannanError):
            name = f"{self.asked.name} (run {self.folder.name})"
            file = self.session.folder.named(path)
            self.strategy = self.session.open_path(path, file, self.game, run=self.id, name=name).id

    def _become(self, state: str) -> None:
        """Note the state in the run's file, and tell the pages."""
        self.now.state = state
        with suppress(HannanError):
            self.write()
        self.session.events.tell("run", self.record())

    def write(self) -> None:
        """Write the file of the run."""
        told = {"format": FORMAT, "version": VERSION, **vars(self.asked), "standing": vars(self.now)}
        write_text(self.folder / "run.json", json.dumps(plain(told)))

    # records for pages

    def progress(self) -> dict[str, Any]:
        """Return the progress of the run."""
        now = self.now
        return {
            "run": self.id, "iteration": now.iteration, "seconds": now.seconds, "gap": now.gap, "rate": now.rate,
            "left": now.left, "left_at_most": now.left_at_most, "gap_text": now.gap_text or _gap_text(now.gap),
            "text": self._text(),
        }  # fmt: skip

    def _text(self) -> str:
        now = self.now
        rate = "" if now.rate is None else f"   {now.rate:,.0f} iterations/s"
        return f"iteration {now.iteration:,}   {now.gap_text or 'gap ' + _gap_text(now.gap)}{rate}"

    def record(self) -> dict[str, Any]:
        """Return the record of the run for the interface."""
        asked, now = self.asked, self.now
        opened = None if self.game is None or self.game.id not in self.session.games else self.game.id
        about = {name: value for name, value in self.progress().items() if name != "run"}
        return {
            "id": self.id, "name": asked.name, "game": opened, "address": asked.address,
            "method": now.used or asked.method, "method_text": method_text(now.used or asked.method, asked.parameters),
            "parameters": plain(asked.parameters), "options": plain(asked.options), "why": now.why,
            "state": now.state, "error": now.error, "limits": plain(asked.limits), **about, "gap_name": now.gap_name,
            "stop": now.stop, "result": now.result, "locks": plain(asked.locks),
            "locks_text": texts(self.session, asked.locks), "base": self.base,
            "strategy": self.strategy if self.strategy in self.session.strategies else None,
            "can": self.can(), "created": asked.created,
        }  # fmt: skip

    def curve(self, after: int | None) -> dict[str, Any]:
        """Return the measurements, thinned if there are many."""
        points = self.points if after is None else [point for point in self.points if point["iteration"] > after]
        return {"run": self.id, **thinned(points)}


def _gap_text(gap: float | None) -> str:
    return "—" if gap is None else f"{gap:.3e}"


def method_text(method: str, parameters: Mapping[str, Any]) -> str:
    """Write a method with its given parameters."""
    from hannan.addresses import write

    return write(method, parameters, {}) if parameters else method


def point_record(point: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a measurement for the interface."""
    gap = finite(point["gap"])
    return {
        "iteration": int(point["iteration"]), "seconds": finite(point["seconds"]), "gap": gap,
        "nash_conv": finite(point.get("nash_conv")), "gap_text": number_text(gap),
    }  # fmt: skip


def thinned(points: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return at most MOST_POINTS of a curve: the first, the last, and some at equal distances between them."""
    if len(points) <= MOST_POINTS:
        return {"points": list(points), "thinned": False}
    places = [round(k * (len(points) - 1) / (MOST_POINTS - 1)) for k in range(MOST_POINTS)]
    return {"points": [points[place] for place in places], "thinned": True}


def made_text(folder: Path) -> str:
    """Return when a folder was last changed, in the form of the interface; for a new folder, when it was made."""
    return datetime.fromtimestamp(folder.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_run(session: Session, folder: Path) -> SolveRun:
    """Return a run that an earlier server kept. Its file cannot name code to run: `go_on` opens only built-in games."""
    path = folder / "run.json"
    try:
        told = json.loads(read_bytes(path))
        if (told.pop("format"), told.pop("version")) != (FORMAT, VERSION):
            raise ValueError("it has another format")
        standing = Standing(**told.pop("standing"))
        asked = Asked(**told)
        _check_types(asked)
    except NONSENSE as error:
        raise FileError(f"{path} does not hold a run of the explorer ({error})") from error
    run = SolveRun(session, folder, asked, None)
    run.now = standing
    if standing.state not in ("finished", "paused", "failed"):
        standing.state = "interrupted"
    run.points = _logged(folder / "log")
    if run.points:
        last = run.points[-1]
        standing.iteration, standing.seconds = max(standing.iteration, last["iteration"]), last["seconds"]
        standing.gap = last["gap"]
    return run


def _check_types(asked: Asked) -> None:
    """Refuse wrong types and methods that are not built in: code and paths are never taken from a run's file."""
    from hannan.solvers import METHODS

    texts_of = (asked.name, asked.address, asked.method, asked.created)
    records = (asked.parameters, asked.options, asked.limits)
    if not all(isinstance(text, str) for text in texts_of) or not all(isinstance(one, dict) for one in records):
        raise ValueError("a value has the wrong type")
    if asked.method not in ("auto", *METHODS) or not isinstance(asked.locks, list):
        raise ValueError("its method is not built in")
    if not all(isinstance(lock, dict) and "player" in lock for lock in asked.locks):
        raise ValueError("its locks are not a list of locks")
    asked.limits = {each: asked.limits.get(each) for each in LIMITS}


def _logged(path: Path) -> list[dict[str, Any]]:
    """Return the curve in a log; empty if the log is missing or cannot be read."""
    from hannan.runs.log import read_log

    try:
        return [point_record(vars(point)) for point in read_log(path).curve] if path.is_file() else []
    except HannanError:
        return []
