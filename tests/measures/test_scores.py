"""Moments of scores: Student's intervals against SciPy, and bounds against those of one sample."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from hannan.measures.bounds import lower_bound, upper_bound
from hannan.measures.means import Mean
from hannan.measures.scores import Moments


def test_moments_do_not_depend_on_how_rows_are_cut() -> None:
    rows = np.random.default_rng(1).normal(1e6, 1.0, (1000, 3))
    moments = Moments((3,))
    for part in np.split(rows, [1, 2, 500]):
        moments.add(part)
    np.testing.assert_allclose(moments.mean, rows.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(moments.variance, rows.var(axis=0, ddof=1), rtol=1e-9)
    low, high = stats.t.interval(0.9, 999, rows.mean(axis=0), stats.sem(rows, axis=0))
    np.testing.assert_allclose(moments.interval_half_widths(0.1), (high - low) / 2, rtol=1e-8)


def test_one_row_has_no_interval() -> None:
    moments = Moments((1,))
    moments.add(np.ones((1, 1)))
    assert moments.interval_half_widths(0.05)[0] == math.inf


def test_bounds_are_those_of_each_number() -> None:
    """However rows are cut into batches; in a range of its own for each number."""
    rows = np.random.default_rng(2).beta(2, 5, (700, 2)) * 10 - 3
    moments = Moments((2,))
    for part in np.split(rows, [3, 100, 101]):
        moments.add(part)
    ranges = [(-3.0, 7.0), (-5.0, 7.0)]
    lower, upper = moments.bounds(ranges, 0.05)
    for k, ends in enumerate(ranges):
        one = Mean.of(rows[:, k])
        assert lower[k] == pytest.approx(lower_bound(one, ends, 0.05), abs=1e-6)
        assert upper[k] == pytest.approx(upper_bound(one, ends, 0.05), abs=1e-6)


def test_no_rows_leave_the_whole_range() -> None:
    lower, upper = Moments((1,)).bounds([(-3.0, 7.0)], 0.05)
    assert (lower[0], upper[0]) == (-3.0, 7.0)
