"""Actors of a Ray cluster, driven by the bridge (`bridge.py`). The shared data lies in Ray's object store.

A dead actor is replaced by a new one on any remaining node, and its pieces are reported as lost. This module does not
unpack functions, arguments or results of pieces: they pass through as bytes.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

import hannan
from hannan.errors import DeviceError, HannanError
from hannan.libraries import library
from hannan.pieces.packing import Packed, unpacked
from hannan.pieces.worker import piece
from hannan.pieces.workers import CLIENT, STILLBORN

LOCAL = "local"
"""The address of a local Ray that is started only for this run."""

EXCLUDES = [".git", ".venv", "venv", "node_modules", "__pycache__", "*.checkpoint", "*.strategy"]
"""Patterns of files that are not sent with the user's folder."""

REACHED = 10.0
"""Seconds that a cluster may take to accept a connection."""

LATE = 60.0
"""If no worker is ready after this number of seconds, the run is refused: the cluster has no room."""

Told = tuple[str, Any, Any, Any]
"""An event of pieces: ("done" or "raised", number, bytes, seconds), or ("lost", numbers, reason, guilty)."""


class RayWorker:
    """The class that runs in an actor."""

    def __init__(self, folder: str, folders: Sequence[str], version: str) -> None:
        self._shared: Any = None
        self._reference: list[Any] = []
        if version != hannan.__version__:
            raise HannanError(f"this node has hannan {hannan.__version__}, but the run has hannan {version}")
        sys.path[:0] = [path for path in folders if path not in sys.path and os.path.isdir(path)]
        if folder:
            with suppress(OSError):  # another machine may not have the folder
                os.chdir(folder)

    def begin(self, made_by: bytes, shared: list[Any]) -> int:
        """Use this function and shared data from now on; `shared` is a list, so that Ray passes on its reference.

        The shared object is kept while its reference stays the same, because pieces may have cached results in it.
        """
        if shared != self._reference:
            self._shared, self._reference = None, []  # free it before the next shared data is loaded
            rest, *buffers = library("ray").get(shared[0])
            self._shared, self._reference = unpacked(rest, buffers), shared
        self._function = pickle.loads(made_by)
        return os.getpid()

    def make(self, batch: bytes) -> list[Told]:
        """Compute the pieces of a batch."""
        return [piece(self._function, self._shared, number, argument) for number, argument in pickle.loads(batch)]


class _Actor:
    """One actor, and its batches in the order in which it computes them."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.ready: Any = None  # the future answer of `begin`; None once it has arrived
        self.batches: dict[Any, tuple[int, ...]] = {}  # the future answer, and the numbers of the pieces
        self.since: float | None = None  # the start time of the current batch
        self.pid = 0

    def age(self) -> float:
        """Return the seconds since the start of the current batch."""
        return 0.0 if self.since is None else time.monotonic() - self.since


class Actors:
    """The actors of one run."""

    def __init__(
        self, address: str, count: int | None, folders: Sequence[str], memory: int | None, folder: str
    ) -> None:
        """address: of a cluster, or LOCAL. folder: the working folder of pieces, if the user's files are not sent."""
        self._ray = ray = library("ray")
        _start(ray, address, count, folders)
        self.count = count or max(int(ray.cluster_resources().get("CPU", 1)), 1)
        wanted: dict[str, Any] = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0}
        self._kind = ray.remote(**wanted, **({} if memory is None else {"memory": memory}))(RayWorker)
        self._arguments = ("" if folders else folder, list(folders), hannan.__version__)
        self.run = 0
        """The number of the current run."""
        self._kept: Any = None
        self._work: tuple[Any, ...] | None = None
        self._timeout: float | None = None
        self._answered = time.monotonic()
        self._stillborn = 0  # consecutive actors that ended before they were ready
        self._actors = [self._actor() for _ in range(self.count)]

    def _actor(self) -> _Actor:
        actor = _Actor(self._kind.remote(*self._arguments))
        if self._work is not None:
            self._brief(actor)
        return actor

    def _brief(self, actor: _Actor) -> None:
        assert self._work is not None
        actor.ready, actor.since = actor.handle.begin.remote(*self._work), None

    def begin(self, run: int, made_by: bytes, packed: Packed | None, timeout: float | None) -> None:
        """Start another run; `packed` is its shared data; None: the shared data of the run before."""
        self.run = run
        if packed is not None:
            arrays = [np.frombuffer(buffer, np.uint8) for buffer in packed.buffers()]
            self._kept = self._ray.put([packed.rest, *arrays])
        self._work, self._timeout = (made_by, [self._kept]), timeout
        self._answered = time.monotonic()
        for actor in [*self._actors]:
            if actor.batches:  # of an abandoned run
                self._restart(actor)
            else:
                self._brief(actor)

    def send(self, numbers: tuple[int, ...], batch: bytes) -> None:
        """Give a batch to the actor that holds the fewest."""
        actor = min(self._actors, key=lambda one: len(one.batches))
        if not actor.batches and actor.ready is None:
            actor.since = time.monotonic()
        actor.batches[actor.handle.make.remote(batch)] = numbers

    @property
    def busy(self) -> bool:
        """Whether an actor has an answer to come."""
        return any(actor.batches or actor.ready is not None for actor in self._actors)

    def pids(self) -> list[int]:
        """Return the process ids of actors that are ready."""
        return [actor.pid for actor in self._actors if actor.pid]

    def events(self, seconds: float) -> list[Told]:
        """Return events of pieces; wait for them at most `seconds` seconds."""
        waited = [next(iter(actor.batches)) for actor in self._actors if actor.batches and actor.ready is None]
        waited += [actor.ready for actor in self._actors if actor.ready is not None]
        ready, _ = self._ray.wait(waited, num_returns=1, timeout=seconds)
        if len(waited) > 1 and ready:
            ready, _ = self._ray.wait(waited, num_returns=len(waited), timeout=0)
        came = set(ready)
        found: list[Told] = []
        for actor in [*self._actors]:
            if actor.ready is not None:
                self._look(actor, came, found)
            elif actor.batches and next(iter(actor.batches)) in came:
                self._read(actor, found)
            elif self._timeout is not None and actor.batches and actor.age() > self._timeout:
                self._lose(actor, f"it took longer than {self._timeout:g} seconds", found)
        if not came and self._answered + LATE < time.monotonic() and all(actor.ready for actor in self._actors):
            raise DeviceError(
                f"Ray started none of {self.count} workers within {LATE:g} seconds: the cluster may be full; ask for "
                "fewer workers"
            )
        return found

    def _look(self, actor: _Actor, came: set[Any], found: list[Told]) -> None:
        """Mark an actor as ready if its answer has arrived; handle its failure."""
        if actor.ready not in came:
            return
        errors = self._ray.exceptions
        try:
            actor.pid = self._ray.get(actor.ready)
        except errors.ActorDiedError as error:
            if getattr(error, "cause", None) or "creation task" in str(error):
                self._drop(actor, found, error)
            else:
                self._lose(actor, "its actor died", found)
        except (errors.RayTaskError, errors.RuntimeEnvSetupError) as error:
            self._drop(actor, found, error)
        except errors.RayError as error:
            self._lose(actor, last_line(error), found)
        else:
            actor.ready = None
            actor.since = self._answered = time.monotonic()

    def _drop(self, actor: _Actor, found: list[Told], error: Exception) -> None:
        """Remove an actor that cannot begin, for example because its node's disk is full; raise if it was the last."""
        found += [("lost", numbers, last_line(error), False) for numbers in actor.batches.values()]
        with suppress(Exception):
            self._ray.kill(actor.handle)
        self._actors.remove(actor)
        if not self._actors:
            raise HannanError(f"no worker on Ray could begin: {last_line(error)}") from error

    def _read(self, actor: _Actor, found: list[Told]) -> None:
        """Read the results of a finished batch."""
        answer = next(iter(actor.batches))
        try:
            told = self._ray.get(answer)
        except self._ray.exceptions.RayError as error:
            self._lose(actor, last_line(error), found)
            return
        del actor.batches[answer]
        actor.since = time.monotonic()
        found += told

    def _lose(self, actor: _Actor, reason: str, found: list[Told]) -> None:
        """Report the pieces of a dead actor as lost: if it was ready, it was computing a piece of its first batch."""
        begun = actor.ready is None
        self._stillborn = 0 if begun else self._stillborn + 1
        if self._stillborn > STILLBORN:
            raise DeviceError(f"{self._stillborn} workers on Ray ended before they were ready; the last one: {reason}")
        for k, numbers in enumerate(actor.batches.values()):
            found.append(("lost", numbers, reason, begun and k == 0 and len(numbers) == 1))
        self._restart(actor)

    def _restart(self, actor: _Actor) -> None:
        """Replace an actor by a new one."""
        with suppress(Exception):
            self._ray.kill(actor.handle)
        self._actors[self._actors.index(actor)] = self._actor()


def _start(ray: Any, address: str, count: int | None, folders: Sequence[str]) -> None:
    """Join a cluster, or start a local Ray."""
    sent = {"runtime_env": {"working_dir": folders[0], "excludes": EXCLUDES}} if folders else {}
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    _reach(address)
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray warns without it
    try:
        if address == LOCAL:
            ray.init(LOCAL, num_cpus=count, include_dashboard=False, **quiet, **sent)
        else:
            ray.init(address, **quiet, **sent)
    except (ConnectionError, RuntimeError, ValueError, ImportError, OSError) as error:
        raise DeviceError(f"{address}: Ray cannot be reached or started: {last_line(error)}") from error


def _reach(address: str) -> None:
    """Refuse an address that accepts no connection: Ray itself would try for minutes."""
    host, _, port = address.removeprefix(CLIENT).partition("/")[0].rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACHED).close()
    except OSError as error:
        raise DeviceError(f"{address}: Ray cannot be reached there: {error.strerror or error}") from error


def last_line(error: BaseException) -> str:
    """Return the last line of an error of Ray, which is the error itself."""
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
