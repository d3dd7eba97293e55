"""The back end of public trees: bits that depend on no thread and no memory, and proven bounds on the value."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.game import ExpandedGame, PublicGame
from hannan.games.holdem.rules import HoldemRules
from hannan.games.holdem.spot import make_spot
from hannan.kernels.vectors import LANES
from hannan.layouts.public import PublicBackend, PublicSetup, room_of, shares, value_bounds, worth_of
from hannan.measures.evaluation import public_evaluation
from hannan.strategies.public import PublicStrategy
from tests.methods import FULL_WIDTH, UPDATES, solver_for
from tests.public_games import CASES
from tests.reference_public import exact_values

EXACT = ["kuhn", "dice", "river raked", "turn", "turn raked", "turn gone", "flop"]


@cache
def game_of(name: str) -> PublicGame:
    return PublicGame(CASES[name]())


def bits(solver: Any) -> dict[str, bytes]:
    """Everything that a solver can be asked for."""
    found = {name: array.tobytes() for name, array in solver.state().items()}
    found["average"], found["current"] = solver.average().probability.tobytes(), solver.current().probability.tobytes()
    average = solver.measured()
    return {**found, "measured": np.array([average.values, average.best_values]).tobytes()}


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("name", ["turn raked", "flop"])
def test_threads_change_no_bit(name: str, updates: str, precision: str) -> None:
    for method in ("dcfr", "pcfr+"):
        found = []
        for threads in (1, 2, 3):
            solver = solver_for(method, game_of(name), updates=updates, precision=precision, threads=threads)
            solver.prepare()
            solver.run(5)
            solver.run(6)
            found.append(bits(solver))
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("threads", [1, 2, 5, 40])
def test_every_stage_is_walked_by_one_thread(threads: int) -> None:
    form = game_of("three cards").form
    walked = sorted(k for part in shares(form, threads) for k in part.tolist())
    assert walked == list(range(len(form.deals) - 1))


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("method", FULL_WIDTH)
@pytest.mark.parametrize("name", ["kuhn", "dice", "river", "turn gone", "turn raked", "flop"])
def test_nothing_depends_on_what_was_in_memory(name: str, method: str, updates: str) -> None:
    """Scratch that is full of not-a-numbers at first gives the same bits: whatever is read was written before."""
    found = []
    for spoilt in (False, True):
        solver: Any = solver_for(method, game_of(name), updates=updates, precision="float64")
        backend = solver._backend
        if spoilt:
            for room in (*backend._rooms, *backend._measuring):
                for array in (room.scratch, room.y, room.u, room.sums, room.lanes):
                    array[:] = np.nan
                for array in (room.rows, room.outs, room.at):
                    array[:] = 10**12
            backend._worth[:] = np.nan
            backend._out[:] = np.nan
        solver.run(7)
        found.append(bits(solver))
    assert found[0] == found[1]


def test_rooms_begin_with_zeros() -> None:
    form = game_of("flop").form
    for array in (*room_of(form, np.dtype(np.float32)), worth_of(form, np.dtype(np.float32))):
        assert not array.any()


def test_sums_too_small_for_an_inverse_are_even_play() -> None:
    """A float of 1e-42 has no inverse among floats; neither average nor current play becomes infinite."""
    form = game_of("river").form
    backend = PublicBackend(PublicSetup(form))
    for name in ("total", "regret"):
        backend.write(name, np.full(form.entries + LANES, 1e-42, np.float32))
    for current in (False, True):
        probability = backend.strategy(current=current)
        assert np.isfinite(probability).all()
        assert probability.max() <= 1
    strategy = PublicStrategy(game_of("river"), backend.strategy())
    np.testing.assert_allclose(strategy.table("")[1]["AhKc"].sum(), 1, atol=1e-6)


def random_strategy(game: PublicGame, seed: int, *, pure: bool = False) -> PublicStrategy:
    """Return random play; `pure`: with most probabilities 0 or tiny."""
    backend = PublicBackend(PublicSetup(game.form, kept="float64"))
    weights = np.random.default_rng(seed).uniform(size=game.form.entries + LANES)
    backend.write("total", weights**40 if pure else weights)
    return PublicStrategy(game, backend.strategy())


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize("mirrored", [True, False])
@pytest.mark.parametrize("name", EXACT)
def test_measured_values_are_those_of_exact_fractions(name: str, mirrored: bool, pure: bool) -> None:
    """Values and best responses by plain rules in fractions; bounds hold the exact ones, and are not wider than said.

    Random play is not the same for hands that are mirrors of each other, and then stages cannot be shared.
    """
    game = game_of(name) if mirrored else PublicGame(CASES[name](), mirrored=False)
    if mirrored and name == "flop":
        solver: Any = solver_for("cfr", game, precision="float64")
        solver.run(3)
        strategy: PublicStrategy = solver.average()
    else:
        strategy = random_strategy(game, 3, pure=pure)
    evaluation = public_evaluation(strategy)
    exact = [exact_values(strategy, hero) for hero in (0, 1)]
    size = game.form.largest
    for hero, (value, best) in enumerate(exact):
        assert evaluation.values[hero] == pytest.approx(float(value), abs=1e-14 * size)
        assert evaluation.best_values[hero] == pytest.approx(float(best), abs=1e-14 * size)
    backend = PublicBackend(PublicSetup(game.form, kept="float64"))
    backend.write("total", np.concatenate([strategy.probability, np.zeros(LANES)]))
    average = backend.measure()
    bounds = value_bounds(game.form, average)
    if "raked" in name:
        assert bounds is None
        return
    assert bounds is not None
    assert game.form.total is not None
    margin = bounds[1] - average.best_values[0]
    assert 0 < margin < 1e-9 * size
    lowest, highest = game.form.total - exact[1][1], exact[0][1]  # in fractions
    assert bounds[0] <= lowest <= highest <= bounds[1]
    assert lowest - bounds[0] <= 2 * margin
    assert bounds[1] - highest <= 2 * margin


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", ["kuhn", "dice", "river", "turn", "flop"])
def test_the_value_by_a_linear_program_is_within_the_bounds(name: str, precision: str) -> None:
    """The program is solved on the sequence form; it is exact to about 1e-9 of the payoffs."""
    game = game_of(name)
    known = hn.solve(ExpandedGame(game.rules), "lp").values[0]
    solver: Any = solver_for("dcfr", game, precision=precision)
    slack = 1e-9 * game.form.largest
    for _ in range(4):
        solver.run(100)
        low, high = value_bounds(game.form, solver.measured()) or (1.0, 0.0)
        assert low - slack <= known <= high + slack
    assert high - low < 0.1
    assert solver.findings()["value_bounds"] == (low, high)


@pytest.mark.parametrize("name", ["leduc", "river raked", "turn", "flop", "three cards"])
def test_measuring_a_strategy_is_the_same_on_the_sequence_form(name: str) -> None:
    game = game_of(name)
    solver: Any = solver_for("cfr+", game, precision="float64")
    solver.run(8)
    found, known = public_evaluation(solver.average()), hn.evaluate(solver.average().profile())
    assert found.values == pytest.approx(known.values, abs=1e-12 * game.form.largest)
    assert found.best_values == pytest.approx(known.best_values, abs=1e-12 * game.form.largest)
    assert found.nash_conv == pytest.approx(known.nash_conv, abs=1e-12 * game.form.largest)


def test_the_memory_that_is_asked_for_is_that_of_the_arrays() -> None:
    setup = PublicSetup(game_of("flop").form, threads=2)
    backend = PublicBackend(setup)
    arrays = [getattr(backend._state, name) for name in ("regret", "total", "last")]
    arrays += [room.scratch for room in (*backend._rooms, backend._measuring[0])]
    assert setup.bytes == pytest.approx(sum(array.nbytes for array in arrays), rel=0.05)


def test_gains_with_rake_are_bounded_by_a_little_more_than_they_are() -> None:
    """With rake they exceed the measured gains by less than a millionth of the pot; without it there are none."""
    spot: dict[str, Any] = {
        "board": "AcKdQc", "oop": "AK,AQ,99", "ip": "KQ,JT,99", "pot": 10, "stack": 20, "bets": "a", "ranks": 6,
        "suits": 2,
    }  # fmt: skip
    raked = hn.solve(HoldemRules(make_spot(**spot, rake=0.1)), "cfr+", iterations=20)
    assert raked.findings["value_bounds"] is None
    for gain, bound in zip(raked.gains, raked.findings["gain_bounds"], strict=True):
        assert gain < bound < gain + 1e-5
    assert "gain_bounds" not in hn.solve(HoldemRules(make_spot(**spot)), "cfr+", iterations=20).findings
