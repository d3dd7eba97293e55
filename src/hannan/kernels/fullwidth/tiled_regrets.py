"""The regret learners of `regrets.py` in the tiled layout: the same arithmetic, laid out as `tiled_passes` says."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import kernel
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.records import Learning, Tiled


@kernel
def match(tiled: Tiled, bucket: int, low: int, high: int, learning: Learning, step: Floats, worth: Floats) -> None:
    """Turn gradients into regrets and the next strategy, at the sets of tiles `low … high` of a bucket.

    What it has read of `worth` it leaves as 0, ready for the next gradient.
    """
    first, sets, actions = tiled.first[bucket], tiled.sets[bucket], tiled.actions[bucket]
    positive, negative, floor = step[rec.POSITIVE], step[rec.NEGATIVE], step[rec.FLOOR]
    keep, predict, rate, noise = step[rec.KEEP], step[rec.PREDICT], step[rec.RATE], step[rec.NOISE]
    even = 1.0 / actions
    for t in range(low, high):
        begin, end = tiled.tile[t, 0], tiled.tile[t, 1]
        count = end - begin
        value, total = tiled.scratch[0, :count], tiled.scratch[1, :count]
        for k in range(count):
            value[k] = 0.0
            total[k] = 0.0
        for a in range(actions):
            place = first + a * sets
            played, gained = learning.strategy[place + begin : place + end], worth[place + begin : place + end]
            for k in range(count):
                value[k] += played[k] * gained[k]
        for a in range(actions):
            place = first + a * sets
            weight, gained = learning.strategy[place + begin : place + end], worth[place + begin : place + end]
            regret = learning.regret[place + begin : place + end]
            for k in range(count):
                instant = gained[k] - value[k]
                gained[k] = 0.0
                new = max(regret[k] * (positive if regret[k] > 0.0 else negative) + instant, floor)
                regret[k] = new
                weight[k] = keep * new + predict * instant
            if rate == 0.0:
                for k in range(count):
                    weight[k] = weight[k] if weight[k] > noise else 0.0
                    total[k] += weight[k]
        if rate > 0.0:
            _exponentiate(learning.strategy, first + begin, sets, actions, rate, total, tiled.scratch[2, :count])
        for a in range(actions):
            place = first + a * sets
            weight = learning.strategy[place + begin : place + end]
            for k in range(count):
                weight[k] = weight[k] / total[k] if total[k] > 0.0 else even
        parent = tiled.parent[tiled.parents[bucket] + begin : tiled.parents[bucket] + end]
        for k in range(count):
            worth[parent[k]] += value[k]


@kernel
def _exponentiate(
    weights: Floats, first: int, sets: int, actions: int, rate: float, total: Floats, highest: Floats
) -> None:
    """Replace weights by exp(rate · weight), scaled by the `highest` of each set; add them up in `total`."""
    count = total.size
    highest[:] = -np.inf
    for a in range(actions):
        weight = weights[first + a * sets : first + a * sets + count]
        for k in range(count):
            highest[k] = max(highest[k], weight[k])
    for a in range(actions):
        weight = weights[first + a * sets : first + a * sets + count]
        for k in range(count):
            weight[k] = np.exp(rate * (weight[k] - highest[k]))
            total[k] += weight[k]
