"""Search until a deadline, in slices that get shorter as the time runs out."""

from __future__ import annotations

import time
from collections.abc import Callable

from hannan.interrupts import Halted
from hannan.rules.source import Source
from hannan.treesearch.advice import Advice
from hannan.treesearch.growth import Growth

SLICE = 0.1
"""The most seconds of walks between two readings of the clock."""


def walk_until(
    go: Callable[[int], None],
    made: Callable[[], int],
    most: int,
    seconds: float,
    growth: Growth,
    asked: tuple[Source | Advice, ...],
) -> None:
    """Walk until `most` walks are made or the time is up. `go(n)` walks until the number of walks, `made()`, is n.

    growth: the tree. It does not grow if copying it would take longer than the remaining time. asked: the objects
    through which a walk calls Python code. When the time is up, they abort the walk before its next call.
    """
    end, size = time.perf_counter() + seconds, 1

    def enough() -> bool:
        return time.perf_counter() >= end

    for one in asked:
        one.enough = enough
    growth.left = lambda: end - time.perf_counter()
    try:
        while made() < most and not enough():
            before = time.perf_counter()
            go(min(made() + size, most))
            now = time.perf_counter()
            share = min(SLICE, (end - now) / 2) / max(now - before, 1e-9)
            size = max(1, min(2 * size, int(size * share)))
    except Halted:
        pass
    finally:
        for one in asked:
            one.enough = None
        growth.left = None
        growth.release()
