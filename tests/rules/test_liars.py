"""Simulators that lie in their first line, do not listen, talk without end, or leave others behind."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.rules import process
from hannan.rules.box import Box, SimulatorError, View
from hannan.rules.process import ProcessBox

HELLO: dict[str, Any] = {"hannan": 1, "players": 2, "bounds": [[-1, 1], [-1, 1]]}
ROOT: dict[str, Any] = {
    "gains": [0, 0], "movers": [0, 1], "actions": [["a", "b"], ["a", "b"]], "observations": [None, None],
}  # fmt: skip


def program(folder: Path, *lines: str) -> str:
    """Return the command of a simulator that these lines of Python make."""
    path = folder / "sim.py"
    path.write_text("\n".join(("import json, os, sys, time", *lines)), encoding="utf-8")
    return f"{sys.executable} {path}"


def answering(folder: Path, hello: Any, answer: Any) -> str:
    """Return the command of a simulator with this first line and this root; play is over after it."""
    return program(
        folder,
        f"print({json.dumps(hello)!r}, flush=True)",
        "for line in sys.stdin:",
        f"    root = {answer if isinstance(answer, str) else json.dumps(answer)!r}",
        "    print(root if 'reset' in line else '{\"gains\": [0, 0]}', flush=True)",
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"players": 10**9}, "names 1000000000 players; it should be 1 to 14"),
        ({"players": 10**400}, "it should be 1 to 14"),
        ({"bounds": [[1]]}, "first line has wrong bounds of the whole game: "),
        ({"bounds": 7}, "first line has wrong bounds of the whole game: "),
        ({"bounds": [["a", "b"], ["c", "d"]]}, "first line has wrong bounds of the whole game: "),
        ({"bounds": [[float("nan"), 1], [-1, 1]]}, "not a finite number"),
    ],
)
def test_a_first_line_is_checked(change: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SimulatorError, match=sentence):
        ProcessBox(answering(tmp_path, HELLO | change, ROOT))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (ROOT | {"gains": ["a", "b"]}, "should be a list of numbers"),
        (ROOT | {"gains": [10**400, 0]}, "should be a list of numbers"),
        (ROOT | {"gains": [0, 0, 0]}, "3 numbers for 2 players"),
        (ROOT | {"gains": [float("nan"), 0]}, "not a finite number"),
        (ROOT | {"movers": [False, True]}, "the movers are"),
        (repr("[" * 100_000), "is not JSON"),
    ],
)
@pytest.mark.parametrize("bounded", [True, False])
def test_a_root_is_checked_before_it_is_used(answer: Any, sentence: str, bounded: bool, tmp_path: Path) -> None:
    hello = HELLO if bounded else {name: fact for name, fact in HELLO.items() if name != "bounds"}
    bounds = "auto" if bounded else "-1,1"
    with pytest.raises(hn.HannanError, match=sentence):
        hn.check_box(f"command:{answering(tmp_path, hello, answer)}", bounds=bounds, playthroughs=3)


@pytest.mark.parametrize("players", [10**9, 0, -1, True, 2.0, None, "2"])
def test_a_box_has_some_players_and_not_too_many(players: Any) -> None:
    class Crowd(Box):
        def reset(self, seed: int) -> View:
            return View([0.0])

        def step(self, moves: tuple[Any, ...]) -> View:
            raise NotImplementedError

    Crowd.players = players
    with pytest.raises(hn.HannanError, match=r"Crowd\.players is .*; it should be 1 to 14"):
        hn.certify(Crowd(), bounds=(0, 1), playthroughs=1)


def test_a_simulator_that_does_not_read_is_not_waited_for_without_end(tmp_path: Path) -> None:
    """It answers before it is asked, and never reads: the pipe to it fills up."""
    deaf = program(tmp_path, f"print({json.dumps(HELLO)!r})", "while True: print('{\"gains\": [0, 0]}')")
    box = ProcessBox(deaf, timeout=0.3)
    for seed in range(5000):  # 28 bytes each: more than a pipe holds
        assert list(box.reset(seed).gains) == [0, 0]
    assert box.restarts > 0
    box.close()


def test_what_a_simulator_says_without_end_fills_no_disk(tmp_path: Path) -> None:
    loud = program(
        tmp_path,
        f"print({json.dumps(HELLO)!r}, flush=True)",
        "for line in sys.stdin:",
        "    for _ in range(8): sys.stderr.write('x' * (1 << 18))",
        "    sys.stderr.flush()",
        "    print('{\"gains\": [0, 0]}', flush=True)",
    )
    box = ProcessBox(loud)
    for seed in range(8):
        box.reset(seed)
    assert os.fstat(box._errors.fileno()).st_size <= process._MOST_SAID + (8 << 18)
    box.close()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="sessions are of POSIX")
@pytest.mark.parametrize("dies", [True, False])
def test_what_a_simulator_has_started_ends_with_it(dies: bool, tmp_path: Path) -> None:
    mark = tmp_path / "child"
    parent = program(
        tmp_path,
        "child = os.fork()",
        "if child == 0:",
        "    os.close(0); os.close(1)",
        "    time.sleep(600)",
        "    sys.exit()",
        f"open({str(mark)!r}, 'w').write(str(child))",
        f"print({json.dumps(HELLO | {'seeded': False})!r}, flush=True)",
        "sys.stdin.readline()",
        *(["sys.exit(3)"] if dies else ["print('{\"gains\": [0, 0]}', flush=True)", "time.sleep(600)"]),
    )
    box = ProcessBox(parent)
    if dies:
        with pytest.raises(SimulatorError, match="exit code 3"):
            box.reset(1)
    else:
        box.reset(1)
    box.close()
    child = int(mark.read_text())
    for _ in range(500):  # it is killed at once, and somebody else takes note of its end
        if not _lives(child):
            return
        time.sleep(0.01)
    raise AssertionError(f"process {child} lives on")


def _lives(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
