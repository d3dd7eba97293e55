"""Factors of sparse quasidefinite systems, against dense arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import random_array

from hannan.solvers.exact.systems import Systems


def systems(seed: int, rows: int = 23, columns: int = 31, density: float = 0.2) -> tuple[Systems, np.ndarray]:
    """Return systems of a random sparse matrix, and the matrix, dense."""
    M = random_array((rows, columns), density=density, rng=np.random.default_rng(seed), format="csr")
    return Systems(M, np.repeat([1.0, -1.0], [columns, rows])), M.toarray()


def dense(M: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    rows, columns = M.shape
    return np.block([[np.zeros((columns, columns)), M.T], [M, np.zeros((rows, rows))]]) + np.diag(diagonal)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("density", [0.02, 0.2, 1.0])
def test_solutions_are_those_of_dense_elimination(seed: int, density: float) -> None:
    """The residual of numpy's solution is about 1e-13 for these sizes and diagonals between 0.1 and 10."""
    rng = np.random.default_rng(seed)
    ours, M = systems(seed, density=density)
    for _ in range(2):  # the second factorisation reuses all arrays of the first
        diagonal = rng.uniform(0.1, 10.0, 54) * np.repeat([1.0, -1.0], [31, 23])
        right = rng.normal(size=54)
        ours.factor(diagonal, 0.0)
        expected = np.linalg.solve(dense(M, diagonal), right)
        np.testing.assert_allclose(ours.solve_once(right), expected, rtol=1e-9, atol=1e-11)


def test_refinement_removes_the_regularisation() -> None:
    """With 1e-3 on the diagonal one solution is far off; refined, it is as good as without."""
    ours, M = systems(3)
    diagonal = np.linspace(0.5, 2.0, 54) * np.repeat([1.0, -1.0], [31, 23])
    right = np.linspace(-1.0, 1.0, 54)
    expected = np.linalg.solve(dense(M, diagonal), right)
    ours.factor(diagonal, 1e-3)
    assert np.abs(ours.solve_once(right) - expected).max() > 1e-5
    np.testing.assert_allclose(ours.solve(right), expected, rtol=1e-9, atol=1e-11)


def test_a_singular_system_is_noticed() -> None:
    ours, _ = systems(1, density=0.0)
    with pytest.raises(ArithmeticError, match="pivot"):
        ours.factor(np.zeros(54), 0.0)
    with pytest.raises(ArithmeticError, match="pivot"):
        ours.factor(np.full(54, np.nan), 0.0)


def test_factors_stay_sparse() -> None:
    """An arrow has a full row and column: with them last, elimination fills nothing; with them first, everything."""
    from scipy.sparse import csr_array

    ours = Systems(csr_array(np.ones((1, 40))), np.repeat([1.0, -1.0], [40, 1]))
    assert len(ours._K.factor) == 40
