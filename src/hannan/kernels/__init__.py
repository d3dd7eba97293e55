"""Numba loops over flat arrays, and nothing else.

A kernel never checks its arguments and never decides anything: a public function elsewhere checks, allocates
and calls it. Kernels that call each other live in one file, because numba's cache on disk does not notice a
change in an imported kernel.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from numba import njit
from numba.core import event

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on first call, cache on disk, divide without a check, and let other threads run meanwhile."""
    compiled: Callable[P, R] = njit(cache=True, error_model="numpy", nogil=True)(function)
    return compiled


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, made part of its callers: for hot loops in which passing arrays costs more than the work."""
    compiled: Callable[P, R] = njit(cache=True, error_model="numpy", nogil=True, forceinline=True)(function)
    return compiled


class _Announcer(event.Listener):  # type: ignore[misc]  # numba has no types
    """Say once, on standard error, that a kernel is being compiled; loading one from the cache says nothing."""

    said = False

    def on_start(self, event: Any) -> None:
        ours = event.data["dispatcher"].py_func.__module__.startswith("hannan")
        if ours and not self.said:
            self.said = True
            print(
                "hannan: compiling, this once; the next start takes it from the cache",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announcer())
