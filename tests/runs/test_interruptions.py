"""Runs that are killed or interrupted, as real processes."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hannan.measures.evaluation import evaluate
from hannan.runs.log import read_log
from hannan.solvers.checkpoint import resume
from hannan.strategies.files import read_policy
from hannan.strategies.files import read_profile as read

COMMAND = [sys.executable, "-c", "from hannan.cli import main; main()"]

GAME = "liars_dice"
ITERATIONS = 400

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")


def begin(*arguments: object) -> subprocess.Popen[str]:
    line = [*COMMAND, *map(str, arguments)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(path: Path, process: subprocess.Popen[str], seconds: float = 60.0) -> None:
    """Wait until a file is there, or the process has ended without it."""
    end = time.monotonic() + seconds
    while not path.exists() and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_killed_runs_resume_to_the_same_bits(tmp_path: Path) -> None:
    """kill -9 at random moments, several times; the saved strategy is the one of a run that was left alone."""
    limits = ["--iterations", ITERATIONS, "--method", "cfr+", "--json"]
    alone = begin("solve", GAME, *limits, "--out", tmp_path / "alone.strategy")
    assert alone.wait(60) == 0
    checkpoint = tmp_path / "x.checkpoint"
    draw = random.Random(5)
    kills = 0
    while True:
        resuming = ["--resume", checkpoint] if checkpoint.exists() else []
        saving = ["--checkpoint", checkpoint, "--every", 0, "--out", tmp_path / "killed.strategy"]
        process = begin("solve", GAME, *limits, *saving, *resuming)
        if kills == 4:
            assert process.wait(60) == 0
            break
        stamp = checkpoint.stat().st_mtime_ns if resuming else None
        wait_for(checkpoint, process)
        while process.poll() is None and stamp is not None and checkpoint.stat().st_mtime_ns == stamp:
            time.sleep(0.002)
        time.sleep(draw.uniform(0.0, 0.15))
        if process.poll() is not None:
            break
        process.kill()
        assert process.wait(60) == -signal.SIGKILL
        kills += 1
    assert kills >= 2
    assert (tmp_path / "killed.strategy").read_bytes() == (tmp_path / "alone.strategy").read_bytes()


def test_ctrl_c_gives_the_result_so_far(tmp_path: Path) -> None:
    """Exit code 0, one JSON object, and the saved strategy is worth what it says."""
    log = tmp_path / "x.log"
    saving = ["--log", log, "--out", tmp_path / "x.strategy", "--checkpoint", tmp_path / "x.checkpoint"]
    process = begin("solve", GAME, "--method", "cfr", "--seconds", 60, "--json", *saving)
    wait_for(log, process)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    found = json.loads(out)
    assert found["stop"] == "interrupted"
    assert 0 < found["seconds"] < 60
    profile = read(tmp_path / "x.strategy")
    assert evaluate(profile.game, profile).nash_conv == found["nash_conv"]
    assert read_log(log).stop == "interrupted"
    assert (tmp_path / "x.checkpoint").is_file()


def test_ctrl_c_twice_on_a_large_game(tmp_path: Path) -> None:
    """The second one comes while values are estimated, which here would take hours: exit code 0, everything written."""
    patient = "import sys, hannan.solve; sys.modules['hannan.solve'].ROLLOUTS = 10**10"
    files = {what: tmp_path / f"x.{what}" for what in ("log", "out", "checkpoint")}
    saving = [word for what, path in files.items() for word in (f"--{what}", str(path))]
    line = ["solve", "liars_dice(dice=5)", "--method", "mccfr-os", "--seconds", "60", "--json", *saving]
    process = subprocess.Popen(
        [sys.executable, "-c", f"{patient}; from hannan.cli import main; main()", *line],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(files["log"], process)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "estimating the values from 1,000,000,000 plays" not in process.stderr.readline():
        assert process.poll() is None
    wait_for(files["out"], process)
    assert files["checkpoint"].is_file()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    found = json.loads(out)
    assert found["stop"] == "interrupted"
    assert found["seconds"] < 60
    assert all(width > 0 for width in found["half_widths"])
    assert read_policy(files["out"]).sets > 0
    assert resume(files["checkpoint"]).iterations == found["iterations"]
