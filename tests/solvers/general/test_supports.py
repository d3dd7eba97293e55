"""Support enumeration, against brute force in fractions."""

from __future__ import annotations

import pytest

import hannan as hn
from hannan.bench.equilibria import STENGEL
from hannan.solvers.general.point import finished
from hannan.solvers.general.supports import supports
from tests.solvers.general.enumeration import STRIP, draw, extreme_equilibria, normal


@pytest.mark.parametrize(("m", "n", "low", "high"), [(1, 3, 0, 1), (3, 3, 0, 2), (4, 2, 0, 1), (4, 4, -9, 9)])
def test_they_are_those_of_brute_force(m: int, n: int, low: int, high: int) -> None:
    for seed in range(5):
        game = draw(seed, m, n, low, high)
        found, ending = finished(supports(normal(*game)))
        known = extreme_equilibria(*game)
        assert {point.fractions for point in found} == known
        assert len(found) == len(known)
        assert ending.complete


def test_known_games() -> None:
    assert len(list(supports(normal(*STENGEL)))) == 75
    assert sorted(point.isolated or False for point in supports(normal(*STRIP))) == [False, False, True]


def test_too_many_strategies_are_refused() -> None:
    form = normal(*draw(1, 14, 14, -100, 100))
    with pytest.raises(hn.errors.SizeError, match="vertices"):
        next(supports(form))


def test_three_players_are_refused_by_name() -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="supports is for two players"):
        next(supports(hn.normal_form("random_game(depth=1,branching=2,players=3,payoffs=general_sum,seed=1)")))
