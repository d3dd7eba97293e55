"""Regret learners on the plain layout: regret matching and Hedge at every information set."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.records import Flat, Learning


@inlined
def update(begin: int, end: int, strategy: Floats, regret: Floats, step: Floats, worth: Floats, value: float) -> None:
    """Turn the worths of the actions of a set into regrets against `value`, and these into its next strategy."""
    positive, negative, floor = step[rec.POSITIVE], step[rec.NEGATIVE], step[rec.FLOOR]
    keep, predict, rate, noise = step[rec.KEEP], step[rec.PREDICT], step[rec.RATE], step[rec.NOISE]
    total = 0.0
    highest = -np.inf
    for s in range(begin, end):
        instant = worth[s] - value
        old = regret[s]
        new = max(old * (positive if old > 0.0 else negative) + instant, floor)
        regret[s] = new
        weight = keep * new + predict * instant
        if rate > 0.0:
            highest = max(highest, weight)
        else:
            weight = weight if weight > noise else 0.0
            total += weight
        strategy[s] = weight
    if rate > 0.0:
        for s in range(begin, end):
            strategy[s] = np.exp(rate * (strategy[s] - highest))
            total += strategy[s]
    if total > 0.0:
        for s in range(begin, end):
            strategy[s] /= total
    else:
        for s in range(begin, end):
            strategy[s] = 1.0 / (end - begin)


@inlined
def match(flat: Flat, player: int, learning: Learning, step: Floats, worth: Floats) -> float:
    """Turn the gradient in `worth` into regrets and the next strategy; return the value of the current one."""
    strategy, regret = learning.strategy, learning.regret
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        begin, end = flat.first[j], flat.first[j] + flat.size[j]
        value = 0.0
        for s in range(begin, end):
            value += strategy[s] * worth[s]
        worth[flat.parent[j]] += value
        update(begin, end, strategy, regret, step, worth, value)
    result: float = worth[flat.sequence_begin[player]]
    return result
