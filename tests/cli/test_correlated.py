"""The command `correlated`, and `evaluate --refinements`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_record(hannan: Any, tmp_path: Path) -> None:
    """Aumann's chicken is worth 5.25 each; the file holds what standard output does."""
    out = tmp_path / "advice.json"
    record = hannan("correlated", "chicken", "--kind", "ce", "--out", str(out), "--json").record
    assert record["values"] == pytest.approx([5.25, 5.25])
    assert sorted(line["probability"] for line in record["advice"]) == pytest.approx([0.25, 0.25, 0.5])
    assert json.loads(out.read_text()) == record
    assert "5.25" in hannan("correlated", "chicken", "--kind", "efce").out


def test_leader(hannan: Any) -> None:
    """Who announces `dare` gets 7 in chicken."""
    assert hannan("correlated", "chicken", "--leader", "1", "--json").record["values"] == pytest.approx([2, 7])
    assert "follower" in hannan("correlated", "chicken", "--leader", "0").out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--objective", "best"), "should be 'welfare'"),
        (("--objective", "2"), "should be 'welfare'"),
        (("--leader", "0", "--kind", "ce"), "leave them out"),
        (("--leader", "5"), "leader"),
    ],
)
def test_refusals(hannan: Any, words: tuple[str, ...], sentence: str) -> None:
    refused = hannan("correlated", "chicken", *words)
    assert refused.code == 2
    assert sentence in refused.err


def test_refinements_of_a_strategy(hannan: Any) -> None:
    """Even play is the equilibrium of matching pennies: quasi-strict and proper, but not strict."""
    record = hannan("evaluate", "matching_pennies", "uniform", "--refinements", "--json").record["refinements"]
    found = {name: verdict["holds"] for name, verdict in record.items()}
    assert (found["nash"], found["strict"], found["quasi_strict"], found["proper"]) == (True, False, True, True)
    assert "not decided" not in hannan("evaluate", "matching_pennies", "uniform", "--refinements").out
    assert hannan("evaluate", "matching_pennies", "uniform", "--json").record["refinements"] is None
    assert "more than the limit of 150" in hannan("evaluate", "leduc_poker", "uniform", "--refinements").err
    assert "can only be played" in hannan("evaluate", "goofspiel(cards=13)", "uniform", "--refinements").err
