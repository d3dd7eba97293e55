"""Exponential weights: Exp3 (P. Auer et al. 2002), Exp3-IX (G. Neu 2015), and Hedge on the estimated matrix.

Exp3 has the rate γ/K of the paper's section 3.2. The others have rates that fall with the visits: Exp3-IX
√(2 ln K / (K n)), with half of it as implicit exploration, and Hedge √(8 ln K / n).
"""

from __future__ import annotations

import math

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.mcts.records import EXP3, EXP3_IX


@inlined
def rate(rule: int, size: int, visits: float, gamma: float) -> float:
    """Return the learning rate after so many visits."""
    if rule == EXP3:
        return gamma / size
    n = max(visits, 1.0)
    if rule == EXP3_IX:
        return np.sqrt(2.0 * math.log(size) / (size * n))
    return np.sqrt(8.0 * math.log(size) / n)


@inlined
def weigh(stat: Floats, first: int, size: int, eta: float) -> tuple[float, float]:
    """Return the largest sum of rewards, and the sum of all weights relative to its own."""
    most, total = stat[first], 0.0
    for k in range(first + 1, first + size):
        most = max(most, stat[k])
    for k in range(first, first + size):
        total += math.exp(eta * (stat[k] - most))
    return most, total


@inlined
def update(rule: int, stat: Floats, place: int, reward: float, played: float, eta: float) -> None:
    """Add a reward in [0, 1], over the probability with which the action was played."""
    if rule == EXP3:
        stat[place] += reward / played
    else:
        stat[place] -= (1.0 - reward) / (played + eta / 2.0)
