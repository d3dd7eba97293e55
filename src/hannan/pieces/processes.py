"""Workers that are processes of this machine. Large arrays of the shared data are mapped from one file."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Sequence
from multiprocessing.connection import wait
from typing import Any

from hannan.errors import HannanError, PieceError
from hannan.pieces.packing import Packed, Store, bytes_of
from hannan.pieces.pipes import Child
from hannan.pieces.workers import STILLBORN, Batch, Done, Event, Function, Lost, Raised, Workers


class _Worker(Child):
    """One process, and its pieces in the order in which it computes them."""

    def __init__(self, folders: Sequence[str]) -> None:
        super().__init__("hannan.pieces.worker", folders)
        self.pieces: deque[int] = deque()
        self.batches: deque[int] = deque()  # the number of remaining pieces of each batch
        self.since: float | None = None  # the start time of the current piece; None: the process is not ready yet

    def begin(self, work: bytes) -> None:
        """Send the function and the shared data of the next pieces."""
        self.since = None
        self.send("work", work)

    def age(self) -> float:
        """Return the seconds since the start of the current piece."""
        return 0.0 if self.since is None else time.monotonic() - self.since

    def told(self) -> None:
        """Note that the current piece is finished."""
        self.pieces.popleft()
        self.batches[0] -= 1
        if self.batches[0] == 0:
            self.batches.popleft()
        self.since = time.monotonic()


class ProcessWorkers(Workers):
    """Processes of this machine."""

    on = "processes"

    def __init__(self, count: int, folders: Sequence[str] = ()) -> None:
        self.count = count
        self._folders = folders
        self._store = Store()
        self._workers = [_Worker(folders) for _ in range(count)]
        self._shared: Any = self  # no data is shared yet
        self._packed = Packed(b"", "", [])
        self._key = 0
        self._work = b""
        self._timeout: float | None = None
        self._stillborn = 0  # consecutive workers that ended before they were ready

    def begin(self, function: Function, shared: Any, timeout: float | None) -> None:
        made_by = bytes_of(function, "the function")
        if shared is not self._shared:
            self._packed, self._shared = self._store.pack(shared), shared
            self._key += 1
        self._work = pickle.dumps((made_by, self._key, self._packed), protocol=5)
        self._timeout = timeout
        for place, worker in enumerate(self._workers):
            if worker.pieces:  # of an abandoned run
                self._restart(place)
            else:
                worker.begin(self._work)

    def free(self, depth: int) -> int:
        return sum(max(depth - len(worker.batches), 0) for worker in self._workers)

    def send(self, batch: Batch) -> None:
        payload = bytes_of(list(batch), f"the argument of a piece from {batch[0][0]} on")
        worker = min(self._workers, key=lambda one: len(one.batches))
        if not worker.pieces and worker.since is not None:
            worker.since = time.monotonic()
        worker.pieces.extend(number for number, _ in batch)
        worker.batches.append(len(batch))
        worker.send("pieces", payload)

    def events(self, seconds: float) -> Sequence[Event]:
        ready = wait([worker.output for worker in self._workers], seconds)
        found: list[Event] = []
        for k, worker in enumerate(self._workers):
            if worker.output in ready:
                self._read(k, worker, found)
            elif self._timeout is not None and worker.pieces and worker.age() > self._timeout:
                self._lose(k, f"it took longer than {self._timeout:g} seconds", found)
        return found

    def _read(self, place: int, worker: _Worker, found: list[Event]) -> None:
        """Read all answers of a worker."""
        try:
            while worker.output.poll():
                kind, number, said, seconds = pickle.loads(worker.output.recv_bytes())
                if kind == "unfit":
                    raise HannanError(f"a worker process could not begin: {said}")
                if kind == "ready":
                    self._stillborn = 0
                    worker.since = time.monotonic()
                    continue
                worker.told()
                came = pickle.loads(said)
                found.append(Done(number, came, seconds) if kind == "done" else Raised(number, came))
        except (EOFError, OSError, pickle.UnpicklingError):
            self._lose(place, f"its process {worker.death()}", found)

    def _lose(self, place: int, reason: str, found: list[Event]) -> None:
        """Report the pieces of a dead worker as lost: it was computing the first one, and had not begun the others."""
        worker = self._workers[place]
        begun = 0 if worker.since is None else 1  # a worker that was not ready had not begun its first piece
        pieces = tuple(worker.pieces)
        found.append(Lost(pieces[:begun], reason))
        found.append(Lost(pieces[begun:], reason, guilty=False))
        self._stillborn += 1 - begun
        if self._stillborn > STILLBORN:
            raise PieceError(f"{self._stillborn} worker processes ended before they were ready; the last one: {reason}")
        self._restart(place)

    def _restart(self, place: int) -> None:
        """Replace a worker by a new one."""
        self._workers[place].end()
        self._workers[place] = _Worker(self._folders)
        self._workers[place].begin(self._work)

    def pids(self) -> Sequence[int]:
        return [worker.process.pid for worker in self._workers]

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
        self._store.remove()
