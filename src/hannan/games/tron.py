"""Tron: two light cycles on a grid, each leaving a wall behind.

A test bed of B. Bošanský, V. Lisý, M. Lanctot, J. Čermák, M. H. M. Winands (2016), Algorithms for computing
strategies in two-player simultaneous move games, Artificial Intelligence 237.

Our choices: player 0 starts in the upper left corner, player 1 in the lower right corner. At every step both
players move at once, up, down, left or right, to a cell of the grid that neither player has entered before (the
other's present cell becomes a wall). Crashing on purpose is left out: it is never better than another move. Play ends
when both players enter the same cell (a draw), or when a player has no move (a loss; a draw if neither player has
one). A win pays 1.
"""

from __future__ import annotations

import numpy as np

from hannan.arguments import whole
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.games.catalogue import Entry, Known
from hannan.games.parts import DIRECTIONS, neighbour, never, picture, plane, symmetric
from hannan.kernels import kernel
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END

# table: [width, height]
WIDTH, HEIGHT = 0, 1

# state: [walls as bits, cell of each player (2), last direction of each + 1 (2)]
WALLS, CELL, LAST = 0, 1, 3


def start(table: Longs, state: Longs) -> None:
    """Put the players in opposite corners."""
    far = table[WIDTH] * table[HEIGHT] - 1
    state[CELL + 1] = far
    state[WALLS] = 1 | (1 << far)


@kernel
def target(table: Longs, state: Longs, player: int, direction: int) -> int:
    """Return the cell that a direction leads to, or -1 if it is not free."""
    cell = neighbour(table[WIDTH], table[HEIGHT], state[CELL + player], direction)
    return -1 if cell < 0 or (state[WALLS] >> cell) & 1 else cell


@kernel
def stuck(table: Longs, state: Longs, player: int) -> bool:
    """Return whether a player has no move."""
    best = -1
    for direction in range(4):
        best = max(best, target(table, state, player, direction))
    return best < 0


@kernel
def turn(table: Longs, state: Longs) -> int:
    """Let both players move at once."""
    if state[CELL] == state[CELL + 1] or stuck(table, state, 0) or stuck(table, state, 1):
        return END
    return 3


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List the directions that lead to a free cell."""
    count = 0
    for direction in range(4):
        if target(table, state, player, direction) >= 0:
            out[count] = direction
            count += 1
    return count


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Move both cycles; the cells that they enter are walls from then on."""
    first = target(table, state, 0, choice[0])
    second = target(table, state, 1, choice[1])
    state[CELL] = first
    state[CELL + 1] = second
    state[LAST] = choice[0] + 1
    state[LAST + 1] = choice[1] + 1
    state[WALLS] |= (1 << first) | (1 << second)


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the other's last direction."""
    return state[LAST + 1 - player]


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Let a player lose 1 if it is the only one without a move."""
    if state[CELL] == state[CELL + 1]:
        return
    first, second = stuck(table, state, 0), stuck(table, state, 1)
    if first != second:
        out[0] = -1.0 if first else 1.0
        out[1] = -out[0]


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Let either player win 1 or lose 1 until play ends."""
    symmetric(0.0 if turn(table, state) == END else 1.0, out)


def position(table: Longs, state: Longs, out: Longs) -> int:
    """Write the walls and both cells; the path to them no longer matters."""
    out[0] = state[WALLS]
    out[1] = state[CELL]
    out[2] = state[CELL + 1]
    return 3


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write a plane of cells each for the walls, the player and the other."""
    cells = table[WIDTH] * table[HEIGHT]
    plane(state[WALLS], cells, 0, out)
    out[cells + state[CELL + player]] = 1.0
    out[2 * cells + state[CELL + 1 - player]] = 1.0


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds, position=position, features=features)


@remade
def tron(width: int = 3, height: int = 3) -> CompiledRules:
    """Build the rules: a grid of `width` by `height` cells."""
    whole("width", width, 2, 31)
    whole("height", height, 2, 31)
    if width * height > 62:
        raise ParameterError(f"a grid of {width} by {height} cells is too large; at most 62 cells are possible")

    def board_text(state: tuple[int, ...], player: int) -> str:
        marks = {cell: "#" for cell in range(width * height) if state[WALLS] >> cell & 1}
        marks |= {state[CELL + player]: "@", state[CELL + 1 - player]: "o"}
        return f"@ you, o the other, # walls:\n{picture(width, height, marks)}"

    return CompiledRules(
        "tron",
        2,
        BOOK,
        np.array([width, height], np.int64),
        state_size=5,
        width=4,
        feature_size=3 * width * height,
        action_text=lambda player, action: DIRECTIONS[action],
        observation_text=lambda player, observation: DIRECTIONS[observation - 1] if observation else "-",
        action_help=lambda player, action: "one cell in this direction",
        board_text=board_text,
    )


ENTRY = Entry(
    name="tron",
    make=tron,
    summary="two light cycles, each leaving a wall; a player without a move loses",
    source="B. Bošanský, V. Lisý, M. Lanctot et al. (2016), Artificial Intelligence 237",
    parameters={"width": "columns", "height": "rows; at most 62 cells in all"},
    known={"tron": Known(value=0.0, source="the game is symmetric")},
)
