"""Tic-tac-toe: noughts and crosses on a board of nine cells, three in a row win."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.games.catalogue import Entry, Known
from hannan.games.parts import members, never, picture, plane
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
"""Three in a row, as bits of cells; cell 3 r + c is column c of row r."""

# table: for each set of cells, whether it holds a line
# state: moves made, last cell + 1, whether the last move won, cells of player 0 and of player 1 as bits
MOVES, LAST, WON, CELLS, STATE_SIZE = 0, 1, 2, 3, 5


def start(table: Longs, state: Longs) -> None:
    """Leave the state at zero: the board is empty."""


def turn(table: Longs, state: Longs) -> int:
    """Let the players alternate, crosses first, until a player has a line or the board is full."""
    mover: int = state[MOVES] & 1
    return END if state[WON] or state[MOVES] == 9 else 1 << mover


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List the empty cells."""
    return members(~(state[CELLS] | state[CELLS + 1]), 9, out)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Take the cell."""
    at = CELLS + (state[MOVES] & 1)
    state[at] |= 1 << choice[0]
    state[WON] = table[state[at]]
    state[LAST] = choice[0] + 1
    state[MOVES] += 1


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the other's last cell."""
    last: int = state[LAST]
    return last


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay 1 to the player who completed a line."""
    if state[WON]:
        out[state[MOVES] & 1] = -1.0
        out[1 - (state[MOVES] & 1)] = 1.0


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Let a player win if the cells that the other does not hold contain a line."""
    over = state[WON] or state[MOVES] == 9
    for player in range(2):
        out[2 * player + 1] = 0.0 if over else table[511 ^ state[CELLS + 1 - player]]
    out[0] = 0.0 - out[3]
    out[2] = 0.0 - out[1]


def position(table: Longs, state: Longs, out: Longs) -> int:
    """Write the board: the cells of both players."""
    out[0] = state[CELLS]
    out[1] = state[CELLS + 1]
    return 2


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write the player's cells, then the other's."""
    plane(state[CELLS + player], 9, 0, out)
    plane(state[CELLS + 1 - player], 9, 9, out)


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds, position=position, features=features)


def cell_text(cell: int) -> str:
    """Name a cell by column and row: a1 to c3."""
    return f"{'abc'[cell % 3]}{cell // 3 + 1}"


@remade
def tic_tac_toe() -> CompiledRules:
    """Build the rules."""
    table = [int(any(cells & line == line for line in LINES)) for cells in range(2**9)]

    def board_text(state: tuple[int, ...], player: int) -> str:
        marks = {cell: "xo"[who] for who in range(2) for cell in range(9) if state[CELLS + who] >> cell & 1}
        return f"you are {'xo'[player]}:\n{picture(3, 3, marks)}"

    return CompiledRules(
        "tic_tac_toe",
        2,
        BOOK,
        np.array(table, np.int64),
        state_size=STATE_SIZE,
        width=9,
        feature_size=18,
        action_text=lambda player, action: cell_text(action),
        observation_text=lambda player, observation: cell_text(observation - 1) if observation else "-",
        action_help=lambda player, action: f"put your {'xo'[player]} on this cell",
        board_text=board_text,
    )


ENTRY = Entry(
    name="tic_tac_toe",
    make=tic_tac_toe,
    summary="three in a row on a board of nine: perfect information, no chance",
    source="traditional",
    known={
        "tic_tac_toe": Known(549_946, (180_361, 114_417), 0.0, "OpenSpiel; value by backward induction"),
    },
    openspiel={"tic_tac_toe": "tic_tac_toe"},
)
