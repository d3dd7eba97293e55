"""Actors of a Ray cluster, as the bridge drives them (`bridge.py`). What pieces share lies in the object store.

An actor that dies is replaced by another one, on any node that is left. Pieces that it held come back as lost. Nothing
that belongs to pieces is unpacked here: functions, arguments and results pass through as bytes.
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
"""The address of a Ray that is started for this run alone."""

EXCLUDES = [".git", ".venv", "venv", "node_modules", "__pycache__", "*.checkpoint", "*.strategy"]
"""What is not sent with the user's folder."""

REACHED = 10.0
"""Seconds that a cluster may take to take a call."""

LATE = 60.0
"""Seconds without a single ready worker after which the run is refused: the cluster has no room."""

Told = tuple[str, Any, Any, Any]
"""What came of pieces: ("done" or "raised", number, bytes, seconds), or ("lost", numbers, reason, guilty)."""


class RayWorker:
    """What runs in an actor."""

    def __init__(self, folder: str, folders: Sequence[str], version: str) -> None:
        self._shared: Any = None
        self._reference: list[Any] = []
        if version != hannan.__version__:
            raise HannanError(f"this node has hannan {hannan.__version__}, and the run hannan {version}")
        sys.path[:0] = [path for path in folders if path not in sys.path and os.path.isdir(path)]
        if folder:
            with suppress(OSError):  # another machine may not have it
                os.chdir(folder)

    def begin(self, made_by: bytes, shared: list[Any]) -> int:
        """Make pieces by this function from now on; `shared` is a list, so that Ray hands on the reference in it.

        What is shared stays as it is as long as the reference does: pieces may have made something of it.
        """
        if shared != self._reference:
            self._shared, self._reference = None, []  # before the next one is there
            rest, *buffers = library("ray").get(shared[0])
            self._shared, self._reference = unpacked(rest, buffers), shared
        self._function = pickle.loads(made_by)
        return os.getpid()

    def make(self, batch: bytes) -> list[Told]:
        """Make pieces."""
        return [piece(self._function, self._shared, number, argument) for number, argument in pickle.loads(batch)]


class _Actor:
    """One actor, and the batches that it holds in the order in which it makes them."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.ready: Any = None  # the answer to `begin`, until it has come
        self.batches: dict[Any, tuple[int, ...]] = {}  # the answer to come, and the pieces
        self.since: float | None = None  # when it began the batch that it makes now
        self.pid = 0

    def age(self) -> float:
        """Return how many seconds it has spent on the batch that it makes now."""
        return 0.0 if self.since is None else time.monotonic() - self.since


class Actors:
    """The actors of one run."""

    def __init__(
        self, address: str, count: int | None, folders: Sequence[str], memory: int | None, folder: str
    ) -> None:
        """`address`: of a cluster, or LOCAL. `folder`: where pieces run, if the user's files are not sent."""
        self._ray = ray = library("ray")
        _start(ray, address, count, folders)
        self.count = count or max(int(ray.cluster_resources().get("CPU", 1)), 1)
        wanted: dict[str, Any] = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0}
        self._kind = ray.remote(**wanted, **({} if memory is None else {"memory": memory}))(RayWorker)
        self._arguments = ("" if folders else folder, list(folders), hannan.__version__)
        self.run = 0
        """The number of the run whose pieces are made."""
        self._kept: Any = None
        self._work: tuple[Any, ...] | None = None
        self._timeout: float | None = None
        self._answered = time.monotonic()
        self._stillborn = 0  # actors that ended one after another before they were ready
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
        """Make the pieces of another run from now on; `packed` is what they share, None: what was shared before."""
        self.run = run
        if packed is not None:
            arrays = [np.frombuffer(buffer, np.uint8) for buffer in packed.buffers()]
            self._kept = self._ray.put([packed.rest, *arrays])
        self._work, self._timeout = (made_by, [self._kept]), timeout
        self._answered = time.monotonic()
        for actor in [*self._actors]:
            if actor.batches:  # of a run that was left
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
        """Whether there is anything to wait for."""
        return any(actor.batches or actor.ready is not None for actor in self._actors)

    def pids(self) -> list[int]:
        """Return the processes of actors that are ready."""
        return [actor.pid for actor in self._actors if actor.pid]

    def events(self, seconds: float) -> list[Told]:
        """Return what came of pieces; wait for it `seconds` at most."""
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
                f"Ray gave none of {self.count} workers a place within {LATE:g} seconds: the cluster may be full, or "
                "ask for fewer workers"
            )
        return found

    def _look(self, actor: _Actor, came: set[Any], found: list[Told]) -> None:
        """Note an actor that is ready."""
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
        """Do without an actor that cannot begin, because its node's disk is full for example; refuse if all cannot."""
        found += [("lost", numbers, last_line(error), False) for numbers in actor.batches.values()]
        with suppress(Exception):
            self._ray.kill(actor.handle)
        self._actors.remove(actor)
        if not self._actors:
            raise HannanError(f"no worker on Ray could begin: {last_line(error)}") from error

    def _read(self, actor: _Actor, found: list[Told]) -> None:
        """Take a batch that was made."""
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
        """Take the pieces of an actor that will not make them: if it was ready, one of the first was under way."""
        begun = actor.ready is None
        self._stillborn = 0 if begun else self._stillborn + 1
        if self._stillborn > STILLBORN:
            raise DeviceError(f"{self._stillborn} workers on Ray ended before they were ready; the last one: {reason}")
        for k, numbers in enumerate(actor.batches.values()):
            found.append(("lost", numbers, reason, begun and k == 0 and len(numbers) == 1))
        self._restart(actor)

    def _restart(self, actor: _Actor) -> None:
        """Put another actor in the place of one."""
        with suppress(Exception):
            self._ray.kill(actor.handle)
        self._actors[self._actors.index(actor)] = self._actor()


def _start(ray: Any, address: str, count: int | None, folders: Sequence[str]) -> None:
    """Join a cluster, or start a local Ray."""
    sent = {"runtime_env": {"working_dir": folders[0], "excludes": EXCLUDES}} if folders else {}
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    _reach(address)
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray asks for it, and warns otherwise
    try:
        if address == LOCAL:
            ray.init(LOCAL, num_cpus=count, include_dashboard=False, **quiet, **sent)
        else:
            ray.init(address, **quiet, **sent)
    except (ConnectionError, RuntimeError, ValueError, ImportError, OSError) as error:
        raise DeviceError(f"{address}: Ray cannot be reached or started: {last_line(error)}") from error


def _reach(address: str) -> None:
    """Refuse an address where nothing listens: Ray itself would try for minutes."""
    host, _, port = address.removeprefix(CLIENT).partition("/")[0].rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACHED).close()
    except OSError as error:
        raise DeviceError(f"{address}: Ray cannot be reached there: {error.strerror or error}") from error


def last_line(error: BaseException) -> str:
    """Return the last line of what Ray says, which is the error itself."""
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
