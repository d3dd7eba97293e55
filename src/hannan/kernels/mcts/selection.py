"""The rules by number: `select` an action for one player, `update` by what came of it; and exploring around a rule.

A walk is compiled for one rule, so that the number is a constant and the other rules fall away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.kernels import inlined
from hannan.kernels.mcts import exp3, exp3_ix, hedge, oos, random_play, rm, rm_plus, uct, uct_random, users
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.records import Ground, Played, SearchPlan
from hannan.kernels.sampling.draws import uniform


@inlined
def wandering(random: Any, plan: SearchPlan, visits: float) -> bool:
    """Say whether a wrapper explores now: with probability γ (A*), or at visits 1, 4, 9, … (A+)."""
    if plan.explore == rec.STAR:
        return uniform(random) < plan.gamma
    if plan.explore == rec.PLUS:
        root = np.floor(np.sqrt(visits) + 0.5)
        return root * root == visits
    return False


@inlined
def select(
    rule: int, random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Return an action and the probability with which it was drawn; add the current strategy to the average.

    A probability below 0 says that a wrapper explores, and that nothing is learnt.
    """
    if plan.explore != rec.OWN:
        if rule != rec.EXP3:  # whose exploration is part of it
            gamma = 0.0
        if wandering(random, plan, visits):
            return random_play.drawn(random, size), -1.0 / size
    if rule == rec.RM:
        return rm.select(random, stat, first, size, visits, plan, gamma)
    if rule == rec.RM_PLUS:
        return rm_plus.select(random, stat, first, size, visits, plan, gamma)
    if rule == rec.EXP3:
        return exp3.select(random, stat, first, size, visits, plan, gamma)
    if rule == rec.EXP3_IX:
        return exp3_ix.select(random, stat, first, size, visits, plan, gamma)
    if rule == rec.HEDGE:
        return hedge.select(random, stat, first, size, visits, plan, gamma)
    if rule == rec.UCT:
        return uct.select(random, stat, first, size, visits, plan, gamma)
    if rule == rec.UCT_RANDOM:
        return uct_random.select(random, stat, first, size, visits, plan, gamma)
    if rule == rec.OOS:
        return oos.select(random, stat, first, size, visits, plan, gamma)
    if rule == rec.USERS:
        return users.select(random, stat, first, size, visits, plan, gamma)
    return random_play.select(random, stat, first, size, visits, plan, gamma)


@inlined
def update(rule: int, ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Let a rule learn; online outcome sampling learns from the whole walk, and has its own call."""
    if rule == rec.RM:
        rm.update(ground, plan, at)
    elif rule == rec.RM_PLUS:
        rm_plus.update(ground, plan, at)
    elif rule == rec.EXP3:
        exp3.update(ground, plan, at)
    elif rule == rec.EXP3_IX:
        exp3_ix.update(ground, plan, at)
    elif rule == rec.HEDGE:
        hedge.update(ground, plan, at)
    elif rule == rec.UCT:
        uct.update(ground, plan, at)
    elif rule == rec.UCT_RANDOM:
        uct_random.update(ground, plan, at)
    elif rule == rec.USERS:
        users.update(ground, plan, at)
