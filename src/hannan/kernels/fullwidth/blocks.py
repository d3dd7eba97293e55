"""Which sequences of two players meet in payoffs: the connected parts of the payoff matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Ints, Longs
from hannan.kernels import kernel


@kernel
def _find(above: Ints, place: int) -> int:
    while above[place] != place:
        above[place] = above[above[place]]
        place = above[place]
    return place


@kernel
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


@kernel
def entries_of(label: Ints, rows: Ints, count: int) -> Longs:
    """Return how many entries each of `count` components has."""
    entries = np.zeros(count, np.int64)
    for row in rows:
        entries[label[row]] += 1
    return entries


@kernel
def pick(source: Any, order: Ints, sign: int, out: Any) -> None:
    """Write source[order] times a sign; NumPy would copy the order first, in twice its size."""
    for k in range(order.size):
        out[k] = sign * source[order[k]]


@kernel
def rows_of(sequence: Ints, order: Ints) -> tuple[Ints, Longs]:
    """Return the sequences that entries in this order have, which ascends, and where those of each begin and end."""
    count = 0
    for k in range(order.size):
        count += k == 0 or sequence[order[k]] != sequence[order[k - 1]]
    row, begin = np.empty(count, np.int32), np.empty(count + 1, np.int64)
    count = 0
    for k in range(order.size):
        if k == 0 or sequence[order[k]] != sequence[order[k - 1]]:
            row[count], begin[count] = sequence[order[k]], k
            count += 1
    begin[count] = order.size
    return row, begin


@kernel
def components(rows: Ints, columns: Ints, row_count: int, column_count: int) -> Ints:
    """Return the number of the component of each row, then of each column; -1 where there is no entry."""
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
