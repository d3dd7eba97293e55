"""Iterated polymatrix approximation: what it finds is an equilibrium; two players' games are polymatrix games."""

from __future__ import annotations

import pytest

from hannan.solvers.general.point import finished
from hannan.solvers.general.polymatrix import polymatrix
from tests.solvers.general.mixed import CASES, gains, random_form


@pytest.mark.parametrize(("shape", "seed", "top"), CASES)
def test_what_is_found_is_an_equilibrium(shape: tuple[int, ...], seed: int, top: int | None) -> None:
    """A generic game of two players is its own approximation: the first path of lines leads to an equilibrium."""
    form = random_form(shape, seed, top)
    points, ending = finished(polymatrix(form, rays=2, rounds=1 if len(shape) == 2 and top is None else 20))
    for point in points:
        assert max(gains(form, point)) <= 1e-12 * max(1, top or 1)
    assert points or "found nothing" in ending.why
    if len(shape) == 2 and top is None:
        assert points
