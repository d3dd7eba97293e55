"""Exp3-IX: exponential weights with implicit exploration (G. Neu 2015).

The rate is √(2 ln K / (K n)) after n visits, and half of it is added to the probability by which a loss is divided.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hannan.kernels import inlined
from hannan.kernels.mcts import weights
from hannan.kernels.mcts.records import Ground, Played, SearchPlan


@inlined
def rate(size: int, visits: float) -> float:
    """Return the learning rate after `visits` visits."""
    return np.sqrt(2.0 * math.log(size) / (size * max(visits, 1.0)))


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Draw an action by its weight."""
    return weights.draw(random, stat, first, size, gamma, rate(size, visits))


@inlined
def update(ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Take off the loss over a little more than the probability with which the action was played."""
    spared = rate(at.size, at.visits) / 2.0
    ground.stat[at.first + at.taken] -= (1.0 - at.own) / (at.probability + spared)
