"""The weights of `weights.py` in the tiled layout: the same arithmetic, laid out as `tiled_passes` says.

The exponential is computed here, by the usual reduction and a polynomial, because a call to the library for every
number keeps the loops from using vector units: that was most of the time. It is within 3 units in the last place.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import kernel
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.records import Learning, Tiled, Weighted

SHIFT = 1.5 * 2.0**52  # adding it leaves a small number's nearest integer in the last bits
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
LOWEST = -708.0  # exp of less is no normal number: it counts as 0
EXPONENT, BIAS = 52, 1023


@kernel
def exponentiate(x: Floats, bits: Floats) -> None:
    """Replace numbers that are at most 0 by their exponentials; `bits` is scratch of the same size.

    With n the integer nearest to x/ln 2, exp(x) = 2^n · exp(r), and |r| ≤ ln(2)/2 needs 12 terms of the series.
    """
    for k in range(x.size):
        bits[k] = max(x[k], LOWEST) * LOG2_E + SHIFT
        n = bits[k] - SHIFT
        r = (max(x[k], LOWEST) - n * LN2_HIGH) - n * LN2_LOW
        r2 = r * r
        r4 = r2 * r2
        low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6))
        middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040))
        high = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (
            (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600)
        )
        x[k] = low + r4 * (middle + r4 * high) if x[k] >= LOWEST else 0.0
    power = bits.view(np.int64)
    for k in range(x.size):
        power[k] = (power[k] + BIAS) << EXPONENT
    for k in range(x.size):
        x[k] *= bits[k]


@kernel
def mix(
    tiled: Tiled, bucket: int, low: int, high: int, learning: Learning, plans: Weighted, step: Floats, worth: Floats
) -> None:
    """Add gradients to the sums and mix anew, at the sets of tiles `low … high` of a bucket.

    What is read of `below`, the second array of `plans`, becomes 0; what these sets add goes to the sequences above
    them.
    """
    prior, below = plans
    first, sets, actions = tiled.first[bucket], tiled.sets[bucket], tiled.actions[bucket]
    weight, rate, predict = step[rec.WEIGHT], step[rec.RATE], step[rec.PREDICT]
    for t in range(low, high):
        begin, end = tiled.tile[t, 0], tiled.tile[t, 1]
        count = end - begin
        highest, total, bits = tiled.scratch[0, :count], tiled.scratch[1, :count], tiled.scratch[2, :count]
        for k in range(count):
            highest[k] = -np.inf
            total[k] = 0.0
        for a in range(actions):
            place = first + a * sets
            logit, gained = learning.strategy[place + begin : place + end], worth[place + begin : place + end]
            gain, start = learning.regret[place + begin : place + end], prior[place + begin : place + end]
            later = below[place + begin : place + end]
            for k in range(count):
                instant = weight * gained[k]
                gain[k] += instant
                logit[k] = start[k] + rate * (gain[k] + predict * instant) + later[k]
                later[k] = 0.0
                highest[k] = max(highest[k], logit[k])
        parent = tiled.parent[tiled.parents[bucket] + begin : tiled.parents[bucket] + end]
        if actions == 1:
            learning.strategy[first + begin : first + end] = 1.0
            for k in range(count):
                below[parent[k]] += highest[k]
            continue
        for a in range(actions):
            place = first + a * sets
            chance = learning.strategy[place + begin : place + end]
            for k in range(count):
                chance[k] -= highest[k]
            exponentiate(chance, bits)
            for k in range(count):
                total[k] += chance[k]
        for k in range(count):
            below[parent[k]] += highest[k] + np.log(total[k])
            total[k] = 1.0 / total[k]
        for a in range(actions):
            place = first + a * sets
            chance = learning.strategy[place + begin : place + end]
            for k in range(count):
                chance[k] *= total[k]
