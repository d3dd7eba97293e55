"""All equilibria of small games by plain means: linear equations in fractions, and the formula of 2×2×2 games."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

Strategies = tuple[tuple[Any, ...], ...]


def solved(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve a square system in fractions; None if it is singular."""
    size = len(rows)
    table = [[*map(Fraction, row), Fraction(b)] for row, b in zip(rows, right, strict=True)]
    for k in range(size):
        pivot = next((r for r in range(k, size) if table[r][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [x / table[k][k] for x in table[k]]
        for r in range(size):
            if r != k and table[r][k]:
                table[r] = [x - table[r][k] * y for x, y in zip(table[r], table[k], strict=True)]
    return [row[-1] for row in table]


def bimatrix(A: list[list[int]], B: list[list[int]]) -> set[Strategies]:
    """Return all equilibria of a nondegenerate bimatrix game: supports of equal size, in fractions."""
    m, n = len(A), len(A[0])
    found: set[Strategies] = set()
    for k in range(1, min(m, n) + 1):
        for rows, columns in product(combinations(range(m), k), combinations(range(n), k)):
            y = _mixture([[A[r][c] for c in columns] for r in rows])
            x = _mixture([[B[r][c] for r in rows] for c in columns])
            if x is None or y is None or min(x) <= 0 or min(y) <= 0:
                continue
            p = [Fraction(0)] * m
            q = [Fraction(0)] * n
            for r, weight in zip(rows, x, strict=True):
                p[r] = weight
            for c, weight in zip(columns, y, strict=True):
                q[c] = weight
            mine = [sum(A[r][c] * q[c] for c in range(n)) for r in range(m)]
            theirs = [sum(B[r][c] * p[r] for r in range(m)) for c in range(n)]
            if max(mine) == mine[rows[0]] and max(theirs) == theirs[columns[0]]:
                found.add((tuple(p), tuple(q)))
    return found


def _mixture(table: list[list[int]]) -> list[Fraction] | None:
    """Return the mixture of columns that makes all rows pay the same."""
    size = len(table)
    rows = [[Fraction(x) for x in row] + [Fraction(-1)] for row in table]
    rows.append([Fraction(1)] * size + [Fraction(0)])
    answer = solved(rows, [Fraction(0)] * size + [Fraction(1)])
    return None if answer is None else answer[:-1]


def cube(U: np.ndarray) -> list[np.ndarray]:
    """Return all equilibria of a generic 2×2×2 game as probabilities of the first plans, [players].

    What the first plan pays more is a + b y + c z + d y z for the others' probabilities y, z of their first plans.
    """
    more: list[tuple[float, ...]] = []
    for player in range(3):
        gap = np.moveaxis(U[player], player, 0)
        gap = gap[0] - gap[1]  # [other, other], index 0 is the first plan
        a, b, c = gap[1, 1], gap[0, 1] - gap[1, 1], gap[1, 0] - gap[1, 1]
        more.append((a, b, c, gap[0, 0] - a - b - c))

    def gain(player: int, point: np.ndarray) -> float:
        y, z = np.delete(point, player)
        a, b, c, d = more[player]
        return float(a + b * y + c * z + d * y * z)

    candidates = [np.array(pure, float) for pure in product((0, 1), repeat=3)]
    for i, j in combinations(range(3), 2):  # i and j mix, k is pure
        k = 3 - i - j
        for z in (0.0, 1.0):
            point = np.zeros(3)
            point[k] = z
            for own, other in ((i, j), (j, i)):  # the gain of `own` vanishes: linear in the probability of `other`
                point[other] = 0.0
                at0 = gain(own, point)
                point[other] = 1.0
                point[other] = at0 / (at0 - gain(own, point))
            candidates.append(point.copy())
    candidates += _inner(more)
    found = []
    for point in candidates:
        if not ((point >= 0) & (point <= 1)).all():
            continue
        gains = [gain(player, point) for player in range(3)]
        if all(g >= 0 if x == 1 else g <= 0 if x == 0 else abs(g) < 1e-9 for g, x in zip(gains, point, strict=True)):
            found.append(point)
    return found


def _inner(more: list[tuple[float, ...]]) -> list[np.ndarray]:
    """Return the points at which all three gains vanish: z and x as functions of y make the second gain a quadratic."""
    (a0, a1, a2, a3), (b0, b1, b2, b3), (c0, c1, c2, c3) = more  # of (y, z), (x, z), (x, y)
    P = np.polynomial.Polynomial
    zn, zd = P([-a0, -a1]), P([a2, a3])
    xn, xd = P([-c0, -c2]), P([c1, c3])
    roots = (b0 * xd * zd + b1 * xn * zd + b2 * zn * xd + b3 * xn * zn).roots()
    real = [root.real for root in roots if abs(root.imag) < 1e-12]
    return [np.array([xn(y) / xd(y), y, zn(y) / zd(y)]) for y in real]
