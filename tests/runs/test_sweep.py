"""A sweep gives the numbers of `solve`, the same on every back end, and goes on where it was stopped."""

from __future__ import annotations

import csv
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hannan as hn
from hannan.errors import FileError, ParameterError, TrustError, UnsuitableError
from hannan.files import digest
from hannan.interrupts import Halted, patience
from hannan.runs import sweep_run
from hannan.runs.progress import Point
from hannan.runs.sweep_plan import read_plan
from hannan.runs.sweep_run import Sent, checkpoint_of, make_run
from hannan.runs.sweep_table import SweepResult, SweptRun
from tests.trap import BROKEN, CODE, LONG, NAMELESS, OTHERS, Trap

SMALL: dict[str, Any] = {
    "games": ["kuhn_poker", {"name": "leduc_poker", "ranks": [2, 3]}],
    "methods": [{"name": "dcfr", "alpha": [1.5, 2.0]}, {"name": "mccfr-es", "limits": {"iterations": 60}}],
    "seeds": [3, 5],
    "limits": {"iterations": 30, "gap": 0.01},
}
TIMED = ("seconds",)


def rows(result: SweepResult) -> dict[str, list[Any]]:
    """Return all of the table but what a clock measured."""
    return {name: values for name, values in result.runs_table().items() if name not in TIMED}


def points(result: SweepResult) -> dict[str, list[Any]]:
    return {name: values for name, values in result.curves_table().items() if name not in TIMED}


def test_the_table_holds_the_numbers_of_solve(tmp_path: Path) -> None:
    result = hn.sweep(SMALL, out=tmp_path)
    assert [(run.game, run.method, run.seed) for run in result.runs[:5]] == [
        ("kuhn_poker", "dcfr(alpha=1.5)", None),
        ("kuhn_poker", "dcfr(alpha=2.0)", None),
        ("kuhn_poker", "mccfr-es", 3),
        ("kuhn_poker", "mccfr-es", 5),
        ("leduc_poker(ranks=2)", "dcfr(alpha=1.5)", None),
    ]
    with (tmp_path / "runs.csv").open() as file:
        table = list(csv.DictReader(file))
    with (tmp_path / "curves.csv").open() as file:
        curves = list(csv.DictReader(file))
    assert len(table) == 3 * 4
    for run, row in zip(result.runs, table, strict=True):
        limits = {"gap": 0.01, "iterations": 60 if run.method == "mccfr-es" else 30}
        own = {"seed": run.seed} if run.seed is not None else {"alpha": run.method_parameters["alpha"]}
        alone = hn.solve(run.game, run.method.partition("(")[0], **limits, **own)
        assert (run.numbers["gap"], run.numbers["iterations"]) == (alone.gap, alone.iterations)
        assert (float(row["gap"]), row["stop"], int(row["iterations"])) == (alone.gap, alone.stop, alone.iterations)
        assert [float(row["values.0"]), float(row["values.1"])] == list(alone.values)
        assert row["game.ranks"] == ("" if run.game == "kuhn_poker" else run.game[-2])
        assert row["method.alpha"] == str(own.get("alpha", ""))
        drawn = [(int(one["iteration"]), float(one["gap"])) for one in curves if one["key"] == run.key]
        assert drawn == [(point.iteration, point.gap) for point in alone.curve]


@pytest.fixture(scope="module")
def own_ray() -> Iterator[None]:
    """A Ray of this file alone: no other test joins it, and it joins none."""
    ray = pytest.importorskip("ray")
    folder = tempfile.mkdtemp(prefix="ray")
    ray.init(
        "local", num_cpus=2, object_store_memory=100_000_000, include_dashboard=False, log_to_driver=False,
        logging_level=logging.ERROR, _temp_dir=folder,
    )  # fmt: skip
    yield
    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.usefixtures("own_ray")
def test_back_ends_give_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The games come from a built-in name and from a user's file, one method from a user's file too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("swept_own.py").write_text(OWN)
    plan = {
        "games": ["kuhn_poker", "swept_own.py:Toss"],
        "methods": ["swept_own.py:Squared", "mccfr-os"],
        "seeds": 3,
        "limits": {"iterations": 40},
    }
    serial = hn.sweep(plan)
    assert serial.count("finished") == 8
    for on in ("processes", "ray"):
        other = hn.sweep(plan, on=on, workers=2)
        assert rows(other) == rows(serial)
        assert points(other) == points(serial)


OWN = """
import os
import sys

import hannan as hn
from hannan.layouts.backend import Step
from hannan.methods import FullWidth
from hannan.solvers.guarantee import Guarantee


class Toss(hn.Rules):
    def start(self):
        return ()

    def turn(self, state):
        return hn.END if len(state) == 2 else len(state)

    def actions(self, state, player):
        return ["heads", "tails"]

    def after(self, state, move):
        return (*state, move)

    def observe(self, state, player):
        return 0

    def gains(self, state):
        won = 1.0 + state.count("heads") if len(state) == 2 and state[0] == state[1] else 0.0
        return won, -won


class Squared(FullWidth):
    method = "squared"
    guarantee = Guarantee("average profile", rate="none")

    def step(self, t):
        return Step(floor=0.0, decay=(t / (t + 1)) ** 2)


class Dying(Squared):
    method = "dying"

    def step(self, t):
        if "pytest" not in sys.modules:
            os._exit(7)
        return super().step(t)
"""


@pytest.mark.slow
def test_a_run_that_kills_its_workers_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("swept_dying.py").write_text(OWN)
    plan = {"games": ["kuhn_poker"], "methods": ["swept_dying.py:Dying", "cfr", "cfr+"], "limits": {"iterations": 9}}
    result = hn.sweep(plan, on="processes", workers=2, out="kept")
    assert [run.status for run in result.runs] == ["failed", "finished", "finished"]
    assert result.runs[0].error == "its worker was lost 3 times; the last time, its process ended with exit code 7"
    assert rows(hn.sweep(plan, out="kept", dry_run=True))["status"] == ["missing", "finished", "finished"]


def test_a_run_that_fails_does_not_end_the_sweep(tmp_path: Path) -> None:
    plan = {"games": ["kuhn_poker(players=3)", "kuhn_poker"], "methods": ["lp", "cfr"], "limits": {"iterations": 5}}
    result = hn.sweep(plan, out=tmp_path)
    assert [run.status for run in result.runs] == ["failed", "finished", "finished", "finished"]
    with pytest.raises(UnsuitableError) as alone:
        hn.solve("kuhn_poker(players=3)", "lp")
    assert result.runs[0].error == str(alone.value)
    with (tmp_path / "runs.csv").open() as file:
        table = list(csv.DictReader(file))
    assert (table[0]["error"], table[0]["gap"], table[1]["error"]) == (str(alone.value), "", "")
    assert float(table[2]["nash_conv"]) == pytest.approx(0.0, abs=1e-9)  # the linear program is exact


def test_what_is_finished_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = hn.sweep({**SMALL, "seeds": [3]}, out=tmp_path)
    made: list[str] = []
    second = hn.sweep(SMALL, out=tmp_path, tell=made.append)
    assert len(made) == 3  # seed 5 on three games
    known = {run.key: run for run in second.runs}
    assert all(known[run.key] == run for run in first.runs)  # seconds too
    changed = {**SMALL, "limits": {"iterations": 31, "gap": 0.01}}
    statuses = {run.method: run.status for run in hn.sweep(changed, out=tmp_path, dry_run=True).runs}
    assert statuses == {"dcfr(alpha=1.5)": "missing", "dcfr(alpha=2.0)": "missing", "mccfr-es": "finished"}


def test_a_file_of_a_run_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    plan = {"games": ["kuhn_poker"], "methods": ["cfr"], "limits": {"iterations": 3}}
    (run,) = hn.sweep(plan, out=tmp_path).runs
    path = tmp_path / "runs" / f"{run.key}.json"
    good = json.loads(path.read_text())
    assert good.pop("digest") == digest({}, good)
    numbers = {name: {**good["numbers"], name: "x" * 3} for name in ("iterations", "gap", "values", "seconds")}
    forgeries: list[Any] = [
        [], {}, {**good, "key": "0"}, {**good, "version": 2}, {**good, "curve": [[1]]}, {**good, "curve": [["x"] * 4]},
        {**good, "curve": 5}, {**good, "numbers": []}, *({**good, "numbers": told} for told in numbers.values()),
    ]  # fmt: skip
    for forged in forgeries:
        sealed = forged | {"digest": digest({}, forged)} if isinstance(forged, dict) else forged
        path.write_text(json.dumps(sealed))
        with pytest.raises(FileError, match="is not a finished run of a sweep"):
            hn.sweep(plan, out=tmp_path)
    for text in ("", "{", "\0", json.dumps({**good, "gap_name": "other", "digest": digest({}, good)})):
        path.write_text(text)
        with pytest.raises(FileError, match=r"is not a finished run of a sweep|was changed after it was written"):
            hn.sweep(plan, out=tmp_path)


LONG_RUN = {"games": ["leduc_poker"], "methods": ["cfr", "mccfr-es"], "limits": {"iterations": 3000}}


def test_a_run_that_was_stopped_in_the_middle_goes_on_from_there(tmp_path: Path) -> None:
    whole, plan = hn.sweep(LONG_RUN), read_plan(LONG_RUN, False)
    runs = tmp_path / "runs"
    runs.mkdir()
    for planned in plan.runs:
        looks = iter(range(100))
        with patience(lambda looks=looks: next(looks) > 2), pytest.raises(Halted):  # type: ignore[misc]
            make_run(Sent.of(plan, runs, 60.0), planned)
        assert 0 < hn.resume(checkpoint_of(runs, planned.key)).iterations < 3000
    assert [run.status for run in hn.sweep(LONG_RUN, out=tmp_path, dry_run=True).runs] == ["begun", "begun"]
    resumed = hn.sweep(LONG_RUN, out=tmp_path)
    assert (rows(resumed), points(resumed)) == (rows(whole), points(whole))
    assert list(runs.glob("*.checkpoint")) == []


def test_a_damaged_checkpoint_is_not_needed(tmp_path: Path) -> None:
    plan = read_plan(SMALL, False)
    (tmp_path / "runs").mkdir()
    checkpoint_of(tmp_path / "runs", plan.runs[0].key).write_bytes(b"half of a file")
    assert rows(hn.sweep(SMALL, out=tmp_path)) == rows(hn.sweep(SMALL))


@pytest.mark.slow
def test_a_sweep_that_is_killed_goes_on(tmp_path: Path) -> None:
    """SIGKILL in the middle of the second run; the rest is made by processes."""
    plan = {"games": ["leduc_poker"], "methods": ["cfr+", {"name": "cfr", "limits": {"iterations": 40_000}}],
            "limits": {"iterations": 50}}  # fmt: skip
    words = f"import hannan as hn; hn.sweep({plan!r}, out={str(tmp_path)!r}, every=0.0)"
    process = subprocess.Popen([sys.executable, "-c", words], stderr=subprocess.DEVNULL)
    long = checkpoint_of(tmp_path / "runs", read_plan(plan, False).runs[1].key)
    while not long.exists() and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert [run.status for run in hn.sweep(plan, out=tmp_path, dry_run=True).runs] == ["finished", "begun"]
    resumed = hn.sweep(plan, out=tmp_path, on="processes", workers=1)
    whole = hn.sweep(plan)
    assert (rows(resumed), points(resumed)) == (rows(whole), points(whole))


def test_ctrl_c_ends_a_sweep_with_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal comes in the middle of the third run."""
    real, sent = sweep_run._watch, False

    def pressed(progress: hn.Progress) -> None:
        nonlocal sent
        if len(list((tmp_path / "runs").glob("*.json"))) == 2 and not sent:
            sent = True
            os.kill(os.getpid(), signal.SIGINT)
        real(progress)

    monkeypatch.setattr(sweep_run, "_watch", pressed)
    stopped = hn.sweep(SMALL, out=tmp_path)
    assert (stopped.stop, stopped.count("finished")) == ("interrupted", 2)
    assert stopped.runs[2].status == "begun"
    assert len((tmp_path / "runs.csv").read_text().splitlines()) == 1 + 12
    monkeypatch.undo()
    assert rows(hn.sweep(SMALL, out=tmp_path)) == rows(hn.sweep(SMALL))


def test_no_time_makes_no_run() -> None:
    result = hn.sweep(SMALL, seconds=0.0)
    assert (result.stop, result.count("missing"), len(result.runs)) == ("seconds", 12, 12)


def swept(seed: int, stop: str, curve: Mapping[int, float]) -> SweptRun:
    return SweptRun(
        game="g", game_parameters={}, method="m", method_name="m", method_parameters={}, seed=seed, limits={},
        key=str(seed), status="finished", error="", numbers={"stop": stop}, gap_name="NashConv",
        curve=tuple(Point(at, 0.0, gap, gap) for at, gap in curve.items()),
    )  # fmt: skip


def test_medians_and_bands() -> None:
    """Quantiles of five numbers by hand: 0.1 lies at 0.4 between the first two, 0.9 at 0.6 between the last two."""
    curves = [{1: 10.0, 2: float(k), 4: k / 2} for k in (1, 2, 4, 8, 16)]
    result = SweepResult("s", tuple(swept(k, "iterations", curve) for k, curve in enumerate(curves)), None, "finished")
    (band,) = result.bands()
    assert band.runs == 5
    assert band.points[0] == (1, 10.0, 10.0, 10.0)
    assert band.points[1] == pytest.approx((2, 1.4, 4.0, 8 + 0.6 * 8))
    assert band.points[2] == pytest.approx((4, 0.7, 2.0, 4 + 0.6 * 4))
    assert result.medians_table()["median"] == [10.0, 4.0, 2.0]


def test_a_run_that_reached_its_gap_keeps_it_and_one_out_of_time_ends_the_medians() -> None:
    early, late, slow = {1: 3.0, 2: 1.0}, {1: 3.0, 2: 2.0, 4: 1.0}, {1: 3.0, 2: 2.5}
    both = SweepResult("s", (swept(0, "gap", early), swept(1, "iterations", late)), None, "finished").bands()[0]
    assert [(point.iteration, point.median) for point in both.points] == [(1, 3.0), (2, 1.5), (4, 1.0)]
    runs = (swept(0, "gap", early), swept(1, "iterations", late), swept(2, "seconds", slow))
    cut = SweepResult("s", runs, None, "finished").bands()[0]
    assert [(point.iteration, point.median) for point in cut.points] == [(1, 3.0), (2, 2.0)]


def test_hands_of_holdem_are_games() -> None:
    spot = {"name": "holdem", "oop": "AA,QQ", "ip": "KK", "pot": 2, "stack": 2, "bets": "a"}
    plan = {
        "games": [{**spot, "board": ["2c3d4h5s7c", "2c3d4h5s8c"]}],
        "methods": ["dcfr"],
        "limits": {"iterations": 9},
    }
    result = hn.sweep(plan)
    assert [run.game_parameters["board"] for run in result.runs] == ["2c3d4h5s7c", "2c3d4h5s8c"]
    for run in result.runs:
        assert run.numbers["gap"] == hn.solve(run.game, "dcfr", iterations=9).gap


def test_an_edited_file_makes_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    plan = {"games": ["kuhn_poker"], "methods": ["swept_edited.py:Squared"]}
    keys = set()
    for text in (OWN, OWN, OWN.replace("** 2", "** 3")):
        Path("swept_edited.py").write_text(text)
        keys |= {run.key for run in read_plan(plan, False).runs}
    assert len(keys) == 2


@pytest.mark.parametrize("key", ["games", "methods"])
def test_nothing_that_a_file_names_is_run_without_consent(key: str, trap: Trap) -> None:
    path = trap.folder / "sweep.toml"
    addresses = [*CODE, *OTHERS, *NAMELESS, *BROKEN, *LONG] if key == "games" else ["evil.py:G", "evil:G"]
    for address in map(trap.told, addresses):
        said = {"games": "kuhn_poker", "methods": "cfr", key: address}
        path.write_text("\n".join(f"{name} = [{toml(text)}]" for name, text in said.items()))
        with pytest.raises(hn.HannanError) as refused:
            hn.sweep(path)
        assert not trap.sprung(), address
        if address in map(trap.told, CODE):
            assert isinstance(refused.value, TrustError)
            with pytest.raises(hn.HannanError):
                hn.sweep(path, trust=True)
            assert trap.sprung(), address


def toml(text: str) -> str:
    return '"' + "".join(c if c.isalnum() else f"\\u{ord(c):04x}" for c in text) + '"'


def test_parameters_that_name_code_need_consent(trap: Trap) -> None:
    path = trap.folder / "sweep.toml"
    path.write_text('games = ["goofspiel(cards=3)"]\nmethods = [{name = "bi", evaluation = "evil.py:f", depth = 2}]')
    with pytest.raises(TrustError, match=r"names the evaluation 'evil\.py:f'"):
        hn.sweep(path)
    assert not trap.sprung()


def test_a_file_does_not_say_where_to_write(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text('games = ["kuhn_poker"]\nmethods = [{name = "sd-cfr", tensorboard = "somewhere"}]')
    with pytest.raises(ParameterError, match="a file does not say where to write: leave tensorboard out"):
        hn.sweep(path, trust=True)


WORDS = st.sampled_from(["kuhn_poker", "cfr", "dcfr", "name", "limits", "gap", "alpha", "players", "", "inf", "a\0b"])
VALUES = st.recursive(
    WORDS | st.integers(-3, 2**70) | st.floats() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
TABLES = st.fixed_dictionaries({"name": WORDS}, optional={"alpha": VALUES, "players": VALUES, "limits": VALUES})


@given(st.fixed_dictionaries({key: st.lists(VALUES | TABLES, max_size=2) | VALUES for key in ("games", "methods")},
                             optional={"seeds": VALUES, "limits": VALUES}))  # fmt: skip
def test_any_document_is_a_plan_or_gets_a_sentence(document: dict[str, Any]) -> None:
    said = "the sweep: "
    try:
        assert read_plan(document, False).runs
    except hn.HannanError as error:
        said = str(error)
    assert said.startswith("the sweep: ")


def test_parquet_holds_the_same_tables(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    result = hn.sweep(SMALL, out=tmp_path, parquet=True)
    for name, columns in result.tables().items():
        assert parquet.read_table(tmp_path / f"{name}.parquet").to_pydict() == columns


def test_parquet_without_pyarrow_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UnsuitableError, match=r"pyarrow is not installed: pip install 'hannan\[parquet\]'"):
        hn.sweep(SMALL, out=tmp_path / "out", parquet=True)
    assert not (tmp_path / "out").exists()
    with pytest.raises(UnsuitableError, match="give out"):
        hn.sweep(SMALL, parquet=True)


def test_a_folder_takes_one_sweep_at_a_time(tmp_path: Path) -> None:
    def inside(line: str) -> None:
        with pytest.raises(FileError, match="is being written by a run that is under way"):
            hn.sweep(SMALL, out=tmp_path)

    assert hn.sweep(SMALL, out=tmp_path, tell=inside).count("finished") == 12


@pytest.mark.parametrize("given", [5, None, ["kuhn_poker"]])
def test_what_is_no_sweep_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="should be the name of a TOML file, or a dictionary"):
        hn.sweep(given)


def test_a_table_of_a_dictionary_may_name_a_class(tmp_path: Path) -> None:
    tables = {
        "games": [{"name": "kuhn_poker"}],
        "methods": [{"name": hn.CFR, "updates": ["alternating", "simultaneous"]}],
    }
    found = hn.sweep({**tables, "limits": {"iterations": 10}}, out=tmp_path)
    assert len(found.runs) == 2
    game = hn.load("kuhn_poker")
    with pytest.raises(ParameterError, match="is a game, made already: leave players out"):
        hn.sweep({**tables, "games": [{"name": game, "players": 2}]}, out=tmp_path)
