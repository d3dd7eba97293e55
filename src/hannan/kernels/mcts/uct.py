"""Decoupled UCT: each player takes the action with the best upper confidence bound. It need not converge.

L. Kocsis, C. Szepesvári (2006); without random ties both players may run through a cycle together (M. Shafiei et al.
2009). An action counts as tied where its bound lies within a margin of the best one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.sampling.draws import uniform


@inlined
def bound(stat: Floats, first: int, k: int, size: int, visits: float, constant: float) -> float:
    """Return an action's upper confidence bound; infinite where it was never played."""
    count = stat[first + size + k]
    if count == 0.0:
        return np.inf
    return stat[first + k] / count + constant * np.sqrt(math.log(visits) / count)


@inlined
def select(
    random: Any, stat: Floats, first: int, size: int, visits: float, constant: float, margin: float, ties: bool
) -> int:
    """Return the action with the best bound: the first, or with `ties` any of those within the margin."""
    best, choice = -np.inf, 0
    for k in range(size):
        own = bound(stat, first, k, size, visits, constant)
        if own > best:
            best, choice = own, k
    if not ties:
        return choice
    near = 0
    for k in range(size):
        if bound(stat, first, k, size, visits, constant) >= best - margin:
            near += 1
    left = min(int(uniform(random) * near), near - 1)
    for k in range(size):
        if bound(stat, first, k, size, visits, constant) >= best - margin:
            if left == 0:
                return k
            left -= 1
    return choice
