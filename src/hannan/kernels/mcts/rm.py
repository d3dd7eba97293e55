"""Regret matching on the estimated matrix of a node, and regret matching plus.

V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013), section 3.1: the regret of an action compares the mean of its cell
in the other's column with what the walk returned. Regret matching plus (O. Tammelin 2014) keeps no negative regret.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import inlined


@inlined
def weigh(stat: Floats, first: int, size: int) -> float:
    """Return the sum of the positive regrets."""
    total = 0.0
    for k in range(first, first + size):
        total += max(stat[k], 0.0)
    return total


@inlined
def share(stat: Floats, first: int, k: int, size: int, total: float) -> float:
    """Return the probability of an action, before exploration."""
    return max(stat[first + k], 0.0) / total if total > 0.0 else 1.0 / size


@inlined
def update(stat: Floats, place: int, gained: float, returned: float, plus: bool) -> None:
    """Add the regret of one action."""
    regret = stat[place] + (gained - returned)
    stat[place] = max(regret, 0.0) if plus else regret
