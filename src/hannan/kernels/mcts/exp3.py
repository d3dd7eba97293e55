"""Exp3: exponential weights of sampled rewards, at the rate γ/K of the paper's section 3.2 (P. Auer et al. 2002)."""

from __future__ import annotations

from typing import Any

from hannan.kernels import inlined
from hannan.kernels.mcts import weights
from hannan.kernels.mcts.records import Ground, Played, SearchPlan


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Draw an action by its weight."""
    return weights.draw(random, stat, first, size, gamma, plan.gamma / size)


@inlined
def update(ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Add the reward over the probability with which the action was played."""
    ground.stat[at.first + at.taken] += at.own / at.probability
