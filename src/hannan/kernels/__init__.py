"""Numba loops over flat arrays, and nothing else.

A kernel never checks its arguments and never decides anything: a public function elsewhere checks, allocates
and calls it. Kernels that call each other live in one file, because numba's cache on disk does not notice a
change in an imported kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on first call, cache on disk, divide without a check, and let other threads run meanwhile."""
    compiled: Callable[P, R] = njit(cache=True, error_model="numpy", nogil=True)(function)
    return compiled
