from __future__ import annotations

from typing import Any

import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.games.leduc_poker import leduc_poker
from tests.games.checks import assert_same_tree, load, tree_of, value
from tests.games.plain import Leduc


def test_plain_twin() -> None:
    assert_same_tree(tree_of("leduc_poker"), expand(Leduc()))


def test_plain_twin_by_ranks() -> None:
    address = "leduc_poker(ranks=4,suits=3,merge_suits=true)"
    assert_same_tree(tree_of(address), expand(Leduc(4, 3, by_rank=True)))


def test_merging_suits_keeps_the_value() -> None:
    assert value(tree_of("leduc_poker(merge_suits=true)")) == pytest.approx(-0.085606424078, abs=1e-8)


def test_names() -> None:
    tree = tree_of("leduc_poker")
    assert tree.set_text(0, 0) == "Js"
    names = {tree.set_text(1, number) for number in range(tree.treeplexes[1].sets)}
    assert "Kh-r c /Qs-c" in names
    assert tree_of("leduc_poker(ranks=13,suits=1)").set_text(0, 0) == "2"
    assert load("leduc_poker(ranks=20,suits=5)").action_text(-1, 99) == "19.4"


def test_large_parameters() -> None:
    assert leduc_poker(ranks=1000, suits=2, players=6).width == 2000


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"ranks": 0}, "ranks=0 is out of range"),
        ({"ranks": 1}, "2 cards are too few for 2 players"),
        ({"suits": 2.5}, "whole number"),
        ({"players": 11}, "players=11 is out of range"),
        ({"merge_suits": 1}, "true or false"),
        ({"ranks": 2**20, "suits": 2**20}, "too large"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        leduc_poker(**parameters)
