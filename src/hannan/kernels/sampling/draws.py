"""Random numbers, and what they draw.

A draw advances `Tables.random` and looks at nothing else, so the same seed gives the same bits everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53
NEXT = np.uint64(1)


@inlined
def uniform(random: Any) -> float:
    """Return a number in [0, 1) and advance the state: SplitMix64 (G. Steele, D. Lea, C. Flood 2014)."""
    z = random[0] + GOLDEN
    random[0] = z
    return unit(z)


@inlined
def unit(z: Any) -> float:
    """Return the number in [0, 1) that belongs to a state; the next state is GOLDEN more."""
    z = (z ^ (z >> S30)) * FIRST_FACTOR
    z = (z ^ (z >> S27)) * SECOND_FACTOR
    return np.int64((z ^ (z >> S31)) >> S11) * UNIT


@inlined
def draw(random: Any, weights: Floats, first: int, count: int) -> int:
    """Draw one of `count` moves by their weights, which sum to 1; nothing is drawn where there is one move."""
    return draw_exploring(random, weights, first, count, 0.0, 1.0)


@inlined
def draw_evenly(random: Any, count: int) -> int:
    """As `draw`, from equal weights."""
    return int(uniform(random) * count) if count > 1 else 0


@inlined
def draw_exploring(random: Any, weights: Floats, first: int, count: int, even: float, keep: float) -> int:
    """As `draw`, from `even` + `keep` times the weights."""
    return 0 if count == 1 else pick(uniform(random), weights, first, count, even, keep)


@inlined
def pick(u: float, weights: Floats, first: int, count: int, even: float, keep: float) -> int:
    """Return the move that a number in [0, 1) draws."""
    k, cell = 0, np.uint64(first)
    reached = even + keep * weights[cell]
    while u >= reached and k < count - 1:
        k += 1
        cell += NEXT
        reached += even + keep * weights[cell]
    while k > 0 and even + keep * weights[first + k] == 0.0:
        k -= 1  # rounding alone leads to a last move that is never played
    return k
