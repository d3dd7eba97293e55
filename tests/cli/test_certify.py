"""The commands certify and verify."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.cli import main

CERTIFY = {
    "game", "method", "radius", "confidence", "bounds", "groups", "playthroughs", "seconds", "simulator_seconds",
    "solve_seconds", "stop", "gap", "gaps", "true_gap", "guarantees", "value_bounds", "expanded", "trunk", "failures",
    "restarts", "uncertainty", "uncertainty_bound", "rounds_gap", "why", "seed", "similar",
}  # fmt: skip
VERIFY = {
    "file", "game", "replayed_game", "valid", "level", "gap", "claimed_gap", "confidence", "radius", "playthroughs",
    "replayed", "failures", "believed", "reason",
}  # fmt: skip


def command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([*words])
    said = capsys.readouterr()
    code = ended.value.code
    return int(code or 0), said.out, said.err


def test_certify_then_verify(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, strategy = tmp_path / "kuhn.certificate", tmp_path / "kuhn.strategy"
    code, said, _ = command(
        capsys, "certify", "kuhn_poker", "--playthroughs", "300", "--check", "--out", str(out), "--profile",
        str(strategy), "--groups", "rules", "--json",
    )  # fmt: skip
    record: dict[str, Any] = json.loads(said)
    assert code == 0
    assert set(record) == CERTIFY
    assert record["true_gap"] <= record["gap"]
    assert isinstance(hn.read(strategy), hn.Profile)
    code, said, _ = command(capsys, "verify", str(out), "--replay", "--json")
    verdict = json.loads(said)
    assert code == 0
    assert set(verdict) == VERIFY
    assert verdict["level"] == "counts"
    assert command(capsys, "verify", str(out), "--rational")[0] == 0
    code, said, _ = command(capsys, "verify", str(out), "--game", "leduc_poker")
    assert code == 1
    assert "rejected" in said
    assert command(capsys, "verify", str(tmp_path / "none"))[0] == 2
    assert command(capsys, "verify", str(strategy))[0] == 2


def test_for_people(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "kuhn.png"
    code, said, _ = command(capsys, "certify", "kuhn_poker", "--gap", "3.5", "--plot", str(picture))
    assert code == 0
    assert "at most" in said
    assert "simulator" in said
    assert picture.stat().st_size > 1000
    assert "the gap was reached" in said
    assert f"plot written to {picture}" in said
    assert "by the bounds on gains" not in said
    assert "by the bounds on gains alone" in command(capsys, "certify", "kuhn_poker", "--playthroughs", "5")[1]


def test_a_strategy_of_ones_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "uniform.strategy"
    hn.save(hn.uniform("kuhn_poker"), path)
    words = ("certify", "kuhn_poker", "--playthroughs", "200", "--strategy", str(path), "--check", "--json")
    code, said, _ = command(capsys, *words)
    assert code == 0
    assert json.loads(said)["true_gap"] == pytest.approx(11 / 12)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lp", "cfr"])
def test_ctrl_c_ends_with_a_valid_certificate(method: str, tmp_path: Path) -> None:
    out, checkpoint = tmp_path / "some.certificate", tmp_path / "some.checkpoint"
    words = ["certify", "kuhn_poker", "--seconds", "600", "--method", method, "--solve-every", "5"]
    words += ["--out", str(out), "--checkpoint", str(checkpoint)]
    code = f"from hannan.cli import main; main({words!r})"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL) as process:
        journal = Path(f"{checkpoint}.journal")
        while process.poll() is None and not (journal.is_file() and journal.read_text().count("\n") >= 50):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    verdict = hn.verify(out)
    assert verdict.valid
    assert (verdict.playthroughs or 0) >= 50


LIAR = """
from hannan.boxes import View
from hannan import Box

class Liar(Box):
    players = 1
    def reset(self, seed):
        self.plays = getattr(self, "plays", 0) + 1
        return View([0.0], [(0.0, 1.0)], (0,), [("left", "right")], ["here"])
    def step(self, moves):
        return View([5.0 if self.plays > 20 else 0.5])
"""


def test_a_box_that_lies_ends_with_code_2_and_a_valid_certificate(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "liar.py").write_text(LIAR)
    out = tmp_path / "liar.certificate"
    words = ("certify", f"module:{tmp_path / 'liar.py'}:Liar", "--playthroughs", "100", "--out", str(out), "--json")
    code, said, complaint = command(capsys, *words)
    assert code == 2
    assert json.loads(said)["stop"] == "failed"
    assert "node r:" in complaint
    assert command(capsys, "verify", str(out))[0] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--radius", "paper", "--confidence", "0.9"), "its own confidence"),
        (("--bounds", "3,1"), "at most the second"),
        (("--method", "magic"), "not known"),
    ],
)
def test_refusals(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str) -> None:
    code, _, complaint = command(capsys, "certify", "kuhn_poker", *words)
    assert code == 2
    assert sentence in complaint


def test_learning_is_shown_with_its_uncertainty(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    checkpoint = tmp_path / "kuhn.checkpoint"
    words = ("certify", "kuhn_poker", "--method", "mccfr", "--seed", "3", "--checkpoint", str(checkpoint))
    code, said, _ = command(capsys, *words, "--playthroughs", "200")
    assert code == 0
    assert "Theorem 5.5" in said
    code, said, _ = command(capsys, "certify", "--resume", str(checkpoint), "--playthroughs", "400", "--json")
    record = json.loads(said)
    assert (code, record["method"], record["seed"], record["playthroughs"]) == (0, "mccfr", 3, 400)
    assert 0 < record["uncertainty"] <= record["uncertainty_bound"]


def test_correlated_play_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, picture = tmp_path / "kuhn.certificate", tmp_path / "kuhn.png"
    words = ("certify", "kuhn_poker(players=3)", "--groups", "known", "--playthroughs", "300", "--out", str(out))
    code, said, _ = command(capsys, *words, "--plot", str(picture), "--json")
    record = json.loads(said)
    assert code == 0
    assert len(record["gaps"]) == 3
    assert max(record["gaps"]) == record["gap"]
    assert record["guarantees"] is None
    assert picture.stat().st_size > 1000
    code, said, _ = command(capsys, "verify", str(out), "--replay")
    assert code == 0
    assert "The largest gain of any player" in said
    code, _, complaint = command(capsys, *words, "--profile", str(tmp_path / "some.strategy"))
    assert code == 2
    assert "is not a profile" in complaint


def test_a_program_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    simulator = Path(__file__).parents[2] / "examples" / "simulators" / "kuhn.py"
    address, out = f"command:{sys.executable} {simulator}", tmp_path / "kuhn.certificate"
    code, said, _ = command(capsys, "certify", address, "--playthroughs", "100", "--processes", "2", "--out", str(out))
    assert code == 0
    assert "in the simulator" in said
    assert command(capsys, "verify", str(out), "--replay", "--game", address)[0] == 0
