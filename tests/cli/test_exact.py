"""Exact search on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn

GAME = "goofspiel(cards=3,information=open,order=descending)"


@pytest.mark.parametrize("method", ["bi", "bi-ab", "do", "do-ab"])
def test_solving(hannan: Any, method: str) -> None:
    record = hannan("solve", GAME, "--method", method, "--out", "g.strategy", "--log", "g.log", "--json").record
    assert record["stop"] == "exact"
    assert record["nash_conv"] <= 1e-9
    assert record["values"] == pytest.approx([0, 0], abs=1e-12)
    low, high = record["bounds"]
    assert low - 1e-12 <= 0 <= high + 1e-12
    assert record["nodes"] > 0
    assert record["matrix_solves"] > 0
    assert record["cutoffs"] >= 0
    assert hn.evaluate(GAME, hn.read("g.strategy")).nash_conv <= 1e-9
    told = hannan("solve", GAME, "--method", method).out
    assert "solved exactly" in told
    assert "matrix solves" in told


def test_from_a_position(hannan: Any) -> None:
    """After (1,3) player 1 leads by 3, and bids of 2 or 3 meet bids of 1 or 2 for the prizes 2 and 1, ties split.

    Worked out by hand, the rows 2 and 3 against the columns 1 and 2 give [0 −2; −1 0], a game worth −2/3.
    """
    record = hannan("solve", GAME, "--method", "do-ab", "--at", "(1,3)", "--out", "rest", "--json").record
    assert record["nash_conv"] is None
    assert record["values"][0] == pytest.approx(-sum(record["values"][1:]), abs=1e-12)
    assert record["bounds"] == pytest.approx([record["values"][0]] * 2, abs=1e-12)
    rest = hn.read("rest")
    assert isinstance(rest, hn.Policy)
    assert rest.sets > 1
    assert record["values"][0] == pytest.approx(-2 / 3, abs=1e-12)


def test_a_depth_limit_and_an_evaluation(hannan: Any, tmp_path: Path) -> None:
    (tmp_path / "judging.py").write_text("def none(state):\n    return 'none'\n", encoding="utf-8")
    record = hannan("solve", GAME, "--method", "bi", "--depth", "1", "--json").record
    assert record["values"] is None
    assert record["stop"] == "iterations"
    assert record["bounds"][0] < record["bounds"][1]
    ran = hannan("solve", GAME, "--method", "bi", "--depth", "1", "--evaluation", "judging.py:none")
    assert ran.code == 2
    assert "the evaluation function returned 'none' at r:(1,1)" in ran.err.replace("\n", " ")


def test_time_that_is_up_leaves_valid_bounds_and_a_checkpoint(hannan: Any) -> None:
    game = "goofspiel(cards=9,information=open)"
    record = hannan("solve", game, "--method", "do-ab", "--seconds", "0.3", "--checkpoint", "c", "--json").record
    assert record["stop"] == "seconds"
    assert record["values"] is None
    assert record["bounds"][0] <= 0 <= record["bounds"][1]
    again = hannan("solve", game, "--resume", "c", "--seconds", "0.6", "--json").record
    assert again["nodes"] > record["nodes"]


def test_hidden_information(hannan: Any) -> None:
    ran = hannan("solve", "kuhn_poker", "--method", "bi")
    assert ran.code == 2
    assert "cannot tell r:" in ran.err
    assert "lp" in ran.err
