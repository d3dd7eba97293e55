"""Two joint moves of two actions each, with payoffs 0, 1/2 and 1: the games of the SM-MCTS paper's figure 3.

A game is sixteen digits: the four leaf matrices at the root's cells (0,0), (0,1), (1,0), (1,1), each by rows.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.experiments.repeated import Kind
from hannan.games.parts import each, mirrored, never
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END

LEAVES = 16
NODES = 21

# state: stages done, the cell of the first, the cell of the second
STAGE, FIRST, SECOND = range(3)


def start(table: Longs, state: Longs) -> None:
    """Start before the first stage."""


def turn(table: Longs, state: Longs) -> int:
    """Let both players move, twice."""
    return 3 if state[STAGE] < 2 else END


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List two actions for each player."""
    return each(0, 2, out)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Store the chosen cell."""
    cell = 2 * choice[0] + choice[1]
    if state[STAGE] == 0:
        state[FIRST] = cell
    else:
        state[SECOND] = cell
    state[STAGE] += 1


def observe(table: Longs, state: Longs, player: int) -> int:
    """Return the stage and the first cell as one number."""
    code: int = 4 * state[STAGE] + state[FIRST]
    return code


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Write half the digit of the leaf."""
    if state[STAGE] == 2:
        out[0] = 0.5 * table[4 * state[FIRST] + state[SECOND]]
        out[1] = 0.0 - out[0]


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Write 0 and 1, until play is over."""
    out[0] = 0.0
    out[1] = 1.0 if state[STAGE] < 2 else 0.0
    mirrored(out)


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds)


@remade
def stacked(digits: tuple[int, ...]) -> CompiledRules:
    """Return the rules of one game."""
    return CompiledRules("stacked", 2, BOOK, np.array(digits, np.int64), state_size=3, width=2)


@cache
def kind() -> Kind:
    """Return what all games have in common."""
    return Kind(stacked((0,) * LEAVES), NODES, 0.0, 1.0)


def text_of(digits: tuple[int, ...] | Longs) -> str:
    """Write a game as its four leaf matrices."""
    words = np.array(["0", ".5", "1"])[np.array(digits)].reshape(4, 4)
    return " ".join("[{} {}; {} {}]".format(*leaf) for leaf in words)


SWAPS = (0, 1, 2, 3), (2, 3, 0, 1), (1, 0, 3, 2), (3, 2, 1, 0)
"""The four cells of a matrix after no swap, a swap of rows, of columns, of both."""


def matrices() -> list[tuple[int, ...]]:
    """List the 27 leaf matrices up to swaps of rows and columns, each by its first form."""
    every = product(range(3), repeat=4)
    return [digits for digits in every if digits == min(tuple(digits[k] for k in swap) for swap in SWAPS)]


def distinct() -> Longs:
    """List every game once up to swaps of rows and of columns, in the leaf matrices and at the root: [133407, 16]."""
    forms = matrices()
    numbers = np.array(list(product(range(len(forms)), repeat=4)), np.int64)
    weight = len(forms) ** np.arange(3, -1, -1)
    codes = np.stack([numbers[:, list(swap)] @ weight for swap in SWAPS])
    first = codes[0] == codes.min(axis=0)
    games: Longs = np.array(forms, np.int64)[numbers[first]].reshape(-1, LEAVES)
    return games


def canonical(digits: tuple[int, ...]) -> tuple[int, ...]:
    """Return the game of `distinct` into which swaps turn this one."""
    forms = matrices()
    leaves = [digits[4 * k : 4 * k + 4] for k in range(4)]
    least = [min(tuple(leaf[k] for k in swap) for swap in SWAPS) for leaf in leaves]
    order = min([forms.index(least[k]) for k in swap] for swap in SWAPS)
    return tuple(digit for number in order for digit in forms[number])
