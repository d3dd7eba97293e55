"""The global Newton method: everything that its paths meet is an equilibrium, and a path meets an odd number."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.solvers.general.global_newton import global_newton
from hannan.solvers.general.point import finished
from tests.solvers.general.mixed import CASES, gains, random_form


@pytest.mark.parametrize(("shape", "seed", "top"), CASES)
def test_what_is_met_is_an_equilibrium(shape: tuple[int, ...], seed: int, top: int | None) -> None:
    """A generic path begins and ends at an infinite bonus, so it crosses 0 an odd number of times."""
    form = random_form(shape, seed, top)
    points, ending = finished(global_newton(form, rays=1, steps=800))
    for point in points:
        assert max(gains(form, point)) <= 1e-12 * max(1, top or 1)
    if top is None and prod_below(shape, 100):
        assert len(points) % 2 == 1
    assert not ending.complete


def prod_below(shape: tuple[int, ...], limit: int) -> bool:
    return int(np.prod(shape)) < limit


def test_the_equilibria_of_a_coordination_game() -> None:
    """(1,0),(1,0); (0,1),(0,1) and, by indifference, (1/3,2/3),(1/3,2/3): several rays meet nothing else."""
    form = hn.normal_form(hn.matrix_game([[[2, 0], [0, 1]], [[2, 0], [0, 1]]]))
    points, _ = finished(global_newton(form, rays=8))
    known = {(1.0, 0.0), (0.0, 1.0), (1 / 3, 2 / 3)}
    for point in points:
        for strategy in point.strategies:
            assert any(np.allclose(strategy, one, atol=1e-12) for one in known)
    assert 1 <= len(points) <= 3


def test_the_seed_gives_the_ray() -> None:
    form = random_form((3, 3, 3), 5)
    runs = [finished(global_newton(form, seed=3, rays=1))[0] for _ in range(2)]
    assert len(runs[0]) == len(runs[1])
    for one, other in zip(*runs, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one.strategies, other.strategies, strict=True))
