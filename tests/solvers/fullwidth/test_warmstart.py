"""Starting from a strategy instead of from scratch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from tests.averages import average_of, current_of
from tests.methods import FULL_WIDTH, solver_for


@pytest.mark.parametrize("method", sorted(set(FULL_WIDTH) - {"hs-dcfr"}))
def test_play_begins_with_the_given_profile(method: str) -> None:
    profile = hn.random_profile("leduc_poker(ranks=2)", seed=3)
    solver = solver_for(method, profile.game)
    solver.warm_start(profile)
    for given, current, average in zip(
        profile.strategies, current_of(solver).strategies, average_of(solver).strategies, strict=True
    ):
        assert np.abs(given - current).max() < 1e-12
        assert np.abs(given - average).max() < 1e-12


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "pcfr+"])
def test_a_good_start_is_kept_where_a_cold_one_is_far(method: str) -> None:
    """Leduc, 50 iterations: from a profile with gap 0.006 the gap stays below 0.03, from scratch it is above 0.04."""
    good = hn.solve("leduc_poker", "pcfr+", iterations=300)
    cold = hn.solve("leduc_poker", method, iterations=50)
    warm = hn.solve("leduc_poker", method, iterations=50, start=good.profile)
    assert good.gap < 0.01
    assert warm.gap < 0.03 < 0.04 < cold.gap


def test_correlated_play_starts_with_it_too() -> None:
    profile = hn.random_profile("chicken", seed=1)
    solver = hn.CFR("chicken", updates="simultaneous")
    solver.warm_start(profile)
    play = solver.correlated()
    assert play is not None
    assert play.values == pytest.approx(hn.evaluate("chicken", profile).values, abs=1e-12)
    assert hn.methods.cce_gap(solver) == pytest.approx(max(hn.evaluate("chicken", profile).gains), abs=1e-12)


def test_it_is_saved(tmp_path: Path) -> None:
    profile = hn.random_profile("kuhn_poker", seed=2)
    whole: hn.Solver = hn.DCFR("kuhn_poker")
    broken = hn.DCFR("kuhn_poker")
    for solver in (whole, broken):
        solver.warm_start(profile)
        solver.run(5)
    broken.save(tmp_path / "x")
    resumed = hn.resume(tmp_path / "x")
    for solver in (whole, resumed):
        solver.run(5)
    assert all(np.array_equal(whole.state()[name], resumed.state()[name]) for name in whole.state())


def test_refusals() -> None:
    solver = hn.CFR("kuhn_poker")
    with pytest.raises(hn.errors.MismatchError, match="the strategy is for leduc_poker"):
        solver.warm_start(hn.uniform("leduc_poker"))
    with pytest.raises(hn.errors.ParameterError, match="weight=0 is out of range"):
        solver.warm_start(hn.uniform("kuhn_poker"), weight=0)
    solver.run(1)
    with pytest.raises(hn.errors.ParameterError, match="a warm start comes before the first iteration"):
        solver.warm_start(hn.uniform("kuhn_poker"))
    with pytest.raises(hn.errors.UnsuitableError, match="hs-dcfr follows a schedule"):
        hn.solve("kuhn_poker", "hs-dcfr", horizon=9, start=hn.uniform("kuhn_poker"))
    with pytest.raises(hn.errors.UnsuitableError, match="lp cannot start from a given strategy"):
        hn.solve("kuhn_poker", "lp", start=hn.uniform("kuhn_poker"))
