"""All equilibria by supports, against formulas, fractions and the theorem that indices sum to 1."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.interrupts import Halted, patience
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.cells import exact_cells, gains_of
from hannan.solvers.general.point import finished
from hannan.solvers.general.polynomial import _supports, all_supports
from tests.equilibrium_brute import bimatrix, cube


def form_of(payoffs: Any) -> NormalForm:
    return hn.normal_form(hn.matrix_game(np.asarray(payoffs, float).tolist()))


def cyclic() -> NormalForm:
    """Return a game of three players whose first plan pays 3 - 4y - yz more, y of the next player, z of the one after.

    If a player is pure, the one before it is, too, and takes the other plan: three players in a circle cannot. So all
    mix, each probability is 3 / (4 + that of the next player), and √7 - 2 is the one fixed point.
    """
    U = np.zeros((3, 2, 2, 2))
    for player in range(3):
        for cell in np.ndindex(2, 2, 2):
            y, z = (cell[(player + k) % 3] == 0 for k in (1, 2))
            U[(player, *cell)] = (3 - 4 * y - y * z) * (cell[player] == 0)
    return form_of(U)


def test_an_irrational_equilibrium() -> None:
    """The one equilibrium is √7 - 2: the proven box lies around it, by squares of fractions."""
    for complete in (True, False):
        (point,), ending = finished(all_supports(cyclic(), complete))
        assert ending.complete
        assert point.radius is not None
        assert point.fractions is None
        assert (point.index, point.isolated) == (1, True)
        for strategy in point.strategies:
            x, far = Fraction(float(strategy[0])), Fraction(point.radius)
            assert far < Fraction(1, 10**15)
            assert (x - far + 2) ** 2 < 7 < (x + far + 2) ** 2


@pytest.mark.parametrize("seed", range(25))
def test_two_by_two_by_two(seed: int) -> None:
    """Against the formula; equilibria are compared to nine digits, which generic ones are apart by far."""
    U = np.random.default_rng(seed).normal(size=(3, 2, 2, 2))
    points, ending = finished(all_supports(form_of(U), complete=True))
    assert ending.complete
    mine = sorted(tuple(np.round([s[0] for s in point.strategies], 9)) for point in points)
    assert mine == sorted(tuple(np.round(point, 9)) for point in cube(U))


@pytest.mark.parametrize("seed", range(12))
def test_two_players_in_fractions(seed: int) -> None:
    U = np.random.default_rng(seed).integers(-50, 51, (2, 3, 4))
    points, ending = finished(all_supports(form_of(U), complete=True))
    assert ending.complete
    assert {point.fractions for point in points} == bimatrix(U[0].tolist(), U[1].tolist())


@pytest.mark.parametrize(("shape", "seed"), [((3, 3, 3), 3), ((3, 2, 3), 1), ((2, 2, 2, 2), 4), ((2, 3, 2, 2), 0)])
def test_indices_sum_to_one(shape: tuple[int, ...], seed: int) -> None:
    """A theorem for games whose equilibria are all regular; and every bound on gains is that of exact arithmetic."""
    U = np.random.default_rng(seed).random((len(shape), *shape))
    form = form_of(U)
    points, ending = finished(all_supports(form, complete=True))
    assert ending.complete
    assert sum(point.index or 0 for point in points) == 1
    cells = exact_cells(form)
    for point in points:
        assert point.isolated
        assert point.regret is not None
        exact = [[Fraction(float(x)) for x in strategy] for strategy in point.strategies]
        for one in exact:
            one[one.index(max(one))] += 1 - sum(one)
        assert max(gains_of(cells, tuple(map(tuple, exact)))) < 1e-15


def test_the_search_without_proof_finds_true_equilibria() -> None:
    U = np.random.default_rng(9).random((3, 4, 4, 3))
    every, ending = finished(all_supports(form_of(U), complete=True))
    some, haste = finished(all_supports(form_of(U)))
    assert ending.complete
    assert not haste.complete
    assert some
    places = [np.concatenate(point.strategies) for point in every]
    for point in some:
        assert point.radius is not None
        assert min(np.abs(np.concatenate(point.strategies) - place).max() for place in places) < 1e-14


COMPONENTS = {
    "constant payoffs": np.zeros((3, 2, 2, 2)),
    "one player does not care": np.stack(
        [np.random.default_rng(1).random((2, 2, 2)) for _ in range(2)] + [np.ones((2, 2, 2))]
    ),
    "two players, a column twice": np.array([[[1, 1, 0], [0, 0, 2]], [[2, 2, 0], [0, 0, 1]]]),
    "a pure equilibrium with a tie": np.array([[[1, 0], [1, -1]], [[1, 0], [1, 2]]]),
    "common interest on a line": np.array([[[1, 1], [1, 0]]] * 2),
}


@pytest.mark.parametrize("name", COMPONENTS)
def test_components_are_neither_complete_nor_isolated(name: str) -> None:
    """Each game has an equilibrium that is not isolated: the list is not called complete.

    What is called isolated is: no mixture of it with another equilibrium that was found is an equilibrium.
    """
    form = form_of(COMPONENTS[name])
    cells = exact_cells(form)
    for complete in (True, False):
        points, ending = finished(all_supports(form, complete))
        assert not ending.complete
        assert "ndecided" in ending.why
        for point, other in combinations(points, 2):
            if point.fractions is None or other.fractions is None or not (point.isolated or other.isolated):
                continue
            middle = tuple(
                tuple((a + b) / 2 for a, b in zip(x, y, strict=True))
                for x, y in zip(point.fractions, other.fractions, strict=True)
            )
            assert any(gains_of(cells, middle))
    assert not any(point.isolated for point in points if name == "constant payoffs")


def test_dominated_plans_are_left_out() -> None:
    """The prisoner's dilemma, with a plan that pays less than every other one: only mutual defection is left."""
    A = np.array([[3, 0], [5, 1], [-9, -9]])
    (point,), ending = finished(all_supports(form_of([A, np.array([[3, 5], [0, 1], [0, 1]])]), complete=True))
    assert ending.complete
    assert [list(one) for one in point.fractions or ()] == [[0, 1, 0], [0, 1]]


def test_every_support_once() -> None:
    supports = list(_supports((3, 2, 2)))
    assert len(supports) == len(set(supports)) == 7 * 3 * 3
    sizes = [sum(mask.bit_count() for mask in support) for support in supports]
    assert sizes == sorted(sizes)


def test_limits() -> None:
    with pytest.raises(hn.errors.SizeError, match="62 plans"):
        next(all_supports(form_of([np.outer(np.arange(63), [1, -1])] * 2)))  # no plan is dominated
    with pytest.raises(Halted), patience(lambda: True):
        next(all_supports(cyclic()))
    U = np.random.default_rng(0).random((3, 3, 3, 3))
    assert not finished(all_supports(form_of(U), complete=True, most=3))[1].complete


def test_numbers_of_very_different_sizes() -> None:
    """Payoffs far above and below 1 with a common offset: whatever is called exact or isolated is so in fractions."""
    draw = np.random.default_rng(5)
    for _ in range(20):
        scale = draw.choice([1e-15, 1.0, 1e15], (2, 3, 3))
        U = np.round(draw.normal(size=(2, 3, 3)), 3) * scale + draw.choice([0.0, 1e15])
        form = form_of(U)
        cells = exact_cells(form)
        points, ending = finished(all_supports(form, complete=True))
        numbers = [[[int(x) for x in row] for row in table] for table in cells.numbers]
        if ending.complete:
            truth = bimatrix(*numbers)
            assert len(points) == len(truth)
        for point in points:
            if point.fractions is not None:
                assert not any(gains_of(cells, point.fractions))
            elif point.radius is not None:
                far = Fraction(point.radius)
                assert any(
                    all(abs(a - Fraction(float(b))) <= far for x, s in zip(true, point.strategies, strict=True)
                        for a, b in zip(x, s, strict=True))
                    for true in bimatrix(*numbers)
                )  # fmt: skip
