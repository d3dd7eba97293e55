"""Bounds on means: against the capital computed sample by sample, and against what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hannan.measures.bounds import BETS, difference_bound, lower_bound, upper_bound
from hannan.measures.means import Mean

SHAPES = ("coin", "rare loss", "rare gain", "flat", "narrow", "three")


def drawn(shape: str, count: int, seed: int) -> np.ndarray:
    """Return samples in [0, 1] of one of several distributions."""
    random = np.random.default_rng(seed)
    if shape == "coin":
        return (random.random(count) < 0.3).astype(float)
    if shape == "rare loss":
        return (random.random(count) > 0.01).astype(float)
    if shape == "rare gain":
        return (random.random(count) < 0.01).astype(float)
    if shape == "narrow":
        return 0.7 + 0.01 * random.random(count)
    return random.random(count) if shape == "flat" else random.choice([0.0, 0.5, 1.0], count)


def log_capital(samples: np.ndarray, mean: float) -> float:
    """Return the logarithm of the capital, by multiplying out every bet on every sample."""
    logs = [np.log1p(bet * math.sqrt(mean) * (samples - mean) / mean).sum() for bet in BETS]
    return float(np.logaddexp.reduce(logs)) - math.log(len(BETS))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(SHAPES), st.integers(1, 3000), st.integers(0, 10**6), st.sampled_from([0.3, 0.05, 1e-4]))
def test_at_a_lower_bound_the_capital_is_enough(shape: str, count: int, seed: int, failure: float) -> None:
    """The capital never rises with the mean, so every smaller mean is excluded as well. Rounding: 1e-9."""
    samples = drawn(shape, count, seed)
    low, high = -7.0, 3.0
    bound = lower_bound(Mean.of(low + 10 * samples), (low, high), failure)
    assert low <= bound <= low + 10 * samples.mean()
    unit = (bound - low) / 10
    if unit > 0:
        assert log_capital(samples, unit) >= -math.log(failure) - 1e-9
        assert log_capital(samples, 0.7 * unit) >= -math.log(failure) - 1e-9
    assert upper_bound(Mean.of(-low - 10 * samples), (-high, -low), failure) == -bound


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.sampled_from(SHAPES), st.sampled_from(SHAPES), st.integers(2, 2000), st.integers(2, 2000), st.integers(0, 9))
def test_below_a_bound_on_a_difference_all_pairs_are_excluded(
    shape: str, other_shape: str, count: int, other_count: int, seed: int
) -> None:
    """On a grid of pairs of means whose difference is smaller, the product of the capitals is enough."""
    one, other = drawn(shape, count, seed), drawn(other_shape, other_count, seed + 100)
    bound = difference_bound(Mean.of(one), (0.0, 1.0), Mean.of(other), (0.0, 1.0), 0.05)
    assert bound <= one.mean() - other.mean()
    if bound <= -1 + 1e-9:
        return
    for mean in np.linspace(max(bound, 0.0), min(1.0, 1.0 + bound), 41)[1:-1]:
        least = mean - bound + 1e-9  # the other mean at which the difference is the bound
        if 0 < mean < 1 and least < 1:
            both = log_capital(one, mean) + log_capital(1 - other, 1 - least)
            assert both >= -math.log(0.05) - 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["coin", "rare loss", "flat"])
def test_bounds_hold_at_all_times_at_once(shape: str) -> None:
    """Of 200 sequences of 1,000 samples at 80 %, looked at 20 times, 40 may ever be false on one side; 3 standard
    deviations more are 17. Normal bounds at 80 % are false in more than 60 of them for every shape: the test tells."""
    mean = {"coin": 0.3, "rare loss": 0.99, "flat": 0.5}[shape]
    samples = drawn(shape, 200_000, 5).reshape(200, 1000)
    looks = np.unique(np.geomspace(5, 1000, 20).astype(int))
    false = normal = 0
    for row in samples:
        means = [Mean.of(row[:count]) for count in looks]
        false += any(lower_bound(part, (0.0, 1.0), 0.2) > mean for part in means)
        normal += any(part.value - 0.8416 * part.standard_error > mean for part in means)
    assert false <= 57
    assert normal > 60


def test_bounds_are_tight() -> None:
    """About √(2 (log 20 + 2.7)) = 3.4 standard errors for many samples, where 1.64 would do if they were normal.

    And where no loss was ever seen in n plays, about (log 20 + log 34)/0.94 = 6.9 losses of n at most; 3 would do.
    """
    for deviation in (0.1, 0.25, 0.5):
        sample = Mean(100_000, 0.5, 100_000 * deviation**2, 0.0, 1.0)
        assert 3.2 < (0.5 - lower_bound(sample, (0.0, 1.0), 0.05)) / sample.standard_error < 3.5
    assert 3.0 < 1e5 * (1 - lower_bound(Mean(100_000, 1.0, 0.0, 1.0, 1.0), (0.0, 1.0), 0.05)) < 6.9


def test_what_tells_nothing_gives_the_ends_of_the_range() -> None:
    one = Mean(1, 5.0, 0.0, 5.0, 5.0)
    assert lower_bound(one, (-10.0, 10.0), 0.01) == -10.0
    assert upper_bound(one, (-10.0, 10.0), 0.01) == 10.0
    assert lower_bound(Mean(50, 2.0, 0.0, 2.0, 2.0), (2.0, 2.0), 0.05) == 2.0
    assert lower_bound(Mean(50, -3.0, 0.0, -3.0, -3.0), (-3.0, 8.0), 0.05) == -3.0


@pytest.mark.parametrize("offset", [1e4, 1e9])
def test_a_constant_that_is_added_moves_the_bound_by_as_much(offset: float) -> None:
    """Within what rounding may take: 1e-3 of the range for payoffs near 1e9."""
    samples = drawn("flat", 2000, 3)
    bound = lower_bound(Mean.of(samples), (0.0, 1.0), 0.05)
    moved = lower_bound(Mean.of(samples + offset), (offset, offset + 1), 0.05) - offset
    assert bound - 1e-3 <= moved <= bound + 1e-9
