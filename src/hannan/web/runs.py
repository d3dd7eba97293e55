"""Runs and jobs: one works at a time, the others wait. Runs are kept in the folder, and outlive the server."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hannan.errors import HannanError
from hannan.web.folder import RUNS
from hannan.web.heavy import Heavy
from hannan.web.jobs import Verification
from hannan.web.numbers import plain
from hannan.web.process import JobProcess
from hannan.web.refusals import NotFoundError, StateError
from hannan.web.solving import SolveRun, read_run

if TYPE_CHECKING:
    from hannan.web.session import Session

MOST = 500
"""The most runs in a folder."""
IDLE = 120.0
"""Seconds after which a process without a job is ended."""


class Runs:
    """All runs and jobs of a session, and the thread that works on them."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.runs: dict[str, SolveRun] = {}
        self.jobs: dict[str, Verification] = {}
        self._waiting: deque[Heavy] = deque()
        self._work = threading.Condition()
        self._closed = False
        self._process: JobProcess | None = None
        self._idle: threading.Timer | None = None
        self.now: Heavy | None = None
        """The run or job at work."""
        self._read()
        self._thread = threading.Thread(target=self._loop, name="hannan-heavy", daemon=True)
        self._thread.start()

    def process(self) -> JobProcess:
        """Return the process for the next job: that of the last job, if it still runs."""
        with self._work:
            if self._idle is not None:
                self._idle.cancel()
            if self._process is None or not self._process.alive:
                self._process = JobProcess()
            return self._process

    def warm(self) -> None:
        """Start the process before it is needed, so that a run begins at once."""
        with suppress(OSError):
            self.process()
        self._rest()

    def _rest(self) -> None:
        """End the process if no job comes within IDLE seconds, since it holds memory."""
        with self._work:
            if self._idle is not None:
                self._idle.cancel()
            self._idle = threading.Timer(IDLE, self._end_idle)
            self._idle.daemon = True
            self._idle.start()

    def _end_idle(self) -> None:
        with self._work:
            process = self._process
            if self.now is not None or self._waiting or process is None:
                return
            self._process = None
        process.end()

    @property
    def folder(self) -> Path:
        """The folder that holds the runs."""
        return self.session.folder.root / RUNS

    def _read(self) -> None:
        """Read the runs that earlier servers kept in the folder."""
        if self.folder.is_symlink() or not self.folder.is_dir():
            return
        found = [path for path in self.folder.iterdir() if path.name.isdecimal() and not path.is_symlink()]
        for path in sorted(found, key=lambda path: int(path.name))[:MOST]:
            try:
                run = read_run(self.session, path)
            except HannanError:
                continue
            self.runs[run.id] = run

    def all(self) -> list[SolveRun]:
        """Return the runs in the order of their creation."""
        return list(self.runs.values())

    def run(self, id: str) -> SolveRun:
        """Return a run by its id."""
        if id not in self.runs:
            raise NotFoundError(f"run {id[:40]} does not exist")
        return self.runs[id]

    def job(self, id: str) -> Verification:
        """Return a job by its id."""
        if id not in self.jobs:
            raise NotFoundError(f"job {id[:40]} does not exist")
        return self.jobs[id]

    def new_folder(self) -> Path:
        """Make the folder of a new run."""
        if not self.session.folder.writable:
            raise StateError(
                f"the folder {self.session.folder.name} cannot be written, and runs keep their files there"
            )
        if len(self.runs) >= MOST:
            raise StateError(f"there are {MOST} runs; delete some first")
        self.folder.mkdir(exist_ok=True)
        number = 1 + max((int(path.name) for path in self.folder.iterdir() if path.name.isdecimal()), default=0)
        path = self.folder / str(number)
        path.mkdir()
        return path

    def add(self, run: SolveRun) -> None:
        """Add a new run, and queue it."""
        with self.session.lock:
            self.runs[run.id] = run
        self.submit(run)

    def add_job(self, job: Verification) -> None:
        """Add a new job, and queue it."""
        with self.session.lock:
            self.jobs[job.id] = job
        self.submit(job)

    def submit(self, heavy: Heavy) -> None:
        """Queue a run or job."""
        heavy.queue()
        with self._work:
            self._waiting.append(heavy)
            self._work.notify_all()

    def withdraw(self, heavy: Heavy) -> bool:
        """Remove a run or job from the queue; return whether it was there."""
        with self._work:
            if heavy in self._waiting:
                self._waiting.remove(heavy)
                return True
            return False

    def remove(self, run: SolveRun) -> None:
        """Remove a run, and delete its files."""
        run.delete()
        with self.session.lock:
            self.runs.pop(run.id, None)
        self.session.events.tell("gone", {"id": run.id})
        self.session.events.tell("files", {})

    def tell(self, event: str, data: dict[str, Any]) -> None:
        """Send an event to the pages."""
        self.session.events.tell(event, plain(data))

    def _loop(self) -> None:
        while True:
            with self._work:
                while not self._waiting and not self._closed:
                    self._work.wait()
                if self._closed:
                    return
                heavy = self.now = self._waiting.popleft()
            try:
                heavy.work()
            finally:
                with self._work:
                    self.now = None
                self._rest()

    def close(self, seconds: float = 30.0) -> None:
        """End the work; the run at work saves a checkpoint first."""
        with self._work:
            self._closed = True
            self._waiting.clear()
            self._work.notify_all()
            now = self.now
        if now is not None:
            now.interrupt()
        self._thread.join(timeout=seconds)
        if self._idle is not None:
            self._idle.cancel()
        if self._process is not None:
            self._process.end()
