"""Complementary pivoting on problems that are solved by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hannan.solvers.general.pivots import Tableau


@pytest.mark.parametrize("dtype", [object, np.float64])
def test_a_path_of_two_steps(dtype: Any) -> None:
    """w0 + z1 = 1 and w1 + 2 z0 = 1: z0 enters for w1, then z1 for w0; z = (1/2, 1)."""
    tableau = Tableau(np.array([[0, 1], [2, 0]], dtype), np.array([1, 1], dtype))
    assert tableau.follow(2, lambda column: column % 2 == 0, lambda column: (column + 2) % 4)
    values = {column: above / below for column, (above, below) in tableau.values().items()}
    assert values == {2: 0.5, 3: 1}


@pytest.mark.parametrize("dtype", [object, np.float64])
def test_a_ray(dtype: Any) -> None:
    tableau = Tableau(np.array([[-1]], dtype), np.array([1], dtype))
    assert not tableau.follow(1, lambda column: column == 0, lambda column: 0)


@pytest.mark.parametrize("dtype", [object, np.float64])
def test_ties_are_broken_by_the_first_columns(dtype: Any) -> None:
    """Both rows have the ratio 1; of (1, 0) and (0, 1), the columns of w, the second is the smaller."""
    tableau = Tableau(np.array([[1], [1]], dtype), np.array([1, 1], dtype))
    assert tableau.limiting(2) == 1
