"""Whole-number linear algebra, against permutations and substitution."""

from __future__ import annotations

from itertools import permutations
from math import prod

import numpy as np
import pytest

from hannan.solvers.general.elimination import determinant, kernel_of, solution_of


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4])
def test_determinants_are_sums_over_permutations(size: int) -> None:
    for seed in range(10):
        matrix = np.random.default_rng(seed).integers(-2, 3, (size, size)).tolist()
        total = 0
        for order in permutations(range(size)):
            swaps = sum(order[a] > order[b] for b in range(size) for a in range(b))
            total += (-1) ** swaps * prod(matrix[r][c] for r, c in enumerate(order))
        assert determinant(matrix) == total


@pytest.mark.parametrize(("rows", "size"), [(0, 1), (1, 2), (2, 3), (3, 3), (5, 4), (3, 5)])
def test_kernels(rows: int, size: int) -> None:
    """The dimension is the number of singular values that are zero; the vector is mapped to zero."""
    for seed in range(20):
        matrix = np.random.default_rng(seed).integers(-1, 2, (rows, size))
        dimension, vector = kernel_of(matrix.tolist(), size)
        assert dimension == size - (np.linalg.matrix_rank(matrix) if rows else 0)
        if dimension == 1:
            assert any(vector)
            assert not (matrix @ vector).any()


def test_solutions() -> None:
    solved = 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        matrix, right = random.integers(-1, 2, (4, 4)).astype(object), random.integers(-9, 9, 4).astype(object)
        solution = solution_of(matrix, right)
        assert (solution is None) == (determinant(matrix.tolist()) == 0)
        if solution is not None:
            solved += 1
            assert (matrix @ np.array(solution, object) == right).all()
    assert solved > 5
