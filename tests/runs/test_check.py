"""Checking a game: whatever stands for rules is checked as rules, a black box as a box."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.rules.rulesbox import rules_box
from tests.plaingames import Coins

SOURCE = """
import hannan as hn
from hannan.rules.rulesbox import rules_box
from tests.plaingames import Coins

class Broken(Coins):
    def __init__(self, sum=0.9):
        self.sum = sum
    def chance(self, state):
        return [("H", self.sum / 2), ("T", self.sum / 2)]

def boxed(): return rules_box(Coins(), bounds=None)
"""

EFG = 'EFG 2 R "" { "1" }\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1 }\nt "" 2 "" { 0 }\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own.py").write_text(SOURCE)
    (tmp_path / "one.efg").write_text(EFG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_whatever_stands_for_rules_is_checked(folder: Path) -> None:
    """Histories counted by hand: coins 1+2+4+8, matching pennies 1+4, one choice 1+2."""
    given: list[tuple[Any, str, int]] = [
        (Coins(), "Coins", 15),
        (Coins, "Coins", 15),
        (hn.load(Coins()), "Coins", 15),
        ("own.py:Broken(sum=1.0)", "Broken(sum=1.0)", 15),
        ("matching_pennies", "matching_pennies", 5),
        (Path("one.efg"), "one.efg", 3),
        ("one.efg", "one.efg", 3),
        ([[1, -1], [-1, 1]], "matrix_game(payoffs=[[1,-1],[-1,1]])", 5),
    ]
    for game, address, histories in given:
        checked = hn.check_game(game)
        assert (checked.game, checked.histories, checked.complete) == (address, histories, True)


def test_a_broken_promise_of_a_file_has_its_path_of_play(folder: Path, hannan: Any) -> None:
    with pytest.raises(hn.errors.ChanceError, match=r"node r: probabilities sum to 0\.9, not 1"):
        hn.check_game("own.py:Broken")
    (folder / "own.py").write_text(SOURCE)
    ran = hannan("check", "own.py:Broken")
    assert ran.code == 2
    assert "node r: probabilities sum to 0.9, not 1" in ran.err
    assert hannan("check", "own.py:Broken(sum=1)", "--json").record["histories"] == 15


def test_boxes_are_played(folder: Path, hannan: Any) -> None:
    with pytest.raises(hn.errors.UnsuitableError, match=r"is a black box and has no rules: hannan\.check_box checks"):
        hn.check_game(rules_box(Coins(), bounds=None))
    told = hannan("check", "module:own.py:boxed", "--playthroughs", "20", "--bounds=-2,2", "--json").record
    assert told["playthroughs"] == 20
    assert hannan("check", "kuhn_poker", "--playthroughs", "20", "--json").record["plays"] == 20
    refused = hannan("check", "kuhn_poker", "--hidden", "3")
    assert "--hidden is for black boxes; leave it out" in refused.err
    refused = hannan("check", "module:own.py:boxed", "--histories", "3")
    assert "--histories is for rules; leave it out" in refused.err
