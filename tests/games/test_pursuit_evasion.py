from __future__ import annotations

from itertools import product
from typing import NamedTuple

import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.games import catalogue
from hannan.games.pursuit_evasion import pursuit_evasion
from hannan.rules.plain import END, Rules
from tests.games.checks import assert_names_are_unique, assert_same_tree, tree_of, value

STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
Cell = tuple[int, int]


class Position(NamedTuple):
    before: tuple[Cell, ...]  # evader, pursuer, pursuer
    now: tuple[Cell, ...]
    steps: int
    last: tuple[object, object]


class PlainPursuit(Rules):
    """The rules once more, on coordinates; what is caught shows in two positions in a row."""

    def __init__(self, width: int, height: int, moves: int, evader: Cell, *pursuers: Cell) -> None:
        self.width, self.height, self.moves = width, height, moves
        self.units = (evader, *pursuers)

    def start(self) -> Position:
        return Position((), self.units, 0, (None, None))

    def ways(self, cell: Cell) -> list[str]:
        row, column = cell
        inside = {
            "up": row > 0,
            "right": column < self.width - 1,
            "down": row < self.height - 1,
            "left": column > 0,
        }
        return [name for name in STEPS if inside[name]]

    def caught(self, state: Position) -> bool:
        if not state.before:
            return False
        same = state.now[0] in state.now[1:]
        crossed = (state.now[0], state.before[0]) in zip(state.before[1:], state.now[1:], strict=True)
        return same or crossed

    def turn(self, state: Position) -> int | tuple[int, ...]:
        return END if self.caught(state) or state.steps == self.moves else (0, 1)

    def actions(self, state: Position, player: int) -> list[object]:
        if player == 0:
            return list(self.ways(state.now[0]))
        return list(product(self.ways(state.now[1]), self.ways(state.now[2])))

    def after(self, state: Position, move: tuple[str, tuple[str, str]]) -> Position:
        names = (move[0], *move[1])
        now = tuple((r + STEPS[name][0], c + STEPS[name][1]) for (r, c), name in zip(state.now, names, strict=True))
        return Position(state.now, now, state.steps + 1, move)

    def observe(self, state: Position, player: int) -> object:
        return state.last[1 - player]

    def gains(self, state: Position) -> tuple[float, float]:
        if self.turn(state) != END:
            return 0.0, 0.0
        return (-1.0, 1.0) if self.caught(state) else (1.0, -1.0)


@pytest.mark.parametrize(
    ("width", "height", "moves", "evader", "pursuers"),
    [
        (3, 3, 3, (0, 0), ((2, 1), (1, 2))),
        (3, 3, 2, (1, 1), ((0, 0), (0, 1))),
        (2, 2, 3, (0, 0), ((1, 0), (0, 1))),
        (5, 2, 2, (1, 2), ((0, 4), (0, 4))),
    ],
)
def test_twin(width: int, height: int, moves: int, evader: Cell, pursuers: tuple[Cell, Cell]) -> None:
    tree = expand(pursuit_evasion(width, height, moves, list(evader), [list(cell) for cell in pursuers]))
    assert_same_tree(tree, expand(PlainPursuit(width, height, moves, evader, *pursuers)))
    assert tree.total == 0.0
    assert_names_are_unique(tree)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("pursuit_evasion", 0.0),
        ("pursuit_evasion(moves=1,evader=[0,0],pursuers=[[0,2],[2,0]])", -1.0),
        ("pursuit_evasion(moves=1,pursuers=[[2,2],[2,2]])", 1.0),
    ],
)
def test_value(address: str, expected: float) -> None:
    """By hand: pursuers who enter both ways out catch at once, and nobody catches from four cells away.

    The 0 was found by backward induction with a linear program at each joint node.
    """
    assert value(tree_of(address)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("width=1", "width=1 is out of range; it may be 2 to 1000"),
        ("moves=0", "moves=0 is out of range"),
        ("evader=3", "evader=3 should be a list"),
        ("evader=[0,3]", r"evader\[1\]=3 is out of range; it may be 0 to 2"),
        (
            "height=2,evader=[2,0]",
            r"evader=\[2, 0\] should be \[row, column\] of a grid of 2 rows and 3 columns",
        ),
        ("evader=[0]", r"evader=\[0\] should be \[row, column\]"),
        ("pursuers=[[1,1]]", "should be two cells"),
        ("pursuers=[1,1]", r"pursuers\[0\]=1 should be a list"),
        ("evader=[2,1]", r"a pursuer starts on the evader's cell, \[2, 1\]"),
    ],
)
def test_bad_parameters(parameters: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        catalogue.make(*catalogue.parse(f"pursuit_evasion({parameters})"))
