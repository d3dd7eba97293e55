"""Linear algebra in whole numbers without fractions, for systems of a few dozen unknowns.

E. H. Bareiss (1968), Sylvester's identity and multistep integer-preserving Gaussian elimination: every number that
appears is a determinant of a part of the matrix, so divisions leave no remainder, and numbers stay short.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

import numpy as np
import numpy.typing as npt

from hannan.interrupts import go_on

Whole = npt.NDArray[np.object_]
Matrix = Sequence[Sequence[int]]


def determinant(matrix: Matrix) -> int:
    """Return the determinant of a square matrix; 1 if it is empty."""
    rows, sign, before = [list(row) for row in matrix], 1, 1
    for k in range(len(rows)):
        at = next((r for r in range(k, len(rows)) if rows[r][k]), None)
        if at is None:
            return 0
        if at != k:
            rows[k], rows[at], sign = rows[at], rows[k], -sign
        top = rows[k]
        pivot = top[k]
        for r in range(k + 1, len(rows)):
            row = rows[r]
            factor = row[k]
            row[k + 1 :] = [
                (pivot * one - factor * other) // before for one, other in zip(row[k + 1 :], top[k + 1 :], strict=True)
            ]
        before = pivot
    return sign * before


def kernel_of(matrix: Matrix, size: int) -> tuple[int, list[int]]:
    """Return the dimension of {z: matrix·z = 0}, where z has `size` entries, and if it is 1, a z without a divisor."""
    rows, before = [list(row) for row in matrix], 1
    pivots: list[int] = []  # the column of each row that is solved
    free: list[int] = []  # these columns come first in the remainder of each row
    for column in range(size):
        rank, place = len(pivots), len(free)
        at = next((r for r in range(rank, len(rows)) if rows[r][place]), None)
        if at is None:
            free.append(column)
            continue
        rows[rank], rows[at] = rows[at], rows[rank]
        pivot = rows[rank].pop(place)
        top = rows[rank]
        for r, row in enumerate(rows):
            if r != rank:
                factor = row.pop(place)
                rows[r] = [(pivot * one - factor * other) // before for one, other in zip(row, top, strict=True)]
        before = pivot
        pivots.append(column)
    if len(free) != 1:
        return len(free), []
    vector = [0] * size
    vector[free[0]] = before
    for row, column in zip(rows, pivots, strict=False):  # rows beyond the rank are zero
        vector[column] = -row[0]
    common = gcd(*vector)
    return 1, [number // common for number in vector]


def solution_of(matrix: Whole, right: Whole) -> list[Fraction] | None:
    """Solve matrix·z = right for a square matrix with many zeros; None if it has no inverse.

    Each row is divided by its common divisor, and rows without an entry in the column stay as they are.
    """
    table, size = np.concatenate([matrix, right[:, None]], axis=1), len(right)
    for k in range(size):
        go_on()
        filled = np.flatnonzero(table[:, k])
        below = filled[filled >= k]
        if not len(below):
            return None
        weights = [np.count_nonzero(table[r]) for r in below]  # the row with the most zeros fills others least
        at = below[int(np.argmin(weights))]
        table[[k, at]] = table[[at, k]]
        touched = np.flatnonzero(table[:, k])
        touched = touched[touched != k]
        if len(touched):
            changed = table[k, k] * table[touched] - np.outer(table[touched, k], table[k])
            common = np.gcd.reduce(changed, axis=1)
            common[common == 0] = 1
            table[touched] = changed // common[:, None]
    return [Fraction(table[k, size], table[k, k]) for k in range(size)]
