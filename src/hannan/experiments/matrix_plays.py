"""The matrix games on which section 4 of the SM-MCTS paper is measured: repeated play, of which the largest counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs

GAMMA = 0.1
SEEDS = 3

EPSILON = {"rm": GAMMA, "rm+": GAMMA, "hedge": GAMMA, "exp3-ix": GAMMA, "exp3": (math.e - 1) * GAMMA}
"""The ε of each rule's own exploration. Regret matching with exploration gamma is gamma-Hannan consistent, Exp3 with a
constant gamma is (e - 1)gamma-Hannan consistent (P. Auer et al. 2002, Theorem 3.1)."""

Matrix = Sequence[Sequence[float]]

MATRICES: Mapping[str, Matrix] = {
    "biased rock-paper-scissors": [[0.5, 0.25, 1.0], [0.75, 0.5, 0.45], [0.0, 0.55, 0.5]],
    "matching pennies": [[1.0, 0.0], [0.0, 1.0]],
    "two by three": [[0.9, 0.2, 0.4], [0.1, 0.7, 0.5]],
    "a dominated row": [[1.0, 0.9], [0.1, 0.0]],
}

NEEDLES: Mapping[str, Matrix] = {
    "one good row of ten": [[1.0, 1.0]] + [[0.0, 0.0]] * 9,
    "one good column of ten": [[0.0] + [1.0] * 9] * 2,
}
"""Games in which exploring costs nine tenths of gamma, so that bounds are nearly reached."""

ERRORS = (0.0, 0.02, 0.05, 0.1)


def largest(measure: Callable[[Matrix, int], Any], games: Iterable[Matrix] = tuple(MATRICES.values())) -> Floats:
    """Return the largest measurement at each point, over some matrices and all seeds."""
    every = [measure(payoffs, seed) for payoffs in games for seed in range(SEEDS)]
    return np.max(every, axis=0)


def line(points: Sequence[int] | Longs, numbers: Floats) -> list[tuple[float, float]]:
    """Return the points of a line."""
    return [(float(point), float(number)) for point, number in zip(points, numbers, strict=True)]
