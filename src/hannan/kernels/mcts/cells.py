"""The estimated matrix of a node: what each action of a player has brought against what the other did."""

from __future__ import annotations

from hannan.kernels import inlined
from hannan.kernels.mcts.records import Ground, Played, SearchPlan


@inlined
def blank(plan: SearchPlan, at: Played) -> float:
    """Return what a cell without a visit counts: what the walk returned where it is left out."""
    return plan.unvisited if plan.unvisited == plan.unvisited else at.returned


@inlined
def gained(ground: Ground, at: Played, k: int, otherwise: float) -> float:
    """Return what action k would have gained: the mean of its cell, or what the walk returned where it was taken."""
    mean = ground.mean[at.cells + k * at.stride]
    mean = mean if mean == mean else otherwise
    mean = at.returned if k == at.taken else mean  # after the rest: a select is faster than a branch here
    return 1.0 - mean if at.turned else mean
