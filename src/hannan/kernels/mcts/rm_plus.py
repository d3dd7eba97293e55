"""Regret matching plus on the estimated matrix of a node: no regret is kept below 0 (O. Tammelin 2014)."""

from __future__ import annotations

from typing import Any

from hannan.kernels import inlined
from hannan.kernels.mcts import cells, regrets
from hannan.kernels.mcts.records import Ground, Played, SearchPlan


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Draw an action in proportion to regrets."""
    return regrets.draw(random, stat, first, size, gamma, 1.0)


@inlined
def update(ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Add the regret of every action, and keep what is positive."""
    otherwise = cells.blank(plan, at)
    for k in range(at.size):
        regret = ground.stat[at.first + k] + (cells.gained(ground, at, k, otherwise) - at.own)
        ground.stat[at.first + k] = regrets.positive(regret)
