"""Two-player zero-sum matrix games: closed forms where there are any, else a small dense simplex.

G. B. Dantzig (1951), A proof of the equivalence of the programming problem and the game problem. With all payoffs
positive, the column player's best strategy is z / Σz where z ≥ 0 maximises Σz under Az ≤ 1, and the row player's is the
dual. The tableau is condensed: a pivot exchanges one row's label with one column's.

What is returned are guarantees and not the simplex's own objective: the least that the row strategy earns against any
column, and the most that the column strategy leaves to any row. Their distance bounds the error of the value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel

NEGLIGIBLE = 1e-13
"""A reduced cost, of payoffs scaled to [1, 2], that does not justify another pivot."""

SMALLEST = 1e-11
"""The smallest number to pivot on."""

FINELY = 1e-20
"""Both limits for a tableau of 32 digits."""

CLOSE = 1e-14
"""Guarantees that lie this close together, measured in spans of the payoffs, are not computed again more finely."""

PIVOTS = 12
"""After this many pivots per row and column, Bland's rule, which cannot cycle, takes over from the steepest one."""


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
def _entering(T: Floats, m: int, n: int, label: Longs, negligible: float, bland: bool) -> int:
    """Return the column that enters: the steepest, or by Bland's rule the one with the least label; -1 at the end."""
    entering, steepest = -1, -negligible
    for j in range(n):
        if T[m, j] < -negligible:
            if bland:
                if entering < 0 or label[1, j] < label[1, entering]:
                    entering = j
            elif T[m, j] < steepest:
                entering, steepest = j, T[m, j]
    return entering


@kernel
def _leaving(T: Floats, m: int, n: int, entering: int, label: Longs, smallest: float, tie: float, bland: bool) -> int:
    """Return the row that is exhausted first; of several the largest pivot, or by Bland's rule the least label."""
    leaving, least = -1, np.inf
    for i in range(m):
        if T[i, entering] > smallest:
            ratio = T[i, n] / T[i, entering]
            if ratio < least * (1.0 - tie) or leaving < 0:
                leaving, least = i, ratio
            elif ratio <= least * (1.0 + tie):
                better = label[0, i] < label[0, leaving] if bland else T[i, entering] > T[leaving, entering]
                if better:
                    leaving, least = i, min(least, ratio)
    return leaving


@kernel
def _exchange(T: Floats, m: int, n: int, i: int, j: int) -> None:
    """Pivot on a cell of a condensed tableau of m + 1 rows and n + 1 columns."""
    inverse = 1.0 / T[i, j]
    for c in range(n + 1):
        T[i, c] *= inverse
    T[i, j] = inverse
    for r in range(m + 1):
        if r != i:
            factor = T[r, j]
            if factor != 0.0:
                T[r, j] = 0.0
                for c in range(n + 1):
                    T[r, c] -= factor * T[i, c]


@kernel
def _sum(a: float, low_a: float, b: float, low_b: float) -> tuple[float, float]:
    """Add two numbers of 32 digits, each the sum of two floats."""
    total = a + b
    other = total - a
    rest = (a - (total - other)) + (b - other) + low_a + low_b
    rounded = total + rest
    return rounded, rest - (rounded - total)


@kernel
def _product(a: float, low_a: float, b: float, low_b: float) -> tuple[float, float]:
    """Multiply two numbers of 32 digits (T. J. Dekker, 1971)."""
    product = a * b
    left, right = 134217729.0 * a, 134217729.0 * b
    high_a, high_b = left - (left - a), right - (right - b)
    rest_a, rest_b = a - high_a, b - high_b
    error = ((high_a * high_b - product) + high_a * rest_b + rest_a * high_b) + rest_a * rest_b
    error += a * low_b + low_a * b
    rounded = product + error
    return rounded, error - (rounded - product)


@kernel
def _exchange_finely(T: Floats, low: Floats, m: int, n: int, i: int, j: int) -> None:
    """Pivot as `_exchange` does, to 32 digits."""
    pivot, pivot_low = T[i, j], low[i, j]
    inverse = 1.0 / pivot
    product, product_low = _product(pivot, pivot_low, inverse, 0.0)
    error, _ = _sum(1.0, 0.0, -product, -product_low)
    inverse, inverse_low = _sum(inverse, 0.0, inverse * error, 0.0)
    for c in range(n + 1):
        if c != j:
            T[i, c], low[i, c] = _product(T[i, c], low[i, c], inverse, inverse_low)
    T[i, j], low[i, j] = inverse, inverse_low
    for r in range(m + 1):
        if r != i:
            factor, factor_low = -T[r, j], -low[r, j]
            if factor != 0.0:
                T[r, j], low[r, j] = 0.0, 0.0
                for c in range(n + 1):
                    more, more_low = _product(factor, factor_low, T[i, c], low[i, c])
                    T[r, c], low[r, c] = _sum(T[r, c], low[r, c], more, more_low)


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
    negligible, smallest, tie = (FINELY, FINELY, 0.0) if finely else (NEGLIGIBLE, SMALLEST, 1e-12)
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
    patience, pivots = PIVOTS * (m + n), 0
    for turn in range(8 * patience):
        entering = _entering(T, m, n, label, negligible, turn > patience)
        if entering < 0:
            break
        leaving = _leaving(T, m, n, entering, label, smallest, tie, turn > patience)
        if leaving < 0:
            break
        if finely:
            _exchange_finely(T, low, m, n, leaving, entering)
        else:
            _exchange(T, m, n, leaving, entering)
        pivots += 1
        label[0, leaving], label[1, entering] = label[1, entering], label[0, leaving]
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
