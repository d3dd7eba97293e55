"""Workers on Ray: a local Ray, or a cluster. The bridge (`bridge.py`) talks to Ray; this process talks to the bridge.

If a bridge ends, only its unfinished pieces are lost: another bridge joins the cluster, and the pieces are computed
again. If the cluster cannot be reached, the run ends with its results so far.
"""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from hannan.errors import DeviceError, HannanError, PieceError
from hannan.interrupts import go_on
from hannan.libraries import library
from hannan.pieces.actors import LOCAL
from hannan.pieces.packing import Packed, Store, bytes_of
from hannan.pieces.pipes import Child
from hannan.pieces.workers import CLIENT, Batch, Done, Event, Function, Lost, Raised, Workers

AWAY = 60.0
"""Seconds for which this process tries to join a lost cluster again."""

JOINING = 120.0
"""Seconds that joining a cluster, or starting a local Ray, may take."""

AGAIN = 1.0
"""Seconds between two attempts."""

BRIDGES = 20
"""The largest number of consecutive bridges that end without a finished piece."""

CLOSING = 5.0
"""Seconds that a bridge has to shut Ray down."""


class RayWorkers(Workers):
    """Actors of a Ray cluster."""

    def __init__(self, on: str, count: int | None, folders: Sequence[str], memory: int | None) -> None:
        library("ray")  # raises an error that says how to install it
        self.on = on
        address = on if on.startswith(CLIENT) else _joined() or os.environ.get("RAY_ADDRESS") or LOCAL
        self._asked = (address, count, folders, memory, os.getcwd())
        self._folders = folders
        self._store = Store()
        self._errors: Any = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the workers
        self._pids: Sequence[int] = ()
        self._out: dict[int, int] = {}  # the batch of each unfinished piece
        self._left: dict[int, int] = {}  # the number of unfinished pieces of each batch
        self._batches = self._ended = 0
        self._run = 0  # the number of the current run; events of other runs are ignored
        self._shared: Any = self  # no data is shared yet
        self._packed = Packed(b"", "", [])
        self._work: tuple[bytes, float | None] | None = None
        self.count = self._join()

    def _join(self) -> int:
        """Start a bridge; return the number of its workers."""
        self._bridge = bridge = Child("hannan.pieces.bridge", self._folders, self._errors)
        bridge.send("start", pickle.dumps(self._asked))
        until = time.monotonic() + JOINING
        while time.monotonic() < until:
            go_on()
            try:
                if bridge.output.poll(AGAIN):
                    kind, said, _ = pickle.loads(bridge.output.recv_bytes())
                    if kind == "unfit":
                        raise pickle.loads(said)
                    return int(said)
            except (EOFError, OSError) as error:
                raise DeviceError(f"{self.on}: Ray could not be joined: its driver {self._death()}") from error
        bridge.end()
        raise DeviceError(f"{self.on}: Ray could not be joined within {JOINING:g} seconds")

    def begin(self, function: Function, shared: Any, timeout: float | None) -> None:
        made_by = bytes_of(function, "the function")
        new = shared is not self._shared or self._work is None
        if new:
            self._packed, self._shared = self._store.pack(shared), shared
        self._work = made_by, timeout
        self._forget()
        self._brief(new)

    def _forget(self) -> None:
        self._out.clear()
        self._left.clear()

    def _brief(self, new: bool) -> None:
        assert self._work is not None
        made_by, timeout = self._work
        self._run += 1
        packed = self._packed if new else None
        self._bridge.send("work", pickle.dumps((self._run, made_by, packed, timeout), protocol=5))

    def free(self, depth: int) -> int:
        return max(depth * self.count - len(self._left), 0)

    def send(self, batch: Batch) -> None:
        payload = bytes_of(list(batch), f"the argument of a piece from {batch[0][0]} on")
        numbers = tuple(number for number, _ in batch)
        self._batches += 1
        self._out.update(dict.fromkeys(numbers, self._batches))
        self._left[self._batches] = len(numbers)
        self._bridge.send("pieces", pickle.dumps((numbers, payload), protocol=5))

    def events(self, seconds: float) -> Sequence[Event]:
        found: list[Event] = []
        try:
            while self._bridge.output.poll(0.0 if found else seconds):
                kind, said, more = pickle.loads(self._bridge.output.recv_bytes())
                if kind == "unfit":
                    raise pickle.loads(said)
                run, self._pids = more
                if run == self._run:
                    found += [event for told in said if (event := self._event(*told)) is not None]
        except (EOFError, OSError, pickle.UnpicklingError):
            self._return(found)
        return found

    def _event(self, kind: str, which: Any, said: Any, more: Any) -> Event | None:
        """Return an event of pieces; None if all of them were finished or lost before."""
        numbers = tuple(number for number in (which if kind == "lost" else (which,)) if number in self._out)
        for number in numbers:
            batch = self._out.pop(number)
            self._left[batch] -= 1
            if self._left[batch] == 0:
                del self._left[batch]
        if not numbers:
            return None
        if kind == "lost":
            return Lost(numbers, said, more)
        self._ended = 0
        came = pickle.loads(said)
        return Done(which, came, more) if kind == "done" else Raised(which, came)

    def _return(self, found: list[Event]) -> None:
        """Join the cluster again after the bridge has ended; report its unfinished pieces as lost."""
        reason = f"Ray's driver {self._death()}"
        self._ended += 1
        found.append(Lost(tuple(self._out), reason, guilty=False))
        self._forget()
        until = time.monotonic() + AWAY
        while True:
            self._bridge.end()
            try:
                if self._ended > BRIDGES:
                    raise DeviceError(f"it ended {self._ended} times before a single piece was made")
                self.count = self._join()
                break
            except HannanError as error:
                if time.monotonic() > until or self._ended > BRIDGES:
                    raise PieceError(
                        f"the Ray cluster was lost ({reason}), and could not be joined again within {AWAY:g} seconds: "
                        f"{error}"
                    ) from error
            time.sleep(AGAIN)
        self._brief(new=True)

    def _death(self) -> str:
        """Return how the bridge has ended, with the last line that it wrote."""
        how = self._bridge.death()
        with suppress(OSError, ValueError):
            self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(self._errors.tell() - 2000, 0))
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            return f"{how}: {lines[-1][:300]}" if lines else how
        return how

    def pids(self) -> Sequence[int]:
        return self._pids

    def close(self) -> None:
        self._bridge.send("close", pickle.dumps(None))
        with suppress(Exception):
            self._bridge.process.wait(CLOSING)
        self._bridge.end()
        self._store.remove()
        self._errors.close()


def _joined() -> str:
    """Return the address of the cluster that this process has joined without us; empty if it has not joined any."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return ""
    return str(ray.get_runtime_context().gcs_address)
