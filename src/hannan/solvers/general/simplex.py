"""Linear programs without rounding, over whole numbers or over polynomials in an infinitesimal.

The simplex method with R. G. Bland's rule (1977), New finite pivoting rules for the simplex method, which never
cycles. The tableau has whole numbers: each entry is a determinant, and division by the last pivot leaves no remainder.
For small programs: games of a few dozen sequences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Literal

from hannan.interrupts import go_on
from hannan.solvers.general.germs import Germ

Number = Any
"""A whole number, or a `Germ` with whole coefficients."""

Sense = Literal["<=", "=", ">="]


@dataclass(frozen=True)
class Row:
    """One constraint: the sum of coefficient · variable compares with `bound`."""

    terms: Mapping[int, Number]
    sense: Sense
    bound: Number = 0


@dataclass(frozen=True)
class Optimum:
    """The maximum of a program: variable k is `columns[k] / over`, with `over` > 0."""

    columns: tuple[Number, ...]
    over: Number
    value: Number
    """The objective times `over`."""


def whole_row(terms: Mapping[int, Any], sense: Sense, bound: Any = 0) -> Row:
    """Return a constraint whose fractions are multiplied by their common denominator."""
    over = lcm(*(_below(number) for number in (*terms.values(), bound)))
    return Row({k: _times(number, over) for k, number in terms.items() if number}, sense, _times(bound, over))


def _below(number: Any) -> int:
    if isinstance(number, Germ):
        return lcm(*(Fraction(term).denominator for term in number.terms))
    return Fraction(number).denominator


def _times(number: Any, over: int) -> Number:
    if isinstance(number, Germ):
        return Germ([int(term * over) for term in number.terms])
    return int(number * over)


def maximise(variables: int, cost: Mapping[int, Number], rows: Sequence[Row]) -> Optimum | None:
    """Return an x that maximises cost·x under the rows and x ≥ 0; None if no x fulfils the rows.

    The objective should have a bound; an unbounded one raises OverflowError.
    """
    tableau = _Tableau(variables, rows)
    if not tableau.feasible():
        return None
    return tableau.best(cost)


class _Tableau:
    """Rows of whole numbers over one determinant; the last entry of a row is its right side, never negative."""

    def __init__(self, variables: int, rows: Sequence[Row]) -> None:
        self.variables = variables
        slacks = sum(row.sense != "=" for row in rows)
        self.first = variables + slacks  # artificial variables begin here
        self.over: Number = 1
        self.rows: list[list[Number]] = []
        self.basis: list[int] = []
        slack, spare = variables, self.first
        for row in rows:
            sign = -1 if row.bound < 0 or (row.bound == 0 and row.sense == ">=") else 1
            line: list[Number] = [0] * (self.first + 1)
            for k, number in row.terms.items():
                line[k] = number * sign
            line[-1] = row.bound * sign
            basic = -1
            if row.sense != "=":
                line[slack] = sign if row.sense == "<=" else -sign
                basic = slack if line[slack] > 0 else -1
                slack += 1
            if basic < 0:
                basic, spare = spare, spare + 1
            self.rows.append(line)
            self.basis.append(basic)
        self.spares = spare - self.first

    def feasible(self) -> bool:
        """Drive the artificial variables to 0; return whether that is possible."""
        if self.spares:
            # minimise the sum of the artificial variables: the sum of their rows is how much each column lowers it
            goal: list[Number] = [0] * (self.first + 1)
            for line, basic in zip(self.rows, self.basis, strict=True):
                if basic >= self.first:
                    goal = [a + b for a, b in zip(goal, line, strict=True)]
            self._climb(goal)
            if goal[-1] > 0:
                return False
            self._expel()
        return True

    def _expel(self) -> None:
        """Take artificial variables, which are 0 now, out of the basis; drop redundant rows."""
        for r in reversed(range(len(self.rows))):
            if self.basis[r] < self.first:
                continue
            column = next((k for k in range(self.first) if self.rows[r][k] != 0), None)
            if column is None:
                del self.rows[r], self.basis[r]
                continue
            if self.rows[r][column] < 0:  # its right side is 0, so the row may change its sign
                self.rows[r] = [-number for number in self.rows[r]]
            self._pivot(r, column, None)

    def best(self, cost: Mapping[int, Number]) -> Optimum:
        """Maximise the objective."""
        goal: list[Number] = [0] * (self.first + 1)
        for k, number in cost.items():
            goal[k] = number * self.over
        for line, basic in zip(self.rows, self.basis, strict=True):
            if (share := cost.get(basic, 0)) != 0:
                goal = [a - share * b for a, b in zip(goal, line, strict=True)]
        self._climb(goal)
        columns: list[Number] = [0] * self.variables
        for line, basic in zip(self.rows, self.basis, strict=True):
            if basic < self.variables:
                columns[basic] = line[-1]
        return Optimum(tuple(columns), self.over, -goal[-1])

    def _climb(self, goal: list[Number]) -> None:
        """Pivot until no column improves the objective; `goal` is its row, changed in place."""
        while True:
            go_on()
            column = next((k for k in range(self.first) if goal[k] > 0), None)
            if column is None:
                return
            row = -1
            for r, line in enumerate(self.rows):
                if line[column] > 0:
                    if row < 0:
                        row = r
                        continue
                    best = self.rows[row]
                    difference = line[-1] * best[column] - best[-1] * line[column]
                    if difference < 0 or (difference == 0 and self.basis[r] < self.basis[row]):
                        row = r
            if row < 0:
                raise OverflowError("the objective of a linear program has no bound")
            self._pivot(row, column, goal)

    def _pivot(self, row: int, column: int, goal: list[Number] | None) -> None:
        """Let a column enter the basis in a row, whose entry there is positive."""
        chosen, pivot, over = self.rows[row], self.rows[row][column], self.over
        targets = [line for r, line in enumerate(self.rows) if r != row]
        if goal is not None:
            targets.append(goal)
        used = [k for k, number in enumerate(chosen) if number != 0]
        for line in targets:
            share = line[column]
            if share == 0:
                if pivot != over:
                    line[:] = [number * pivot // over if number != 0 else 0 for number in line]
                continue
            # number·pivot − share·chosen, over the last determinant; where the chosen row is 0, only the first part
            changed = [number * pivot if number != 0 else 0 for number in line]
            for k in used:
                changed[k] = changed[k] - share * chosen[k]
            line[:] = [number // over if number != 0 else 0 for number in changed]
        self.over, self.basis[row] = pivot, column
