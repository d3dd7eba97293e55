"""Two-player zero-sum matrix games: closed forms where there are any, else a small dense simplex.

G. B. Dantzig (1951), A proof of the equivalence of the programming problem and the game problem. With all payoffs
positive, the column player's best strategy is z / Σz where z ≥ 0 maximises Σz under Az ≤ 1, and the row player's is the
dual.

What is returned are guarantees and not the simplex's own objective: the least that the row strategy earns against any
column, and the most that the column strategy leaves to any row. Their distance bounds the error of the value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel
from hannan.kernels.simplex import climb

CLOSE = 1e-14
"""Guarantees that lie this close together, measured in spans of the payoffs, are not computed again more finely."""


class Scratch(NamedTuple):
    """Room for one matrix of up to `side` rows and columns; what is in it means nothing between calls."""

    tableau: Floats  # [side + 1, side + 1]
    low: Floats  # [side + 1, side + 1]  what the tableau's numbers lack, where they are kept to 32 digits
    label: Longs  # [2, side]  of the tableau's rows and columns: column j is j, the slack of row i is side + i


@kernel
def guarantees(A: Floats, m: int, n: int, x: Floats, y: Floats) -> tuple[float, float]:
    """Return the least that x earns against any column, and the most that y leaves to any row."""
    lower, upper = np.inf, -np.inf
    for c in range(n):
        earned = 0.0
        for r in range(m):
            if x[r] != 0.0:
                earned += x[r] * A[r, c]
        lower = min(lower, earned)
    for r in range(m):
        left = 0.0
        for c in range(n):
            if y[c] != 0.0:
                left += A[r, c] * y[c]
        upper = max(upper, left)
    return lower, upper


@kernel
def _saddle(A: Floats, m: int, n: int) -> tuple[float, int, float, int]:
    """Return the best pure guarantee of the row player with its row, and of the column player with its column."""
    lower, row, upper, column = -np.inf, 0, np.inf, 0
    for r in range(m):
        least = A[r, 0]
        for c in range(1, n):
            least = min(least, A[r, c])
        if least > lower:
            lower, row = least, r
    for c in range(n):
        most = A[0, c]
        for r in range(1, m):
            most = max(most, A[r, c])
        if most < upper:
            upper, column = most, c
    return lower, row, upper, column


@kernel
def _line(A: Floats, flipped: bool, k: int) -> tuple[float, float]:
    """Return a game of two rows in column k: at row 1, and how much more at row 0; `flipped`, of two columns."""
    if flipped:
        return -A[k, 1], A[k, 1] - A[k, 0]
    return A[1, k], A[0, k] - A[1, k]


@kernel
def _two(A: Floats, flipped: bool, count: int, own: Floats, other: Floats) -> None:
    """Solve a game of two rows: the highest point of the lower envelope of one line for each column."""
    at = 0
    height, slope = _line(A, flipped, 0)
    for k in range(1, count):
        high, steep = _line(A, flipped, k)
        if high < height or (high == height and steep < slope):
            at, height, slope = k, high, steep
    own[0], own[1] = 0.0, 1.0
    for k in range(count):
        other[k] = 0.0
    while slope > 0.0:
        meeting, first, share, following = 1.0, -1, 0.0, slope
        for k in range(count):
            high, steep = _line(A, flipped, k)
            if steep < slope:
                place = (high - height) / (slope - steep)
                if place < meeting or (place == meeting and first >= 0 and steep < following):
                    meeting, first, following = place, k, steep
                    share = -steep / (slope - steep)
        meeting = max(meeting, 0.0)
        own[0], own[1] = meeting, 1.0 - meeting
        if first < 0:
            break
        if following <= 0.0:
            other[at], other[first] = share, 1.0 - share
            return
        at = first
        height, slope = _line(A, flipped, at)
    other[at] = 1.0


@kernel
def _normalise(strategy: Floats, count: int) -> bool:
    """Clip what rounding made negative and scale to sum 1; say whether that was possible."""
    total = 0.0
    for k in range(count):
        strategy[k] = max(strategy[k], 0.0)
        total += strategy[k]
    if not (total > 0.0 and np.isfinite(total)):
        return False
    for k in range(count):
        strategy[k] /= total
    return True


@kernel
def _simplex(
    A: Floats, m: int, n: int, base: float, span: float, x: Floats, y: Floats, scratch: Scratch, finely: bool
) -> int:
    """Pivot to the optimum from the basis of slacks, write both strategies, and return the number of pivots."""
    T, low, label = scratch.tableau, scratch.low, scratch.label
    side = label.shape[1]
    for i in range(m):
        label[0, i] = side + i
        for j in range(n):
            T[i, j] = 1.0 + (A[i, j] - base) / span
        T[i, n] = 1.0
        for j in range(n + 1):
            low[i, j] = 0.0
    for j in range(n):
        label[1, j] = j
        T[m, j], low[m, j] = -1.0, 0.0
    T[m, n], low[m, n] = 0.0, 0.0
    pivots = climb(T, low, m, n, label) if finely else climb(T, None, m, n, label)
    for i in range(m):
        x[i] = 0.0
    for j in range(n):
        y[j] = 0.0
    for i in range(m):
        if label[0, i] < side:
            y[label[0, i]] = T[i, n]
    for j in range(n):
        if label[1, j] >= side:
            x[label[1, j] - side] = T[m, j]
    return pivots


@kernel
def pivoted(
    A: Floats, m: int, n: int, base: float, span: float, x: Floats, y: Floats, scratch: Scratch, finely: bool
) -> tuple[bool, float, float]:
    """Write the strategies of one run of the simplex; return whether they are strategies, and their guarantees."""
    _simplex(A, m, n, base, span, x, y, scratch, finely)
    if not (_normalise(x, m) and _normalise(y, n)):
        return False, -np.inf, np.inf
    lower, upper = guarantees(A, m, n, x, y)
    return True, lower, upper


@kernel
def solve(A: Floats, m: int, n: int, x: Floats, y: Floats, scratch: Scratch) -> tuple[float, float]:
    """Write optimal strategies of the game A[:m, :n] (rows gain it, columns lose it) and return their guarantees."""
    lower, row, upper, column = _saddle(A, m, n)
    if lower >= upper:
        for i in range(m):
            x[i] = 0.0
        for j in range(n):
            y[j] = 0.0
        x[row], y[column] = 1.0, 1.0
        return lower, upper
    base, top = A[0, 0], A[0, 0]
    for i in range(m):
        for j in range(n):
            base, top = min(base, A[i, j]), max(top, A[i, j])
    span = top - base
    if m == 2 or n == 2:
        if m == 2:
            _two(A, False, n, x, y)
        else:
            _two(A, True, m, y, x)
        lower, upper = guarantees(A, m, n, x, y)
        if upper - lower <= CLOSE * span:
            return lower, upper
    for finely in (False, True):
        sound, lower, upper = pivoted(A, m, n, base, span, x, y, scratch, finely)
        if sound and upper - lower <= CLOSE * span:
            break
    return lower, upper
