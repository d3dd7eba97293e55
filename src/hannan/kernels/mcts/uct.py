"""Decoupled UCT: each player takes the first of the actions with the best upper confidence bound. It need not converge.

L. Kocsis, C. Szepesvári (2006); both players may run through a cycle together (M. Shafiei et al. 2009).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hannan.kernels import inlined
from hannan.kernels.mcts.records import Ground, Played, SearchPlan


@inlined
def bound(stat: Any, first: int, k: int, size: int, visits: float, constant: float) -> float:
    """Return an action's upper confidence bound; infinite where it was never played."""
    count = stat[first + size + k]
    if count == 0.0:
        return np.inf
    return stat[first + k] / count + constant * np.sqrt(math.log(visits) / count)


@inlined
def best(stat: Any, first: int, size: int, visits: float, constant: float) -> tuple[int, float]:
    """Return the first action with the best bound, and the bound."""
    most, choice = -np.inf, 0
    for k in range(size):
        own = bound(stat, first, k, size, visits, constant)
        if own > most:
            most, choice = own, k
    return choice, most


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Take the action with the best bound."""
    choice, _ = best(stat, first, size, visits, plan.constant)
    stat[first + 2 * size + choice] += 1.0
    return choice, 1.0


@inlined
def update(ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Add the reward to the action's sum."""
    ground.stat[at.first + at.taken] += at.own
