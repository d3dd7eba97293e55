"""Optimal mixtures of a large zero-sum matrix: a linear program, then one step to the last digits.

The interior-point method with crossover takes a third of the simplex's time at 1,000 by 1,000. HiGHS stops within its
tolerances; a linear system on the actions in use then gives the last digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.errors import HannanError
from hannan.solvers.exact.linear import Algorithm, LinearProgram, Solution

LARGE = 90_000
"""The number of payoffs above which the interior-point method is faster than the simplex."""


def mixtures(payoff: Floats) -> tuple[Floats, Floats]:
    """Return optimal mixtures of the rows, which gain `payoff` (numbers near 1), and of the columns, which lose it."""
    rows, columns = payoff.shape
    # variables: 1, v, the probabilities of the rows; maximise v such that every column pays at least v
    matrix = np.zeros((1 + columns, 2 + rows))
    matrix[0] = [-1.0, 0.0, *np.ones(rows)]
    matrix[1:, 1] = 1.0
    matrix[1:, 2:] = -payoff.T
    algorithm: Algorithm = "ipm" if payoff.size > LARGE else "simplex"
    solution = simplex_program([0.0, 1.0, *np.zeros(rows)], matrix, free=1, algorithm=algorithm)
    x, y = np.maximum(solution.columns[2:], 0.0), np.maximum(solution.duals[1:], 0.0)
    return refined(payoff, x / x.sum(), y / y.sum())


def refined(payoff: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return mixtures with the same actions in use that equalise better; the given ones if there are none."""
    best = _distance(payoff, x, y)
    used = payoff[np.ix_(x > 0, y > 0)]
    try:
        new_x, new_y = x.copy(), y.copy()
        new_x[x > 0] = _equalising(used.T, x[x > 0])
        new_y[y > 0] = _equalising(used, y[y > 0])
    except np.linalg.LinAlgError:
        return x, y
    sound = min(new_x.min(), new_y.min()) >= 0
    return (new_x, new_y) if sound and _distance(payoff, new_x, new_y) < best else (x, y)


def guarantees(payoff: Floats, x: Floats, y: Floats) -> tuple[float, float]:
    """Return the least that x earns against any column, and the most that y leaves to any row."""
    return float((x @ payoff).min()), float((payoff @ y).max())


def _distance(payoff: Floats, x: Floats, y: Floats) -> float:
    lower, upper = guarantees(payoff, x, y)
    return upper - lower


def _equalising(payoff: Floats, near: Floats) -> Floats:
    """Return the mixture of the columns, near a given one, after which all rows earn the same."""
    rows, columns = payoff.shape
    system = np.ones((rows + 1, columns + 1))
    system[:rows, :columns], system[:rows, columns], system[rows, columns] = payoff, -1.0, 0.0
    earned = payoff @ near
    value = float(earned.mean())
    missing = np.append(value - earned, 1.0 - near.sum())
    square = rows == columns
    step = np.linalg.solve(system, missing) if square else np.linalg.lstsq(system, missing, rcond=None)[0]
    result: Floats = near + step[:columns]
    return result


def simplex_program(cost: Any, matrix: Any, free: int, algorithm: Algorithm = "simplex") -> Solution:
    """Maximise with column 0 equal to 1, `free` more columns free, the others ≥ 0, row 0 equal to 0, the others ≤ 0."""
    from scipy.sparse import csc_array

    rows, columns = matrix.shape
    lower, upper = np.zeros(columns), np.full(columns, np.inf)
    lower[1 : 1 + free] = -np.inf
    lower[0] = upper[0] = 1.0
    low_rows = np.full(rows, -np.inf)
    low_rows[0] = 0.0
    program = LinearProgram(
        np.asarray(cost, np.float64), csc_array(matrix), lower, upper, low_rows, algorithm=algorithm
    )
    solution = program.solve()
    if solution.ending != "optimal":
        raise HannanError(f"HiGHS did not solve the linear program: {solution.ending}")
    return solution
