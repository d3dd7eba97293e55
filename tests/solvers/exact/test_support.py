"""Support: known values, exact gaps in fractions, the linear program, degenerate games, resuming, halting, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from hannan.errors import HannanError, UnsuitableError
from hannan.forms.coarsening import forget
from hannan.forms.loader import load_expanded
from hannan.interrupts import patience
from hannan.solvers.exact.finish import ANSWER, FACTS, KEPT
from hannan.solvers.exact.support import STAGE, Support
from tests.forgetting import scrambled
from tests.solvers.exact.test_lp import VALUES


def solved(game: object, **parameters: object) -> Support:
    solver = Support(game, **parameters)  # type: ignore[arg-type]
    solver.run(20_000)
    assert solver.solved
    return solver


def test_a_start_that_makes_no_step_begins_farther_away() -> None:
    """After 400 iterations, the interior-point method makes no step in the second round on this game."""
    found = hn.evaluate(solved("leduc_poker(ranks=10)", begin=400).average())
    assert found.nash_conv < 1e-11


@pytest.mark.parametrize("address", VALUES)
def test_known_values(address: str) -> None:
    solver = solved(address)
    found = hn.evaluate(solver.average())
    low, high = (float(payoff[0]) for payoff in solver.game.payoff_range)
    assert found.nash_conv <= 2e-12 * (high - low)
    assert found.values[0] == pytest.approx(VALUES[address], abs=1e-11)
    assert float(hn.exact_gap(solver.game, solver.average()).nash_conv) <= 2e-12 * (high - low)


@pytest.mark.parametrize("first", ["pdcfr+", "dcfr+"])
@pytest.mark.parametrize("seed", range(8))
def test_random_games_against_the_linear_program(seed: int, first: str) -> None:
    game = hn.load(f"random_game(depth=3,branching=3,hidden=true,chance=2,seed={seed})")
    program = hn.methods.SequenceFormLP(game)
    program.run(1)
    result = hn.solve(game, Support, first=first, begin=200)
    assert result.stop == "exact"
    assert result.nash_conv < 1e-11
    assert result.values[0] == pytest.approx(program.proof().value, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_a_poor_start_on_games_with_many_equilibria(seed: int) -> None:
    """Rows and columns come twice, and payoffs are small integers; five iterations know little of the support."""
    rng = np.random.default_rng(seed)
    payoffs = rng.integers(-2, 3, size=(5, 6)).astype(float)
    game = hn.matrix_game(np.repeat(np.repeat(payoffs, 2, axis=0), 2, axis=1))
    program = hn.methods.SequenceFormLP(game)
    program.run(1)
    found = hn.evaluate(solved(game, begin=5).average())
    assert found.nash_conv < 1e-11
    assert found.values[0] == pytest.approx(program.proof().value, abs=1e-9)


def test_payoffs_of_any_size() -> None:
    payoffs = np.random.default_rng(1).normal(size=(6, 7))
    for size in (1e-9, 1.0, 1e9):
        game = hn.matrix_game(payoffs * size)
        assert hn.evaluate(solved(game, begin=100).average()).nash_conv < 1e-10 * size
    far = hn.matrix_game(payoffs + 1e8)
    assert hn.evaluate(solved(far, begin=100).average()).nash_conv < 1e-6


def test_locked_players() -> None:
    """Player 0 never bets the jack and never bets the king: it still guarantees -1/18 (Kuhn 1950: α = 0)."""
    locked = hn.lock("kuhn_poker", {0: {"J": {"p": 1.0}, "K": {"p": 1.0}}})
    result = hn.solve(locked, "support", begin=500)
    assert result.stop == "exact"
    assert result.values[0] == pytest.approx(-1 / 18, abs=1e-12)


def test_players_who_forget_are_refused() -> None:
    game = load_expanded("kuhn_poker")
    tied = forget(game, scrambled(game, 1)).tied
    with pytest.raises(UnsuitableError, match="forget"):
        Support(tied)


def test_a_coarse_gap_needs_no_finish() -> None:
    result = hn.solve("leduc_poker", "support", gap=1e-1)
    assert result.stop == "gap"
    assert result.iterations < 1000


def test_resumed_inside_the_finish(tmp_path: Path) -> None:
    whole = Support("random_game(depth=6,branching=2,seed=5,hidden=true)", begin=100)
    whole.run(20_000)
    split = Support("random_game(depth=6,branching=2,seed=5,hidden=true)", begin=100)
    split.run(101)
    assert not split.solved
    assert split.state()[KEPT].any()
    split.save(tmp_path / "inside.ckpt")
    resumed = hn.resume(tmp_path / "inside.ckpt")
    resumed.run(20_000)
    assert resumed.iterations == whole.iterations
    for name, array in whole.state().items():
        np.testing.assert_array_equal(resumed.state()[name], array)


def test_a_halted_round_changes_nothing() -> None:
    solver = Support("leduc_poker", begin=300)
    solver.run(300)
    before = solver.state()
    with patience(lambda: True):
        solver.run(1)
    assert solver.iterations == 300
    for name, array in solver.state().items():
        np.testing.assert_array_equal(array, before[name])
    solver.run(50)
    assert solver.solved


def test_spoilt_states_are_refused() -> None:
    solver = Support("kuhn_poker", begin=20)
    solver.run(21)
    good = solver.state()
    assert solver.accepts(good)
    for name, value in ((ANSWER, 2.0), (KEPT, -1.0), (FACTS, 0.5), (STAGE, 0.5)):
        assert not solver.accepts({**good, name: np.full_like(good[name], value)})
    assert not solver.accepts({name: array for name, array in good.items() if name != KEPT})


@pytest.mark.parametrize("address", ["kuhn_poker(players=3)", "sheriff"])
def test_other_games_are_refused(address: str) -> None:
    with pytest.raises(UnsuitableError, match="support solves two-player zero-sum games"):
        Support(address)


def test_other_parameters_are_refused() -> None:
    for parameters in ({"first": "cfr"}, {"begin": 0}, {"begin": -1}):
        with pytest.raises(HannanError, match=next(iter(parameters))):
            Support("kuhn_poker", **parameters)


@pytest.mark.slow
def test_a_game_of_half_a_million_payoffs() -> None:
    """Leduc with 13 ranks: the simplex method takes minutes, and both answers must have one value."""
    game = load_expanded("leduc_poker(ranks=13,merge_suits=true)")
    found = hn.evaluate(solved(game, begin=2000).average())
    assert found.nash_conv < 1e-11
