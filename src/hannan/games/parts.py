"""Parts that the rules of several games share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel

UP, RIGHT, DOWN, LEFT = range(4)
DIRECTIONS = ("up", "right", "down", "left")


def picture(width: int, height: int, marks: Mapping[int, str]) -> str:
    """Draw a grid as text: a mark on some cells, a point on the others. Cells are numbered by rows."""
    rows = (" ".join(marks.get(row * width + column, ".") for column in range(width)) for row in range(height))
    return "\n".join(rows)


def never(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    """Write no outcome: the game has no chance nodes."""
    return 0


@kernel
def each(first: int, end: int, out: Longs) -> int:
    """Write `first`, …, `end` - 1 and return their number."""
    for k in range(end - first):
        out[k] = first + k
    return end - first


@kernel
def members(bits: int, size: int, out: Longs) -> int:
    """Write the members of a set, ascending, and return their number. Bit k of `size` bits stands for k."""
    count = 0
    for k in range(size):
        if (bits >> k) & 1:
            out[count] = k
            count += 1
    return count


@kernel
def evenly(count: int, probabilities: Floats) -> int:
    """Write equal probabilities of `count` outcomes and return `count`."""
    for k in range(count):
        probabilities[k] = 1.0 / count
    return count


@kernel
def real(table: Longs, at: int) -> float:
    """Return the float whose bits are at a place of a table."""
    return np.int64(table[at]).view(np.float64)


@kernel
def mirrored(out: Floats) -> None:
    """Write the bounds of player 1 in a zero-sum game: the negated bounds of player 0."""
    out[2] = 0.0 - out[1]
    out[3] = 0.0 - out[0]


@kernel
def symmetric(most: float, out: Floats) -> None:
    """Write the bounds of a two-player zero-sum game in which each may win or lose up to `most`."""
    out[0] = 0.0 - most
    out[1] = most
    mirrored(out)


@kernel
def nothing_left(players: int, out: Floats) -> None:
    """Write the bounds of a game that is over: all 0."""
    for k in range(2 * players):
        out[k] = 0.0


@kernel
def plane(bits: int, size: int, at: int, out: Floats) -> None:
    """Write a set as `size` features from place `at` on: 1 for its members, 0 for the others."""
    for k in range(size):
        out[at + k] = (bits >> k) & 1


@kernel
def neighbour(width: int, height: int, cell: int, direction: int) -> int:
    """Return the cell that a direction leads to, or -1 off the grid; cells are numbered by rows."""
    column = cell % width
    if direction == UP:
        cell -= width
    elif direction == DOWN:
        cell += width
    elif direction == LEFT:
        cell = cell - 1 if column > 0 else -1
    else:
        cell = cell + 1 if column < width - 1 else -1
    return cell if 0 <= cell < width * height else -1
