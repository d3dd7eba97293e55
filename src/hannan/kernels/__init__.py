"""Numba loops over flat arrays, and nothing else.

A kernel never checks its arguments and never decides anything: a public function elsewhere checks, allocates
and calls it. Kernels may call kernels of other files: `stamps` sees to it that a change in one is noticed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from numba import njit
from numba.core import event
from numba.core.compiler import Flags

from hannan.kernels.compilers import KernelCompiler
from hannan.kernels.inlines import INLINED, apart, replaced, taken, uncalled
from hannan.kernels.notice import Listener
from hannan.kernels.stamps import stamped

P = ParamSpec("P")
R = TypeVar("R")

OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}
"""Divide without a check, let other threads run meanwhile, count no references to arrays, whose owner outlives the
call. `stamped` adds a cache on disk."""

OWNING = {**OPTIONS, "_nrt": True}
"""The options of a kernel that allocates arrays."""


class _Flags(Flags):  # type: ignore[misc]  # numba has no types
    """The options of a kernel, as numba's own functions (`max`, `len`, …) ask for them.

    Numba looks for each of these functions by the options of its caller, thousands of times per kernel, and compares
    some thirty options each time. Kernels differ in one option that matters there.
    """

    def __hash__(self) -> int:
        return hash(self.nrt)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flags) and bool(self.nrt == other.nrt)


def _dispatcher(function: Any, options: dict[str, Any]) -> Any:
    dispatcher = njit(**options)(function)
    dispatcher._compiler._customize_flags = _Flags
    return dispatcher


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on first call. The kernel allocates no arrays."""
    options = {**OPTIONS, "no_cfunc_wrapper": True, "pipeline_class": KernelCompiler}
    compiled: Callable[P, R] = apart(stamped(_dispatcher(function, options)))
    return compiled


def owning(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, for a loop that allocates arrays."""
    compiled: Callable[P, R] = apart(stamped(_dispatcher(function, {**OWNING, "no_cfunc_wrapper": True})))
    return compiled


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, made part of its callers: for hot loops in which passing arrays costs more than the work.

    Only the callers are kept in the cache, and only they can call it.
    """
    compiled: Callable[P, R] = uncalled(taken(_dispatcher(function, {**OPTIONS, **INLINED})))
    return compiled


def shared(function: Callable[P, R]) -> Callable[P, R]:
    """As `inlined`, for what Python calls, too: for Python it is compiled once more, and kept in the cache."""
    compiled: Callable[P, R] = replaced(kernel(function), inlined(function))
    return compiled


def signed(function: Any, signature: Any) -> Any:
    """Compile now (or load from the cache) for one signature, for calls from Python: what walkers need."""
    return _only(kernel(function), signature)


def pointed(function: Any, signature: Any, options: dict[str, Any] = OPTIONS) -> Any:
    """As `signed`, for calls by address alone: what compiled rules need."""
    return _only(stamped(_dispatcher(function, {**options, "no_cpython_wrapper": True})), signature)


def _only(compiled: Any, signature: Any) -> Any:
    compiled.compile(signature)
    compiled.disable_compile()
    return compiled


event.register("numba:compile", Listener())
