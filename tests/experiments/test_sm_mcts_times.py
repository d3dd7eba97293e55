"""Finite-time bounds: the published constant, the measured regret, and that half of a bound would fail."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hannan.experiments import sm_mcts_times
from hannan.experiments.consistency import OPPONENTS, repeat_matrix
from hannan.experiments.matrix_plays import GAMMA, MATRICES
from hannan.experiments.sm_mcts_times import QUICK, Size, exp3_bound, expected, judged, matching_bound, over_time

POINTS = np.array([10, 100, 1000, 10_000])


def test_the_bound_of_exp3_is_the_published_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Auer and others, corollary 3.1: with the best gamma for t plays, 2 √(e - 1) √(t K ln K)."""
    t, K = 10_000, 5
    monkeypatch.setattr(sm_mcts_times, "GAMMA", math.sqrt(K * math.log(K) / ((math.e - 1) * t)))
    found = t * exp3_bound(K, 2, np.array([float(t)]))[0]
    assert found == pytest.approx(2 * math.sqrt(math.e - 1) * math.sqrt(t * K * math.log(K)))


def test_the_bound_of_regret_matching_by_hand() -> None:
    """Two by two, 400 plays: 0.1 + 1/20 + (1 + √2)·400·(25/12)/400."""
    assert GAMMA == 0.1
    assert matching_bound(2, 2, np.array([400.0]))[0] == pytest.approx(0.15 + (1 + math.sqrt(2)) * 25 / 12)


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_with_one_seed_expected_regret_is_the_regret(opponent: str) -> None:
    name = "biased rock-paper-scissors"
    found = expected(name, POINTS, 1, rule="exp3", opponent=opponent, bound=exp3_bound)
    lean = [0.6, 0.2, 0.2] if opponent == "stochastic" else None
    played = repeat_matrix(MATRICES[name], "exp3", points=POINTS, opponent=opponent, gamma=GAMMA, strategy=lean)
    assert len(found) == (2 if opponent == "itself" else 1)
    for regret in found:
        np.testing.assert_allclose(regret.measured, played.regrets[:, regret.player], atol=1e-9)


def test_half_of_a_bound_would_fail() -> None:
    """Exploring nine bad rows of ten costs nine tenths of gamma, and learning which is good takes most of K ln K/γ."""
    found = expected("one good row of ten", POINTS, 5, rule="exp3", bound=exp3_bound)
    assert judged("", "", found, QUICK).held
    halved = [regret._replace(bound=regret.bound / 2) for regret in found]
    assert not judged("", "", halved, QUICK).held


@pytest.mark.slow
def test_deviations_over_time_come_below_the_limit() -> None:
    lines, claims = over_time(np.array([10, 1000, 5000]), Size(5000, 1, 1))
    assert all(claim.held for claim in claims if claim.text.endswith("depth 1"))
    assert len(claims) == 6
    assert all(len(points) == 3 for points in lines.values())
