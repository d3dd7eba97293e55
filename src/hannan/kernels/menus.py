"""What rules list at a node: actions of a player, or outcomes of chance."""

from __future__ import annotations

from hannan.arrays import Longs
from hannan.kernels import inlined

LONG = 256
"""Codes beyond which a list is only looked at in order: `hannan.check_game` compares all."""


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
