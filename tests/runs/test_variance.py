"""The variance of the estimates as a result: measured with every gap, the same as by hand, and no part of the run."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from hannan.cli import main
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import PlayedGame
from hannan.forms.loader import load, load_expanded
from hannan.runs.log import read_log
from hannan.runs.progress import Limits, Point
from hannan.runs.run import Run
from hannan.runs.solve import make_solver, solve
from hannan.runs.solve_work import Solving
from hannan.solvers.checkpoint import Checkpoint
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.solvers.sampling.sampler import Sampling
from hannan.solvers.sampling.variance import Variance
from tests.clock import Clock

CASES = [
    ("kuhn_poker", "mccfr-os", {}),
    ("kuhn_poker", "mccfr-os", {"learner": "discounted", "streams": 2}),
    ("kuhn_poker(players=3)", "mccfr-es", {"averaging": "simple"}),
    ("goofspiel(cards=3)", "vr-mccfr", {}),
    ("leduc_poker", "mccfr-es", {"over": "rules"}),
    ("leduc_poker", "vr-mccfr", {"over": "rules", "key": "set"}),
    ("leduc_poker", "vr-mccfr", {"sampler": "robust", "learner": "rm+"}),
]


def by_hand(game: str, method: str, parameters: dict[str, Any], iterations: int, walks: int) -> Variance:
    solver, _ = make_solver(load(game), method, None, {"seed": 3, **parameters})
    assert isinstance(solver, Sampling)
    solver.run(iterations)
    return solver.variance(walks)


def command(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    told = capsys.readouterr()
    assert ended.value.code == 0, told.err
    return told.out


@pytest.mark.parametrize(("game", "method", "parameters"), CASES)
def test_every_point_has_the_variance_of_its_iteration(game: str, method: str, parameters: dict[str, Any]) -> None:
    found = solve(game, method, iterations=40, variance=200, seed=3, **parameters)
    assert [point.iteration for point in found.curve][-3:] == [27, 33, 40]
    for point in found.curve[-4:]:
        wanted = by_hand(game, method, parameters, point.iteration, 200)
        assert (point.variance, point.given_visit) == (wanted.total, wanted.given_visit)
    assert (found.variance, found.given_visit) == (found.curve[-1].variance, found.curve[-1].given_visit)


@pytest.mark.parametrize(("game", "method", "parameters"), CASES)
def test_measuring_changes_nothing(game: str, method: str, parameters: dict[str, Any]) -> None:
    plain = solve(game, method, iterations=60, **parameters)
    watched = solve(game, method, iterations=60, variance=50, **parameters)
    assert [p.tobytes() for p in plain.profile.strategies] == [p.tobytes() for p in watched.profile.strategies]
    assert [(p.iteration, p.gap) for p in plain.curve] == [(p.iteration, p.gap) for p in watched.curve]
    assert (plain.variance, plain.given_visit, plain.curve[-1].variance) == (None, None, None)
    assert {"variance", "given_visit"} == set(watched.record()) - set(plain.record())


def test_a_variance_that_is_known() -> None:
    """Matching pennies, uniform play and draws: an action's estimate is ±2 if it was drawn, else 0.

    Its variance is 2, and there are four actions. One of a player's two is drawn in every walk, so that the sum of
    squares is exact, and all that is left is the squares of four means, each about 2/10⁵: below 0.001 by far.
    """
    pennies = "matrix_game(payoffs=[[1,-1],[-1,1]])"
    found = solve(pennies, "mccfr-os", epsilon=1.0, iterations=0, variance=100_000)
    assert found.variance == pytest.approx(8.0, abs=1e-3)
    assert found.iterations == 0


def test_true_values_as_baselines_leave_no_variance_given_the_visit() -> None:
    """With the true values as baselines, chance and the opponents' draws add nothing to a visited history's value."""
    plain = solve("kuhn_poker", "vr-mccfr", baseline="none", iterations=50, variance=2000)
    oracle = solve("kuhn_poker", "vr-mccfr", baseline="oracle", iterations=50, variance=2000)
    assert plain.given_visit is not None
    assert oracle.given_visit is not None
    assert oracle.given_visit < 1e-9 < plain.given_visit


@pytest.mark.parametrize("walks", [0, -1, 1.5, True, "ten", math.nan])
def test_bad_walks(walks: Any) -> None:
    with pytest.raises(
        ParameterError, match=r"variance=.* (should be a whole number, 1 or more|is out of range; it may be 1 to)"
    ):
        solve("kuhn_poker", "mccfr-os", iterations=1, variance=walks)


@pytest.mark.parametrize("method", ["auto", "cfr+", "lp", "komwu"])
def test_methods_that_do_not_sample(method: str) -> None:
    sentence = (
        "does not sample: a variance is measured of einr-es, einr-os, mccfr-cs, mccfr-es, mccfr-os, mccfr-rs, vr-mccfr"
    )
    with pytest.raises(UnsuitableError, match=sentence):
        solve("kuhn_poker", method, iterations=1, variance=10)


class Ticking(OutcomeSampling):
    """Takes 1 s an iteration and 50 s to measure its variance, of a clock that nothing else moves."""

    clock = Clock()

    def run(self, iterations: int) -> None:
        super().run(iterations)
        self.clock.now += iterations

    def variance(self, walks: int = 1000) -> Variance:
        self.clock.now += 50
        return super().variance(walks)


def test_measuring_is_not_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten points, 500 s of measuring, fifteen iterations."""
    monkeypatch.setattr(sys.modules["hannan.runs.run"], "time", Ticking.clock)
    found = Run(Solving(Ticking("kuhn_poker"), variance=5), Limits(iterations=15)).finish()
    assert len(found.curve) == 10
    assert found.seconds == 15


def test_a_game_without_gaps(tmp_path: Path) -> None:
    solver = OutcomeSampling(PlayedGame(load_expanded("kuhn_poker").rules), seed=3)
    seen: list[Any] = []
    run = Run(Solving(solver, variance=200, seed=3), Limits(iterations=40), progress=seen.append)
    run.checkpoint = tmp_path / "x"
    found = run.finish()
    measured = solve("kuhn_poker", "mccfr-os", over="rules", iterations=40, variance=200, seed=3)
    assert found.gap is None
    assert [(p.iteration, p.variance, p.given_visit) for p in found.curve] == [
        (p.iteration, p.variance, p.given_visit) for p in measured.curve
    ]
    assert all(point.gap is None for point in found.curve)
    assert found.variance == measured.variance
    assert found.record()["gap"] is None
    assert found.record()["variance"] == measured.variance
    assert all(progress.gap is None for progress in seen)
    again = solve.begin(solver.game, resume=tmp_path / "x", iterations=40).curve
    assert json.dumps([astuple(point) for point in again]) == json.dumps([astuple(point) for point in found.curve])


@pytest.mark.slow
def test_a_game_that_is_too_large(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """About 10^26 histories: played by its rules, no gap, and the variance of what was visited."""
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("matplotlib")
    words = ["solve", "goofspiel(cards=13)", "--method", "mccfr-os", "--iterations", "30", "--variance", "20"]
    found = json.loads(command(capsys, *words, "--log", "x.log", "--plot", "x.svg", "--json"))
    assert (found["gap"], found["half_widths"] is None) == (None, False)
    assert found["variance"] > 0
    logged = read_log("x.log").curve
    assert [point.iteration for point in logged] == [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 30]
    assert logged[-1].variance == found["variance"]
    assert all(point.gap is None for point in logged)
    picture = Path("x.svg").read_text(encoding="utf-8")
    assert picture.count('<g id="axes_') == 2
    assert "variance of the estimates" in picture
    (row,) = json.loads(command(capsys, "plot", "x.log", "--y", "given-visit", "--out", "y.png", "--json"))["runs"]
    assert (row["gap"], row["nash_conv"], row["given_visit"]) == (None, None, found["given_visit"])
    assert "variance of the estimates" in command(capsys, *words)
    assert (
        command(capsys, "plot", "x.log").count("—") == 1
    )  # a table needs no gap; a NashConv that nobody has is no column


@pytest.mark.slow
def test_full_tables_are_not_measured() -> None:
    """Walks that find no room would count as estimates of 0; the last variance before stands."""
    solver = OutcomeSampling("goofspiel(cards=13)", over="rules", memory_limit=20_000_000, table="full")
    full = Run(Solving(solver, variance=5), Limits(iterations=10**9)).finish()
    assert full.stop == "memory"
    assert [point.iteration for point in full.curve if point.iteration == full.iterations] == []
    assert full.variance == (full.curve[-1].variance if full.curve else None)


@pytest.mark.parametrize("asked", [True, False], ids=["from the start", "from the checkpoint on"])
def test_stopping_and_resuming(
    asked: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pieces, to the same numbers as in one go. What the checkpoint has no variance of yet is measured then."""
    monkeypatch.chdir(tmp_path)
    words = ["solve", "leduc_poker", "--method", "vr-mccfr", "--seed", "5", "--json"]
    spread = ["--variance", "100"]
    whole = json.loads(command(capsys, *words, *spread, "--iterations", "101", "--log", "whole.log"))
    first = [*words, *(spread if asked else []), "--iterations", "40", "--log", "x.log", "--checkpoint", "x.checkpoint"]
    command(capsys, *first)
    going_on = [*words, *spread, "--log", "x.log", "--resume", "x.checkpoint", "--checkpoint", "x.checkpoint"]
    there = json.loads(command(capsys, *going_on, "--iterations", "40"))
    found = json.loads(command(capsys, *going_on, "--iterations", "101"))
    assert {**found, "seconds": 0} == {**whole, "seconds": 0}
    curves = [[_timeless(point) for point in read_log(log).curve] for log in ("whole.log", "x.log")]
    saved = [_timeless(Point(*point)) for point in Checkpoint.read("x.checkpoint").facts["curve"]]
    assert curves[1] == saved
    since = 0 if asked else [point[0] for point in saved].index(40)
    assert curves[1][since:] == curves[0][since:]
    assert [point[3] is None for point in saved[:since]] == [True] * since
    assert (40, there["gap"], there["nash_conv"], there["variance"], there["given_visit"]) == saved[14]


def _timeless(point: Point) -> tuple[Any, ...]:
    return point.iteration, point.gap, point.nash_conv, point.variance, point.given_visit


@pytest.mark.slow
def test_a_picture_with_a_second_row(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    words = ["solve", "kuhn_poker", "--method", "mccfr-os", "--iterations", "50"]
    told = command(capsys, *words, "--variance", "100", "--plot", "both.svg", "--log", "x.log")
    number = read_log("x.log").curve[-1].variance
    assert number is not None
    (line,) = [line for line in told.splitlines() if line.startswith("variance of the estimates")]
    assert line.split()[-1] == f"{number:.9g}"
    both = Path("both.svg").read_text(encoding="utf-8")
    assert both.count('<g id="axes_') == 4
    assert "NashConv" in both
    assert "variance of the estimates" in both
    assert "variance" not in command(capsys, *words, "--plot", "gap.svg")
    assert Path("gap.svg").read_text(encoding="utf-8").count('<g id="axes_') == 2
    command(capsys, "plot", "x.log", "x.log", "--y", "variance", "--x", "iterations", "--out", "y.svg")
    alone = Path("y.svg").read_text(encoding="utf-8")
    assert alone.count('<g id="axes_') == 1
    assert "NashConv" not in alone
