"""Regret matching on the estimated matrix of a node.

V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013), section 3.1: the regret of an action compares the mean of its cell
in the other's column with what the walk returned.
"""

from __future__ import annotations

from typing import Any

from hannan.kernels import inlined
from hannan.kernels.mcts import cells, regrets
from hannan.kernels.mcts.records import Ground, Played, SearchPlan


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Draw an action in proportion to positive regrets."""
    return regrets.draw(random, stat, first, size, gamma, 1.0)


@inlined
def update(ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Add the regret of every action."""
    otherwise = cells.blank(plan, at)
    ground.stat[at.first] += cells.gained(ground, at, 0, otherwise) - at.own
    ground.stat[at.first + 1] += cells.gained(ground, at, 1, otherwise) - at.own
    for k in range(2, at.size):
        ground.stat[at.first + k] += cells.gained(ground, at, k, otherwise) - at.own
