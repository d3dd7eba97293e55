"""Passes over the tiled layout, for middle and large games: those of `passes`, laid out for vector units.

Information sets of one level with equally many actions form a tile. LANES neighbours of a tile are a group, and a group
stores its sequences action by action: sequence (set k, action a) of a group is `first + a * LANES + k`. So a tile is a
stream of memory in each array of the state, and a group is a few vectors. The last group of a tile is filled up with
places whose parent is the empty sequence and which earn nothing.

Payoffs are dense blocks (see `hannan.layouts.blocks`). Small ones of one shape lie side by side, and the inner loops
run over blocks. Others are stored twice: for each player in panels of 8 of its own sequences, [panel, sequences of the
other, 8], and the inner loop runs over the other's sequences. Entries that fit no block are rows, as in `passes`.
Payoffs are whole numbers of a `unit` if there is one, so that a byte holds each.

Every function that takes a range `low … high` of chunks, blocks or rows writes to places of its own, so that ranges can
run on different threads and the result does not depend on their number.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.addresses import address
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.passes import sum_rows
from hannan.kernels.fullwidth.records import Learning, Tiled
from hannan.kernels.vectors import (
    EIGHT,
    LANES,
    add,
    eight_zeros,
    fused_row,
    load,
    pick,
    splat,
    store,
    times,
)


@inlined
def gradient_blocks(tiled: Tiled, player: int, low: int, high: int, reach: Floats, worth: Floats) -> None:
    """Write what sequences gain in the pieces `low … high` of blocks; `worth` is 0 without an entry."""
    sign = -1.0 if player == 1 and tiled.block.shape[0] == 1 else 1.0
    for piece in range(low, high):
        if tiled.piece[piece, rec.P_TURNED] >= 0:
            _multiply_panels(tiled, player, piece, sign * tiled.unit, reach, worth)
        else:
            _multiply_neighbours(tiled, player, piece, sign * tiled.unit, reach, worth)


@inlined
def _multiply_panels(tiled: Tiled, player: int, piece: int, unit: float, reach: Floats, worth: Floats) -> None:
    """Write what sequences gain in blocks that are stored one after another, in panels."""
    m, n, count, rows_at, columns_at, cells_at, turned_at = tiled.piece[piece]
    outs, ins, at = (m, n, cells_at) if player == 0 else (n, m, turned_at)
    out_index, in_index = (tiled.rows, tiled.columns) if player == 0 else (tiled.columns, tiled.rows)
    out_at, in_at = (rows_at, columns_at) if player == 0 else (columns_at, rows_at)
    payoff, given, gained = tiled.block, address(tiled.scratch, 0), address(tiled.scratch, tiled.scratch.shape[1])
    played, earned = address(reach, 0), address(worth, 0)
    for _ in range(count):
        index, out = address(in_index, in_at), address(out_index, out_at)
        if outs <= EIGHT:
            total = eight_zeros()
            for i in range(ins):
                total = fused_row(payoff, at, played[index[i]], total)
                at += EIGHT
            store(gained, 0, total)
        else:
            for i in range(ins):
                given[i] = played[index[i]]
            for o in range(0, outs, EIGHT):
                total = eight_zeros()
                for i in range(ins):
                    total = fused_row(payoff, at, given[i], total)
                    at += EIGHT
                store(gained, o, total)
        for o in range(outs):
            earned[out[o]] = unit * gained[o]
        in_at += ins
        out_at += outs


@inlined
def _multiply_neighbours(tiled: Tiled, player: int, piece: int, unit: float, reach: Floats, worth: Floats) -> None:
    """Write what sequences gain in blocks that lie side by side."""
    payoff = tiled.block[min(player, tiled.block.shape[0] - 1)]
    m, n, count, rows_at, columns_at, cells_at, _ = tiled.piece[piece]
    if player == 0:
        outs, ins, out_step, in_step = m, n, n * count, count
        out_index, out_at, in_index, in_at = tiled.rows, rows_at, tiled.columns, columns_at
    else:
        outs, ins, out_step, in_step = n, m, count, n * count
        out_index, out_at, in_index, in_at = tiled.columns, columns_at, tiled.rows, rows_at
    for i in range(ins):
        index = in_index[in_at + i * count : in_at + (i + 1) * count]
        weight = tiled.scratch[i, :count]
        for b in range(count):
            weight[b] = unit * reach[index[b]]
    total = tiled.scratch[ins, :count]
    for o in range(outs):
        place = cells_at + o * out_step
        odd = ins % 2
        if odd == 1:
            cell, weight = payoff[place : place + count], tiled.scratch[0, :count]
            for b in range(count):
                total[b] = cell[b] * weight[b]
        else:
            for b in range(count):
                total[b] = 0.0
        for i in range(odd, ins, 2):  # two at a time: the sums are read and written half as often
            first, second = place + i * in_step, place + (i + 1) * in_step
            cell, weight = payoff[first : first + count], tiled.scratch[i, :count]
            cell_, weight_ = payoff[second : second + count], tiled.scratch[i + 1, :count]
            for b in range(count):
                total[b] += cell[b] * weight[b] + cell_[b] * weight_[b]
        index = out_index[out_at + o * count : out_at + (o + 1) * count]
        for b in range(count):
            worth[index[b]] = total[b]


@inlined
def gradient_rows(tiled: Tiled, low: int, high: int, reach: Floats, worth: Floats) -> None:
    """Write what the sequences of rows `low … high` gain outside of blocks."""
    sum_rows(low, high, tiled.entry_begin, tiled.row, tiled.other, tiled.payoff, tiled.unit, reach, worth)


@inlined
def add_reaches(tiled: Tiled, low: int, high: int, learning: Learning, decay: float) -> None:
    """Decay the average and add the reach just played, at the sets of tiles `low … high`."""
    reach, total, strategy = learning.reach, learning.total, learning.strategy
    for t in range(low, high):
        first, groups, actions, parents, _ = tiled.tile[t]
        for group in range(groups):
            above = pick(reach, 0, tiled.parent, parents + group * LANES)
            fading = splat(decay, above)
            for place in range(first, first + actions * LANES, LANES):
                played = times(above, load(strategy, place))
                store(total, place, add(times(load(total, place), fading), played))
            first += actions * LANES


@inlined
def spread_tiles(tiled: Tiled, low: int, high: int, learning: Learning) -> None:
    """Write the reach of the next strategy at tiles `low … high`, where a reach is ever read."""
    reach, strategy = learning.reach, learning.strategy
    for t in range(low, high):
        first, groups, actions, parents, use = tiled.tile[t]
        for group in range(groups):
            above = pick(reach, 0, tiled.parent, parents + group * LANES)
            for a in range(actions):
                place = first + a * LANES
                if tiled.use[use + a] & rec.EARNS:
                    store(reach, place, times(above, load(strategy, place)))
            first += actions * LANES
