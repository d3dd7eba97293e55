"""Which sequences of two players meet in payoffs: the connected parts of the payoff matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Ints, Longs
from hannan.kernels import kernel, owning


@kernel
def _find(above: Ints, place: int) -> int:
    while above[place] != place:
        above[place] = above[above[place]]
        place = above[place]
    return place


@owning
def sizes(label: Ints, row_count: int) -> tuple[Ints, Longs, Longs]:
    """Return the place of each row and column in its component, and how many rows and columns components have."""
    count = 0
    for place in range(label.size):
        count = max(count, label[place] + 1)
    rank, height, width = np.zeros(label.size, np.int32), np.zeros(count, np.int64), np.zeros(count, np.int64)
    for place in range(label.size):
        part = label[place]
        if part >= 0:
            size = height if place < row_count else width
            rank[place] = size[part]
            size[part] += 1
    return rank, height, width


@owning
def entries_of(label: Ints, rows: Ints, count: int) -> Longs:
    """Return how many entries each of `count` components has."""
    entries = np.zeros(count, np.int64)
    for row in rows:
        entries[label[row]] += 1
    return entries


@owning
def rows_of(sequence: Ints, place: Ints, least: int, inside: Any) -> tuple[Ints, Ints, Longs]:
    """Count the entries outside of blocks that each of a player's sequences has, by its place; the first is `least`.

    Returns where those of each place begin, [places]; the places that have some; where those begin, and one past all.
    """
    many = np.zeros(place.size, np.int32)
    for k in range(sequence.size):
        if not inside[k]:
            many[place[sequence[k]] - least] += 1
    count, used = 0, 0
    for s in range(many.size):
        count += many[s] > 0
    row, begin = np.empty(count, np.int32), np.empty(count + 1, np.int64)
    count = 0
    for s in range(many.size):
        if many[s] > 0:
            row[count], begin[count] = least + s, used
            count += 1
        used += many[s]
        many[s] = used - many[s]
    begin[count] = used
    return many, row, begin


@owning
def lay_out(
    sequence: Ints, place: Ints, least: int, inside: Any, first: Ints, source: Any, table: Any, out: Any
) -> None:
    """Write the numbers of entries outside of blocks, or what a table has for them, place by place.

    `first` is as of `rows_of`; without a table it is None.
    """
    now = first.copy()
    for k in range(sequence.size):
        if not inside[k]:
            mine = place[sequence[k]] - least
            if table is None:
                out[now[mine]] = source[k]
            else:
                out[now[mine]] = table[source[k]]
            now[mine] += 1


@owning
def relabel(label: Ints, place: Ints, many: Longs) -> tuple[Ints, Longs]:
    """Bring labels into the order of places, components by their first place; and how many entries each has."""
    moved, number, entries = np.empty_like(label), np.full(many.size, -1, np.int32), np.empty_like(many)
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
    return moved, entries


@owning
def components(rows: Ints, columns: Ints, row_count: int, column_count: int) -> Ints:
    """Return the number of the component of each row, then of each column; -1 without an entry."""
    above = np.arange(row_count + column_count).astype(np.int32)
    for k in range(rows.size):
        left, right = _find(above, rows[k]), _find(above, row_count + columns[k])
        if left != right:
            above[max(left, right)] = min(left, right)
    used = np.zeros(above.size, np.bool_)
    for k in range(rows.size):
        used[rows[k]] = True
        used[row_count + columns[k]] = True
    label = np.full(above.size, -1, np.int32)
    count = 0
    for place in range(above.size):
        if used[place]:
            root = _find(above, place)
            if label[root] < 0:
                label[root] = count
                count += 1
            label[place] = label[root]
    return label
