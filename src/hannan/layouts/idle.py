"""Sets at which nothing is at stake: no payoff depends on actions there or later.

Such a set has gradients of 0. If its regrets are 0 too, its strategy stays as it is, so iterations leave it out, and
its average is computed when it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from hannan.arrays import Bools, Floats, Longs, offsets
from hannan.forms.treeplex import Treeplex
from hannan.kernels.fullwidth import passes

CLOSE = 1e-5
"""The largest relative rounding error of a sum of reaches under a strategy that never changed."""


def idle_sets(plex: Treeplex, pays: Bools) -> Bools:
    """Return which sets of a player are idle; `pays` says which of its sequences have payoffs."""
    stakes, idle = pays.copy(), np.zeros(plex.sets, np.bool_)
    for low, high in reversed(list(pairwise(plex.level_begin.tolist()))):
        first, last = int(plex.begin[low]), int(plex.begin[high])
        if low < high:
            some = np.logical_or.reduceat(stakes[first:last], plex.begin[low:high] - first)
            idle[low:high] = ~some
            stakes[plex.parent[low:high][some]] = True
    return idle


def listed(plex: Treeplex, idle: Bools) -> Longs:
    """Return these sets of a player, parents first: first sequence, size, parent, [idle sets, 3]."""
    found = np.flatnonzero(idle)
    return np.stack((plex.begin[found], plex.sizes[found], plex.parent[found]), axis=1).astype(np.int64)


def rest(sets: Longs, read: Callable[[str], Floats], averaged: bool, precision: str) -> bool:
    """Return whether these sets would not learn from regrets, and have the average of a constant strategy.

    `sets` is as `listed` returns it, but of all players, in the order of `Flat`; `read` returns an array of the state.
    """
    if not len(sets):
        return False
    mine = np.repeat(sets[:, 0] - offsets(sets[:, 1])[:-1], sets[:, 1]) + np.arange(sets[:, 1].sum())
    if np.any(read("regret")[mine]):
        return False
    strategy, even = read("strategy"), np.repeat(1.0 / sets[:, 1], sets[:, 1])
    if np.any(strategy[mine] != even.astype(precision)):
        return False
    if not averaged:
        return True
    total = read("total")
    given = total[mine]
    passes.spread_below(sets, strategy, total)
    return bool(np.all(np.abs(total[mine] - given) <= CLOSE * total[mine]))
