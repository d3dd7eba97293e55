"""Beliefs and simulated plays: the bounds of one choice, and particles drawn by weight."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from hannan.kernels import kernel
from hannan.kernels.belief import beliefs, simulations
from hannan.kernels.belief.records import Cloud, ResponseTree
from tests.kernels.sampling.test_draws import splitmix


@kernel
def _upper(first: int, size: int, scale: float, tree: ResponseTree) -> int:
    return simulations._upper(first, size, scale, tree)


@kernel
def _keep(now: Cloud, then: Cloud, random: Any) -> None:
    beliefs._keep(now, then, random)


@pytest.mark.parametrize("seed", range(8))
def test_the_action_with_the_highest_upper_confidence_bound(seed: int) -> None:
    """UCB1 of Auer, Cesa-Bianchi and Fischer (2002), times a scale; an action that was never taken comes first."""
    random = np.random.default_rng(seed)
    visits, total = random.integers(1, 20, 9), random.normal(size=9) * 9
    if seed % 4 == 0:
        visits[[4, 6]] = 0
    tree = ResponseTree(
        np.zeros((1, 4), np.int64), np.zeros(2, np.int32), visits, total, np.zeros(1, np.int64), np.zeros(1)
    )
    mine, sums = visits[2:7].tolist(), total[2:7].tolist()
    for scale in (0.0, 0.5, 20.0):
        if 0 in mine:
            expected = mine.index(0)
        else:
            bounds = [
                gained / times + scale * math.sqrt(math.log(sum(mine)) / times)
                for gained, times in zip(sums, mine, strict=True)
            ]
            expected = bounds.index(max(bounds))
        assert _upper(2, 5, scale, tree) == expected


def cloud(weights: list[float] | np.ndarray, room: int) -> Cloud:
    made = Cloud(np.zeros((room, 2), np.int64), np.zeros((room, 3), np.int64), np.zeros(room), np.zeros(1, np.int64))
    made.many[0] = len(weights)
    made.weight[: len(weights)] = weights
    made.state[: len(weights)] = np.arange(len(weights))[:, None] + [100, 200]
    made.last[: len(weights)] = np.arange(len(weights))[:, None] + [1, 2, 3]
    return made


def test_a_belief_that_fits_is_kept_whole() -> None:
    then, now = cloud([0.5, 0.25, 1.25], 8), cloud([], 5)
    _keep(now, then, np.array([1], np.uint64))
    assert now.many[0] == 3
    np.testing.assert_allclose(now.weight[:3], [0.25, 0.125, 0.625], rtol=1e-15)
    assert np.array_equal(now.state[:3], then.state[:3])
    assert np.array_equal(now.last[:3], then.last[:3])


@pytest.mark.parametrize("seed", range(5))
def test_particles_that_do_not_fit_are_drawn_at_equal_distances(seed: int) -> None:
    """The j-th of n is the one whose share of the summed weights holds (j + u)/n: each comes ⌊n·w⌋ or ⌈n·w⌉ times."""
    weights = np.random.default_rng(seed).random(50) ** 3
    then, now, most = cloud(weights, 60), cloud([], 20), 20
    _keep(now, then, np.array([seed], np.uint64))
    _, u = splitmix(seed)
    ends = np.cumsum(weights / weights.sum())
    expected = [int(np.searchsorted(ends, (j + u) / most)) for j in range(most)]
    assert now.many[0] == most
    assert (now.state[:, 0] - 100).tolist() == expected
    assert (now.last[:, 2] - 3).tolist() == expected
    assert now.weight.tolist() == [1 / most] * most
    counts = np.bincount(expected, minlength=50)
    assert np.all(np.abs(counts - most * weights / weights.sum()) < 1)
