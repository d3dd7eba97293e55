"""Decoupled UCT with random ties: any action whose bound lies within a margin of the best one. It need not converge."""

from __future__ import annotations

from typing import Any

from hannan.kernels import inlined
from hannan.kernels.mcts import uct
from hannan.kernels.mcts.records import Ground, Played, SearchPlan
from hannan.kernels.sampling.draws import uniform


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Draw one of the actions that are tied."""
    choice, most = uct.best(stat, first, size, visits, plan.constant)
    near = 0
    for k in range(size):
        if uct.bound(stat, first, k, size, visits, plan.constant) >= most - plan.margin:
            near += 1
    left = min(int(uniform(random) * near), near - 1)
    for k in range(size):
        if uct.bound(stat, first, k, size, visits, plan.constant) >= most - plan.margin:
            if left == 0:
                choice = k
            left -= 1
    stat[first + 2 * size + choice] += 1.0
    return choice, 1.0


@inlined
def update(ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Add the reward to the action's sum."""
    uct.update(ground, plan, at)
