"""What is refused before the work: runs that resume as others, targets that cannot be written, rules that lie."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.forms.loader import load_expanded
from hannan.rules.compiled import CompiledRules, Rulebook


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    hn.solve("kuhn_poker", "dcfr", iterations=5, checkpoint=tmp_path / "c")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--updates", "simultaneous"], "c was made with updates='alternating', not with updates='simultaneous'"),
        (["--alpha", "2"], "c was made with alpha=1.5, not with alpha=2"),
        (["--nonsense", "3"], "c was made with no nonsense"),
        (["--method", "cfr"], "c is a checkpoint of dcfr, not of cfr"),
        (["--method", "dcfr(beta=1)"], "c was made with beta=0.0, not with beta=1"),
        (["--start", "c"], "start and resume exclude each other"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_resumed_run_is_what_it_was(words: list[str], sentence: str, hannan: Any) -> None:
    ran = hannan("solve", "kuhn_poker", "--resume", "c", "--iterations", "9", *words)
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.out == ""


@pytest.mark.usefixtures("folder")
def test_a_resumed_run_may_repeat_what_it_was(hannan: Any) -> None:
    words = ["--method", "dcfr(alpha=1.5)", "--updates", "alternating", "--iterations", "9", "--json"]
    ran = hannan("solve", "kuhn_poker", "--resume", "c", *words)
    assert ran.code == 0, ran.err
    assert ran.record["iterations"] == 9


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--out", "."], "cannot be written"),
        (["--out", "same", "--log", "same"], "name the same file"),
        (["--out", "nowhere/x"], "there is no folder nowhere"),
        (["--method", "hs-dcfr", "--horizon", "5", "--iterations", "6"], "6 iterations are too many"),
    ],
)
def test_refused_before_the_work(folder: Path, words: list[str], sentence: str, hannan: Any) -> None:
    before = sorted(folder.iterdir())
    ran = hannan("solve", "kuhn_poker", *words)
    assert ran.code == 2
    assert sentence in ran.err
    assert sorted(folder.iterdir()) == before


def test_json_is_alone_on_standard_output(tmp_path: Path) -> None:
    """In a process of its own: the rules print to the very standard output."""
    rules = "import hannan as hn\nprint('hello from the module')\nGame = hn.matrix_game([[1, -1], [-1, 1]])\n"
    (tmp_path / "loud.py").write_text(rules)
    command = [sys.executable, "-m", "hannan", "solve", "loud.py:Game", "--iterations", "3", "--json"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["iterations"] == 3
    assert "hello from the module" in ran.stderr


def test_numbers_of_numpy_are_numbers() -> None:
    assert hn.solve("kuhn_poker", iterations=np.int64(5)).iterations == 5
    assert hn.solve("kuhn_poker", "cfr", gap=np.float32(0.1)).stop == "gap"


def test_a_method_is_a_word() -> None:
    with pytest.raises(hn.errors.ParameterError, match="method=5 should be the name of a method"):
        hn.solve("kuhn_poker", 5)  # type: ignore[call-overload]


def start(table: Longs, state: Longs) -> None:
    """Nothing."""


def turn(table: Longs, state: Longs) -> int:
    return 1 if state[0] == 0 else -1


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    for action in range(50):
        out[action] = action
    return 50


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    return 0


def move(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] = 1


def observe(table: Longs, state: Longs, player: int) -> int:
    return 0


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Nothing."""


def test_compiled_rules_that_write_outside_of_their_width() -> None:
    book = Rulebook(start, turn, actions, chance, move, observe, gains)
    rules: Any = CompiledRules("wide", 1, book, np.zeros(1, np.int64), state_size=1, width=3)
    with pytest.raises(hn.errors.RulesError, match=r"node r: there are 50 moves .* announced width=3"):
        hn.solve(rules)
    rules = CompiledRules("wide", 1, book, np.zeros(1, np.int64), state_size=1, width=50)
    assert load_expanded(rules).tree.nodes == 51


def sliced(table: Longs, state: Longs, out: Floats) -> None:
    out[:1] = 1.0


def from_the_end(table: Longs, state: Longs, out: Floats) -> None:
    out[0] = state[-1]


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (sliced, r"gains\(\) of these rules cannot be compiled; .* one element at a time.*numba says: .*setitem"),
        (from_the_end, r"gains\(\) of these rules reads state\[-1\]; compiled functions do not support negative"),
    ],
)
def test_compiled_rules_take_one_place_at_a_time(function: Any, sentence: str) -> None:
    book = Rulebook(start, turn, actions, chance, move, observe, function)
    rules: Any = CompiledRules("sliced", 1, book, np.zeros(1, np.int64), state_size=1, width=50)
    with pytest.raises(hn.errors.RulesError, match=sentence):
        hn.solve(rules)
    with pytest.raises(hn.errors.RulesError, match=sentence):
        hn.methods.OutcomeSampling(rules, over="rules").run(1)
