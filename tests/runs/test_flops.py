"""Many flops of a spot: solved, kept, and not solved again."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.errors import HannanError
from hannan.games.holdem.rules import HoldemRules
from hannan.games.holdem.spot import Spot, changed
from hannan.runs import flops as module
from hannan.runs.flops import solve_flops
from hannan.runs.solve import solve

SPOT = Spot(
    board="AcKcQc", oop="AA,AK,JT", ip="KK,QJ,TT", pot=20, stack=20, bets="50%", raises="a", ranks=5, suits=3
)  # fmt: skip
TWO = "AcKcQc,JcTdTh"


def test_each_flop_has_the_numbers_of_its_own_solution() -> None:
    found = solve_flops(SPOT, TWO, percent=0.1)
    for one in found.flops:
        result = hn.solve(hn.load(HoldemRules(changed(SPOT, board=one.flop))), gap=0.002 * 20)
        node = hn.poker.report(result.strategy)
        assert one.ev == (node.players[0].total.ev, node.players[1].total.ev)
        assert one.exploitability_percent <= 0.1
        assert one.frequencies == node.players[0].total.frequencies
    assert found.ev is not None
    assert sum(found.ev) == pytest.approx(20)
    assert found.ev[0] == pytest.approx(sum(one.ev[0] for one in found.flops) / 2)
    assert sum(found.frequencies.values()) == pytest.approx(1)


def test_what_is_done_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    first = solve_flops(SPOT, "AcKcQc", folder=tmp_path, tell=lines.append)
    solved: list[Any] = []

    def counted(game: Any, *words: Any, **named: Any) -> Any:
        solved.append(game)
        return solve(game, *words, **named)

    monkeypatch.setattr(module, "solve", counted)
    second = solve_flops(SPOT, TWO, folder=tmp_path, tell=lines.append)
    assert len(solved) == 1
    assert second.flops[0] == first.flops[0]
    assert lines[1].endswith("was solved before")
    with (tmp_path / "flops.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["flop"] for row in rows] == TWO.split(",")
    assert float(rows[0]["ev oop"]) == first.flops[0].ev[0]
    solve_flops(SPOT, TWO, folder=tmp_path, percent=2)  # another gap
    solve_flops(changed(SPOT, pot=30), TWO, folder=tmp_path)  # another spot
    assert len(solved) == 5
    assert not list(tmp_path.glob("*.part*"))


def test_a_run_that_is_interrupted_returns_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def interrupted(game: Any, *words: Any, **named: Any) -> Any:
        if list(tmp_path.glob("*.json")):
            raise KeyboardInterrupt
        return solve(game, *words, **named)

    monkeypatch.setattr(module, "solve", interrupted)
    found = solve_flops(SPOT, TWO, folder=tmp_path)
    assert len(found.flops) == found.missing == 1


def test_strategies_are_saved_with_their_spots(tmp_path: Path) -> None:
    found = solve_flops(SPOT, "JcTdTh", folder=tmp_path, strategies=True)
    game = f"holdem(file={str(tmp_path / 'JcTdTh.toml')!r})"
    node = hn.poker.report(hn.read(tmp_path / "JcTdTh.strategy", game))
    assert (node.players[0].total.ev, node.players[1].total.ev) == found.flops[0].ev


def test_wrong_arguments_get_sentences(tmp_path: Path) -> None:
    def refused(said: str, *words: Any, **named: Any) -> None:
        with pytest.raises(HannanError, match=said):
            solve_flops(*words, **named)

    refused("should be above 0", SPOT, TWO, percent=0)
    refused("give folder", SPOT, TWO, strategies=True)
    refused("should be a Spot", 3, TWO)
    refused("there is no file", tmp_path / "no.toml", TWO)
    (tmp_path / "AcKcQc.json").write_text("{}")
    refused("is not a file of a solved flop", SPOT, "AcKcQc", folder=tmp_path)
    (tmp_path / "taken").write_text("")
    refused("cannot be made", SPOT, "AcKcQc", folder=tmp_path / "taken")
