"""Hedge on the estimated matrix of a node: exponential weights at the rate √(8 ln K / n) after n visits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hannan.kernels import inlined
from hannan.kernels.mcts import cells, weights
from hannan.kernels.mcts.records import Ground, Played, SearchPlan


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Draw an action by its weight."""
    eta = np.sqrt(8.0 * math.log(size) / max(visits, 1.0))
    return weights.draw(random, stat, first, size, gamma, eta)


@inlined
def update(ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Add what every action would have gained."""
    otherwise = cells.blank(plan, at)
    for k in range(at.size):
        ground.stat[at.first + k] += cells.gained(ground, at, k, otherwise)
