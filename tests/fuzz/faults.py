"""Faults on purpose: the k-th allocation, write, fsync or rename of a run fails, for every k; as SQLite does it."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import hannan

Place = tuple[str, int]
"""A file of ours, and a line in it."""

OURS = str(Path(hannan.__file__).parent)

ARRAYS = ("zeros", "empty", "full", "ones", "array", "concatenate", "ascontiguousarray")
"""The functions of NumPy that take memory."""


def allocating(work: Callable[[], Any]) -> list[Place]:
    """Return where work of ours takes memory, each line once, in their order."""
    places: dict[Place, None] = {}

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*arguments: Any, **named: Any) -> Any:
            frame = sys._getframe(1)
            if frame.f_code.co_filename.startswith(OURS):
                places[frame.f_code.co_filename, frame.f_lineno] = None
            return function(*arguments, **named)

        return noting

    with _patched(*(mock.patch.object(np, name, noted(getattr(np, name))) for name in ARRAYS)):
        work()
    return list(places)


class Fault:
    """Counts calls, and fails at the k-th; and at all later ones, where it is `lasting`.

    Calls are counted from one place alone, where it is given; what is lasting fails everywhere then.
    """

    def __init__(self, k: int, lasting: bool, error: Callable[[], BaseException], place: Place | None = None) -> None:
        self.k, self.lasting, self.error, self.place = k, lasting, error, place
        self.calls = 0

    @property
    def struck(self) -> bool:
        """Whether there were so many calls that it failed."""
        return self.calls >= self.k

    def on(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does what another one does, until it fails."""

        def counted(*arguments: Any, **named: Any) -> Any:
            frame = sys._getframe(1)
            here = self.place is None or self.place == (frame.f_code.co_filename, frame.f_lineno)
            self.calls += here or (self.lasting and self.struck)
            if not here and not (self.lasting and self.struck):
                return function(*arguments, **named)
            if self.calls == self.k or (self.lasting and self.calls > self.k):
                raise self.error()
            return function(*arguments, **named)

        return counted


def _full() -> OSError:
    return OSError(errno.ENOSPC, "No space left on device")


class _Written:
    """A file whose writing can fail."""

    def __init__(self, file: Any, fault: Fault) -> None:
        self._file = file
        self.write = fault.on(file.write)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _Written:
        self._file.__enter__()
        return self

    def __exit__(self, *ended: Any) -> Any:
        return self._file.__exit__(*ended)


@contextmanager
def _patched(*patches: Any) -> Iterator[None]:
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in reversed(patches):
            patch.stop()


def _writes(fault: Fault) -> Any:
    """Let writing fail: of files under a temporary name, and of those that grow line by line."""
    fdopen, opened = os.fdopen, Path.open

    def by_handle(*arguments: Any, **named: Any) -> Any:
        return _Written(fdopen(*arguments, **named), fault)

    def by_name(path: Path, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        file = opened(path, mode, *arguments, **named)
        return _Written(file, fault) if set(mode) & set("wa") else file

    return _patched(mock.patch.object(os, "fdopen", by_handle), mock.patch.object(Path, "open", by_name))


def _named(module: Any, *names: str) -> Callable[[Fault], Any]:
    return lambda fault: _patched(*(mock.patch.object(module, name, fault.on(getattr(module, name))) for name in names))


FAULTS: dict[str, tuple[Callable[[Fault], Any], Callable[[], BaseException]]] = {
    "allocation": (_named(np, *ARRAYS), MemoryError),
    "temporary file": (_named(tempfile, "mkstemp", "TemporaryFile"), _full),
    "write": (_writes, _full),
    "fsync": (_named(os, "fsync"), _full),
    "permission": (_named(os, "chmod"), _full),
    "rename": (_named(os, "replace"), _full),
}
"""What can fail: how, and with which error."""


def faulty(name: str, k: int, lasting: bool, place: Place | None = None) -> tuple[Fault, Any]:
    """Return the k-th fault of a kind, at one place or anywhere, and the context in which it strikes."""
    patched, error = FAULTS[name]
    fault = Fault(k, lasting, error, place)
    return fault, patched(fault)
