"""Runs that are killed or interrupted, as real processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hannan.measures.appraisal import evaluate
from hannan.runs.log import read_log
from hannan.solvers.checkpoint import resume
from hannan.strategies.files import read_policy
from hannan.strategies.files import read_profile as read

COMMAND = [sys.executable, "-c", "from hannan.cli import main; main()"]

DYING = """
import os, signal, sys
from hannan.cli import main

saves, moment = int(sys.argv.pop(1)), sys.argv.pop(1)
replace = os.replace

def dying(temporary, target):
    global saves
    if not str(target).endswith(".checkpoint"):
        return replace(temporary, target)
    saves -= 1
    if saves == 0 and moment == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    replace(temporary, target)
    if saves == 0:
        os.kill(os.getpid(), signal.SIGKILL)

os.replace = dying
main()
"""
"""A command that is killed at so many checkpoints, before the new one takes the old one's place, or right after."""

PATIENT = """
import hannan.measures.rollouts
from hannan.cli import main

hannan.measures.rollouts.PLAYS = 10**10
main()
"""
"""A command that would estimate values for hours."""

GAME = "liars_dice"
ITERATIONS = 100

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")


def begin(*arguments: object, program: list[str] | None = None) -> subprocess.Popen[str]:
    line = [*(program or COMMAND), *map(str, arguments)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a file is there, or the process has ended without it."""
    while not path.exists() and process.poll() is None:
        time.sleep(0.01)


@pytest.mark.slow
def test_killed_runs_resume_to_the_same_bits(tmp_path: Path) -> None:
    """kill -9 around checkpoints, several times; the saved strategy is the one of a run that was left alone."""
    limits = ["--iterations", ITERATIONS, "--method", "cfr+", "--json"]
    alone = begin("solve", GAME, *limits, "--out", tmp_path / "alone.strategy")
    assert alone.wait() == 0
    checkpoint = tmp_path / "x.checkpoint"
    saving = ["--checkpoint", checkpoint, "--every", 0, "--out", tmp_path / "killed.strategy"]
    for moment in ((1, "before"), (3, "after"), (2, "before"), (1, "after")):
        resuming = ["--resume", checkpoint] if checkpoint.exists() else []
        program = [sys.executable, "-c", DYING, *map(str, moment)]
        killed = begin("solve", GAME, *limits, *saving, *resuming, program=program)
        assert killed.wait() == -signal.SIGKILL
    assert 0 < resume(checkpoint).iterations < ITERATIONS
    last = begin("solve", "--resume", checkpoint, *limits, *saving)
    assert last.wait() == 0
    assert (tmp_path / "killed.strategy").read_bytes() == (tmp_path / "alone.strategy").read_bytes()


@pytest.mark.slow
def test_ctrl_c_gives_the_result_so_far(tmp_path: Path) -> None:
    """Exit code 0, one JSON object, and the saved strategy is worth what it says."""
    log = tmp_path / "x.log"
    saving = ["--log", log, "--out", tmp_path / "x.strategy", "--checkpoint", tmp_path / "x.checkpoint"]
    process = begin("solve", GAME, "--method", "cfr", "--iterations", 10**9, "--json", *saving)
    wait_for(log, process)  # from here on, Ctrl-C is heard
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 0, err
    found = json.loads(out)
    assert found["stop"] == "interrupted"
    assert 0 < found["iterations"] < 10**9
    profile = read(tmp_path / "x.strategy")
    assert evaluate(profile.game, profile).nash_conv == found["nash_conv"]
    assert read_log(log).stop == "interrupted"
    assert (tmp_path / "x.checkpoint").is_file()


@pytest.mark.slow
def test_ctrl_c_twice_on_a_large_game(tmp_path: Path) -> None:
    """The second one comes while values are estimated, which here would take hours: exit code 0, everything written."""
    files = {what: tmp_path / f"x.{what}" for what in ("log", "out", "checkpoint")}
    saving = [word for what, path in files.items() for word in (f"--{what}", str(path))]
    line = ["solve", "liars_dice(dice=5)", "--method", "mccfr-os", "--iterations", "1e9", "--json", *saving]
    process = begin(*line, program=[sys.executable, "-c", PATIENT])
    wait_for(files["log"], process)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "estimating the values from 1,000,000,000 plays" not in process.stderr.readline():
        assert process.poll() is None
    wait_for(files["out"], process)
    assert files["checkpoint"].is_file()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 0, err
    found = json.loads(out)
    assert found["stop"] == "interrupted"
    assert 0 < found["iterations"] < 10**9
    assert all(width > 0 for width in found["half_widths"])
    assert read_policy(files["out"]).sets > 0
    assert resume(files["checkpoint"]).iterations == found["iterations"]
