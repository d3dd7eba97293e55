"""Passes over the tiled layout, for middle and large games: those of `passes`, laid out for vector units.

Information sets of one level with equally many actions form a bucket. A bucket's sequences are stored action by action,
so that the inner loops run over sets: sequence (set k, action a) of a bucket is `first + a * sets + k`. Buckets are cut
into tiles that stay in the nearest cache. Payoffs are dense blocks (see `hannan.layouts.tiles`): blocks of one shape
lie side by side, so that there, too, the inner loops run over blocks; the entries that fit no block are rows, as
in `passes`.

Every function that takes a range `low … high` of tiles, blocks or rows writes to places of its own, so that ranges can
run on different threads and the result does not depend on how many there are.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import kernel
from hannan.kernels.fullwidth.passes import sum_rows
from hannan.kernels.fullwidth.records import Learning, Tiled


@kernel
def gradient_blocks(tiled: Tiled, player: int, low: int, high: int, reach: Floats, worth: Floats) -> None:
    """Write what sequences gain in the pieces `low … high` of blocks; `worth` is 0 where there is no entry."""
    payoff = tiled.block[min(player, tiled.block.shape[0] - 1)]
    sign = -1.0 if player == 1 and tiled.block.shape[0] == 1 else 1.0
    for piece in range(low, high):
        m, n, count, rows_at, columns_at, cells_at = tiled.piece[piece]
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
                weight[b] = sign * reach[index[b]]
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


@kernel
def gradient_rows(tiled: Tiled, low: int, high: int, reach: Floats, worth: Floats) -> None:
    """Write what the sequences of rows `low … high` gain outside of blocks."""
    sum_rows(low, high, tiled.entry_begin, tiled.row, tiled.other, tiled.payoff, reach, worth)


@kernel
def average_tiles(tiled: Tiled, bucket: int, low: int, high: int, learning: Learning, decay: float) -> None:
    """Add the reach just played to the average, then spread the next strategy, at tiles `low … high` of a bucket.

    An empty `total` says that no average is kept.
    """
    first, sets = tiled.first[bucket], tiled.sets[bucket]
    for t in range(low, high):
        begin, end = tiled.tile[t, 0], tiled.tile[t, 1]
        count = end - begin
        parent = tiled.parent[tiled.parents[bucket] + begin : tiled.parents[bucket] + end]
        above = tiled.scratch[0, :count]
        for k in range(count):
            above[k] = learning.reach[parent[k]]
        for a in range(tiled.actions[bucket]):
            place = first + a * sets
            reach = learning.reach[place + begin : place + end]
            strategy = learning.strategy[place + begin : place + end]
            if learning.total.size == 0:
                for k in range(count):
                    reach[k] = above[k] * strategy[k]
            else:
                total = learning.total[place + begin : place + end]
                for k in range(count):
                    total[k] = total[k] * decay + reach[k]
                    reach[k] = above[k] * strategy[k]
