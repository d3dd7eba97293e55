"""Pure equilibria in fractions, against a plain look at every cell."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from hannan.solvers.general.point import finished
from hannan.solvers.general.pure import pure
from tests.solvers.general.enumeration import exact, written


@pytest.mark.parametrize("players", [2, 3, 4])
def test_they_are_all_of_them(players: int) -> None:
    """Payoffs of 0 and 1, so most equilibria are not strict."""
    for seed in range(5):
        payoffs = np.random.default_rng(seed).integers(0, 2, (players, *(2 + p % 2 for p in range(players))))
        found, ending = finished(pure(hn.normal_form(hn.matrix_game(payoffs))))
        stable, strict = set(), set()
        for cell in product(*map(range, payoffs.shape[1:])):
            others = [
                payoffs[p][(*cell[:p], k, *cell[p + 1 :])] - payoffs[p][cell]
                for p in range(players)
                for k in range(payoffs.shape[1 + p])
                if k != cell[p]
            ]
            if max(others) <= 0:
                stable.add(cell)
            if max(others) < 0:
                strict.add(cell)
        assert {tuple(int(s.argmax()) for s in point.strategies) for point in found} == stable
        assert {tuple(int(s.argmax()) for s in point.strategies) for point in found if point.isolated} == strict
        assert all((point.index == 1) == bool(point.isolated) for point in found)
        assert not ending.complete


def test_payoffs_that_floats_cannot_tell_apart(tmp_path: Path) -> None:
    """The first row earns 1/3 and the second a little more, which both are the same float."""
    form = written(tmp_path, [["1/3"], ["333333333333333333333334/1000000000000000000000000"]], [[0], [0]])
    (point,) = pure(form)
    assert point.fractions == exact((0, 1), (1,))
    (profile,) = hn.solutions.pure_equilibria(form)
    assert profile.strategies[0].tolist() == [1.0, 0.0, 1.0]
