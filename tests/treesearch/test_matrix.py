"""Matrix games against HiGHS, and against what books say of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hannan.errors import ParameterError
from hannan.treesearch.matrix import ACCURACY, solve_matrix

Draw = Callable[[np.random.Generator, int, int], Any]

KINDS: dict[str, Draw] = {
    "generic": lambda random, m, n: random.standard_normal((m, n)),
    "tied": lambda random, m, n: random.integers(-2, 3, (m, n)).astype(float),
    "of 0 and 1": lambda random, m, n: random.integers(0, 2, (m, n)).astype(float),
    "1e-9 apart": lambda random, m, n: random.integers(-1, 2, (m, n)) + 1e-9 * random.standard_normal((m, n)),
    "1e-9 apart everywhere": lambda random, m, n: 1 + 1e-9 * random.standard_normal((m, n)),
    "repeated": lambda random, m, n: random.standard_normal((m, n))[random.integers(0, m, m)][
        :, random.integers(0, n, n)
    ],
    "of low rank": lambda random, m, n: random.standard_normal((m, 2)) @ random.standard_normal((2, n)),
    "scaled": lambda random, m, n: random.standard_normal((m, n)) * 10.0 ** random.integers(-12, 13),
    "shifted": lambda random, m, n: random.standard_normal((m, n)) + 10.0 ** random.integers(-3, 4),
    "of many sizes": lambda random, m, n: random.standard_normal((m, n)) * 10.0 ** random.integers(-6, 1, (m, n)),
    "antisymmetric": lambda random, m, n: (lambda A: A - A.T)(random.standard_normal((m, m))),
}


def highs(A: Any) -> float:
    """Return the value of a game by HiGHS's own linear program: as finely as it can, or with its usual tolerance."""
    from scipy.optimize import linprog

    m, n = A.shape
    base, span = A.min(), np.ptp(A) or 1.0
    columns = np.hstack((-((A.T - base) / span), np.ones((n, 1))))
    for tolerance in (1e-10, 1e-9, 1e-7):
        ended = linprog(
            np.append(np.zeros(m), -1.0), A_ub=columns, b_ub=np.zeros(n), A_eq=[[1.0] * m + [0.0]], b_eq=[1.0],
            bounds=[(0, None)] * m + [(None, None)],
            options={"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance},
        )  # fmt: skip
        if ended.status == 0:
            return float(base - ended.fun * span)
    raise AssertionError(ended.message)


def check(A: Any) -> None:
    """The guarantees are true, they meet, and HiGHS agrees as far as its tolerance goes."""
    solution, size = solve_matrix(A), np.abs(A).max()
    for strategy in (solution.row, solution.column):
        assert np.all(strategy >= 0)
        assert abs(strategy.sum() - 1) <= 1e-14
    assert (solution.row @ A).min() == pytest.approx(solution.lower, rel=0, abs=1e-14 * size)
    assert (A @ solution.column).max() == pytest.approx(solution.upper, rel=0, abs=1e-14 * size)
    assert -1e-14 * size <= solution.upper - solution.lower <= ACCURACY * size
    assert solution.value == pytest.approx(highs(A), rel=0, abs=1e-9 * size)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_random_games_agree_with_highs(kind: str) -> None:
    random = np.random.default_rng(12)
    for _ in range(40):
        m, n = random.integers(1, 13, 2)
        check(KINDS[kind](random, int(m), int(n)))


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 2), (2, 9), (9, 2), (3, 3), (40, 40), (3, 60)])
def test_every_shape(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(3)
    for _ in range(5):
        check(random.standard_normal(shape))
        check(random.integers(-1, 2, shape).astype(float))


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=1,
                                                    max_size=5)))  # fmt: skip
def test_whole_numbers_agree_with_highs(rows: list[list[int]]) -> None:
    check(np.array(rows, float))


def test_biased_rock_paper_scissors() -> None:
    """Its equilibrium is (1, 10, 5)/16, by solving three equations."""
    solution = solve_matrix([[0, -0.25, 0.5], [0.25, 0, -0.05], [-0.5, 0.05, 0]])
    exact = [float(Fraction(k, 16)) for k in (1, 10, 5)]
    assert solution.row == pytest.approx(exact, abs=1e-15)
    assert solution.column == pytest.approx(exact, abs=1e-15)
    assert solution.value == pytest.approx(0, abs=1e-16)


def test_kuhn_matrix_that_cycles_without_an_anticycling_rule() -> None:
    """A. W. Tucker's degenerate game: all rows tie at the first pivots."""
    check(np.array([[1.0, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 1, 1]]))
    check(np.tile(np.eye(4), (3, 3)))


@pytest.mark.parametrize(
    ("payoffs", "sentence"),
    [
        ([], "rows and columns"),
        ([[]], "rows and columns"),
        ([1.0, 2.0], "rows and columns"),
        ([[1.0], [2.0, 3.0]], "lists of equal lengths"),
        ([["a"]], "should be numbers"),
        ([[float("nan")]], "finite"),
        ([[1e200]], "finite"),
    ],
)
def test_nonsense_gets_a_sentence(payoffs: Any, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        solve_matrix(payoffs)


def test_solutions_do_not_change() -> None:
    solution = solve_matrix(np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        solution.row[0] = 1.0


@pytest.mark.parametrize(("rows", "columns"), [(101, 60), (130, 150), (320, 310)])
@pytest.mark.parametrize("kind", ["normal", "ties"])
def test_large_matrices_are_solved_to_the_last_digits(rows: int, columns: int, kind: str) -> None:
    """The guarantees are a proof of their own: the value lies between them, whatever found the strategies."""
    draw = np.random.default_rng(rows)
    A = draw.normal(size=(rows, columns)) if kind == "normal" else draw.integers(-3, 4, (rows, columns)).astype(float)
    solved = solve_matrix(A)
    assert min(solved.row.min(), solved.column.min()) >= 0
    assert solved.row.sum() == pytest.approx(1, abs=1e-12)
    assert solved.column.sum() == pytest.approx(1, abs=1e-12)
    assert solved.lower == pytest.approx((solved.row @ A).min(), abs=1e-12)
    assert solved.upper == pytest.approx((A @ solved.column).max(), abs=1e-12)
    assert solved.upper - solved.lower <= 1e-12


def test_a_large_matrix_with_a_saddle_or_without_differences() -> None:
    """Row 0 is best and column 0 the worst for it: the value is 5; of equal payoffs every choice is optimal."""
    A = np.add.outer(-np.arange(150.0), np.arange(150.0)) + 5.0
    assert solve_matrix(A).value == pytest.approx(5.0, abs=1e-9)
    assert solve_matrix(np.full((150, 120), 7.0)).value == 7.0
