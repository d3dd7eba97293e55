"""The command `match`: scores for people and as JSON, rules from files, and players that fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from tests.runs.test_match import KEYS

RULES = """
def bold(sight):
    return "b"

class Timid:
    def __call__(self, sight):
        return {"p": 1.0}

class Forgetful:
    games = 0
    def __call__(self, sight):
        Forgetful.games += 1
        return "p" if Forgetful.games < 40 else "fold"

number = 3
"""


def test_files_and_rules_meet(hannan: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES)
    hn.save(hn.solve("kuhn_poker", iterations=100).profile, tmp_path / "kuhn.strategy")
    words = ("match", "kuhn_poker", "kuhn.strategy", "rules.py:bold", "--games", "1e3")
    ran = hannan(*words, "--json", "--record", "games.jsonl")
    assert ran.code == 0
    assert list(ran.record) == KEYS
    assert ran.record["players"] == ["kuhn.strategy", "rules.py:bold"]
    assert ran.record["games"] == 1000
    assert len([json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]) == 1000
    told = hannan(*words).out
    assert "kuhn_poker: 1,000 games" in told
    assert "independent games" in told


@pytest.mark.slow
def test_a_match_says_whether_it_is_decided(hannan: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES)
    ran = hannan(
        "match", "kuhn_poker", "uniform", "rules.py:Timid", "cfr+(iterations=50)", "--decide", "--games", "3e4"
    )
    assert ran.code == 0
    assert "who met" in ran.out
    assert "of all bounds together, whenever the match ends" in ran.out
    assert "all games were played, after" in ran.out
    assert "; it is not certain who scores most" in ran.out
    ran = hannan("match", "kuhn_poker", "rules.py:Timid", "cfr+(iterations=50)", "--decide", "--games", "3e4")
    assert "it is certain who scores most, after" in ran.out


def test_a_player_that_fails(hannan: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES)
    ran = hannan("match", "kuhn_poker", "uniform", "rules.py:Forgetful", "--json")
    assert ran.code == 2
    assert ran.record["stop"] == "failed"
    assert 0 < ran.record["games"] < 80
    assert "hannan: node r:" in ran.err
    assert "it returned 'fold', which is not a legal action" in ran.err


def test_bad_words(hannan: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES)
    hn.save(hn.uniform("leduc_poker"), tmp_path / "leduc.strategy")
    for words, sentence in (
        (("uniform", "rules.py:number"), "cannot be called"),
        (("uniform", "rules.py:blod"), "did you mean 'bold'?"),
        (("uniform", "rules.py"), "not a hannan file"),
        (("uniform", "leduc.strategy"), "belongs to leduc_poker"),
        (("uniform", "nothing.py:bold"), "there is no file nothing.py"),
        (("uniform", "uniform", "--decide", "--bounds", "1"), "LOW,HIGH"),
    ):
        ran = hannan("match", "kuhn_poker", *words)
        assert ran.code == 2
        assert sentence in ran.err, words


def test_a_match_goes_on_from_its_checkpoint(hannan: Any) -> None:
    flags = ("kuhn_poker", "uniform", "cfr(iterations=10)", "--seed", "2", "--json")
    whole = hannan("match", *flags, "--games", "4000").record
    hannan("match", *flags, "--games", "1000", "--checkpoint", "c")
    again = hannan("match", *flags, "--games", "4000", "--resume", "c").record
    assert again["games"] == 4000
    assert again["scores"] == pytest.approx(whole["scores"], abs=1e-12)
    assert hannan("match", "kuhn_poker", "uniform", "uniform", "--resume", "c").code == 2
