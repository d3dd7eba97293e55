"""One run: cutting it anywhere and resuming changes nothing; its checkpoint, its locks, its log, its limits."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.files import read_arrays, write_arrays
from hannan.runs.log import read_log
from hannan.runs.progress import GAPS, Ending, Limits, Measurement, Point, Progress, Schedule, Work
from hannan.runs.result import Result
from hannan.runs.run import Past, Run
from hannan.runs.solve import solve
from hannan.runs.solve_work import Solving
from hannan.strategies.locks import Locks
from tests.clock import Clock
from tests.plaingames import Split

LOCKS: Locks = {1: {"Kb": {"b": 1}, "Jp": {"p": 0.5, "b": 0.5}}}


def told(result: Result) -> tuple[Any, ...]:
    """Everything a result says but for the clock."""
    curve = [(point.iteration, point.gap, point.nash_conv, point.variance) for point in result.curve]
    bits = [strategy.tobytes() for strategy in result.profile.strategies]
    return {**result.record(), "seconds": 0}, curve, bits, result.why, result.note


CASES: dict[str, dict[str, Any]] = {
    "cfr+": {"method": "cfr+", "gap": 0.02},
    "auto": {"gap": 0.01, "iterations": 10**6},
    "simultaneous": {"method": "cfr", "updates": "simultaneous", "iterations": 30},
    "between two measurements": {"method": "dcfr", "iterations": 25},
    "sampling": {"method": "mccfr-es", "iterations": 30, "seed": 5, "variance": 20},
    "locked": {"method": "cfr+", "gap": 0.01, "locks": LOCKS},
    "warm": {"method": "cfr", "iterations": 20, "start": hn.random_profile("kuhn_poker", seed=2)},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_run_cut_at_every_iteration_is_the_run_that_was_not(case: str, tmp_path: Path) -> None:
    """Saved where a limit stops it at each iteration in turn, and resumed: the same measurements, the same end."""
    how = CASES[case]
    whole = hn.solve("kuhn_poker", **how, log=tmp_path / "whole.log", checkpoint=tmp_path / "whole.checkpoint")
    limits = {name: how[name] for name in ("gap", "iterations") if name in how}
    assert whole.iterations > 10
    first = {name: value for name, value in how.items() if name not in limits}
    for cut in range(whole.iterations + 1):
        path, log = tmp_path / "x.checkpoint", tmp_path / f"{cut}.log"
        hn.solve("kuhn_poker", **first, iterations=cut, checkpoint=path, log=log)
        again = hn.solve(resume=path, **limits, log=log)
        assert told(again) == told(whole)
        assert again.seconds >= again.curve[-1].seconds > 0
        assert [p.gap for p in read_log(log).curve] == [p.gap for p in read_log(tmp_path / "whole.log").curve]
        assert read_log(log).stop == whole.stop


@dataclass
class Steps(Work[Ending]):
    """Work whose gap after t steps is 1/t, and which is saved whenever somebody asks."""

    steps: int = 0
    saved: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    measurements: list[int] = field(default_factory=list)
    refusing: bool = False
    clock: Clock = field(default_factory=Clock)

    def advance(self, steps: int, seconds: float | None) -> None:
        self.steps += steps
        self.clock.now += steps

    def measure(self) -> Measurement:
        self.measurements.append(self.steps)
        self.clock.now += 1000
        return Measurement(1 / max(self.steps, 1), 1 / max(self.steps, 1))

    def heading(self) -> dict[str, Any]:
        return {"game": "steps"}

    def save(self, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
        if self.refusing:
            raise hn.errors.FileError(f"{path} cannot be written: the disk is full")
        self.saved.append((self.steps, dict(facts)))

    def result(self, ending: Ending) -> Ending:
        return ending


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """Work on a clock of its own: a second each step, 1000 s each measurement, which do not count."""
    work = Steps()
    monkeypatch.setattr(sys.modules["hannan.runs.run"], "time", work.clock)
    return work


def test_a_run_drives_whatever_goes_forward_in_steps(steps: Steps) -> None:
    ending = Run(steps, Limits(gap=0.05)).finish()
    assert (ending.stop, ending.seconds) == ("gap", 22)
    assert steps.measurements == [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22]
    assert [point.gap for point in ending.curve] == [1 / t for t in steps.measurements]


def test_saved_at_any_moment_it_measures_the_same(steps: Steps) -> None:
    """Also where the checkpoint was written just before a measurement, or just after it."""
    run = Run(steps, Limits(gap=0.05), checkpoint="x", every=0.0)
    whole = run.finish()
    for done, facts in steps.saved:
        past = Past(facts["seconds"], tuple(Point(*point) for point in facts["curve"]))
        again = Run(Steps(steps=done, clock=steps.clock), Limits(gap=0.05), past=past).finish()
        assert (again.stop, again.seconds, again.curve) == (whole.stop, whole.seconds, whole.curve)
    assert {1, 22} < {done for done, _ in steps.saved}


def test_limits_count_from_the_start_of_the_work(steps: Steps) -> None:
    steps.steps = 10
    past = Past(10.0, (Point(10, 10.0, 0.1, 0.1),))
    assert Run(steps, Limits(seconds=15), past=past).finish().seconds >= 15
    assert steps.steps < 25
    before = steps.steps
    assert Run(steps, Limits(seconds=12), past=Past(15.0, ())).finish().stop == "seconds"
    assert Run(steps, Limits(iterations=3), past=past).finish().stop == "iterations"
    assert steps.steps == before  # all of it was done


def test_limits_may_change_while_a_run_goes_on(steps: Steps) -> None:
    """A limit that comes while the run is between two measurements ends it there; a larger one lets it go on."""

    def watch(now: Progress) -> None:
        if now.iteration == 4:
            run.change(Limits(iterations=50))
        elif now.iteration == 16:
            run.change(Limits(iterations=17))

    run = Run(steps, Limits(gap=0.2), progress=watch)
    ending = run.finish()
    assert (ending.stop, steps.steps, steps.measurements[-1]) == ("iterations", 17, 17)
    assert steps.measurements[:9] == [1, 2, 3, 4, 5, 6, 8, 10, 12]  # as without the change


def test_checkpoints_come_every_so_many_seconds(steps: Steps) -> None:
    Run(steps, Limits(iterations=6), checkpoint="x", every=1500.0).finish()
    assert [done for done, _ in steps.saved] == [3, 5, 6]  # 2 steps with their measurements take 2002 s


def test_a_checkpoint_that_cannot_be_written_ends_nothing(steps: Steps) -> None:
    steps.refusing = True
    run = Run(steps, Limits(iterations=6), checkpoint="x", every=0.0)
    assert run.finish().stop == "iterations"
    assert str(run.unsaved) == "x cannot be written: the disk is full"
    steps.refusing = False
    run.save()
    assert run.unsaved is None


def test_what_cannot_be_saved_is_said(tmp_path: Path) -> None:
    """A file in a folder that is not there is refused before the work; what turns up later is a warning."""
    for target in ({"checkpoint": tmp_path / "no" / "x"}, {"log": tmp_path / "no" / "x"}):
        with pytest.raises(hn.errors.FileError, match="there is no folder"):
            hn.solve("kuhn_poker", "cfr", iterations=1, **target)
    step = {"step": lambda player, profile: 0.5}
    with pytest.warns(UserWarning, match="its checkpoint was not written: a step that is a Python function"):
        hn.solve("kuhn_poker", "einr", iterations=3, checkpoint=tmp_path / "x", **step)


def test_schedules() -> None:
    wanted = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 48]
    assert [t for t in range(49) if GAPS.at(t) == t] == wanted
    assert [GAPS.after(t) for t in wanted[:-1]] == wanted[1:]
    assert (GAPS.at(0), GAPS.at(41), GAPS.after(40)) == (1, 48, 48)
    coarse = Schedule(first=1000, spacing=1.125, step=1000)
    assert (coarse.at(0), coarse.after(1000), coarse.after(9000)) == (1000, 2000, 10_125)


def test_a_saved_run_needs_no_game(tmp_path: Path) -> None:
    hn.solve("kuhn_poker(players=3)", iterations=5, checkpoint=tmp_path / "x")
    assert hn.solve(resume=tmp_path / "x", iterations=9).game == "kuhn_poker(players=3)"
    hn.solve(Split(), iterations=5, checkpoint=tmp_path / "y")
    with pytest.raises(hn.errors.FileError, match="belongs to Split, which is not built in: give the game too"):
        hn.solve(resume=tmp_path / "y", iterations=9)
    assert hn.solve(Split(), resume=tmp_path / "y", iterations=9).iterations == 9
    with pytest.raises(hn.errors.ParameterError, match="name the game to solve, or the checkpoint to continue from"):
        hn.solve()


def test_a_locked_run_is_saved_with_its_locks(tmp_path: Path) -> None:
    hn.solve("kuhn_poker", "cfr", locks=LOCKS, iterations=5, checkpoint=tmp_path / "x")
    whole = hn.solve("kuhn_poker", "cfr", locks=LOCKS, iterations=20)
    for given in ({}, {"game": "kuhn_poker"}, {"locks": LOCKS}, {"game": "kuhn_poker", "locks": LOCKS}):
        again = hn.solve(**given, resume=tmp_path / "x", iterations=20)
        assert told(again) == told(whole)
    with pytest.raises(hn.errors.MismatchError, match="belongs to kuhn_poker"):
        hn.solve(resume=tmp_path / "x", locks={1: {"Kb": {"b": 1}}}, iterations=20)
    solver = hn.resume(tmp_path / "x")
    assert solver.game.address == "kuhn_poker with 2 locked sets"
    profile = hn.read(tmp_path / "x")
    assert isinstance(profile, hn.Profile)
    assert profile.at(1, "Jp") == {"p": 0.5, "b": 0.5}


@pytest.mark.parametrize(
    "locks", [[], {"0": []}, {"0": {"x": [1]}}, {"9": {"0": [1.0, 0.0]}}, {"0": {"0": [2, 2]}}], ids=str
)
def test_locks_that_make_no_sense(locks: Any, tmp_path: Path) -> None:
    solver = hn.CFR("kuhn_poker")
    solver.save(tmp_path / "x", {})
    arrays, facts = read_arrays(tmp_path / "x", "checkpoint")
    write_arrays(tmp_path / "x", "checkpoint", arrays, {**facts, "locks": locks})
    with pytest.raises(hn.HannanError):
        hn.resume(tmp_path / "x")


def test_what_a_checkpoint_says_is_not_typed_again(tmp_path: Path) -> None:
    """Its seed, why its method was chosen, and how the variance is measured."""
    path = tmp_path / "x"
    first = hn.solve("kuhn_poker", seed=7, iterations=3, checkpoint=path)
    again = hn.solve(resume=path, iterations=6)
    assert (again.seed, again.why) == (7, first.why)
    hn.solve("kuhn_poker", "mccfr-os", seed=7, variance=10, iterations=3, checkpoint=path)
    assert hn.solve(resume=path, iterations=6).variance is not None
    with pytest.raises(hn.errors.MismatchError, match="was made with seed=7, not with seed=8"):
        hn.solve(resume=path, seed=8, iterations=6)
    with pytest.raises(hn.errors.MismatchError, match="is a checkpoint of mccfr-os, not of cfr"):
        hn.solve(resume=path, method="cfr", iterations=6)
    with pytest.raises(hn.errors.ParameterError, match="start and resume exclude each other"):
        hn.solve(resume=path, start=hn.uniform("kuhn_poker"))


def test_a_solver_saved_by_hand_is_resumed_as_a_run(tmp_path: Path) -> None:
    solver = hn.CFRPlus("kuhn_poker")
    solver.run(10)
    solver.save(tmp_path / "x")
    result = hn.solve(resume=tmp_path / "x", iterations=20)
    whole = hn.solve("kuhn_poker", "cfr+", iterations=20)
    assert [p.gap for p in result.curve] == [p.gap for p in whole.curve if p.iteration >= 10]
    run = solve.begin(None, resume=tmp_path / "x")
    assert (run.seconds, run.curve, run.resumed) == (0.0, [], True)


@pytest.mark.parametrize(
    "facts",
    [
        {"seconds": -1},
        {"seconds": "long"},
        {"seconds": float("inf")},
        {"curve": 3},
        {"curve": [[1]]},
        {"seed": "x"},
        {"variance": "x"},
    ],
    ids=str,
)
def test_facts_of_a_run_that_make_no_sense(facts: dict[str, Any], tmp_path: Path) -> None:
    solver = hn.methods.OutcomeSampling("kuhn_poker")
    solver.save(tmp_path / "x", facts)
    with pytest.raises(hn.HannanError):
        hn.solve(resume=tmp_path / "x", iterations=5)


def test_an_exact_method_is_given_time(tmp_path: Path) -> None:
    """A limit of no seconds ends an iterative run after a step; the one step of lp is given a second all the same."""
    assert hn.solve("kuhn_poker", "lp", seconds=0).stop == "exact"
    work = Solving(hn.methods.SequenceFormLP("kuhn_poker"))
    assert work.expanded
    assert not work.solved
    assert Run(work, Limits(gap=1e-6)).finish().stop == "exact"
    assert work.solved


def test_progress_true_is_silent_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hn.solve("kuhn_poker", iterations=3, progress=True)
    assert capsys.readouterr() == ("", "")


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    console = Console(stderr=True, force_terminal=True, width=100)
    monkeypatch.setattr(sys.modules["hannan.runs.status_line"], "stderr", lambda: console)
    hn.solve("kuhn_poker", iterations=300, progress=True)
    assert "iterations/s" in capsys.readouterr().err


def test_solving_from_a_file(tmp_path: Path) -> None:
    start = hn.random_profile("kuhn_poker", seed=3)
    hn.save(start, tmp_path / "x")
    runs = [hn.solve("kuhn_poker", "cfr", iterations=5, start=given) for given in (start, tmp_path / "x")]
    assert told(runs[0]) == told(runs[1])
