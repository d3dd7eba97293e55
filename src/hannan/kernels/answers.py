"""What rules say at a node, and should not: movers that there are not, an action twice, gains that are too large."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined
from hannan.kernels.statuses import NOT_FINITE, TOO_LARGE
from hannan.turns import CHANCE

LONG = 256
"""Codes beyond which a list is only looked at in order: `hannan.check_game` compares all."""


@inlined
def wrong_turn(turned: int, players: int) -> bool:
    """Return whether a turn is neither END, CHANCE nor players as bits."""
    return turned < CHANCE or turned >> players > 0


@inlined
def repeated(codes: Longs, count: int) -> bool:
    """Return whether a code is listed twice; where codes ascend, which is usual, one look at each says that none is."""
    ascending = True
    for k in range(1, count):
        ascending &= codes[k] > codes[k - 1]
    if ascending or count > LONG:
        return False
    for k in range(1, count):
        for j in range(k):
            if codes[j] == codes[k]:
                return True
    return False


@inlined
def excess(gains: Floats) -> int:
    """Say what is wrong with gains of which one is too large: whether they are numbers at all."""
    status = TOO_LARGE
    for p in range(gains.size):
        if not abs(gains[p]) < np.inf:
            status = NOT_FINITE
    return status
