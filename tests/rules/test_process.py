"""Simulators in processes of their own: the protocol, faults of every kind, and examples in three languages."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.files import counted
from hannan.cli import main
from hannan.forms.boxes import boxed
from hannan.interrupts import Halted, patience
from hannan.rules import messages
from hannan.rules.box import FAILED, SimulatorError, View
from hannan.rules.process import ProcessBox

COIN = f"{sys.executable} {Path(__file__).with_name('simulators.py')}"
EXAMPLES = Path(__file__).parents[2] / "examples" / "simulators"


def example(language: str, folder: Path) -> str:
    """Return the address of an example, compiled where that is needed; skip what is not installed."""
    if language == "python":
        return f"command:{sys.executable} {EXAMPLES / 'kuhn.py'}"
    if language == "javascript":
        node = shutil.which("node")
        if node is None:
            pytest.skip("node is not installed")
        return f"command:{node} {EXAMPLES / 'kuhn.js'}"
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    program = folder / "kuhn"
    subprocess.run([compiler, "-O1", "-o", str(program), str(EXAMPLES / "kuhn.c")], check=True)
    return f"command:{program}"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", "c", "javascript"])
def test_the_examples_keep_their_promises_and_their_certificates_are_replayed(language: str, tmp_path: Path) -> None:
    address, out = example(language, tmp_path), tmp_path / "kuhn.certificate"
    outcome = hn.check_box(address, playthroughs=60)
    assert outcome.zero_sum
    assert (outcome.players, outcome.longest, outcome.restarts) == (2, 6, 0)
    certificate = hn.certify(address, playthroughs=300, solve_every=100)
    certificate.save(out)
    verdict = hn.verify(out, boxed(address).box)
    assert verdict.valid, verdict.reason
    assert verdict.level == "counts"
    assert verdict.replayed == 300


def test_a_simulator_is_a_box() -> None:
    box = ProcessBox(COIN)
    assert (box.players, box.name, box.seeded) == (1, "coin", True)
    root = box.reset(1 << 7)
    assert root.draw is not None
    assert root.draw.outcome == 1
    assert root.draw.outcomes == [0, 1, FAILED]
    assert root.bounds == [(0, 1)]
    asked = box.step(())
    assert asked.observations == ["guess"]
    assert box.step(("tails",)).gains == [1.0]
    box.close()


def same_counts(one: hn.Certificate, other: hn.Certificate) -> None:
    assert one.work is not None
    assert other.work is not None
    mine, theirs = counted(one.work), counted(other.work)
    assert mine.keys() == theirs.keys()
    for name in mine:
        assert np.array_equal(mine[name], theirs[name], equal_nan=mine[name].dtype.kind == "f"), name


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cfr", "mccfr"])
def test_killed_fifty_times_no_count_changes(method: str, tmp_path: Path) -> None:
    """One playthrough in four is struck by kill -9, once after chance and once more after the player's move."""
    whole = hn.certify(f"command:{COIN}", playthroughs=104, method=method, bounds="0,1")
    words = f"command:{COIN} draw-move-crash {tmp_path / 'mark'}"
    killed = hn.certify(words, playthroughs=104, method=method, bounds="0,1")
    assert killed.restarts >= 20
    again = hn.certify(words.replace("mark", "other"), playthroughs=104, method=method, bounds="0,1", processes=2)
    assert killed.restarts + again.restarts >= 50
    assert killed.failures == again.failures == 0
    same_counts(whole, killed)
    same_counts(whole, again)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["draw-crash", "draw-babble", "draw-hang"])
def test_a_simulator_that_fails_twice_gives_an_outcome_of_chance(fault: str, tmp_path: Path) -> None:
    """One seed in four never answers after the toss: about a quarter of the draws, worth anything within bounds."""
    address, out = f"command:{COIN} {fault} {tmp_path / 'mark'} always", tmp_path / "coin.certificate"
    many = 12 if fault == "draw-hang" else 24
    certificate = hn.certify(address, playthroughs=many, timeout=0.3 if fault == "draw-hang" else 10.0)
    assert certificate.stop == "playthroughs"
    work = certificate.work
    assert work is not None
    counts = work.trunk.slots.view("count").tolist()
    assert counts[2] == certificate.failures > 0
    assert sum(counts) == many
    certificate.save(out)
    again = hn.verify(out, boxed(address, timeout=0.3 if fault == "draw-hang" else 10.0).box)
    assert again.valid, again.reason
    assert again.failures == certificate.failures
    answering = hn.verify(out, boxed(f"command:{COIN}").box)
    assert not answering.valid
    assert "the simulator failed, but it answers" in answering.reason


def test_without_an_answer_after_a_move_the_run_ends_and_says_why(tmp_path: Path) -> None:
    address = f"command:{COIN} move-crash {tmp_path / 'mark'} always"
    certificate = hn.certify(address, playthroughs=100)
    assert certificate.stop == "failed"
    assert "exit code -9" in certificate.failure
    assert "hidden" in certificate.failure
    hidden = hn.certify(address, playthroughs=24, hidden=4)
    assert hidden.stop == "playthroughs"
    assert hidden.failures > 0


def test_a_simulator_that_cannot_repeat_itself_is_not_asked_again(tmp_path: Path) -> None:
    certificate = hn.certify(f"command:{COIN} unseeded-draw-crash {tmp_path / 'mark'}", playthroughs=24)
    assert not certificate.seeded
    assert certificate.failures > 0  # the first failure counts: another play would be another draw


def test_a_simulator_that_lies_about_its_seeds_is_caught(tmp_path: Path) -> None:
    """It says that it repeats itself, and after a crash it tosses another coin: a broken promise, not an outcome."""
    certificate = hn.certify(f"command:{COIN} forgetful-draw-crash {tmp_path / 'mark'}", playthroughs=200)
    assert certificate.stop == "failed"
    assert "plays differently" in certificate.failure
    assert certificate.failures == 0


def test_the_number_of_processes_changes_no_bit() -> None:
    one = hn.certify(f"command:{COIN}", playthroughs=150, method="mccfr")
    several = hn.certify(f"command:{COIN}", playthroughs=150, method="mccfr", processes=3)
    same_counts(one, several)
    assert one.gap == several.gap


def test_a_stopped_run_of_a_simulator_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    path = tmp_path / "coin.checkpoint"
    whole = hn.certify(f"command:{COIN}", playthroughs=150, method="mccfr")
    hn.certify(f"command:{COIN}", playthroughs=90, method="mccfr", checkpoint=path)
    same_counts(whole, hn.certify(f"command:{COIN}", resume=path, playthroughs=150, processes=2))


@pytest.mark.parametrize(
    ("fault", "sentence", "timeout"),
    [
        ("move-wrong", "gained 7", "60"),
        ("move-babble x always", "is not JSON", "60"),
        ("silent", "no answer within", "0.2"),
    ],
)
def test_check_names_the_first_broken_promise(
    fault: str, sentence: str, timeout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", f"command:{COIN} {fault}", "--timeout", timeout])
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def test_check_says_what_it_saw(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", f"command:{COIN}", "--playthroughs", "20", "--json"])
    assert ended.value.code == 0
    record = json.loads(capsys.readouterr().out)
    assert record["playthroughs"] == 20
    assert record["longest"] == 3
    with pytest.raises(SystemExit):
        main(["check", f"command:{COIN}", "--playthroughs", "20"])
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith(": every promise was kept")  # in one line, however narrow the table below it
    assert any(line.split() == ["longest", "play", "3", "nodes"] for line in told)


def test_check_reports_plays_without_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", f"command:{COIN} draw-crash {tmp_path / 'mark'} always", "--playthroughs", "20"])
    assert ended.value.code == 2
    told = capsys.readouterr().out
    assert " of 20 plays got no answer" in told
    assert "every promise was kept" not in told
    with pytest.raises(SystemExit):
        main(["certify", f"command:{COIN} draw-crash {tmp_path / 'mark'} always", "--playthroughs", "20"])
    assert "the simulator did not answer in " in capsys.readouterr().err


def test_refusals() -> None:
    with pytest.raises(SimulatorError, match="cannot be run"):
        ProcessBox("/nowhere/at/all")
    with pytest.raises(hn.errors.ParameterError, match="which program"):
        ProcessBox("")
    with pytest.raises(SimulatorError, match="first line"):
        ProcessBox("echo {}")
    with pytest.raises(hn.errors.ParameterError, match="command: addresses"):
        hn.certify("kuhn_poker", timeout=2.0)
    with pytest.raises(hn.errors.ParameterError, match="leave hidden out"):
        hn.certify("kuhn_poker", hidden=3)


@pytest.mark.slow
def test_no_bound_of_a_process_is_false() -> None:
    """10 runs of 100 playthroughs at δ = 0.1: the value of Kuhn poker, -1/18, is within the bounds. 1 may fail; at that
    rate, more than 5 would in 1 of 7,000 such tests."""
    box = ProcessBox(f"{sys.executable} {EXAMPLES / 'kuhn.py'}")
    failures = 0
    for seed in range(10):
        method = "mccfr" if seed % 2 else "cfr"
        low, high = hn.certify(box, playthroughs=100, seed=seed, method=method, confidence=0.9).value_bounds
        failures += not low <= -1 / 18 <= high
    assert failures <= 5
    box.close()


def test_a_play_that_another_overtakes_begins_anew() -> None:
    """Two certifications share one process, and a reset comes between: counts are those of each by itself."""
    box = ProcessBox(COIN)
    alone = Regretting(box, every=64, seed=3)
    alone.advance(100)
    one, other = Regretting(box, every=64, seed=3), Regretting(box, every=64, seed=4)
    for _ in range(100):
        one.advance(1)
        box.reset(5)
        other.advance(1)
    assert np.array_equal(one.trunk.slots.view("count"), alone.trunk.slots.view("count"))
    assert list(one.actions) == list(alone.actions)
    assert one.bound() == alone.bound()
    box.close()


HANGING = """
import json, os, sys, time
open(sys.argv[1], "w").write(str(os.getpid()))
print(json.dumps({"hannan": 1, "players": 1, "bounds": [[0, 1]]}), flush=True)
for line in sys.stdin:
    if sys.argv[2] == "deaf":
        while True:
            time.sleep(1)
    print(json.dumps({"gains": [0]}), flush=True)
"""


def hanging(tmp_path: Path, kind: str) -> tuple[str, Path]:
    """Return a simulator that answers nothing (`deaf`), and the file in which it writes its number."""
    script, number = tmp_path / "hanging.py", tmp_path / "pid"
    script.write_text(HANGING)
    return f"{shlex.quote(sys.executable)} {script} {number} {kind}", number


def alive(number: Path) -> bool:
    try:
        os.kill(int(number.read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def gone(number: Path) -> bool:
    """Wait for a process to end, for a minute at most."""
    for _ in range(600):
        if not alive(number):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_that_should_end_waits_for_no_answer(tmp_path: Path, processes: int) -> None:
    """The simulator would be given a thousand seconds; whoever drives the run has enough once it lives."""
    command, number = hanging(tmp_path, "deaf")
    with pytest.raises(Halted), patience(lambda: number.exists() and number.read_text() != ""):
        hn.certify(f"command:{command}", playthroughs=4, timeout=1000.0, processes=processes, bounds=(0, 1))
    assert gone(number)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems close its standard input alone")
def test_a_killed_run_takes_its_simulator_with_it(tmp_path: Path) -> None:
    command, number = hanging(tmp_path, "deaf")
    words = [sys.executable, "-m", "hannan", "certify", f"command:{command}", "--timeout", "1000"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not number.exists() or not number.read_text():
            assert process.poll() is None
            time.sleep(0.1)
        assert alive(number)
        process.kill()
    assert gone(number)


ANSWERS = {
    '{"gains": [0], "movers": [0], "actions": ["p", "b"], "observations": ["K"]}': "`actions` should be a list with",
    '{"gains": [0], "movers": [0], "actions": ["pb"], "observations": ["K"]}': "`actions` should be a list with",
    '{"gains": [0], "movers": [0], "actions": [["p", "b"]]}': "`observations` is empty; it should be",
    '{"gains": [0], "movers": [0], "observations": ["K"]}': "`actions` is empty; it should be a list with",
    '{"gains": [0], "movers": [0], "actions": [["p"]], "observations": ["K", 2]}': "`observations` should be a list",
    '{"gains": [0], "actions": [["p"]]}': "`actions` should be a list with a list of actions for each mover",
}


class Told(hn.Box):
    """A box in Python that shows one view."""

    players = 1

    def __init__(self, view: View) -> None:
        self.view = view

    def reset(self, seed: int) -> View:
        return self.view

    def step(self, moves: tuple[Any, ...]) -> View:
        return View([1.0])


def test_a_box_in_python_is_told_the_same() -> None:
    for view, sentence in (
        (View([0.0], movers=(0,), actions=["p", "b"], observations=["K"]), "`actions` should be a list with a list"),
        (View([0.0], movers=(0,), actions=[["p", "b"]]), "`observations` is empty; it should be a list"),
    ):
        with pytest.raises(hn.errors.RulesError) as refused:
            hn.check_box(Told(view), bounds=(0, 1))
        assert f"node r: {sentence}" in str(refused.value)


@pytest.mark.parametrize("answer", ANSWERS)
def test_actions_and_observations_are_one_for_each_mover(answer: str) -> None:
    with pytest.raises(hn.errors.RulesError) as refused:
        messages.view("sim", answer.encode())
    assert str(refused.value).startswith(f"sim: {ANSWERS[answer]}")
    assert "zip" not in str(refused.value)


def test_silence_is_remarked_upon_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.rules.process._NUDGE", 0.0)
    silent = pytest.raises(SimulatorError, match=r"no answer within 0\.6 seconds")
    with silent, pytest.warns(UserWarning, match="no line yet after 0 seconds; does the program flush") as remarks:
        ProcessBox(f"{COIN} silent", timeout=0.6)
    assert len(remarks) == 1
