"""Proofs of roots in whole numbers, against roots that are known exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hannan.solvers.general.cells import exact_cells
from hannan.solvers.general.krawczyk import _sign, find_root
from tests.solvers.general.test_polynomial import cyclic, form_of

COORDINATION = [[[2, 0], [0, 1]], [[1, 0], [0, 2]]]
"""Battle of the sexes: (2/3, 1/3) and (1/3, 2/3) is the mixed equilibrium."""


def test_the_box_holds_the_root() -> None:
    """√7 - 2, by squares of fractions, and no other root for 2**-8 around it."""
    cells = exact_cells(cyclic())
    root = find_root(cells, ((0, 1),) * 3, [np.array([0.6, 0.4])] * 3)
    assert root is not None
    assert root.standing == "equilibrium"
    assert root.alone >= Fraction(1, 256) > root.radius
    for player, centre in enumerate(root.centre):
        assert sum(centre) == 1
        reach = root.reach(player, 0)
        assert (centre[0] - reach + 2) ** 2 < 7 < (centre[0] + reach + 2) ** 2


@pytest.mark.parametrize("offset", [0, 10**15, -(10**15)])
@pytest.mark.parametrize("factor", [1, 0.125, 2**40])
def test_offsets_and_factors_change_nothing(offset: int, factor: float) -> None:
    cells = exact_cells(form_of(np.array(COORDINATION) * factor + offset))
    root = find_root(cells, ((0, 1), (0, 1)), [np.array([0.7, 0.3]), np.array([0.3, 0.7])])
    assert root is not None
    assert (root.standing, root.index) == ("equilibrium", -1)
    for centre, true in zip(root.centre, ((2, 1), (1, 2)), strict=True):
        assert all(abs(x - Fraction(t, 3)) <= root.radius for x, t in zip(centre, true, strict=True))


@pytest.mark.parametrize(("more", "standing"), [(0.125, "none"), (0.0, "undecided"), (-0.125, "equilibrium")])
def test_the_last_bit_of_a_payoff_decides(more: float, standing: str) -> None:
    """The other row pays an eighth more, the same or less: the last bit of numbers near 10**15."""
    cells = exact_cells(form_of([[[1e15, 0], [1e15 + more, 1e-15]], [[1, 0], [0, 0]]]))
    root = find_root(cells, ((0,), (0,)), [np.ones(1), np.ones(1)])
    assert root is not None
    assert root.standing == standing


def test_roots_outside_of_the_simplex_are_none() -> None:
    """The first row pays y - (1 - y) + 3 more: nothing where y is -1."""
    cells = exact_cells(form_of([[[4, 2], [0, 0]], [[1, 0], [0, 1]]]))
    root = find_root(cells, ((0, 1), (0, 1)), [np.array([0.5, 0.5])] * 2)
    assert root is not None
    assert root.standing == "none"


def test_what_is_singular_is_not_proven() -> None:
    cells = exact_cells(form_of(np.zeros((2, 2, 2))))
    assert find_root(cells, ((0, 1), (0, 1)), [np.array([0.5, 0.5])] * 2) is None
    # two roots that meet: the first plan of each pays (y - 1/2)(z - 1/2) more, so the derivatives vanish there
    U = np.zeros((3, 2, 2, 2))
    for player in range(3):
        for cell in np.ndindex(2, 2, 2):
            others = [cell[q] for q in range(3) if q != player]
            U[(player, *cell)] = (cell[player] == 0) * (1 if others[0] == others[1] else -1)
    assert find_root(exact_cells(form_of(U)), ((0, 1),) * 3, [np.array([0.5, 0.5])] * 3) is None


def test_same_and_touching() -> None:
    cells = exact_cells(form_of(COORDINATION))
    support = ((0, 1), (0, 1))
    one = find_root(cells, support, [np.array([0.7, 0.3]), np.array([0.3, 0.7])])
    other = find_root(cells, support, [np.array([0.2, 0.8]), np.array([0.9, 0.1])])  # with other bases
    assert one is not None
    assert other is not None
    assert one.base != other.base
    assert one.same(other)
    assert one.touches(other)
    assert one.covers([np.array([2 / 3, 1 / 3]), np.array([1 / 3, 2 / 3])], 1e-8)
    assert not one.covers([np.array([0.6, 0.4]), np.array([1 / 3, 2 / 3])], 1e-8)


def test_signs_of_determinants() -> None:
    draw = np.random.default_rng(2)
    for size in (1, 2, 3, 5):
        for _ in range(20):
            matrix = draw.integers(-5, 6, (size, size))
            assert _sign(matrix.astype(object)) == round(np.sign(round(np.linalg.det(matrix))))
