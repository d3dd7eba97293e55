"""Dictionaries of the two best-response polytopes, in floats, and bounds that prove a face empty.

A side is a polytope {z ≥ 0: M z ≤ 1} with M > 0. The slack of row e is 1 − Σ M[e, c] z[c]. A dictionary writes each
basic variable as a constant plus a combination of the nonbasic ones (V. Chvátal (1983), Linear Programming, chapter 2).
A face is a set of variables that are fixed at zero: a fixed variable is nonbasic and leaves the active columns.

Floats steer; they prove nothing. `proven_empty` proves: for any numbers λ, every point of the polytope satisfies
Σ λ[e] = Σ λ[e] slack[e] + Σ (λM)[c] z[c]. If the right side is below the left one for all values that the variables
can take on the face, the face is empty. Only this inequality is bounded for rounding, whatever λ the floats gave.
"""

from __future__ import annotations

from typing import NamedTuple

from hannan.arrays import Bools, Floats, Longs
from hannan.kernels import inlined, kernel, shared

ROWS, COLUMNS, SLACK, STRUCTURAL = range(4)
"""Places in `Sides.shape`: sizes of M, and the labels of the first slack and of the first structural variable."""

ACTIVE, KEPT = range(2)
"""Places in `Sides.width`: columns of variables that may grow; those and the columns of fixed slacks."""

NEAR = 1e-9
"""Floats below this steer as zeros."""

UNIT = 2.0**-53
"""The unit roundoff."""

DROPPED = 0
"""The place of a fixed structural variable, which has no column any more."""


class Sides(NamedTuple):
    """Both polytopes, and their dictionaries at every level of a search."""

    matrix: Floats  # [side, rows, columns]  entries up to 1
    most: Floats  # [side, columns]  an upper bound of each structural variable
    shape: Longs  # [side, ROWS, COLUMNS, SLACK, STRUCTURAL]
    first: Floats  # [level, rows, 1 + columns]  the dictionaries of side 0: the constant, then the coefficients
    second: Floats  # the same of side 1
    basic: Longs  # [side, level, rows]  labels
    nonbasic: Longs  # [side, level, 1 + columns]  labels
    width: Longs  # [side, level, ACTIVE, KEPT]
    place: Longs  # [side, level, labels]  the column; −1 − row of a basic variable; DROPPED
    dual: Floats  # [rows]  room for λ


@inlined
def entry(first: Floats, second: Floats, side: int, level: int, row: int, column: int) -> float:
    """Return one entry of a dictionary; it takes the arrays, because passing all of `Sides` costs more time."""
    return first[level, row, column] if side == 0 else second[level, row, column]


@kernel
def begin(sides: Sides, side: int) -> None:
    """Write the dictionary of the vertex zero at level 0."""
    rows, columns = sides.shape[side, ROWS], sides.shape[side, COLUMNS]
    slack, structural = sides.shape[side, SLACK], sides.shape[side, STRUCTURAL]
    table = (sides.first if side == 0 else sides.second)[0]
    for r in range(rows):
        table[r, 0] = 1.0
        for c in range(columns):
            table[r, c + 1] = -sides.matrix[side, r, c]
        sides.basic[side, 0, r] = slack + r
        sides.place[side, 0, slack + r] = -1 - r
    for c in range(columns):
        sides.nonbasic[side, 0, c + 1] = structural + c
        sides.place[side, 0, structural + c] = c + 1
    sides.width[side, 0, ACTIVE] = columns
    sides.width[side, 0, KEPT] = columns


@inlined
def copy(sides: Sides, side: int, level: int, to: int) -> None:
    """Copy a dictionary to another level."""
    rows, kept = sides.shape[side, ROWS], sides.width[side, level, KEPT]
    tables = sides.first if side == 0 else sides.second
    table, copied = tables[level], tables[to]
    for r in range(rows):
        for c in range(kept + 1):
            copied[r, c] = table[r, c]
        sides.basic[side, to, r] = sides.basic[side, level, r]
    for c in range(kept + 1):
        sides.nonbasic[side, to, c] = sides.nonbasic[side, level, c]
    for k in range(sides.width.shape[2]):
        sides.width[side, to, k] = sides.width[side, level, k]
    for label in range(sides.place.shape[2]):
        sides.place[side, to, label] = sides.place[side, level, label]


@shared
def pivot(sides: Sides, side: int, level: int, row: int, column: int) -> None:
    """Exchange a basic variable for a nonbasic one; constants that rounding makes negative become zero."""
    tables = sides.first if side == 0 else sides.second
    table, kept = tables[level], sides.width[side, level, KEPT]
    inverse = 1.0 / table[row, column]
    for c in range(kept + 1):
        table[row, c] *= -inverse
    table[row, column] = inverse
    table[row, 0] = max(table[row, 0], 0.0)
    for r in range(sides.shape[side, ROWS]):
        factor = table[r, column]
        if r != row and factor != 0.0:
            for c in range(kept + 1):
                table[r, c] += factor * table[row, c]
            table[r, column] = factor * inverse
            table[r, 0] = max(table[r, 0], 0.0)
    leaving, entering = sides.basic[side, level, row], sides.nonbasic[side, level, column]
    sides.basic[side, level, row], sides.nonbasic[side, level, column] = entering, leaving
    sides.place[side, level, entering], sides.place[side, level, leaving] = -1 - row, column


@inlined
def drop(sides: Sides, side: int, level: int, column: int) -> None:
    """Fix the variable of an active column at zero; only columns of slacks are kept, which λ is read from."""
    tables = sides.first if side == 0 else sides.second
    table, nonbasic, place = tables[level], sides.nonbasic[side, level], sides.place[side, level]
    rows, slack = sides.shape[side, ROWS], sides.shape[side, SLACK]
    active, kept = sides.width[side, level, ACTIVE], sides.width[side, level, KEPT]
    label = nonbasic[column]
    for r in range(rows):
        table[r, column], table[r, active] = table[r, active], table[r, column]
    nonbasic[column], nonbasic[active] = nonbasic[active], label
    place[nonbasic[column]] = column
    place[label] = active
    sides.width[side, level, ACTIVE] = active - 1
    if slack <= label < slack + rows:
        return
    for r in range(rows):
        table[r, active] = table[r, kept]
    nonbasic[active] = nonbasic[kept]
    place[nonbasic[active]] = active
    place[label] = DROPPED
    sides.width[side, level, KEPT] = kept - 1


@shared
def proven_empty(sides: Sides, side: int, level: int, row: int, fixed: Bools) -> bool:
    """Return whether the row of a fixed basic variable proves that no point of the polytope has all fixed ones zero.

    Products and sums of n floats are off by at most n·UNIT of the sum of magnitudes; `slop` is four times that, which
    covers entries of M that were rounded, too.
    """
    tables = sides.first if side == 0 else sides.second
    table, nonbasic = tables[level], sides.nonbasic[side, level]
    matrix, dual = sides.matrix[side], sides.dual
    rows, columns = sides.shape[side, ROWS], sides.shape[side, COLUMNS]
    slack, structural = sides.shape[side, SLACK], sides.shape[side, STRUCTURAL]
    dual[:rows] = 0.0
    for c in range(1, sides.width[side, level, KEPT] + 1):
        e = nonbasic[c] - slack
        if 0 <= e < rows:
            dual[e] = -table[row, c]
    e = sides.basic[side, level, row] - slack
    if 0 <= e < rows:
        dual[e] = 1.0
    slop = 4.0 * (2 * rows + columns + 8) * UNIT
    total, magnitude = 0.0, 0.0
    for e in range(rows):
        if dual[e] < 0.0 or fixed[slack + e]:  # else the slack, at most 1, takes as much as the left side gives
            total += dual[e]
            magnitude += abs(dual[e])
    for c in range(columns):
        if fixed[structural + c]:
            continue
        gain, size = 0.0, 0.0
        for e in range(rows):
            term = dual[e] * matrix[e, c]
            gain += term
            size += abs(term)
        gain += slop * size
        if not gain <= 0.0:  # nan proves nothing
            total -= gain * sides.most[side, c]
            magnitude += gain * sides.most[side, c]
    return total > 2.0 * slop * magnitude + 1e-250


@shared
def limiting(sides: Sides, side: int, level: int, column: int, first: int) -> int:
    """Return the row that stops a column from growing: row `first` if it ties, else the smallest label; −1: none."""
    tables = sides.first if side == 0 else sides.second
    table, basic = tables[level], sides.basic[side, level]
    best, least = -1, 0.0
    for r in range(sides.shape[side, ROWS]):
        if table[r, column] < -NEAR:
            ratio = table[r, 0] / -table[r, column]
            tied = best >= 0 and abs(ratio - least) <= 1e-12
            if tied:
                if r == first or (best != first and basic[r] < basic[best]):
                    best, least = r, min(ratio, least)
            elif best < 0 or ratio < least:
                best, least = r, ratio
    return best
