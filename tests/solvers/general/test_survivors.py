"""Iterated strict dominance, against examples from the definition."""

from __future__ import annotations

import numpy as np

from hannan.solvers.general.cells import exact_cells
from hannan.solvers.general.survivors import undominated
from tests.solvers.general.test_polynomial import form_of


def test_elimination_is_iterated() -> None:
    """Column 2 loses to column 1; then row 1 loses to row 0; then column 0 loses to column 1."""
    A = [[1, 1, 0], [0, 0, 2]]
    B = [[0, 2, 1], [3, 1, 0]]
    assert undominated(exact_cells(form_of([A, B]))) == ((0,), (1,))
    # column 2 goes at first, then row 1, then column 1
    assert undominated(exact_cells(form_of([[[2, 1, 0], [1, 0, 5]], [[3, 2, 1], [1, 2, 0]]]))) == ((0,), (0,))


def test_ties_and_last_bits() -> None:
    """A plan that ties once is not dominated; one bit of 10**15 is enough to be."""
    A = [[1e15, 1e15], [1e15, 1e15 + 0.125]]
    B = [[0, 1], [1, 0]]
    assert undominated(exact_cells(form_of([A, B]))) == ((0, 1), (0, 1))
    assert undominated(exact_cells(form_of([np.add(A, np.array([[0, 0], [0.125, 0]])), B]))) == ((1,), (0,))
