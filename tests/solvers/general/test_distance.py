"""Distances to correlated equilibria: known sets, and a naive linear program over every deviation."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import hannan as hn
from hannan.errors import ParameterError, SizeError
from hannan.solvers.exact.normalform import normal_form
from hannan.solvers.general.distance import correlated_distance

TOLERANCE = 1e-7


def _naive(payoffs: Any, play: Any, coarse: bool) -> float:
    """Minimise half of Σ|x − play| over equilibria x: each difference is split into its two signs."""
    counts, cells = payoffs.shape[1:], list(product(*map(range, payoffs.shape[1:])))
    rows = []
    for player, count in enumerate(counts):
        for told, other in product([None] if coarse else range(count), range(count)):
            row = []
            for cell in cells:
                moved = (*cell[:player], other, *cell[player + 1 :])
                heard = told is None or cell[player] == told
                row.append(payoffs[(player, *moved)] - payoffs[(player, *cell)] if heard else 0.0)
            rows.append(row + [0.0] * 2 * len(cells))
    eye = np.eye(len(cells))
    total = np.concatenate((np.ones(len(cells)), np.zeros(2 * len(cells))))
    equal = np.vstack((np.hstack((eye, -eye, eye)), total))  # x − up + down = play
    found = linprog(
        np.concatenate((np.zeros(len(cells)), np.full(2 * len(cells), 0.5))), A_ub=np.array(rows),
        b_ub=np.zeros(len(rows)), A_eq=equal, b_eq=np.concatenate((play.ravel(), [1.0])),
    )  # fmt: skip
    assert found.success
    return float(found.fun)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 3), (2, 2, 2)])
def test_a_naive_program_finds_the_same(shape: tuple[int, ...], seed: int) -> None:
    draw = np.random.default_rng(seed)
    payoffs = draw.integers(-4, 5, (len(shape), *shape)).astype(float)
    form = normal_form(hn.load(hn.matrix_game(payoffs.tolist())))
    play = draw.dirichlet(np.ones(int(np.prod(shape)))).reshape(shape)
    for kind in ("ce", "cce"):
        known = _naive(form.payoffs, play, kind == "cce")
        assert correlated_distance(form, play, kind) == pytest.approx(known, abs=TOLERANCE)


def test_sets_of_one_point() -> None:
    """Rock-paper-scissors has one correlated equilibrium, even play; in the prisoners' dilemma both defect."""
    draw = np.random.default_rng(1)
    rps, dilemma = (normal_form(hn.load(name)) for name in ("rock_paper_scissors", "prisoners_dilemma"))
    for _ in range(5):
        play = draw.dirichlet(np.ones(9)).reshape(3, 3)
        assert correlated_distance(rps, play) == pytest.approx(np.abs(play - 1 / 9).sum() / 2, abs=TOLERANCE)
        play = draw.dirichlet(np.ones(4)).reshape(2, 2)
        for kind in ("ce", "cce"):
            assert correlated_distance(dilemma, play, kind) == pytest.approx(1 - play[1, 1], abs=TOLERANCE)


def test_equilibria_have_no_distance() -> None:
    form = normal_form(hn.load("chicken"))
    advice = hn.solutions.correlated_equilibrium("chicken").distribution
    assert advice is not None
    assert correlated_distance(form, advice) < TOLERANCE
    for one in hn.equilibria("chicken", all=True).points:
        assert correlated_distance(form, np.multiply.outer(*one.strategies)) < TOLERANCE


def test_refusals() -> None:
    form = normal_form(hn.load("chicken"))
    for play in (np.ones(4) / 4, np.ones((2, 2)), np.array([[2.0, 0.0], [0.0, -1.0]])):
        with pytest.raises(ParameterError, match="2 by 2 plans"):
            correlated_distance(form, play)
    large = normal_form(hn.load(hn.matrix_game(np.zeros((70, 70)))))
    with pytest.raises(SizeError, match="4,900 combinations"):
        correlated_distance(large, np.full((70, 70), 1 / 4900))
