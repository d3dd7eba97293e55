"""Simulators that take more than their share: memory, bytes of an answer, standard error, a temporary folder."""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

import pytest

import hannan as hn
from hannan.rules import process
from hannan.rules.box import SimulatorError
from hannan.rules.process import ProcessBox

pytest.importorskip("resource")  # with which a simulator limits itself

GREEDY = """
import json, resource, sys
kind, kept = sys.argv[1], []
print(json.dumps({"hannan": 1, "players": 1, "bounds": [[0, 1]]}), flush=True)
for line in sys.stdin:
    question = json.loads(line)
    if "reset" in question:
        coin = int(question["reset"], 16) >> 5 & 1
        print(json.dumps({"gains": [0], "draw": {"outcome": coin, "outcomes": [0, 1]}}), flush=True)
        continue
    if kind in ("leak", "glutton"):
        resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))
        kept.append(bytearray((32 if kind == "leak" else 512) << 20))
    if kind == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    if kind == "chatty":
        sys.stderr.write("e" * (3 << 20))
        sys.stderr.flush()
    print(json.dumps({"gains": [coin]}), flush=True)
"""


@pytest.fixture
def greedy(tmp_path: Path) -> str:
    (tmp_path / "greedy.py").write_text(GREEDY)
    return f"{shlex.quote(sys.executable)} {tmp_path / 'greedy.py'}"


def counts(certificate: hn.Certificate) -> list[int]:
    assert certificate.work is not None
    return certificate.work.trunk.slots.view("count").tolist()


def test_a_simulator_that_leaks_until_it_dies_is_started_again(greedy: str) -> None:
    """A new process has all its memory again, so each play is answered, and no count changes."""
    honest = hn.certify(f"command:{greedy} honest", playthroughs=24)
    leaking = hn.certify(f"command:{greedy} leak", playthroughs=24)
    assert (leaking.stop, leaking.failures) == ("playthroughs", 0)
    assert leaking.trouble == "it ended (exit code 1): MemoryError"
    assert honest.trouble == ""
    assert leaking.restarts >= 2  # 256 MiB hold fewer than eight leaks of 32
    assert counts(leaking) == counts(honest)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [("glutton", r"it ended \(exit code 1\): MemoryError"), ("endless", "an answer of more than 262,144 bytes")],
)
def test_a_simulator_that_takes_too_much_gives_no_answer(
    kind: str, sentence: str, greedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_LONGEST", 1 << 18)
    simulator = ProcessBox(f"{greedy} {kind}")
    simulator.reset(1)
    with pytest.raises(SimulatorError, match=sentence):
        simulator.step(())
    simulator.close()
    certificate = hn.certify(f"command:{greedy} {kind}", playthroughs=3)
    assert (certificate.stop, certificate.failures, counts(certificate)) == ("playthroughs", 3, [0, 0, 3])
    assert re.search(sentence, certificate.trouble)


def test_no_more_than_a_megabyte_of_standard_error_is_kept(greedy: str) -> None:
    simulator = ProcessBox(f"{greedy} chatty")
    for seed in range(3):
        simulator.reset(seed)
        simulator.step(())
    simulator.reset(3)
    assert os.fstat(simulator._errors.fileno()).st_size <= process._MOST_SAID
    simulator.close()


def test_without_a_temporary_folder_a_simulator_cannot_be_run(greedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(SimulatorError, match="cannot be run: No such file or directory"):
        ProcessBox(greedy)
