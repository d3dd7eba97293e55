"""Intervals: Student's against NumPy, and confidence sequences against a plain loop and against what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from hannan.measures.scores import Anytime, Moments


def test_moments_do_not_depend_on_how_rows_are_cut() -> None:
    rows = np.random.default_rng(1).normal(1e6, 1.0, (1000, 3))
    moments = Moments((3,))
    for part in np.split(rows, [1, 2, 500]):
        moments.add(part)
    np.testing.assert_allclose(moments.mean, rows.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(moments.variance, rows.var(axis=0, ddof=1), rtol=1e-9)
    low, high = stats.t.interval(0.9, 999, rows.mean(axis=0), stats.sem(rows, axis=0))
    np.testing.assert_allclose(moments.half_widths(0.1), (high - low) / 2, rtol=1e-8)


def test_one_row_has_no_interval() -> None:
    moments = Moments((1,))
    moments.add(np.ones((1, 1)))
    assert moments.half_widths(0.05)[0] == math.inf


def plain(values: list[float], failure: float) -> tuple[float, float]:
    """Theorem 2 of the paper for numbers in [0, 1], step by step."""
    log = math.log(2 / failure)
    bets = weighted = spent = 0.0
    total, squares = 0.5, 0.25
    for t, x in enumerate(values, 1):
        mean, variance = total / t, squares / t
        bet = min(math.sqrt(2 * log / (variance * t * math.log(1 + t))), 0.5)
        bets, weighted = bets + bet, weighted + bet * x
        spent += (x - mean) ** 2 * (-math.log(1 - bet) - bet)
        total += x
        squares += (x - total / (t + 1)) ** 2
    return (weighted - log - spent) / bets, (weighted + log + spent) / bets


def test_a_confidence_sequence_is_that_of_the_paper() -> None:
    values = np.random.default_rng(2).beta(2, 5, 700)
    sequence = Anytime(np.array([-3.0]), np.array([7.0]), 0.05)
    for part in np.split(values, [3, 100, 101]):
        sequence.add(part[:, None] * 10 - 3)
    low, high = sequence.bounds()
    np.testing.assert_allclose((low[0], high[0]), [10 * end - 3 for end in plain(values.tolist(), 0.05)], rtol=1e-9)


@pytest.mark.parametrize("chance", [0.5, 0.1])
def test_a_confidence_sequence_holds_at_all_times_at_once(chance: float) -> None:
    """Of 400 sequences of 2,000 coins at 80 %, at most 80 may ever miss; 3 standard deviations more are 24."""
    coins = np.random.default_rng(3).random((2000, 400)) < chance
    sequence = Anytime(np.zeros(400), np.ones(400), 0.2)
    missed = np.zeros(400, np.bool_)
    for t in range(0, 2000, 5):
        sequence.add(coins[t : t + 5].astype(float))
        low, high = sequence.bounds()
        missed |= (low > chance) | (high < chance)
    assert missed.sum() <= 104
    assert np.all(high - low < 0.25)
