"""Which sequences of two players meet in payoffs: the connected parts of the payoff matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Ints, Longs
from hannan.kernels import inlined, kernel


@inlined
def _find(above: Ints, place: int) -> int:
    while above[place] != place:
        above[place] = above[above[place]]
        place = above[place]
    return place


def sizes(label: Ints, row_count: int, count: int) -> tuple[Ints, Longs, Longs]:
    """Return the place of each row and column in its component, and how many rows and columns components have."""
    rank, height, width = np.zeros(len(label), np.int32), np.zeros(count, np.int64), np.zeros(count, np.int64)
    _rank(label, row_count, rank, height, width)
    return rank, height, width


@kernel
def _rank(label: Ints, row_count: int, rank: Ints, height: Longs, width: Longs) -> None:
    for place in range(label.size):
        part = label[place]
        if part >= 0:
            size = height if place < row_count else width
            rank[place] = size[part]
            size[part] += 1


def entries_of(label: Ints, rows: Ints, count: int) -> Ints:
    """Return how many entries each of `count` components has."""
    entries = np.zeros(count, np.int32)
    tally(rows, label, 0, entries)
    return entries


@kernel
def tally(sequence: Ints, number: Ints, least: int, many: Ints) -> None:
    """Count how often each number occurs among those of some sequences; the first number is `least`."""
    for s in sequence:
        many[number[s] - least] += 1


@kernel
def lay_out(sequence: Ints, place: Ints, least: int, inside: Any, now: Ints, source: Any, table: Any, out: Any) -> None:
    """Write the numbers of entries outside of blocks, or what a table has for them, place by place.

    table: None, or what each number stands for. now: where the entries of each place begin; afterwards, where they end.
    """
    for k in range(sequence.size):
        if not inside[k]:
            mine = place[sequence[k]] - least
            if table is None:
                out[now[mine]] = source[k]
            else:
                out[now[mine]] = table[source[k]]
            now[mine] += 1


def relabel(label: Ints, place: Ints, many: Ints) -> tuple[Ints, Longs]:
    """Bring labels into the order of places, components by their first place; and how many entries each has."""
    moved, entries = np.empty_like(label), np.empty(len(many), np.int64)
    _relabel(label, place, many, np.full(len(many), -1, np.int32), moved, entries)
    return moved, entries


@kernel
def _relabel(label: Ints, place: Ints, many: Ints, number: Ints, moved: Ints, entries: Longs) -> None:
    for s in range(label.size):
        moved[place[s]] = label[s]
    count = 0
    for s in range(moved.size):
        part = moved[s]
        if part >= 0:
            if number[part] < 0:
                number[part] = count
                entries[count] = many[part]
                count += 1
            moved[s] = number[part]


def components(rows: Ints, columns: Ints, row_count: int, column_count: int) -> Ints:
    """Return the number of the component of each row, then of each column; -1 without an entry."""
    size = row_count + column_count
    label = np.full(size, -1, np.int32)
    _join(rows, columns, row_count, np.arange(size, dtype=np.int32), np.zeros(size, np.bool_), label)
    return label


@kernel
def _join(rows: Ints, columns: Ints, row_count: int, above: Ints, used: Any, label: Ints) -> None:
    for k in range(rows.size):
        left, right = _find(above, rows[k]), _find(above, row_count + columns[k])
        if left != right:
            above[max(left, right)] = min(left, right)
    for k in range(rows.size):
        used[rows[k]] = True
        used[row_count + columns[k]] = True
    count = 0
    for place in range(above.size):
        if used[place]:
            root = _find(above, place)
            if label[root] < 0:
                label[root] = count
                count += 1
            label[place] = label[root]
