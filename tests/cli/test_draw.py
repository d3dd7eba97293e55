"""`hannan draw`: the tree that is drawn is the tree of the game, with the strategy in it."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.pictures.trees import nodes_of
from hannan.rules.plain import CHANCE
from tests.delegating import Delegating

SMALL = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "goofspiel(cards=3)",
    "goofspiel(cards=3,information=open)",
    "liars_dice(faces=2)",
]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("address", SMALL)
def test_the_tree_is_the_game(address: str, plain: bool) -> None:
    """All histories, all sets by their names, and what everybody earns, exactly as the game's own arrays say it."""
    game = load_expanded(Delegating(hn.load(address).played().rules) if plain else address)
    profile = hn.random_profile(game, seed=2)
    nodes = nodes_of(game, profile, None, 10**6)
    assert len(nodes) == len(game.tree.turn)
    sets: dict[int, dict[int, str]] = {player: {} for player in range(game.players)}
    for node in nodes:
        for player, number, name in zip(node.who, node.numbers, node.sets, strict=node.who != (CHANCE,)):
            assert sets[player].setdefault(number, name) == name
    for player, plex in enumerate(game.form.treeplexes):
        assert sorted(sets[player].values()) == sorted(game.set_text(player, j) for j in range(plex.sets))
    reach, values = np.ones(len(nodes)), np.zeros(game.players)
    for number, node in enumerate(nodes[1:], 1):
        assert node.probability is not None
        reach[number] = reach[node.parent] * node.probability
        if not node.who:
            values += reach[number] * np.array(node.gains)
    np.testing.assert_allclose(values, hn.evaluate(game, profile).values, atol=1e-12)


def test_a_depth_cuts_and_a_large_game_is_refused() -> None:
    game = hn.load("leduc_poker").played()
    nodes = nodes_of(game, None, 3, 500)
    assert max(node.depth for node in nodes) == 3
    assert all(node.cut == (node.depth == 3) for node in nodes)
    assert all(node.probability is None or nodes[node.parent].who == (CHANCE,) for node in nodes)
    with pytest.raises(hn.errors.SizeError, match=r"more than 500 histories.*--depth .its first 4 can be drawn"):
        nodes_of(game, None, None, 500)
    assert len(nodes_of(game, None, 4, 500)) <= 500


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_pictures(hannan: Any, kind: str) -> None:
    hn.save(hn.solve("kuhn_poker").profile, "k.strategy")
    ran = hannan("draw", "kuhn_poker", "k.strategy", "--out", f"k.{kind}")
    assert (ran.code, ran.out) == (0, f"picture of 58 histories written to k.{kind}\n")
    data = Path(f"k.{kind}").read_bytes()
    assert data.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])
    if kind == "svg":
        assert data.count(b"<text") + data.count(b"<!-- ") > 58


def test_letters_and_json(hannan: Any) -> None:
    shown = hannan("draw", "kuhn_poker", "uniform")
    assert "kuhn_poker: chance\n" in shown.out
    assert "b 0.5  player 1 at Qb\n" in shown.out
    assert "→ 2, -2" in shown.out
    record = hannan("draw", "kuhn_poker", "--json").record
    assert record["nodes"][0] == {
        "parent": None, "move": None, "probability": None, "movers": "chance", "sets": [], "set_numbers": [],
        "gains": [0.0, 0.0], "cut": False,
    }  # fmt: skip
    assert prod(node["probability"] or 1 for node in record["nodes"][1:4]) == pytest.approx(1 / 27)
    assert sum(not node["movers"] for node in record["nodes"]) == 30


def test_dollars_braces_and_simultaneous_moves_are_drawn(hannan: Any) -> None:
    ran = hannan("draw", "goofspiel(cards=3)", "uniform", "--depth", "2", "--out", "g.png")
    assert (ran.code, Path("g.png").stat().st_size > 10_000) == (0, True)


BROKEN = """
from hannan import END, Rules

class Broken(Rules):
    def start(self): return ()
    def turn(self, state): return 0 if len(state) < 2 else END
    def actions(self, state, player): return ["a", "b"]
    def observe(self, state, player): return None
    def after(self, state, move): return (*state, move)
    def gains(self, state): return (1.0,) if state == ("b", "b") else (0.0, 0.0)
"""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("leduc_poker",), "more than 500 histories"),
        (("kuhn_poker", "--depth", "0"), "depth"),
        (("kuhn_poker", "--out", "k.gif"), "a picture is written as .png, .svg, .pdf"),
        (("kuhn_poker", "nothing"), "nothing"),
        (("broken.py:Broken", "--out", "broken.py"), "--out names broken.py, which is read"),
        (("broken.py:Broken",), "gains"),
    ],
)
def test_refusals(hannan: Any, words: tuple[str, ...], sentence: str) -> None:
    Path("broken.py").write_text(BROKEN)
    ran = hannan("draw", *words)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err
