"""Payoff blocks as factors: R·L·D·Lᵀ·C + S, with few numbers in D and S.

B. H. Zhang and T. Sandholm (2020), Sparsified linear programming for zero-sum equilibrium finding: a payoff matrix
that is a product of sparse factors plus a sparse rest. Here rows and columns of a block are sorted by their sums, R and
C are weights of rows and columns, L adds up from the first to the last, D holds the corners at which a rectangle of
equal numbers begins or ends, and S the single cells that fit in nowhere (such as a card that both players would hold).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Shorts
from hannan.kernels import kernel, owning, shared

ALIKE = 1e-13
"""Numbers that differ by at most this share of the largest one are the same but for rounding."""

MOST_KINDS = 64
"""Different numbers of a block up to which they are compared with one another."""

# columns of `Factored.block`: rows and columns of the block, and where its rows, columns, corners and cells begin
F_ROWS, F_COLUMNS, F_ROW_AT, F_COLUMN_AT, F_CORNER_AT, F_CELL_AT, F_BLOCK = range(7)


class Factored(NamedTuple):
    """Blocks that are stored as factors; the last row of `block` says where everything ends."""

    block: Longs  # [blocks + 1, 6]
    row: Ints  # sequences of player 0, block after block, in the order of the factors
    row_weight: Floats
    column: Ints  # sequences of player 1
    column_weight: Floats
    corner_row: Shorts  # places in the block
    corner_column: Shorts
    corner: Floats
    cell_row: Shorts
    cell_column: Shorts
    cell: Floats


class Parts(NamedTuple):
    """Entries by the connected parts of the payoff matrix."""

    begin: Longs  # [parts + 1]  the entries of part k are order[begin[k]] … order[begin[k+1]-1]
    order: Ints  # [entries]
    rank: Ints  # [rows + columns]  the place of a row or column in its part
    height: Longs  # [parts]
    width: Longs  # [parts]


class FactorScratch(NamedTuple):
    """Room to work on one block."""

    table: Floats  # [cells]  as it is given
    sorted: Floats  # [cells]  weights taken out, rows and columns in order
    odd: Floats  # [cells]  what single cells differ by
    row_weight: Floats
    column_weight: Floats
    row_order: Longs
    column_order: Longs


@kernel
def _fill(
    part: int, parts: Parts, rows: Ints, columns: Ints, row_count: int, payoff: Floats, room: FactorScratch
) -> None:
    n = parts.width[part]
    room.table[: parts.height[part] * n] = 0.0
    for k in range(parts.begin[part], parts.begin[part + 1]):
        entry = parts.order[k]
        room.table[parts.rank[rows[entry]] * n + parts.rank[row_count + columns[entry]]] = payoff[entry]


@kernel
def _weigh(m: int, n: int, weighted: bool, room: FactorScratch) -> None:
    """Write weights of rows and columns: all 1, or such that a product of weights times -1, 0 and 1 has only those."""
    table, row_weight, column_weight = room.table, room.row_weight, room.column_weight
    row_weight[:m] = 1.0
    column_weight[:n] = 1.0
    if not weighted:
        return
    for i in range(m):
        row_weight[i] = 0.0
        for j in range(n):
            row_weight[i] = max(row_weight[i], abs(table[i * n + j]))
    for j in range(n):
        column_weight[j] = 0.0
        for i in range(m):
            column_weight[j] = max(column_weight[j], abs(table[i * n + j]) / row_weight[i])


@owning
def _sort(m: int, n: int, room: FactorScratch) -> None:
    """Take the weights out, make one of numbers that are alike, and sort rows and columns."""
    table, row_weight, column_weight = room.table, room.row_weight, room.column_weight
    largest = 0.0
    for i in range(m):
        for j in range(n):
            largest = max(largest, abs(table[i * n + j]) / (row_weight[i] * column_weight[j]))
    kinds, known = np.empty(MOST_KINDS), 0
    row_sum, column_sum = np.zeros(m), np.zeros(n)
    for i in range(m):
        for j in range(n):
            number = table[i * n + j] / (row_weight[i] * column_weight[j])
            kind = 0
            while kind < known and abs(kinds[kind] - number) > ALIKE * largest:
                kind += 1
            if kind < known:
                number = kinds[kind]
            elif known < MOST_KINDS:
                kinds[known] = number
                known += 1
            room.odd[i * n + j] = number
            row_sum[i] += number
            column_sum[j] += number
    unit = 1e-9 * largest
    row_order = np.argsort(np.round(row_sum / unit), kind="mergesort")
    column_order = np.argsort(np.round(column_sum / unit), kind="mergesort")
    room.row_order[:m] = row_order
    room.column_order[:n] = column_order
    for i in range(m):
        for j in range(n):
            room.sorted[i * n + j] = room.odd[row_order[i] * n + column_order[j]]


@kernel
def _straighten(m: int, n: int, room: FactorScratch) -> int:
    """Give cells that differ from all their neighbours, which are alike, the neighbours' number; return how many."""
    numbers, odd = room.sorted, room.odd
    odd[: m * n] = 0.0
    count = 0
    if m < 2 or n < 2:
        return 0
    for i in range(m):
        for j in range(n):
            here = numbers[i * n + j]
            other = numbers[i * n + (j - 1 if j > 0 else j + 1)]
            if (
                other != here
                and numbers[i * n + (j + 1 if j + 1 < n else j - 1)] == other
                and numbers[(i - 1 if i > 0 else i + 1) * n + j] == other
                and numbers[(i + 1 if i + 1 < m else i - 1) * n + j] == other
            ):
                odd[i * n + j] = here - other
                numbers[i * n + j] = other
                count += 1
    return count


@kernel
def _corner(numbers: Floats, n: int, i: int, j: int) -> float:
    here = numbers[i * n + j]
    above = numbers[(i - 1) * n + j] if i > 0 else 0.0
    left = numbers[i * n + j - 1] if j > 0 else 0.0
    both = numbers[(i - 1) * n + j - 1] if i > 0 and j > 0 else 0.0
    return (here - above) - (left - both)


@kernel
def _split(m: int, n: int, weighted: bool, room: FactorScratch) -> tuple[int, int]:
    """Split the block of `room` up; return how many corners and single cells there are."""
    _weigh(m, n, weighted, room)
    _sort(m, n, room)
    cells = _straighten(m, n, room)
    corners = 0
    for i in range(m):
        for j in range(n):
            corners += _corner(room.sorted, n, i, j) != 0.0
    return corners, cells


@owning
def measure(
    wanted: Longs,
    parts: Parts,
    rows: Ints,
    columns: Ints,
    row_count: int,
    payoff: Floats,
    room: FactorScratch,
    sizes: Longs,
) -> None:
    """Write for each wanted part the corners and cells that factors would have, and whether with weights."""
    for k in range(wanted.size):
        part = wanted[k]
        m, n = parts.height[part], parts.width[part]
        _fill(part, parts, rows, columns, row_count, payoff, room)
        corners, cells = _split(m, n, False, room)
        sizes[k, 0], sizes[k, 1], sizes[k, 2] = corners, cells, 0
        if corners + cells > 2:
            corners, cells = _split(m, n, True, room)
            if corners + cells < sizes[k, 0] + sizes[k, 1]:
                sizes[k, 0], sizes[k, 1], sizes[k, 2] = corners, cells, 1


@owning
def write(
    chosen: Longs, weighted: Longs, parts: Parts, rows: Ints, columns: Ints, row_count: int, payoff: Floats,
    room: FactorScratch, out: Factored,
) -> None:  # fmt: skip
    """Write the factors of the chosen parts; rows and columns come as the numbers that they have in their part."""
    for k in range(chosen.size):
        part = chosen[k]
        m, n = parts.height[part], parts.width[part]
        _fill(part, parts, rows, columns, row_count, payoff, room)
        _split(m, n, weighted[k] == 1, room)
        row_at, column_at = out.block[k, F_ROW_AT], out.block[k, F_COLUMN_AT]
        corner, cell = out.block[k, F_CORNER_AT], out.block[k, F_CELL_AT]
        for i in range(m):
            out.row[row_at + i] = room.row_order[i]
            out.row_weight[row_at + i] = room.row_weight[room.row_order[i]]
        for j in range(n):
            out.column[column_at + j] = room.column_order[j]
            out.column_weight[column_at + j] = room.column_weight[room.column_order[j]]
        for i in range(m):
            for j in range(n):
                step = _corner(room.sorted, n, i, j)
                if step != 0.0:
                    out.corner_row[corner], out.corner_column[corner], out.corner[corner] = i, j, step
                    corner += 1
                if room.odd[i * n + j] != 0.0:
                    weight = room.row_weight[room.row_order[i]] * room.column_weight[room.column_order[j]]
                    out.cell_row[cell], out.cell_column[cell] = i, j
                    out.cell[cell] = room.odd[i * n + j] * weight
                    cell += 1


@shared
def gradient_factors(
    factored: Factored, player: int, low: int, high: int, reach: Floats, worth: Floats, scratch: Floats
) -> None:
    """Write what sequences gain in the blocks `low … high` that are stored as factors."""
    corner, cell = factored.corner, factored.cell
    given, sums, total = scratch[0], scratch[1], scratch[2]
    if player == 0:
        outs, out_weight, ins, in_weight = factored.row, factored.row_weight, factored.column, factored.column_weight
        corner_out, corner_in = factored.corner_row, factored.corner_column
        cell_out, cell_in, sign = factored.cell_row, factored.cell_column, 1.0
    else:
        outs, out_weight, ins, in_weight = factored.column, factored.column_weight, factored.row, factored.row_weight
        corner_out, corner_in = factored.corner_column, factored.corner_row
        cell_out, cell_in, sign = factored.cell_column, factored.cell_row, -1.0
    out_place, in_place = (F_ROW_AT, F_COLUMN_AT) if player == 0 else (F_COLUMN_AT, F_ROW_AT)
    for b in range(low, high):
        out_at, out_end = factored.block[b, out_place], factored.block[b + 1, out_place]
        in_at, in_end = factored.block[b, in_place], factored.block[b + 1, in_place]
        so_far = 0.0
        for k in range(in_end - 1, in_at - 1, -1):
            given[k - in_at] = reach[ins[k]]
            so_far += in_weight[k] * given[k - in_at]
            sums[k - in_at] = so_far
        for k in range(out_end - out_at):
            total[k] = 0.0
        for k in range(factored.block[b, F_CORNER_AT], factored.block[b + 1, F_CORNER_AT]):
            total[corner_out[k]] += corner[k] * sums[corner_in[k]]
        so_far = 0.0
        for k in range(out_at, out_end):
            so_far += total[k - out_at]
            total[k - out_at] = out_weight[k] * so_far
        for k in range(factored.block[b, F_CELL_AT], factored.block[b + 1, F_CELL_AT]):
            total[cell_out[k]] += cell[k] * given[cell_in[k]]
        for k in range(out_at, out_end):
            worth[outs[k]] = sign * total[k - out_at]
