"""The process in which heavy jobs work, one after another: solves, and checks of files.

Jobs come through standard input, pickled, from the process that started this one. Answers go through standard output.
If standard input ends, the server has ended: the job under way saves its checkpoint, and the process ends.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from hannan.errors import HannanError
from hannan.memory import give_back

PACE = 0.25
"""Seconds between two reports of progress."""
GRACE = 60.0
"""Seconds that a job gets to save its work once the server has ended."""


def main() -> None:
    """Do jobs until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, answers = Connection(os.dup(0), writable=False), Connection(os.dup(1), readable=False)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # output that rules print must not mix with the answers
    control = Control(source)
    import hannan.runs.solve  # noqa: F401  # most jobs need it: the first one should not wait for it

    while (job := control.next()) is not None:
        answer = _done(job, control, answers)
        _tell(answers, *answer)
        gc.collect()
        give_back()
    os._exit(0)  # threads of libraries do not keep the process


def _tell(answers: Connection, kind: str, told: Any) -> None:
    """Send the server a message; if the server has ended, the job continues until it has saved its work."""
    with suppress(OSError):
        answers.send_bytes(pickle.dumps((kind, told)))


def _done(job: dict[str, Any], control: Control, answers: Connection) -> tuple[str, dict[str, Any]]:
    """Do one job, and return the last answer to it."""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        control.begin(job["number"])
        _limit_memory(job["memory"])
        return "done", (solve_job if job["kind"] == "solve" else verify_job)(job, control, answers)
    except KeyboardInterrupt:
        return "stopped", {}
    except HannanError as error:
        return "failed", {"kind": type(error).__name__, "error": str(error)}
    except MemoryError:
        return "failed", {"kind": "SizeError", "error": "there is not enough memory for this job"}
    except Exception as error:
        traceback.print_exc()
        sys.stderr.flush()
        return "failed", {"kind": "Internal", "error": f"an unexpected error: {type(error).__name__}: {error}"}
    finally:
        control.begin(None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # no job is under way


class Control:
    """The requests of the server: jobs, and requests about the job that is under way."""

    def __init__(self, source: Connection) -> None:
        self.wishes: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._jobs: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._number: int | None = None
        self._early: set[int] = set()  # jobs that are to be stopped before they have begun
        threading.Thread(target=self._listen, args=(source,), daemon=True).start()

    def next(self) -> dict[str, Any] | None:
        """Wait for the next job, and return it; None: the server has ended."""
        return self._jobs.get()

    def begin(self, number: int | None) -> None:
        """Note the number of the job that begins; None: no job is under way."""
        with self._lock:
            self._number = number
            while not self.wishes.empty():
                self.wishes.get()
            early = number in self._early
        if early:
            raise KeyboardInterrupt

    def _listen(self, source: Connection) -> None:
        while True:
            try:
                told = pickle.loads(source.recv_bytes())
            except (EOFError, OSError):
                self._jobs.put(None)
                self._stop(self._number)
                time.sleep(GRACE)
                os._exit(1)
            if told["do"] == "job":
                self._jobs.put(told)
            elif told["do"] == "stop":
                self._stop(told["number"])
            elif told["number"] == self._number:
                self.wishes.put(told)

    def _stop(self, number: int | None) -> None:
        """Interrupt a job as Ctrl-C does, but only once: a second interrupt would stop it from saving."""
        with self._lock:
            if number is None or number in self._early:
                return
            self._early.add(number)
            if number == self._number:
                os.kill(os.getpid(), signal.SIGINT)


def _limit_memory(most: int | None) -> None:
    """Let allocations beyond `most` bytes fail, if the system supports limits."""
    if most is None:
        return
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard < 0 else min(most, hard), hard))


def solve_job(job: dict[str, Any], control: Control, answers: Connection) -> dict[str, Any]:
    """Solve a game, report progress, and save the strategy."""
    from hannan.runs.progress import Progress, limits
    from hannan.runs.solve import solve
    from hannan.strategies.files import save

    folder = Path(job["folder"])
    checkpoint, last, sent = folder / "checkpoint", 0.0, 0

    def watch(now: Progress) -> None:
        nonlocal last
        while not control.wishes.empty():
            run.change(limits(**control.wishes.get()["limits"]))
        if time.monotonic() - last >= PACE:
            last = time.monotonic()
            tell_points()
            _tell(answers, "progress", asdict(now))

    def tell_points() -> None:
        nonlocal sent
        if new := [asdict(point) for point in run.curve[sent:]]:
            sent = len(run.curve)
            _tell(answers, "points", new)

    options = {**job["limits"], "checkpoint": checkpoint, "log": folder / "log", "progress": watch}
    if job["locks"]:
        options["locks"] = job["locks"]
    if checkpoint.is_file():
        options["resume"] = checkpoint
    else:
        options |= {**job["options"], **job["parameters"]}
        if job["start"] is not None:
            options["start"] = job["start"]
    run = solve.begin(job["game"], job["method"], **options)
    sent = len(run.curve)
    work: Any = run.work
    begun = {"method": work.solver.method, "why": work.why, "points": [asdict(point) for point in run.curve]}
    _tell(answers, "begun", begun)
    result = run.finish()
    tell_points()
    save(result.strategy, folder / "strategy")
    unsaved = "" if run.unsaved is None else str(run.unsaved)
    return {"result": {**result.record(), "gap_name": result.gap_name, "why": result.why}, "unsaved": unsaved}


def verify_job(job: dict[str, Any], control: Control, answers: Connection) -> dict[str, Any]:
    """Check a certificate, or a file of equilibria."""
    from hannan.runs.verification import verify

    _tell(answers, "begun", {})
    level = job["level"]
    verdict = verify(job["path"], job["game"], replay=level in ("counts", "game"), reproduce=level == "reproduced")
    return {"result": {**verdict.record(), "text": str(verdict)}}
