"""Each command prints the record of one public function: `--json` has its keys and its values."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.rules.checks import Check
from hannan.runs.check import BoxCheck
from hannan.runs.inspection import Inspection

OPEN = "goofspiel(cards=3,information=open)"
LARGE = "goofspiel(cards=13)"
SPOT = "holdem(board=AcKdQcTc,oop=AA,ip=JJ,pot=20,stack=20,bets=a,ranks=5,suits=3)"
CLOCKS = {"seconds", "simulator_seconds", "free"}
"""Keys whose values differ from one call to the next."""

BOX = """
import hannan as hn
from hannan.rules.rulesbox import rules_box
def box(): return rules_box(hn.load("kuhn_poker").rules, bounds=None)
"""

ABSENT = 'EFG 2 R "absent" { "1" }\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1 }\np "" 1 1 "" { "l" "r" } 0\n'
ABSENT += 't "" 2 "" { 0 }\nt "" 3 "" { 4 }\n'
"""One player who does not know whether it has chosen before."""


@dataclass(frozen=True)
class Page:
    words: str
    """The command line, without --json."""
    made: Callable[[], Any]
    """The same in Python."""
    adds: frozenset[str] = frozenset()
    """Keys that only the command has: what its words say, and tables that an option asks for."""


PAGES = {
    "solve": Page(
        "solve kuhn_poker --method dcfr --iterations 9 --seed 1",
        lambda: hn.solve("kuhn_poker", "dcfr", iterations=9, seed=1),
    ),
    "solve --top": Page(
        "solve kuhn_poker --method cfr --iterations 3 --seed 1 --top 2",
        lambda: hn.solve("kuhn_poker", "cfr", iterations=3, seed=1),
        frozenset({"sets"}),
    ),
    "evaluate": Page(
        "evaluate kuhn_poker uniform", lambda: hn.evaluate(hn.uniform("kuhn_poker")), frozenset({"strategy"})
    ),
    "evaluate --top": Page(
        "evaluate kuhn_poker uniform --top 2",
        lambda: hn.evaluate(hn.uniform("kuhn_poker")),
        frozenset({"strategy", "sets"}),
    ),
    "evaluate, by playing": Page(
        f"evaluate {LARGE} uniform --plays 100 --seed 3 --response none",
        lambda: hn.evaluate(hn.Policy.uniform(LARGE), plays=100, seed=3, response="none"),
        frozenset({"strategy"}),
    ),
    "search": Page(f"search {OPEN} --iterations 50 --seed 2", lambda: hn.search(OPEN, iterations=50, seed=2)),
    "match": Page(
        "match kuhn_poker uniform k.strategy --games 40 --seed 2",
        lambda: hn.match("kuhn_poker", "uniform", "k.strategy", games=40, seed=2),
    ),
    "certify": Page(
        "certify kuhn_poker --playthroughs 60 --seed 4", lambda: hn.certify("kuhn_poker", playthroughs=60, seed=4)
    ),
    "verify": Page("verify k.certificate --replay", lambda: hn.verify("k.certificate", replay=True)),
    "equilibria": Page("equilibria chicken --all", lambda: hn.equilibria("chicken", all=True)),
    "inspect": Page("inspect kuhn_poker", lambda: hn.inspect("kuhn_poker")),
    "inspect --estimate": Page(
        "inspect leduc_poker --estimate", lambda: hn.inspect(hn.load("leduc_poker"), estimate=True)
    ),
    "inspect, a public tree": Page(f"inspect {SPOT}", lambda: hn.inspect(SPOT)),
    "inspect, forgetful": Page("inspect absent.efg", lambda: hn.inspect("absent.efg")),
    "check": Page("check kuhn_poker --playthroughs 5", lambda: hn.check_game("kuhn_poker", plays=5)),
    "check, a box": Page(
        "check module:box.py:box --playthroughs 5 --bounds=-2,2",
        lambda: hn.check_box("module:box.py:box", playthroughs=5, bounds=(-2, 2)),
    ),
    "show": Page(
        "show kuhn_poker k.strategy J* --top 3",
        lambda: hn.summary(hn.read("k.strategy"), 3, places=["J*"]),
        frozenset({"strategy"}),
    ),
    "show, by playing": Page(
        f"show {LARGE} uniform --top 3", lambda: hn.summary(hn.Policy.uniform(LARGE), 3), frozenset({"strategy"})
    ),
    "show, a node": Page(
        f"show {SPOT} s.strategy --at x",
        lambda: hn.poker.report(hn.read("s.strategy", SPOT), "x"),
        frozenset({"strategy"}),
    ),
    "runouts": Page(
        f"runouts {SPOT} s.strategy --at xx".replace("xx", "x:x"),
        lambda: hn.poker.runouts(hn.read("s.strategy", SPOT), "x x"),
        frozenset({"strategy"}),
    ),
    "draw": Page(
        "draw kuhn_poker k.strategy --depth 3",
        lambda: hn.draw(hn.read("k.strategy"), depth=3, letters=True),
        frozenset({"strategy", "picture"}),
    ),
}


@pytest.fixture
def folder(hannan: Any) -> Path:
    """Write the files that the pages read, in the folder in which commands run."""
    Path("box.py").write_text(BOX, encoding="utf-8")
    Path("absent.efg").write_text(ABSENT, encoding="utf-8")
    hn.save(hn.random_profile("kuhn_poker", seed=8), "k.strategy")
    hn.save(hn.solve(SPOT, iterations=3).strategy, "s.strategy")
    hn.certify("kuhn_poker", playthroughs=20, seed=4).save("k.certificate")
    return Path()


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_command_prints_what_python_returns(hannan: Any, folder: Path, name: str) -> None:
    page = PAGES[name]
    printed = hannan(*page.words.split(), "--json").record
    record = json.loads(json.dumps(page.made().record(), default=list, allow_nan=False))
    assert printed.keys() - page.adds == record.keys()
    assert page.adds <= printed.keys()
    same = record.keys() - CLOCKS
    assert {key: printed[key] for key in same} == {key: record[key] for key in same}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("inspect", Inspection), ("inspect, a public tree", Inspection), ("check", Check), ("check, a box", BoxCheck)],
)
def test_the_keys_are_the_fields_of_the_record(folder: Path, name: str, kind: Any) -> None:
    assert set(PAGES[name].made().record()) == {one.name for one in fields(kind)}


def test_the_sets_that_commands_add_are_those_of_summary(hannan: Any, folder: Path) -> None:
    rows = hn.summary(hn.uniform("kuhn_poker"), 2).record()["sets"]
    printed = hannan("evaluate", "kuhn_poker", "uniform", "--top", "2", "--json").record["sets"]
    assert printed == json.loads(json.dumps(rows))


GUESSED = {"estimated_histories", "longest_random_play"}
FORGETFUL = {"forgets", "refined_sets", "refinement"}


def unknown(found: Inspection) -> set[str]:
    return {key for key, fact in found.record().items() if fact is None}


def test_what_was_not_measured_is_none(folder: Path) -> None:
    """Of Kuhn poker: 58 histories with the root, 30 of them ends, and 6 sets for each player; its value is -1/18."""
    counted = hn.inspect("kuhn_poker")
    assert (counted.histories, counted.terminal, counted.information_sets) == (58, 30, (6, 6))
    assert counted.value == pytest.approx(-1 / 18)
    assert unknown(counted) == {"too_large", "methods", *GUESSED, *FORGETFUL, "warning", "public"}
    guessed = hn.inspect("kuhn_poker", estimate=True)
    assert unknown(guessed) == {one.name for one in fields(Inspection)} - {
        "game",
        "players",
        "free",
        "methods",
        *GUESSED,
    }
    assert guessed.estimated_histories == pytest.approx(58, rel=0.2)
    absent = hn.inspect("absent.efg")
    assert (absent.information_sets, absent.refined_sets, absent.terminal) == ((1,), (2,), 3)
    assert {"methods", "promises", "memory", "too_large", *GUESSED} <= unknown(absent)


def test_a_black_box_is_not_inspected(folder: Path) -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="it can only be played from the start"):
        hn.inspect("module:box.py:box")


def test_letters(hannan: Any) -> None:
    """Four joint moves, in which player 0 gains 1 where both show the same; the command prints what `draw` returns."""
    tree = hn.draw("matching_pennies", letters=True)
    lines = str(tree).splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("matching_pennies: player 0 at ")
    assert [line[:4] for line in lines[1:]] == ["├── "] * 3 + ["└── "]
    assert [line.partition("→ ")[2] for line in lines[1:]] == ["1, -1", "-1, 1", "-1, 1", "1, -1"]
    assert hannan("draw", "matching_pennies").out == f"{tree}\n"
    with pytest.raises(hn.errors.ParameterError, match="letters=True draws no picture: leave out path"):
        hn.draw("matching_pennies", "tree.png", letters=True)
