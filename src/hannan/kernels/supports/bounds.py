"""Bounds of rows over a box of mixed strategies.

A row is linear in each player's strategy. Over the strategies of one player that lie in a box, a linear function is
largest where probability goes to the largest coefficients first. Player after player is taken away like this; what
remains for the next one are intervals.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import inlined, kernel
from hannan.kernels.supports.records import Work

HAIR = 1e-15
"""Added to a bound of a probability: more than the rounding of the sums that it comes from."""


@kernel
def trim(work: Work, low: Floats, high: Floats) -> bool:
    """Tighten a box by the sum of probabilities of each player; return False if no strategy lies in it."""
    for i in range(len(work.size)):
        begin, end = work.begin[i], work.begin[i + 1]
        slack = HAIR * (2 + end - begin)
        least, most = 0.0, 0.0
        for e in range(begin, end):
            least += low[e]
            most += high[e]
        if least > 1.0 + slack or most < 1.0 - slack:
            return False
        for e in range(begin, end):
            below, above = 1.0 - (most - high[e]) - slack, 1.0 - (least - low[e]) + slack
            if below > low[e]:
                low[e] = below
            if above < high[e]:
                high[e] = above
            if low[e] > high[e]:
                return False
    return True


@inlined
def _most(weights: Floats, at: int, sign: float, low: Floats, high: Floats, begin: int, end: int) -> float:
    """Return the most of Σ sign · weight · x over the strategies of a player in a box."""
    value, left = 0.0, 1.0
    for e in range(begin, end):
        value += sign * weights[at + e - begin] * low[e]
        left -= low[e]
    taken = 0
    while left > 0.0:
        best, which = 0.0, -1
        for e in range(begin, end):
            weight = sign * weights[at + e - begin]
            if not taken >> (e - begin) & 1 and (which < 0 or weight > best):
                best, which = weight, e
        if which < 0:
            break
        taken |= 1 << (which - begin)
        part = min(left, high[which] - low[which])
        value += best * part
        left -= part
    return value


@kernel
def row_range(work: Work, i: int, r: int, low: Floats, high: Floats) -> tuple[float, float]:
    """Return bounds of a row over a box, but for rounding."""
    parts = work.parts[i]
    at = work.row_begin[i] + r * parts
    first = True
    for j in range(len(work.size) - 1, -1, -1):
        if j == i:
            continue
        begin, end = work.begin[j], work.begin[j + 1]
        size = end - begin
        parts //= size
        if first:
            for p in range(parts):
                work.low[p] = -_most(work.rows, at + p * size, -1.0, low, high, begin, end)
                work.high[p] = _most(work.rows, at + p * size, 1.0, low, high, begin, end)
            first = False
        else:
            for p in range(parts):
                work.low[p] = -_most(work.low, p * size, -1.0, low, high, begin, end)
                work.high[p] = _most(work.high, p * size, 1.0, low, high, begin, end)
    if first:  # a game of one player
        return work.rows[at], work.rows[at]
    return work.low[0], work.high[0]
