"""The simplex method on a small dense tableau, from a basis that is feasible.

G. B. Dantzig (1951), Maximization of a linear function of variables subject to linear inequalities; R. G. Bland (1977),
New finite pivoting rules for the simplex method. The tableau is condensed: basic variable i plus Σⱼ T[i, j] · nonbasic
variable j is T[i, n] ≥ 0, and the objective is T[m, n] - Σⱼ T[m, j] · nonbasic variable j. A pivot exchanges one row's
label with one column's.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined

NEGLIGIBLE = 1e-13
"""A reduced cost, of payoffs near 1, that does not justify another pivot."""

SMALLEST = 1e-11
"""The smallest number to pivot on."""

FINELY = 1e-20
"""Both limits for a tableau of 32 digits."""

PIVOTS = 12
"""After this many pivots per row and column, Bland's rule, which cannot cycle, takes over from the steepest one."""


@inlined
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


@inlined
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


@inlined
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


@inlined
def _sum(a: float, low_a: float, b: float, low_b: float) -> tuple[float, float]:
    """Add two numbers of 32 digits, each the sum of two floats."""
    total = a + b
    other = total - a
    rest = (a - (total - other)) + (b - other) + low_a + low_b
    rounded = total + rest
    return rounded, rest - (rounded - total)


@inlined
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


@inlined
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


@inlined
def climb(T: Floats, low: Floats | None, m: int, n: int, label: Longs) -> int:
    """Pivot to the optimum and return the number of pivots. `label`, [2, …], names the rows and the columns.

    `low` is what the tableau's numbers lack if they are kept to 32 digits. Being a type, None leaves that code out.
    """
    negligible, smallest, tie = (NEGLIGIBLE, SMALLEST, 1e-12) if low is None else (FINELY, FINELY, 0.0)
    patience, pivots = PIVOTS * (m + n), 0
    for turn in range(8 * patience):
        entering = _entering(T, m, n, label, negligible, turn > patience)
        if entering < 0:
            break
        leaving = _leaving(T, m, n, entering, label, smallest, tie, turn > patience)
        if leaving < 0:
            break
        if low is None:
            _exchange(T, m, n, leaving, entering)
        else:
            _exchange_finely(T, low, m, n, leaving, entering)
        pivots += 1
        label[0, leaving], label[1, entering] = label[1, entering], label[0, leaving]
    return pivots
