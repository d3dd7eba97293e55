"""The rule of a user: two functions, which the walk calls by their addresses.

`play` writes the weights by which actions are played, `learn` changes what was learnt by what came of one of them.
Drawing, exploring and averaging are done here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from hannan.kernels import inlined
from hannan.kernels.mcts import cells
from hannan.kernels.mcts.records import Ground, Played, SearchPlan
from hannan.kernels.pointers import numbers_at, numbers_from, told
from hannan.kernels.sampling.draws import uniform
from hannan.kernels.signatures import LONG, NUMBERS

PLAY = types.void(NUMBERS, LONG, types.float64, NUMBERS, NUMBERS)
"""play(learnt, size, visits, constants, weights)"""

LEARN = types.void(NUMBERS, LONG, types.float64, NUMBERS, NUMBERS, LONG, types.float64)
"""learn(learnt, size, visits, constants, gains, taken, probability)"""


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Draw an action by the weights that the rule writes; weights that are no distribution make the average NaN."""
    weights = numbers_at(plan.weights)
    told(plan.play, (numbers_from(stat, first), np.int64(size), visits, numbers_at(plan.constants), weights))
    total = 0.0
    for k in range(size):
        total += weights[k] if weights[k] >= 0.0 else np.nan
    inverse, even, keep = 1.0 / total if total > 0.0 else np.nan, gamma / size, 1.0 - gamma
    u, reached, taken, played = uniform(random), 0.0, 0, 0.0
    for k in range(size):
        own = weights[k] * inverse
        stat[first + 2 * size + k] += own
        probability = even + keep * own
        if probability > 0.0 and (played == 0.0 or u >= reached):
            taken, played = k, probability
        reached += probability
    return taken, played


@inlined
def update(ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Tell the rule what every action would have gained, and which one was taken."""
    gains, otherwise = numbers_at(plan.weights), cells.blank(plan, at)
    for k in range(at.size):
        gains[k] = cells.gained(ground, at, k, otherwise)
    learnt, size, taken = numbers_from(ground.stat, at.first), np.int64(at.size), np.int64(at.taken)
    told(plan.learn, (learnt, size, at.visits, numbers_at(plan.constants), gains, taken, at.probability))
