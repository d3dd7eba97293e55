"""Double Neural CFR: with tables it is tabular sampling; with networks it converges, resumes and starts warm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import UnsuitableError
from hannan.neural.double_neural import DoubleNeuralCFR, amount_of, discount, said_of
from tests.neural.reference import Reference
from tests.neural.test_deep_cfr import average_of, place_of

SMALL: dict[str, Any] = {"traversals": 20, "steps": 6, "units": 8, "layers": 1}


@pytest.mark.parametrize("actions", [None, 1, 2])
@pytest.mark.parametrize("address", ["kuhn_poker", "goofspiel(cards=3)"])
def test_the_twin_is_tabular_robust_sampling(address: str, actions: int | None) -> None:
    """To 1e-9: sums are kept as means and amounts."""
    game = hn.load(address).expanded()
    twin = DoubleNeuralCFR(game, approximation="table", traversals=30, seed=3, actions=actions)
    twin.run(4)
    reference = Reference(game.rules, 30, 3, actions)
    reference.run(4)
    average, current = twin.average(), twin.current()
    assert isinstance(average, hn.Profile)
    assert isinstance(current, hn.Profile)
    for player, strategy in enumerate(average_of(reference, game)):
        np.testing.assert_allclose(average.strategies[player], strategy, rtol=0, atol=1e-9)
        for j in range(game.form.treeplexes[player].sets):
            begin, end = game.form.treeplexes[player].begin[j : j + 2]
            expected = reference.strategy(place_of(game, player, j), end - begin)
            np.testing.assert_allclose(current.strategies[player][begin:end], expected, rtol=0, atol=1e-9)


def test_without_rehearsal_no_rows_of_sets_are_kept(tmp_path: Path) -> None:
    """A table does not forget, so that its updates are the same; a checkpoint holds the two networks alone."""
    with_rows, without = (
        DoubleNeuralCFR("kuhn_poker", approximation="table", traversals=20, rehearse=rows) for rows in (1.0, 0.0)
    )
    for solver in (with_rows, without):
        solver.run(3)
    for name in ("advantage0.network.line", "policy1.network.line"):
        np.testing.assert_array_equal(with_rows.state()[name], without.state()[name])
    assert (without.bytes, without.rehearsed, with_rows.rehearsed > 0) == (0, 0, True)
    assert not [name for name in without.state() if "memory" in name]
    without.save(tmp_path / "x")
    again = hn.resume(tmp_path / "x")
    again.run(1)
    without.run(1)
    for name, array in without.state().items():
        np.testing.assert_array_equal(array, again.state()[name], err_msg=name)


def test_predictive_and_discounted_it_converges_too() -> None:
    """The twin of pdcfr+: 0.05 within 40 iterations of 300 traversals; sampling noise does not go away."""
    twin = DoubleNeuralCFR("kuhn_poker", approximation="table", learner="pdcfr+", seed=1)
    twin.run(40)
    assert hn.evaluate("kuhn_poker", twin.average()).nash_conv <= 0.08


def test_discounts_and_amounts() -> None:
    assert discount(1) == 0.0
    assert discount(3) == pytest.approx(2**2.3 / (2**2.3 + 1))
    amounts = np.array([0.0, 1e-4, 1.0, 1e6])
    np.testing.assert_allclose(amount_of(said_of(amounts)), amounts, rtol=1e-9)


@pytest.mark.slow
def test_networks_come_near_their_twin_on_kuhn() -> None:
    pytest.importorskip("torch")
    solver = DoubleNeuralCFR("kuhn_poker", seed=1, steps=30, traversals=200, units=16)
    solver.run(8)
    assert hn.evaluate("kuhn_poker", solver.average()).nash_conv <= 0.4  # 11/12 at the start


def test_resumed_it_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    whole, half = (DoubleNeuralCFR("kuhn_poker", seed=2, **SMALL) for _ in range(2))
    profile = hn.solve("kuhn_poker", "cfr", iterations=50).profile
    for solver in (whole, half):
        solver.warm_start(profile)
    whole.run(3)
    half.run(1)
    half.save(tmp_path / "half")
    again = hn.resume(tmp_path / "half")
    again.run(2)
    assert again.state().keys() == whole.state().keys()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, again.state()[name], err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("approximation", ["table", "network"])
def test_a_warm_start_begins_at_the_given_strategy(approximation: Any) -> None:
    """Of a tabular solution, or of a neural one; tables say exactly the same, networks nearly."""
    if approximation == "network":
        pytest.importorskip("torch")
    profile = hn.solve("kuhn_poker", "cfr+", iterations=200).profile
    solver = DoubleNeuralCFR("kuhn_poker", approximation=approximation, steps=60, units=16)
    solver.warm_start(profile)
    for strategy in (solver.average(), solver.current()):
        assert hn.evaluate("kuhn_poker", strategy).nash_conv <= (1e-2 if approximation == "table" else 0.15)
    other = DoubleNeuralCFR("kuhn_poker", approximation="table")
    other.warm_start(solver.average())  # type: ignore[arg-type]
    other.run(1)
    with pytest.raises(UnsuitableError, match="has begun"):
        other.warm_start(profile)


def test_a_started_run_is_started_by_the_command() -> None:
    profile = hn.solve("kuhn_poker", "cfr+", iterations=200).profile
    given: dict[str, Any] = {"iterations": 1, "approximation": "table", "traversals": 50}
    cold = hn.solve("kuhn_poker", "double-neural", **given)
    warm = hn.solve("kuhn_poker", "double-neural", start=profile, **given)
    assert warm.nash_conv < 0.1 < cold.nash_conv
