"""Pursuit and evasion: two pursuers, moved by one player, chase an evader on a grid.

A test bed of B. Bošanský, V. Lisý, M. Lanctot, J. Čermák, M. H. M. Winands (2016), Algorithms for computing
strategies in two-player simultaneous move games, Artificial Intelligence 237.

Our choices: player 0 is the evader, player 1 moves both pursuers, and both players see everything. At every step
all three units move at once to a neighbouring cell: up, down, left or right. No unit may stay. Pursuers may share a
cell. The evader is caught if a pursuer enters the same cell, or passes it on the same edge in the other direction. If
caught, the evader loses 1; if free after `moves` steps, it wins 1. By default the evader starts in the upper left
corner, and the pursuers start on the two cells next to the lower right corner. With 3 moves on 3 by 3 cells, both
players then have to mix.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hannan.arguments import each_whole, shown, whole
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.games.catalogue import Entry
from hannan.games.parts import DIRECTIONS, mirrored, neighbour, never, picture
from hannan.kernels import kernel
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END

# table: [width, height, moves, cell of the evader, cells of the pursuers (2)]
WIDTH, HEIGHT, MOVES, PLACED = 0, 1, 2, 3

# state: [steps made, caught, cell of the evader, cells of the pursuers (2), last move of each player + 1 (2)]
STEPS, CAUGHT, CELL, LAST = 0, 1, 2, 5


def start(table: Longs, state: Longs) -> None:
    """Put all units on their starting cells."""
    for unit in range(3):
        state[CELL + unit] = table[PLACED + unit]


def turn(table: Longs, state: Longs) -> int:
    """Let both players move at once."""
    return END if state[CAUGHT] or state[STEPS] == table[MOVES] else 3


@kernel
def target(table: Longs, cell: int, direction: int) -> int:
    """Return the cell that a direction leads to, or -1 off the grid."""
    return neighbour(table[WIDTH], table[HEIGHT], cell, direction)


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List directions; for the pursuers, pairs of directions: 4 times the first plus the second."""
    count = 0
    for move in range(4 if player == 0 else 16):
        first = target(table, state[CELL + player], move if player == 0 else move // 4)
        second = 0 if player == 0 else target(table, state[CELL + 2], move % 4)
        if first >= 0 and second >= 0:
            out[count] = move
            count += 1
    return count


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Move all three units, and check whether the evader is caught."""
    before = state[CELL]
    now = target(table, before, choice[0])
    for unit in range(1, 3):
        direction = choice[1] // 4 if unit == 1 else choice[1] % 4
        origin = state[CELL + unit]
        goal = target(table, origin, direction)
        state[CELL + unit] = goal
        if goal == now or (goal == before and origin == now):
            state[CAUGHT] = 1
    state[CELL] = now
    state[STEPS] += 1
    state[LAST] = choice[0] + 1
    state[LAST + 1] = choice[1] + 1


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe how the other player moved."""
    return state[LAST + 1 - player]


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Let the evader lose 1 if it is caught, and win 1 if it is free after the last step."""
    if state[CAUGHT] or state[STEPS] == table[MOVES]:
        out[0] = -1.0 if state[CAUGHT] else 1.0
        out[1] = -out[0]


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Let the evader win or lose 1; only win if both pursuers are out of reach (at most 2 cells nearer per step)."""
    steps = table[MOVES] - state[STEPS]
    width = table[WIDTH]
    row, column = state[CELL] // width, state[CELL] % width
    near = False
    for unit in range(1, 3):
        cell = state[CELL + unit]
        if abs(cell // width - row) + abs(cell % width - column) <= 2 * steps:
            near = True
    over = state[CAUGHT] != 0 or steps == 0
    out[0] = 0.0 if over else -1.0 if near else 1.0
    out[1] = 0.0 if over else 1.0
    mirrored(out)


def position(table: Longs, state: Longs, out: Longs) -> int:
    """Write the steps made, whether the evader is caught, and the cells of all units."""
    out[0] = state[STEPS]
    out[1] = state[CAUGHT]
    for unit in range(3):
        out[2 + unit] = state[CELL + unit]
    return 5


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write a plane of cells for the evader and for each pursuer, the player, and the steps made."""
    cells = table[WIDTH] * table[HEIGHT]
    for unit in range(3):
        out[unit * cells + state[CELL + unit]] = 1.0
    out[3 * cells] = player
    out[3 * cells + 1] = state[STEPS] / table[MOVES]


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds, position=position, features=features)


@remade
def pursuit_evasion(
    width: int = 3,
    height: int = 3,
    moves: int = 3,
    evader: Sequence[int] = (0, 0),
    pursuers: Sequence[Sequence[int]] | None = None,
) -> CompiledRules:
    """Build the rules. Starting cells are [row, column]; `moves`: number of steps until the evader wins."""
    whole("width", width, 2, 1000)
    whole("height", height, 2, 1000)
    whole("moves", moves, 1, 1000)
    if pursuers is None:
        pursuers = [[height - 1, width - 2], [height - 2, width - 1]]
    if not isinstance(pursuers, list | tuple) or len(pursuers) != 2:
        raise ParameterError(f"pursuers={shown(pursuers)} should be two cells, such as [[2,1],[1,2]]")
    cells = [
        _cell(name, cell, height, width)
        for name, cell in (("evader", evader), ("pursuers[0]", pursuers[0]), ("pursuers[1]", pursuers[1]))
    ]
    if cells[0] in cells[1:]:
        raise ParameterError(f"a pursuer starts on the evader's cell, {list(evader)}")

    def action_text(player: int, action: int) -> str:
        return DIRECTIONS[action] if player == 0 else f"{DIRECTIONS[action // 4]}+{DIRECTIONS[action % 4]}"

    def observation_text(player: int, observation: int) -> str:
        return action_text(1 - player, observation - 1) if observation else "-"

    def action_help(player: int, action: int) -> str:
        return "one cell in this direction" if player == 0 else "the first pursuer's direction + the second one's"

    def board_text(state: tuple[int, ...], player: int) -> str:
        marks = {state[CELL + 1]: "1", state[CELL + 2]: "2" if state[CELL + 2] != state[CELL + 1] else "B"}
        marks[state[CELL]] = "E"
        who = "E the evader, 1 and 2 the pursuers (B both)"
        return f"{who}; {moves - state[STEPS]} steps left:\n{picture(width, height, marks)}"

    return CompiledRules(
        "pursuit_evasion",
        2,
        BOOK,
        np.array([width, height, moves, *cells], np.int64),
        state_size=7,
        width=16,
        feature_size=3 * width * height + 2,
        action_text=action_text,
        observation_text=observation_text,
        action_help=action_help,
        board_text=board_text,
    )


def _cell(name: str, cell: Sequence[int], height: int, width: int) -> int:
    each_whole(name, cell, 0, max(height, width) - 1)
    if len(cell) != 2 or cell[0] >= height or cell[1] >= width:
        raise ParameterError(
            f"{name}={shown(cell)} should be [row, column] of a grid of {height} rows and {width} columns"
        )
    return cell[0] * width + cell[1]


ENTRY = Entry(
    name="pursuit_evasion",
    make=pursuit_evasion,
    summary="two pursuers, moved together, chase an evader on a grid",
    source="B. Bošanský, V. Lisý, M. Lanctot et al. (2016), Artificial Intelligence 237",
    parameters={
        "width": "columns",
        "height": "rows",
        "moves": "number of steps until the evader wins",
        "evader": "starting cell: [row,column]",
        "pursuers": "two starting cells, such as [[2,1],[1,2]]; default: next to the lower right corner",
    },
)
