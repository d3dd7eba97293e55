"""Rows of payoffs, laid out so that threads side by side read side by side: parts of rows in groups of `WIDTH`."""

from __future__ import annotations

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import kernel
from hannan.kernels.fullwidth.records import Flat

WIDTH = 32
"""Threads that move together on a card."""


@kernel
def count_parts(sequence_at: Ints, low: int, high: int, row_begin: Longs, longest: int) -> tuple[int, int, int]:
    """Count the parts of the rows at places `low … high`, the rows that have several, and the parts of those."""
    parts, rows, pieces = 0, 0, 0
    for place in range(low, high):
        s = sequence_at[place]
        if s >= 0:
            length = row_begin[s + 1] - row_begin[s]
            many = (length + longest - 1) // longest
            parts += many
            if many > 1:
                rows += 1
                pieces += many
    return parts, rows, pieces


@kernel
def cut_parts(
    sequence_at: Ints,
    low: int,
    high: int,
    row_begin: Longs,
    longest: int,
    target: Ints,
    start: Longs,
    length: Ints,
    row: Ints,
    row_pieces: Ints,
    piece: int,
) -> None:
    """Write the parts of the rows at places `low … high`: where the sum goes, where entries begin, how many they are.

    The sum of a row that is one part goes to its place; the parts of a longer row have pieces `piece …`, and a target
    of -1 - piece. `row` gets the places of the longer rows, `row_pieces` one past the last piece of each.
    """
    part, longer = 0, 0
    for place in range(low, high):
        s = sequence_at[place]
        if s < 0 or row_begin[s + 1] == row_begin[s]:
            continue
        begin, end = row_begin[s], row_begin[s + 1]
        several = end - begin > longest
        while begin < end:
            target[part] = -1 - piece if several else place
            start[part] = begin
            length[part] = min(longest, end - begin)
            begin += length[part]
            part += 1
            if several:
                piece += 1
        if several:
            row[longer] = place
            row_pieces[longer] = piece
            longer += 1


@kernel
def fill(start: Longs, length: Ints, group_begin: Longs, place: Ints, flat: Flat, others: Ints, cells: Floats) -> None:
    """Write entries to the cells of their groups, [width of the group, WIDTH]; cells that are left keep payoff 0."""
    for part in range(start.size):
        cell = group_begin[part // WIDTH] + part % WIDTH
        for k in range(start[part], start[part] + length[part]):
            cells[cell] = flat.payoff[k]
            for o in range(flat.other.shape[0]):
                others[o, cell] = place[flat.other[o, k]]
            cell += WIDTH
