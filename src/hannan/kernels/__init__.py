"""Numba loops over flat arrays, and nothing else.

A kernel never checks its arguments and never decides anything: a public function elsewhere checks, allocates
and calls it. Kernels may call kernels of other files: `stamps` sees to it that a change in one is noticed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from numba import njit
from numba.core import event

from hannan.kernels.inlines import INLINED, uncalled, unliteral
from hannan.kernels.stamps import Keeping, stamped

P = ParamSpec("P")
R = TypeVar("R")

OPTIONS = {"error_model": "numpy", "nogil": True}
"""Divide without a check, let other threads run meanwhile. `stamped` adds a cache on disk."""


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on first call."""
    compiled: Callable[P, R] = stamped(njit(**OPTIONS, no_cfunc_wrapper=True)(function))
    return compiled


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, made part of its callers: for hot loops in which passing arrays costs more than the work.

    Only the callers are kept in the cache, and only they can call it.
    """
    compiled: Callable[P, R] = uncalled(unliteral(njit(**OPTIONS, **INLINED)(function)))
    return compiled


def shared(function: Callable[P, R]) -> Callable[P, R]:
    """As `inlined`, for what Python calls, too; it has a place of its own in the cache."""
    compiled: Callable[P, R] = stamped(unliteral(njit(**OPTIONS, forceinline=True, no_cfunc_wrapper=True)(function)))
    return compiled


def signed(function: Any, signature: Any, **options: Any) -> Any:
    """Compile now (or load from the cache) for one signature: what walkers and compiled rules need."""
    compiled = stamped(njit(**{**OPTIONS, **options})(function))
    compiled.compile(signature)
    compiled.disable_compile()
    return compiled


class _Announcer(event.Listener):  # type: ignore[misc]  # numba has no types
    """Say once, on standard error, that a kernel is being compiled; loading one from the cache says nothing."""

    said = False

    def on_start(self, event: Any) -> None:
        ours = event.data["dispatcher"].py_func.__module__.startswith("hannan")
        if ours and not self.said:
            self.said = True
            kept = "" if Keeping.lost else ", this once; the next start takes it from the cache"
            print(f"hannan: compiling{kept}", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announcer())
