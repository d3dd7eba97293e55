"""The grid of a node as a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

import hannan as hn
from hannan.errors import HannanError
from hannan.pictures.ranges import colours, draw_grid, group_name

SPOT = "holdem(board=Td9d6hQc2s,oop='AKs,AQo',ip=JJ,pot=20,stack=20,bets=a)"


def test_bars_are_as_wide_as_actions_are_probable(tmp_path: Path) -> None:
    node = hn.poker.report(hn.solve(SPOT, "cfr", iterations=7).strategy)
    axes = draw_grid(node, path=tmp_path / "grid.png")
    assert (tmp_path / "grid.png").read_bytes()[:4] == b"\x89PNG"
    bars = [patch for patch in axes.patches if patch.get_width() < 1 and int(patch.get_x()) == 1]  # AKs
    played = {row.name: row.frequencies for row in node.players[0].groups}["AKs"]
    assert [bar.get_width() / 0.96 for bar in bars] == pytest.approx(played)
    assert {text.get_text() for text in axes.texts} >= {"AA", "AKs", "AQo", "22"}


@pytest.mark.parametrize("what", ["ev", "equity", "eqr", "weight"])
def test_numbers_are_written_into_cells(tmp_path: Path, what: str) -> None:
    node = hn.poker.report(hn.solve(SPOT, "cfr", iterations=7).strategy)
    axes = draw_grid(node, what, 1, path=tmp_path / "grid.svg")
    assert any(text.get_text().startswith("JJ\n") for text in axes.texts)


def test_names_and_colours() -> None:
    assert [group_name("AKQ", *place) for place in ((0, 0), (0, 1), (1, 0))] == ["AA", "AKs", "AKo"]
    assert len(set(colours(("f", "c", "r10", "r20", "a30")))) == 5


def test_wrong_arguments_get_sentences() -> None:
    node = hn.poker.report(hn.solve(SPOT, "cfr", iterations=1).strategy)
    for said, words in (("a grid shows", (node, "luck")), ("0 or 1", (node, "ev", 2)), ("needs a report", (3,))):
        with pytest.raises(HannanError, match=said):
            draw_grid(*words)
