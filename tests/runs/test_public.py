"""Runs on public trees: published answers, checkpoints, logs, interrupts, matches, and methods of other kinds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import HannanError, MismatchError, UnsuitableError
from hannan.forms.game import PublicGame
from hannan.games.holdem.entry import holdem
from hannan.kernels.public import records as rec
from hannan.measures.evaluation import gaps
from hannan.runs.log import read_log
from hannan.runs.progress import Progress
from hannan.solvers.checkpoint import resume
from hannan.strategies.public import PublicStrategy
from tests.methods import FULL_WIDTH, UPDATES, solver_for
from tests.public_games import CASES

SPOTS = Path(__file__).parents[1] / "games" / "holdem" / "spots"
COMMAND = [sys.executable, "-c", "from hannan.cli import main; main()"]
SMALL = "holdem(ranks=5,suits=2,board=AcKdQcTc,oop='AA,KK,JT,AJ',ip='AK,QJ,TT',pot=20,stack=35,bets='50%',raises=a)"
RAKED = SMALL.replace("stack=35", "stack=35,rake=0.1")
LARGE = "holdem(board=Td9d6hQc,oop='66+,AJo+,KQ',ip='QQ-22,ATo+')"


def spot(name: str) -> tuple[PublicGame, dict[str, Any]]:
    known: dict[str, Any] = json.loads((SPOTS / f"{name}.json").read_text())
    return PublicGame(holdem(file=str(SPOTS / f"{name}.toml")), name), known


def hand_values(solver: Any, game: PublicGame, player: int) -> dict[str, float]:
    """Return what each hand takes out of the pot on average, from the values that measuring leaves at the root."""
    form, rules = game.form, game.rules
    room, types = solver._backend._measuring[0], form.types_at(0, player)
    first = form.arrays.scratch[0, rec.X_VALUE + player]
    cards = [np.array(rules.cards(p)) for p in (0, 1)]
    meets = (cards[player][:, None, :, None] != cards[1 - player][None, :, None, :]).all(axis=(2, 3))
    values = room.scratch[first : first + len(types)] / (meets @ np.array(rules.weights(1 - player)))[types]
    names = rules.types(player)
    half = rules.spot.pot / 2  # type: ignore[attr-defined]
    return {names[kind]: float(value) + half for kind, value in zip(types, values, strict=True)}


@pytest.mark.slow
def test_the_value_of_a_river_is_the_published_one() -> None:
    """92.77361884370 by a linear program of another author; the bounds are proven, so they must hold it."""
    game, known = spot("river_range")
    found = hn.solve(game, "dcfr+", iterations=30_000, precision="float64", gap=1e-12)
    low, high = (bound + 100 for bound in found.findings["value_bounds"])
    assert low <= 92.77361884370 <= high
    assert high - low <= 1e-4
    assert found.values[0] + 100 == pytest.approx(92.77361884370, abs=1e-4)
    assert found.findings["exploitability_percent"] == pytest.approx(100 * found.exploitability / 200)
    assert isinstance(found.strategy, PublicStrategy)
    frequencies = root_frequencies(game, found.strategy)
    for action, frequency in known["root_frequencies"].items():  # play of equal worth may be mixed in other ways
        assert frequencies[action] == pytest.approx(frequency, abs=0.02)


def root_frequencies(game: PublicGame, strategy: PublicStrategy) -> dict[str, float]:
    """Return how often the first player takes each action, by the published names: Check, Bet(120), AllIn(900)."""
    actions, rows = strategy.table("")
    rules = game.rules
    cards = [np.array(rules.cards(p)) for p in (0, 1)]
    meets = (cards[0][:, None, :, None] != cards[1][None, :, None, :]).all(axis=(2, 3)) @ np.array(rules.weights(1))
    weights = meets * np.array(rules.weights(0))
    mean = sum(w * rows[name] for w, name in zip(weights, rules.types(0), strict=True)) / weights.sum()
    long = {"x": "Check", "b": "Bet({})", "a": "AllIn({})"}
    return {long[action[0]].format(action[1:]): float(p) for action, p in zip(actions, mean, strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "iterations", "width", "per_hand"),
    [("river_range", 3_000, 0.01, 0.3), ("turn_basic", 1_500, 0.1, 0.6), ("flop_small", 80, 1.5, 4.0)],
)
def test_values_of_published_spots(name: str, iterations: int, width: float, per_hand: float) -> None:
    """Both brackets hold the value, so they overlap; 1e-3 is for the 32-bit rounding of the published one.

    Expected values of single hands are those of two different near-equilibria: they differ by more than the brackets,
    most for hands that are seldom played, so hands count by how many of the opponent's hands they meet.
    """
    game, known = spot(name)
    solver: Any = solver_for("dcfr+", game)
    solver.run(iterations)
    solver.measured()
    half = game.rules.spot.pot / 2  # type: ignore[attr-defined]
    low, high = (bound + half for bound in solver.findings()["value_bounds"])
    assert high - low < width
    assert low <= known["value_bracket_oop"][1] + 1e-3
    assert high >= known["value_bracket_oop"][0] - 1e-3
    for player in (0, 1):
        values = hand_values(solver, game, player)
        found = np.array([values[hand] for hand in known[f"hands_{player}"]])
        weights = np.array(known[f"weights_{player}"])
        errors = np.abs(found - known[f"ev_{player}"])
        assert (errors * weights).sum() / weights.sum() < per_hand / 4
        assert np.quantile(errors, 0.95) < per_hand
    frequencies = root_frequencies(game, solver.average())
    for action, frequency in known["root_frequencies"].items():
        assert frequencies[action] == pytest.approx(frequency, abs=0.15)


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("method", FULL_WIDTH)
@pytest.mark.parametrize("address", [SMALL, RAKED])
def test_resumed_runs_end_in_the_same_bits(address: str, method: str, updates: str, tmp_path: Path) -> None:
    whole: Any = solver_for(method, hn.load(address), updates=updates)
    whole.run(20)
    broken: Any = solver_for(method, hn.load(address), updates=updates)
    for stop in (0, 1, 7, 20):
        broken.run(stop - broken.iterations)
        broken.save(tmp_path / "x.checkpoint")
        broken = resume(tmp_path / "x.checkpoint")
    assert broken.parameters == whole.parameters
    assert_same(broken, whole)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("parameters", [{"averaging": "last"}, {"averaging": "quadratic"}])
def test_resumed_runs_keep_precision_and_averaging(precision: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    def make() -> Any:
        return solver_for("cfr+", hn.load(SMALL), precision=precision, **parameters)

    whole, broken = make(), make()
    whole.run(12)
    broken.run(5)
    broken.save(tmp_path / "x")
    back: Any = resume(tmp_path / "x")
    assert back.state()["regret"].dtype == np.dtype(precision)
    back.run(7)
    assert_same(back, whole)


@pytest.mark.parametrize("method", ["cfr+", "pcfr+", "dcfr"])
def test_resumed_warm_starts_end_in_the_same_bits(method: str, tmp_path: Path) -> None:
    game = hn.load(SMALL)
    begun: Any = solver_for("cfr+", game)
    begun.run(10)
    whole: Any = solver_for(method, game)
    whole.warm_start(begun.average(), weight=50)
    broken: Any = solver_for(method, game)
    broken.warm_start(begun.average(), weight=50)
    broken.save(tmp_path / "x")
    back: Any = resume(tmp_path / "x")
    whole.run(9)
    back.run(4)
    back.save(tmp_path / "x")
    back = resume(tmp_path / "x")
    back.run(5)
    assert_same(back, whole)


def assert_same(one: Any, two: Any) -> None:
    assert one.iterations == two.iterations
    mine, theirs = one.state(), two.state()
    assert mine.keys() == theirs.keys()
    for name, array in mine.items():
        assert array.dtype == theirs[name].dtype
        assert array.tobytes() == theirs[name].tobytes(), name
    assert one.average().probability.tobytes() == two.average().probability.tobytes()
    assert gaps(one) == gaps(two)


def test_checkpoints_of_other_spots_are_refused(tmp_path: Path) -> None:
    solver: Any = solver_for("cfr+", PublicGame(CASES["turn"]()))
    solver.run(2)
    solver.save(tmp_path / "x")
    with pytest.raises(HannanError):
        resume(tmp_path / "x", CASES["flop"]())
    state = solver.state()
    assert not solver.accepts({**state, "total": -state["total"]})
    assert not solver.accepts({**state, "regret": np.full_like(state["regret"], np.nan)})
    assert not solver.accepts({**state, "regret": state["regret"][:-1]})


def test_a_run_is_logged_saved_and_resumed(tmp_path: Path) -> None:
    files = {"checkpoint": tmp_path / "x.checkpoint", "log": tmp_path / "x.log"}
    first = hn.solve(SMALL, "dcfr", iterations=20, gap=1e-12, measure_every=5, **files)
    assert isinstance(first.strategy, PublicStrategy)
    assert first.stop == "iterations"
    again = hn.solve(resume=files["checkpoint"], iterations=40, gap=1e-12, log=tmp_path / "y.log")
    whole = hn.solve(SMALL, "dcfr", iterations=40, gap=1e-12)
    assert again.iterations == whole.iterations == 40
    assert isinstance(again.strategy, PublicStrategy)
    assert isinstance(whole.strategy, PublicStrategy)
    assert again.strategy.probability.tobytes() == whole.strategy.probability.tobytes()
    assert (again.gap, again.values) == (whole.gap, whole.values)
    assert again.gap < first.gap
    log = read_log(files["log"])
    assert [point.iteration for point in log.curve][-1] == 20
    assert log.curve[-1].gap == first.gap


@pytest.mark.parametrize("address", [SMALL, RAKED])
def test_an_interrupted_run_has_a_valid_result(address: str) -> None:
    """What is measured of the strategy that is returned is what the result says."""

    def interrupting(progress: Progress) -> None:
        if progress.iteration >= 10:
            signal.raise_signal(signal.SIGINT)

    found = hn.solve(address, "cfr+", iterations=10**7, gap=1e-14, precision="float64", progress=interrupting)
    assert found.stop == "interrupted"
    assert found.iterations >= 10
    measured = hn.evaluate(found.strategy)
    assert measured.values == pytest.approx(found.values, abs=1e-9)
    assert measured.nash_conv == pytest.approx(found.nash_conv, abs=1e-9)


def test_a_run_without_limits_stops_at_half_a_percent_of_the_pot() -> None:
    found = hn.solve(SMALL)
    assert found.stop == "gap"
    assert found.findings["exploitability_percent"] <= 0.5


@pytest.mark.slow
def test_samplers_and_linear_programs_solve_small_hold_em_by_its_plain_rules() -> None:
    """The linear program is exact to about 1e-9; 2,000 iterations by samples leave a quarter of the gap at most."""
    exact = hn.solve(SMALL, "lp")
    low, high = hn.solve(SMALL, "dcfr", iterations=300, gap=1e-12, precision="float64").findings["value_bounds"]
    assert low - 1e-8 <= exact.values[0] <= high + 1e-8
    sampled = hn.solve(SMALL, "mccfr-es", iterations=2_000, gap=1e-12, seed=1)
    assert sampled.nash_conv is not None
    even = hn.evaluate(hn.uniform(hn.load(SMALL).expanded())).nash_conv
    assert sampled.nash_conv < even / 4


@pytest.mark.slow
def test_strategies_play_matches_with_others() -> None:
    """Against uniform play, the score is what evaluation says that both seats earn on average, within its bound."""
    strategy = hn.solve(SMALL, "cfr+", iterations=50, gap=1e-12).strategy
    even = hn.uniform(hn.load(SMALL).expanded())
    found = hn.match(SMALL, strategy, even, games=2000, seed=2)
    assert abs(found.scores[0] + found.scores[1]) < 1e-9
    mine, theirs = strategy.profile().strategies, even.strategies
    game = strategy.profile().game
    first = hn.values(hn.Profile(game, (mine[0], theirs[1])))[0]
    second = hn.values(hn.Profile(game, (theirs[0], mine[1])))[1]
    assert found.scores[0] == pytest.approx((first + second) / 2, abs=found.half_widths[0])


def test_samplers_solve_large_hold_em_and_say_that_no_gap_is_measured() -> None:
    found = hn.solve(LARGE, "mccfr-es", iterations=3)
    assert (found.iterations, found.nash_conv, found.gap_name) == (3, None, "not measured")
    assert abs(sum(found.values)) < 900  # estimated seat by seat


@pytest.mark.parametrize("method", ["lp", "einr", "komwu"])
def test_methods_that_expand_refuse_large_hold_em(method: str) -> None:
    with pytest.raises(UnsuitableError, match="Use a full-width method"):
        hn.solve(LARGE, method, iterations=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["solve", LARGE, "--method", "lp"], ["solve", LARGE, "--method", "einr", "--iterations", "1"]]
)
def test_commands_refuse_large_hold_em_with_a_sentence(words: list[str]) -> None:
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "public tree" in done.stderr


def test_broken_public_rules_are_a_sentence_in_a_run() -> None:
    rules = CASES["kuhn"]()
    rules.mover = lambda line: 5  # type: ignore[method-assign]
    with pytest.raises(HannanError, match=r"mover\(''\) returned 5"):
        hn.solve(PublicGame(rules), "cfr", iterations=1)
    with pytest.raises((HannanError, MismatchError)):
        hn.solve(SMALL, "cfr", iterations=1, precision="float128")


def test_the_progress_line_has_the_exploitability_in_percent_of_the_pot() -> None:
    """The pot is 20 chips: a gap of g chips is an exploitability of 100 · g/2/20 percent."""
    told: list[Progress] = []
    hn.solve(SMALL, "dcfr", iterations=30, progress=told.append)
    gap = told[-1].gap
    assert gap is not None
    assert told[-1].gap_text == f"exploitability {100 * gap / 2 / 20:.3g} % of the pot"
    told.clear()
    hn.solve("kuhn_poker", "cfr", iterations=30, progress=told.append)
    assert told[-1].gap_text == ""


def test_files_keep_the_spot_and_not_the_name_of_its_file(tmp_path: Path) -> None:
    """A strategy and a checkpoint are read after the TOML file is gone; a spot of other ranges starts from them."""
    toml = tmp_path / "river.toml"
    toml.write_text((SPOTS / "river_range.toml").read_text())
    kept, saved = tmp_path / "river.strategy", tmp_path / "river.checkpoint"
    first = hn.solve(f"holdem(file='{toml}')", "dcfr", iterations=20, checkpoint=saved)
    hn.save(first.strategy, kept)
    edited = tmp_path / "edited.toml"
    edited.write_text(toml.read_text().replace("AJo+", "ATo+"))
    assert edited.read_text() != toml.read_text()
    toml.unlink()
    assert hn.evaluate(hn.read(kept)).nash_conv == pytest.approx(first.nash_conv, rel=1e-6)
    assert hn.solve(resume=saved, iterations=25).iterations == 25
    warm = hn.solve(f"holdem(file='{edited}')", "dcfr", iterations=10, start=kept)
    cold = hn.solve(f"holdem(file='{edited}')", "dcfr", iterations=10)
    assert warm.nash_conv is not None
    assert cold.nash_conv is not None
    assert warm.nash_conv < cold.nash_conv
