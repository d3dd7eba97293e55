from __future__ import annotations

from typing import Any

import pytest

from hannan.errors import ParameterError
from hannan.games.liars_dice import liars_dice
from tests.games.checks import load, tree_of


def test_dice_are_sorted() -> None:
    """Rolls of 3, 1, 2 and of 2, 3, 1 look the same."""
    rules = load("liars_dice(faces=3,dice=3)")
    seen = set()
    for rolls in ((2, 0, 1), (1, 2, 0)):
        state = rules.start()
        for face in (*rolls, 0, 0, 0):
            state = rules.after(state, face)
        seen.add(rules.observe(state, 0))
    assert [rules.observation_text(0, code) for code in seen] == ["123"]


def test_names() -> None:
    tree = tree_of("liars_dice(faces=2)")
    names = {tree.set_text(1, number) for number in range(tree.treeplexes[1].sets)}
    assert "2/1-1 1-2 2-1" in names


def test_large_parameters() -> None:
    assert liars_dice(faces=6, dice=20).width == 241
    assert load("liars_dice(faces=12)").observation_text(0, (11 + 1) * 25 + 13) == "12/2-1"


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"faces": 0}, "out of range"),
        ({"dice": "1"}, "whole number"),
        ({"faces": 6, "dice": 30}, "too large"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        liars_dice(**parameters)
