"""The weights of `weights.py` in the tiled layout: the same arithmetic, laid out as `tiled_passes` says.

The exponential is computed here, by the usual reduction and a polynomial, because a call to the library for every
number keeps the loops from using vector units: that was most of the time. It is within 3 units in the last place.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined, kernel
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.records import Learning, Tiled, Weighted
from hannan.kernels.vectors import LANES

SHIFT = 1.5 * 2.0**52  # adding it leaves a small number's nearest integer in the last bits
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
LOWEST = -708.0  # exp of less is not a normal number: it counts as 0
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


@inlined
def mix(tiled: Tiled, low: int, high: int, learning: Learning, plans: Weighted, step: Floats, worth: Floats) -> None:
    """Add gradients to the sums and mix anew, at the sets of tiles `low … high`.

    What is read of `below`, the second array of `plans`, becomes 0; what these sets add goes to the sequences above
    them.
    """
    prior, below = plans
    weight, rate, predict = step[rec.WEIGHT], step[rec.RATE], step[rec.PREDICT]
    highest, total, bits = tiled.scratch[0, :LANES], tiled.scratch[1, :LANES], tiled.scratch[2]
    for t in range(low, high):
        first, groups, actions, parents, _ = tiled.tile[t]
        width = actions * LANES
        for group in range(groups):
            begin = first + group * width
            logit, gained = learning.strategy[begin : begin + width], worth[begin : begin + width]
            gain, start = learning.regret[begin : begin + width], prior[begin : begin + width]
            later, parent = below[begin : begin + width], tiled.parent[parents + group * LANES :]
            for i in range(width):
                instant = weight * gained[i]
                gain[i] += instant
                logit[i] = start[i] + rate * (gain[i] + predict * instant) + later[i]
                later[i] = 0.0
            for k in range(LANES):
                highest[k] = logit[k]
            if actions == 1:
                for k in range(LANES):
                    logit[k] = 1.0
                    below[parent[k]] += highest[k]
                continue
            for a in range(LANES, width, LANES):
                for k in range(LANES):
                    highest[k] = max(highest[k], logit[a + k])
            for a in range(0, width, LANES):
                for k in range(LANES):
                    logit[a + k] -= highest[k]
            exponentiate(logit, bits[:width])
            for k in range(LANES):
                total[k] = 0.0
            for a in range(0, width, LANES):
                for k in range(LANES):
                    total[k] += logit[a + k]
            for k in range(LANES):
                below[parent[k]] += highest[k] + np.log(total[k])
                total[k] = 1.0 / total[k]
            for a in range(0, width, LANES):
                for k in range(LANES):
                    logit[a + k] *= total[k]
