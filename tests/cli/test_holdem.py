"""Hold'em at the command line: nodes, runouts, flops, play."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import hannan as hn

SPOT = "holdem(board=AcKdQcTc,oop='AA,AK,JT',ip='KK,QJ,TT',pot=20,stack=40,bets='50%',raises=a,ranks=5,suits=3)"


@pytest.fixture
def solved(hannan: Any) -> Any:
    hn.save(hn.solve(SPOT, iterations=50).strategy, "s.strategy")
    return hannan


def test_show_prints_a_node(solved: Any) -> None:
    shown = solved("show", SPOT, "s.strategy").out
    assert "board AcKdQcTc, at the first node: oop acts, pot 20" in shown
    assert "oop: x in %" in shown
    assert "ip" in shown
    later = solved("show", SPOT, "s.strategy", "--at", "x b10", "--grid", "ev", "--rows", "hands").out
    assert "after x b10: oop acts, pot 30" in later
    assert "oop: EV in chips" in later
    assert "EV r" in later or "EV a" in later


def test_show_finds_hands_and_groups(solved: Any) -> None:
    shown = solved("show", SPOT, "s.strategy", "AA", "Q*", "--grid", "none").out
    assert "AhAd" in shown
    assert "QhJ" in shown
    refused = solved("show", SPOT, "s.strategy", "72o")
    assert refused.code == 2
    assert "no hand here matches 72o" in refused.err


def test_show_writes_a_table_and_a_picture(solved: Any) -> None:
    ran = solved("show", SPOT, "s.strategy", "--csv", "n.csv", "--out", "n.png", "--ranges")
    assert ran.code == 0
    assert "oop x: " in ran.out
    with Path("n.csv").open() as file:
        assert {row["player"] for row in csv.DictReader(file)} == {"oop", "ip"}
    assert Path("n.png").read_bytes()[:4] == b"\x89PNG"


def test_runouts_prints_a_line_per_card(solved: Any) -> None:
    ran = solved("runouts", SPOT, "s.strategy", "--at", "x x", "--csv", "r.csv")
    cards = [line.split()[0] for line in ran.out.splitlines()[2:-2]]
    assert len(cards) == 15 - 4
    assert len(Path("r.csv").read_text().splitlines()) == 1 + len(cards)


def test_export_writes_all_sets_of_a_small_spot(solved: Any) -> None:
    """Every probability is the strategy's own; the first sets have frequency 1 together, and the value of the game."""
    ran = solved("export", SPOT, "s.strategy", "--out", "s.csv")
    assert ran.code == 0
    strategy = hn.read("s.strategy", SPOT)
    with Path("s.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["player"] for row in rows} == {"0", "1"}
    sequences = hn.inspect(SPOT).sequences
    assert len(rows) == sum(sequences) - 2  # all but the empty ones
    for row in rows[::50]:
        played = strategy.at(int(row["player"]), row["set"])[row["action"]]
        assert float(row["probability"]) == pytest.approx(played, abs=1e-6)  # 32 bits
    first = {row["set"]: row for row in rows if row["player"] == "0" and " " not in row["set"]}
    shares = [float(row["frequency"]) for row in first.values()]
    assert sum(shares) == pytest.approx(1, abs=1e-9)
    value = sum(share * float(row["value"]) for share, row in zip(shares, first.values(), strict=True))
    assert value == pytest.approx(hn.evaluate(strategy).values[0], abs=1e-5)  # 32 bits


def test_a_locked_spot_is_exported_without_its_locks(hannan: Any) -> None:
    locked = hn.lock(hn.load(SPOT), {0: {"JdTd": {"x": 0.25, "b10": 0.75}}})
    assert not hn.inspect(locked).record()["public"]["expanded"]
    hn.export_csv(hn.solve(locked, iterations=3).strategy, "l.csv")
    with Path("l.csv").open() as file:
        found = {row["action"]: float(row["probability"]) for row in csv.DictReader(file) if row["set"] == "JdTd"}
    assert found == {"x": 0.25, "b10": 0.75}


def test_export_refuses_a_large_spot(hannan: Any) -> None:
    spot = "holdem(board=AcKdQc,oop='AA,AK,JT',ip='KK,QJ,TT',pot=20,stack=100,bets='50%',raises=a)"
    hn.save(hn.solve(spot, iterations=1).strategy, "s.strategy")
    ran = hannan("export", spot, "s.strategy", "--out", "s.csv")
    assert ran.code == 2
    assert "too many for one table of all information sets. hannan show --csv writes the table of one node" in ran.err
    assert not Path("s.csv").exists()
    tree = hannan("export", spot, "--out", "s.efg")
    assert tree.code == 2
    assert "it is not written out" in tree.err


def test_flops_keeps_what_is_done(hannan: Any) -> None:
    Path("s.toml").write_text('oop="AA,JT"\nip="KK,QJ"\npot=20\nstack=20\nbets="a"\nranks=5\nsuits=3\n')
    first = hannan("flops", "s.toml", "--flops", "AcKcQc", "--out", "f")
    assert first.code == 0
    assert "AcKcQc" in first.out
    again = hannan("flops", "s.toml", "--flops", "AcKcQc,JcTdTh", "--out", "f", "--json")
    assert "was solved before" in again.err
    record = again.record
    made = hn.poker.solve_flops("s.toml", "AcKcQc,JcTdTh", folder="f").record()
    assert record == json.loads(json.dumps(made, default=list))
    assert [one["flop"] for one in record["flops"]] == ["AcKcQc", "JcTdTh"]


def test_a_strategy_of_a_spot_whose_file_has_changed_is_refused(hannan: Any) -> None:
    text = 'board="AcKcQcTd"\noop="AA"\nip="KK,JJ"\npot=20\nstack=20\nbets="a"\n'
    Path("s.toml").write_text(text)
    hn.save(hn.solve("holdem(file=s.toml)", iterations=3).strategy, "s.strategy")
    Path("s.toml").write_text(text.replace("pot=20", "pot=30"))
    ran = hannan("show", "holdem(file=s.toml)", "s.strategy")
    assert ran.code == 2
    assert "pot=20,stack=20,bets=a,raises=''), not to holdem(file='s.toml')" in ran.err


def test_a_choice_in_a_play_is_judged(solved: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a choice costs is what its EV lacks of the best action's EV."""
    monkeypatch.setattr("builtins.input", lambda question: "1")
    plays = solved("play", SPOT, "s.strategy", "--games", "6", "--seed", "1", "--json").record["plays"]
    strategy = hn.read("s.strategy", SPOT)
    seen = 0
    for play in plays:
        for choice in play["choices"]:
            hand, *words = choice["seen"].split()
            node = hn.poker.report(strategy, " ".join(words))
            (row,) = (row for row in node.players[play["seat"]].hands if row.name == hand)
            if choice["cost"] is not None:
                evs = [ev or 0.0 for ev in row.action_evs or ()]
                assert choice["cost"] == pytest.approx(max(evs) - evs[node.actions.index(choice["action"])], abs=1e-9)
                seen += 1
    assert seen


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", SPOT, "s.strategy", "--at", "b99"), "'b99' is not possible at this place"),
        (("show", SPOT, "s.strategy", "--player", "2"), "player"),
        (("show", SPOT, "s.strategy", "--grid", "strategy", "--player", "1"), "ip does not act here"),
        (("show", SPOT, "s.strategy", "--out", "n.txt"), "a picture is written as"),
        (("show", "kuhn_poker", "uniform", "--at", "x"), "--at is for strategies on a public tree"),
        (("runouts", SPOT, "s.strategy", "--at", "x"), "no card is dealt after 'x'"),
        (("runouts", "kuhn_poker", "uniform"), "is not a strategy on a public tree"),
        (("flops", "no.toml", "--flops", "3"), "there is no file"),
    ],
)
def test_what_is_wrong_gets_a_sentence(solved: Any, words: tuple[str, ...], said: str) -> None:
    ran = solved(*words)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
