"""Simplicial subdivision ends on every game, and its grids come as close as their mesh promises."""

from __future__ import annotations

import numpy as np
import pytest

from hannan.solvers.general.choices import PlanChoices
from hannan.solvers.general.point import finished
from hannan.solvers.general.simplicial import rounded, simplicial, walk
from tests.solvers.general.mixed import SHAPES, gains, random_form

SMALL = [(shape, seed, top) for shape in SHAPES if shape != (2,) * 6 for seed, top in ((0, None), (2, 1), (3, 2))]


@pytest.mark.parametrize(("shape", "seed", "top"), SMALL)
def test_it_ends_at_an_equilibrium(shape: tuple[int, ...], seed: int, top: int | None) -> None:
    """No limit is given: that the test ends is the claim."""
    form = random_form(shape, seed, top)
    (point,), _ = finished(simplicial(form))
    assert max(gains(form, point)) <= 1e-12 * max(1, top or 1)


@pytest.mark.parametrize("shape", [(3, 3), (2, 2, 2), (3, 2, 3)])
def test_a_grid_is_as_good_as_its_mesh(shape: tuple[int, ...]) -> None:
    """The vertices of a simplex differ by at most 2 units of the grid in each player's strategy.

    Payoffs from 0 to 1 then differ by at most 2n/grid from vertex to vertex for n players. At the end every action of
    a player is a label of a vertex, its best one too, which loses nothing: so no loss exceeds twice that bound.
    """
    for seed in range(5):
        form = random_form(shape, seed)
        choices = PlanChoices(form)
        sizes = np.diff(choices.begin)
        for grid in (8, 64, 512):
            start = rounded(choices, np.repeat(1 / sizes, sizes), grid)
            vertex, _, whole = walk(choices, start, grid)
            assert whole
            assert vertex.min() >= 0
            assert np.array_equal(np.add.reduceat(vertex, choices.begin[:-1]), [grid] * len(shape))
            assert choices.regret_of(vertex / grid) <= 2 * 2 * len(shape) / grid


def test_a_limit_of_moves_is_kept() -> None:
    points, ending = finished(simplicial(random_form((6, 6, 6), 1), most=3))
    assert points == [] or len(points) == 1
    choices = PlanChoices(random_form((6, 6, 6), 1))
    _, moves, whole = walk(choices, rounded(choices, np.full(18, 1 / 6), 600), 600, 3)
    assert moves == 3
    assert not whole
    assert not ending.complete
