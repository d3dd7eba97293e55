"""Complementary pivoting: w = q + Mz with w, z ≥ 0, and one of each pair w[k], z[k] zero. Exact, or in floats.

C. E. Lemke (1965), Bimatrix equilibrium points and mathematical programming. Ties are broken lexicographically, so no
path comes to a basis twice; R. W. Cottle, J.-S. Pang, R. E. Stone (1992), The Linear Complementarity Problem, section
4.9. Exact rows are whole numbers, each divided by its common divisor. A pivot does not change rows without its column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.interrupts import go_on
from hannan.solvers.general.cells import Whole

CLEAR = 1e-9
"""Floats closer to each other than this, relative to their scale, count as equal."""

LONGEST = 100
"""Pivots per row after which a path in floats is assumed to cycle by rounding."""


class Tableau:
    """Rows I·w + matrix·z = start, with the columns w, then z; a basis of w at first."""

    def __init__(self, matrix: Whole | Floats, start: Whole | Floats) -> None:
        self.size = len(start)
        self.exact = matrix.dtype == object
        unit = np.array([[int(r == c) for c in range(self.size)] for r in range(self.size)], matrix.dtype)
        self.table: Any = np.concatenate([unit, matrix, start[:, None]], axis=1)
        self.basis = list(range(self.size))

    def limiting(self, column: int) -> int | None:
        """Return the row of the variable that becomes zero first as the variable of a column grows; None: no row."""
        entries = self.table[:, column]
        if not self.exact:
            return self._limiting_float(entries)
        rows: list[int] = np.flatnonzero(entries > 0).tolist()
        for key in (-1, *range(self.size)):
            if len(rows) <= 1:
                break
            best = rows[:1]
            for r in rows[1:]:
                difference = self.table[r, key] * entries[best[0]] - self.table[best[0], key] * entries[r]
                if difference < 0:
                    best = [r]
                elif difference == 0:
                    best = [*best, r]
            rows = best
        return rows[0] if rows else None

    def _limiting_float(self, entries: Floats) -> int | None:
        rows = np.flatnonzero(entries > CLEAR * max(1.0, float(np.abs(entries).max())))
        for key in (-1, *range(self.size)):
            if len(rows) <= 1:
                break
            ratios = self.table[rows, key] / entries[rows]
            least = ratios.min()
            rows = rows[ratios <= least + CLEAR * max(1.0, abs(least))]
        return int(rows[0]) if len(rows) else None

    def pivot(self, row: int, column: int) -> int:
        """Replace the variable of a row by that of a column, and return the variable that leaves the basis."""
        table = self.table
        top, pivot = table[row], table[row, column]
        if not self.exact:
            table[row] = top / pivot
            touched = np.flatnonzero(table[:, column])
            touched = touched[touched != row]
            table[touched] -= np.outer(table[touched, column], table[row])
        else:
            if pivot < 0:
                table[row] = top = -top
                pivot = -pivot
            touched = np.flatnonzero(table[:, column])
            touched = touched[touched != row]
            changed = pivot * table[touched] - np.outer(table[touched, column], top)
            if len(touched):
                table[touched] = changed // np.gcd.reduce(changed, axis=1)[:, None]
        leaving, self.basis[row] = self.basis[row], column
        return leaving

    def follow(self, column: int, ends: Callable[[int], bool], partner: Callable[[int], int]) -> bool:
        """Let a variable enter, then always the partner of the one that left, until one leaves at which the path ends.

        Return False if a variable grows without limit, or if a path in floats does not end. Floats prove nothing: the
        caller checks the result.
        """
        steps = 0
        while self.exact or steps < LONGEST * self.size:
            go_on()
            steps += 1
            row = self.limiting(column)
            if row is None:
                return False
            leaving = self.pivot(row, column)
            if ends(leaving):
                return True
            column = partner(leaving)
        return False

    def values(self) -> dict[int, tuple[Any, Any]]:
        """Return the basic variables by column, each as a quotient of two numbers."""
        return {column: (self.table[r, -1], self.table[r, column]) for r, column in enumerate(self.basis)}
