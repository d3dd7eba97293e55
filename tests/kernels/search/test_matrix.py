"""The kernel of matrix games, on a part of a larger array, against a linear program and against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from hannan.kernels.search import matrix

SIDE = 9


def scratch() -> matrix.Scratch:
    return matrix.Scratch(
        np.full((SIDE + 1, SIDE + 1), 7.0), np.full((SIDE + 1, SIDE + 1), 7.0), np.zeros((2, SIDE), int)
    )


def value(A: np.ndarray) -> float:
    """Return the most that the row player can guarantee, by SciPy's linear program."""
    rows, columns = A.shape
    ended = linprog(
        [0.0] * rows + [-1.0], A_ub=np.hstack((-A.T, np.ones((columns, 1)))), b_ub=np.zeros(columns),
        A_eq=[[1.0] * rows + [0.0]], b_eq=[1.0], bounds=[(0, None)] * rows + [(None, None)],
    )  # fmt: skip
    assert ended.status == 0
    return float(-ended.fun)


@pytest.mark.parametrize("whole", [False, True], ids=["generic", "tied"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1), (2, 2), (2, 6), (6, 2), (3, 3), (5, 8), (8, 5)])
def test_both_guarantees_are_the_value(shape: tuple[int, int], whole: bool) -> None:
    """1e-7 is the tolerance of the linear program; the two guarantees meet to 1e-13 and need no program."""
    random = np.random.default_rng(shape[0] * 10 + shape[1])
    room = scratch()
    for _ in range(6):
        A = np.full((SIDE, SIDE), np.nan)  # beyond the game there is nothing to read
        m, n = shape
        A[:m, :n] = random.integers(-2, 3, shape) if whole else random.standard_normal(shape)
        x, y = np.full(SIDE, np.nan), np.full(SIDE, np.nan)
        lower, upper = matrix.solve(A, m, n, x, y, room)
        row, column, game = x[:m], y[:n], A[:m, :n]
        for strategy in (row, column):
            assert strategy.min() >= 0.0
            assert strategy.sum() == pytest.approx(1.0, abs=1e-14)
        assert (lower, upper) == pytest.approx(((row @ game).min(), (game @ column).max()), abs=1e-14)
        assert matrix.guarantees(A, m, n, x, y) == pytest.approx((lower, upper), abs=1e-14)
        assert upper - lower <= 1e-13
        assert lower == pytest.approx(value(game), abs=1e-7)
