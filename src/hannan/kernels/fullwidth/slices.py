"""Rows of payoffs, laid out so that threads side by side read side by side: parts of rows in groups of `WIDTH`."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Bools, Floats, Ints, Longs, Numbers
from hannan.kernels import kernel

WIDTH = 32
"""Threads that move together on a card."""

PACK = 8
"""Entries of a part that lie side by side."""


@kernel
def count_parts(sequence_at: Ints, low: int, high: int, row_begin: Longs, longest: int) -> tuple[int, int, int]:
    """Count the parts of the rows at places `low … high`, the rows with several parts, and their parts."""
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
def digest(start: Longs, length: Ints, other: Ints, digests: Longs) -> None:
    """Write a number for each part that parts which meet the same others share."""
    for part in range(start.size):
        mixed = np.int64(length[part])
        for o in range(other.shape[0]):
            for k in range(start[part], start[part] + length[part]):
                mixed = (mixed ^ np.int64(other[o, k])) * np.int64(0x5851F42D4C957F2D)
                mixed ^= mixed >> np.int64(29)
        digests[part] = mixed


@kernel
def mark_clusters(order: Longs, start: Longs, length: Ints, other: Ints, fresh: Bools) -> None:
    """Mark each part, in this order, that does not meet the same others as the part before it."""
    fresh[:1] = True
    for k in range(1, order.size):
        one, two = order[k - 1], order[k]
        same = other.shape[0] > 0 and length[one] == length[two]
        for o in range(other.shape[0]):
            i = 0
            while same and i < length[one]:
                same = other[o, start[one] + i] == other[o, start[two] + i]
                i += 1
        fresh[k] = not same


@kernel
def gather_distinct(numbers: Numbers, known: Floats, count: int) -> int:
    """Add numbers other than 0 to the first `count` of `known`, which are sorted; return how many there are.

    If `known` is too short for all of them, return -1.
    """
    last = 0.0
    for k in range(numbers.size):
        number = float(numbers[k])
        if number == 0.0 or number == last:
            continue
        last = number
        at = np.searchsorted(known[:count], number)
        if at < count and known[at] == number:
            continue
        if count == known.size:
            return -1
        for i in range(count, at, -1):
            known[i] = known[i - 1]
        known[at] = number
        count += 1
    return count


@kernel
def fill_indexes(start: Longs, length: Ints, group: Ints, place: Ints, other: Ints, others: Ints) -> None:
    """Write the places that the parts of each group meet; of 2^shift neighbours, the first one knows them all."""
    for part in range(start.size):
        shift = group[part // WIDTH, 2]
        lane = part % WIDTH
        if lane % (1 << shift) > 0:
            continue
        index = (np.int64(group[part // WIDTH, 1]) + (lane >> shift)) * PACK
        for k in range(length[part]):
            at = index + k // PACK * (WIDTH >> shift) * PACK + k % PACK
            for o in range(other.shape[0]):
                others[o, at] = place[other[o, start[part] + k]]


@kernel
def fill_payoffs(start: Longs, length: Ints, group: Ints, payoff: Floats, known: Floats, cells: Numbers) -> None:
    """Write payoffs to the cells of their groups; cells that are left keep 0.

    If `known` is not empty, a cell gets 1 + where the payoff stands there.
    """
    for part in range(start.size):
        cell = (np.int64(group[part // WIDTH, 0]) * WIDTH + part % WIDTH) * PACK
        for k in range(length[part]):
            number = payoff[start[part] + k]
            if number != 0.0 and known.size > 0:
                number = 1.0 + np.searchsorted(known, number)
            cells[cell + k // PACK * (WIDTH * PACK) + k % PACK] = number
