from __future__ import annotations

from typing import NamedTuple

import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.games import catalogue
from hannan.games.tron import tron
from hannan.rules.plain import END, Rules
from tests.games.checks import assert_names_are_unique, assert_same_tree, value

STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
Cell = tuple[int, int]


class Position(NamedTuple):
    trails: tuple[tuple[Cell, ...], tuple[Cell, ...]]  # every cell that each player was on, in order
    last: tuple[str, str]


class PlainTron(Rules):
    """The rules once more, on coordinates and whole trails."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height

    def start(self) -> Position:
        return Position((((0, 0),), ((self.height - 1, self.width - 1),)), ("", ""))

    def actions(self, state: Position, player: int) -> list[str]:
        row, column = state.trails[player][-1]
        taken = {*state.trails[0], *state.trails[1]}
        targets = {name: (row + down, column + right) for name, (down, right) in STEPS.items()}
        return [
            name
            for name, (r, c) in targets.items()
            if 0 <= r < self.height and 0 <= c < self.width and (r, c) not in taken
        ]

    def turn(self, state: Position) -> int | tuple[int, ...]:
        met = state.trails[0][-1] == state.trails[1][-1]
        return END if met or not self.actions(state, 0) or not self.actions(state, 1) else (0, 1)

    def after(self, state: Position, move: tuple[str, str]) -> Position:
        first, second = (
            (*trail, (trail[-1][0] + STEPS[name][0], trail[-1][1] + STEPS[name][1]))
            for trail, name in zip(state.trails, move, strict=True)
        )
        return Position((first, second), move)

    def observe(self, state: Position, player: int) -> str:
        return state.last[1 - player]

    def gains(self, state: Position) -> tuple[float, float]:
        if self.turn(state) != END or state.trails[0][-1] == state.trails[1][-1]:
            return 0.0, 0.0
        better = float(bool(self.actions(state, 0))) - float(bool(self.actions(state, 1)))
        return better, -better


@pytest.mark.parametrize(("width", "height"), [(2, 2), (3, 3), (4, 3), (2, 5), (4, 4)])
def test_twin(width: int, height: int) -> None:
    tree = expand(tron(width, height))
    assert_same_tree(tree, expand(PlainTron(width, height)))
    assert tree.total == 0.0
    assert_names_are_unique(tree)


def test_symmetry() -> None:
    """Turning the board half around exchanges the players: they win equally often, and the value is 0."""
    tree = expand(tron())
    assert sorted(tree.gain[:, 0]) == sorted(tree.gain[:, 1])
    assert value(tree) == pytest.approx(catalogue.entry("tron").known["tron"].value, abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("width=1", "width=1 is out of range; it may be 2 to 31"),
        ("height=x", "height='x' should be a whole number"),
        ("width=8,height=8", "a grid of 8 by 8 cells is too large; at most 62 cells are possible"),
    ],
)
def test_bad_parameters(parameters: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        catalogue.make(*catalogue.parse(f"tron({parameters})"))
