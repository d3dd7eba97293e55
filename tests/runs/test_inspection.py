"""`inspect` of games with a public tree: counted there, and not expanded."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

import hannan as hn
from hannan.forms.game import ExpandedGame, PublicGame
from hannan.layouts.public import PublicBackend, PublicSetup
from hannan.runs.inspection import Inspection
from hannan.solvers import METHODS, method_class
from hannan.solvers.fullwidth.engine import FullWidth
from tests.public_games import CASES

FLOP = "holdem(board=Td9d6h,oop='AA,QQ,AK,JT',ip='TT,99,AQ,KQ',pot=60,stack=200,bets='50%',raises=a)"
UNKNOWN = {
    "sets_presented_alike",
    "payoff_numbers",
    "memory_of_methods",
    "warning",
    "too_large",
    "estimated_histories",
    "longest_random_play",
    "methods",
    "forgets",
    "refined_sets",
    "refinement",
}


@pytest.fixture
def unexpanded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to expand anything."""

    def refuse(self: Any) -> Any:
        raise AssertionError("the game was expanded")

    monkeypatch.setattr(PublicGame, "expanded", refuse)


@pytest.mark.parametrize("name", CASES)
def test_the_counts_are_those_of_the_expanded_game(name: str, unexpanded: None) -> None:
    rules = CASES[name]()
    found, known = hn.inspect(PublicGame(rules)), hn.inspect(ExpandedGame(rules))
    same = ("players", "kind", "histories", "serialised", "terminal", "chance", "decision", "joint", "depth")
    for key in (*same, "information_sets", "sequences", "statement"):
        assert getattr(found, key) == getattr(known, key), key
    assert {key for key, fact in found.record().items() if fact is None} - {"value"} == UNKNOWN
    assert found.public is not None
    assert found.public["expanded"]
    assert found.public["types"] == tuple(len(rules.types(p)) for p in (0, 1))


def test_rhode_island_has_the_published_size(unexpanded: None) -> None:
    """The linear program has 91,224,226 rows, and as many columns (Gilpin and Sandholm 2007, Lossless abstraction).

    They are the sequences of one player, the sets of the other one, and a row for the whole.
    """
    found = hn.inspect(hn.load("rhode_island"))
    sets, sequences = found.information_sets, found.sequences
    assert sequences[0] + sets[1] + 1 == sequences[1] + sets[0] + 1 == 91_224_226
    assert found.kind == "zero-sum"
    assert found.public is not None
    assert found.public["types"] == (52, 52)
    assert not found.public["expanded"]


def test_memory_is_that_of_a_solve(unexpanded: None) -> None:
    """State and scratch; what else a back end holds is small."""
    game = PublicGame(CASES["three cards"]())
    memory = hn.inspect(game).memory
    assert memory is not None
    for kept in ("float32", "int16"):
        setup = PublicSetup(game.form, kept=kept)
        state = PublicBackend(setup)._state
        held = sum(getattr(state, name).nbytes for name in ("regret", "total", "scale"))
        assert held <= memory[kept] == setup.bytes
    assert memory["int16"] < memory["float32"]


def test_methods_are_those_that_work_on_the_tree(unexpanded: None) -> None:
    found = hn.inspect(FLOP)
    assert found.promises is not None
    assert set(found.promises) == {name for name in METHODS if issubclass(method_class(name), FullWidth)}
    assert set(found.record()) == {one.name for one in fields(Inspection)}


def test_rake_makes_it_general_sum(unexpanded: None) -> None:
    found = hn.inspect(PublicGame(CASES["river raked"]()))
    assert found.kind == "general-sum"
    assert "general-sum" in str(found.statement)


@pytest.mark.parametrize(
    ("game", "said"), [(FLOP, "methods that need the whole game refuse it"), ("rhode_island(ranks=2)", "Other methods")]
)
def test_the_command_prints_the_tree(hannan: Any, unexpanded: None, game: str, said: str) -> None:
    ran = hannan("inspect", game)
    assert ran.code == 0
    for line in ("types of each player", "boards", "decision nodes of each player", "plain game, histories",
                 "memory, solve in float32", "memory, solve in int16", "zero-sum", "dcfr"):  # fmt: skip
        assert line in ran.out
    assert said in ran.err
    record = hannan("inspect", game, "--json").record
    assert record["public"]["expanded"] == (said == "Other methods")
    estimated = hannan("inspect", game, "--estimate", "--json").record
    assert record.keys() == estimated.keys()
    assert estimated["public"] is None
    assert estimated["estimated_histories"] > 1000
