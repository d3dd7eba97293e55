"""The passes of `passes.py` for middle and large games: the same arithmetic, laid out for vector units.

Information sets of one level with equally many actions form a bucket. A bucket's sequences are stored action by action,
so that the inner loops run over sets: sequence (set k, action a) of a bucket is `first + a * sets + k`. Buckets are cut
into tiles that stay in the nearest cache. Payoffs are dense blocks (see `hannan.layouts.layout`): blocks of one shape
lie side by side, so that there, too, the inner loops run over blocks; the entries that fit no block are rows, as
in `passes`.

Every function that takes a range `low … high` of tiles, blocks or rows writes to places of its own, so that ranges can
run on different threads and the result does not depend on how many there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import kernel
from hannan.kernels.fullwidth.passes import (
    DECAY,
    FLOOR,
    GRADIENTS,
    KEEP,
    NEGATIVE,
    NOISE,
    POSITIVE,
    PREDICT,
    RATE,
    VALUES,
    Learning,
)


class Tiled(NamedTuple):
    """A sequence form in buckets, tiles and blocks; sequence numbers are the layout's own."""

    sequence_begin: Longs  # [players + 1]  where a player's sequences begin, with the empty one
    bucket_begin: Longs  # [players + 1]  a player's buckets, from the root down
    first: Longs  # [buckets]  the first sequence
    sets: Longs  # [buckets]
    actions: Longs  # [buckets]
    parents: Longs  # [buckets]  where the bucket's part of `parent` begins
    tile_begin: Longs  # [buckets + 1]
    tile: Longs  # [tiles, 2]  first set in the bucket and one past the last; no two tiles share a parent
    parent: Ints  # [sets]  the sequence that leads to the set
    piece: Longs  # [pieces, 6]  rows, columns and number of equal blocks, and where their rows, columns and cells begin
    rows: Ints  # for each piece [rows, blocks]: sequences of player 0
    columns: Ints  # for each piece [columns, blocks]: sequences of player 1
    block: Floats  # [1 or 2, cells]  for each piece [rows, columns, blocks]: payoffs to player 0 (and to player 1)
    row_begin: Longs  # [players + 1]  a player's rows outside of blocks
    row: Ints  # [rows]  the sequence
    entry_begin: Longs  # [rows + 1]
    other: Ints  # [players - 1, entries]
    payoff: Floats  # [entries]
    scratch: Floats  # [SIDE + 1, longest tile or piece]  for one thread's use


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
    others = tiled.other.shape[0]
    if others == 1:
        other, payoff, entry_begin = tiled.other[0], tiled.payoff, tiled.entry_begin
        for row in range(low, high):
            total = 0.0
            for k in range(entry_begin[row], entry_begin[row + 1]):
                total += payoff[k] * reach[other[k]]
            worth[tiled.row[row]] = total
        return
    for row in range(low, high):
        total = 0.0
        for k in range(tiled.entry_begin[row], tiled.entry_begin[row + 1]):
            term = tiled.payoff[k]
            for o in range(others):
                term *= reach[tiled.other[o, k]]
            total += term
        worth[tiled.row[row]] = total


@kernel
def learn(tiled: Tiled, bucket: int, low: int, high: int, worth: Floats, learning: Learning, step: Floats) -> None:
    """Turn gradients into regrets and the next strategy, at the sets of tiles `low … high` of a bucket.

    What it has read of `worth` it leaves as 0, ready for the next gradient.
    """
    first, sets, actions = tiled.first[bucket], tiled.sets[bucket], tiled.actions[bucket]
    positive, negative, floor = step[POSITIVE], step[NEGATIVE], step[FLOOR]
    keep, predict, rate, noise = step[KEEP], step[PREDICT], step[RATE], step[NOISE]
    even = 1.0 / actions
    for t in range(low, high):
        begin, end = tiled.tile[t, 0], tiled.tile[t, 1]
        count = end - begin
        value, total = tiled.scratch[0, :count], tiled.scratch[1, :count]
        for k in range(count):
            value[k] = 0.0
            total[k] = 0.0
        for a in range(actions):
            place = first + a * sets
            played, gained = learning.strategy[place + begin : place + end], worth[place + begin : place + end]
            for k in range(count):
                value[k] += played[k] * gained[k]
        for a in range(actions):
            place = first + a * sets
            weight, gained = learning.strategy[place + begin : place + end], worth[place + begin : place + end]
            regret = learning.regret[place + begin : place + end]
            for k in range(count):
                instant = gained[k] - value[k]
                gained[k] = 0.0
                new = max(regret[k] * (positive if regret[k] > 0.0 else negative) + instant, floor)
                regret[k] = new
                weight[k] = keep * new + predict * instant
            if rate == 0.0:
                for k in range(count):
                    weight[k] = weight[k] if weight[k] > noise else 0.0
                    total[k] += weight[k]
        if rate > 0.0:
            _exponentiate(learning.strategy, first + begin, sets, actions, rate, total, tiled.scratch[2, :count])
        for a in range(actions):
            place = first + a * sets
            weight = learning.strategy[place + begin : place + end]
            for k in range(count):
                weight[k] = weight[k] / total[k] if total[k] > 0.0 else even
        parent = tiled.parent[tiled.parents[bucket] + begin : tiled.parents[bucket] + end]
        for k in range(count):
            worth[parent[k]] += value[k]


@kernel
def _exponentiate(
    weights: Floats, first: int, sets: int, actions: int, rate: float, total: Floats, highest: Floats
) -> None:
    """Replace weights by exp(rate · weight), scaled by the `highest` of each set; add them up in `total`."""
    count = total.size
    highest[:] = -np.inf
    for a in range(actions):
        weight = weights[first + a * sets : first + a * sets + count]
        for k in range(count):
            highest[k] = max(highest[k], weight[k])
    for a in range(actions):
        weight = weights[first + a * sets : first + a * sets + count]
        for k in range(count):
            weight[k] = np.exp(rate * (weight[k] - highest[k]))
            total[k] += weight[k]


@kernel
def average(tiled: Tiled, bucket: int, low: int, high: int, learning: Learning, decay: float) -> None:
    """Add the reach just played to the average, then spread the next strategy, at tiles `low … high` of a bucket."""
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
            reach, total = learning.reach[place + begin : place + end], learning.total[place + begin : place + end]
            strategy = learning.strategy[place + begin : place + end]
            for k in range(count):
                total[k] = total[k] * decay + reach[k]
                reach[k] = above[k] * strategy[k]


@kernel
def track(tiled: Tiled, player: int, worth: Floats, learning: Learning, decay: float) -> None:
    """Record what the joint play of this iteration gives to `player` and leaves for it to gain."""
    value = 0.0
    for s in range(tiled.sequence_begin[player], tiled.sequence_begin[player + 1]):
        learning.played[s] = learning.played[s] * decay + worth[s]
        value += worth[s] * learning.reach[s]
    learning.value[player] = learning.value[player] * decay + value


@kernel
def _gradient(tiled: Tiled, player: int, reach: Floats, worth: Floats) -> None:
    gradient_blocks(tiled, player, 0, tiled.piece.shape[0], reach, worth)
    gradient_rows(tiled, tiled.row_begin[player], tiled.row_begin[player + 1], reach, worth)


@kernel
def _average_player(tiled: Tiled, player: int, learning: Learning, decay: float) -> None:
    root = tiled.sequence_begin[player]
    learning.total[root] = learning.total[root] * decay + 1.0
    for bucket in range(tiled.bucket_begin[player], tiled.bucket_begin[player + 1]):
        average(tiled, bucket, tiled.tile_begin[bucket], tiled.tile_begin[bucket + 1], learning, decay)


@kernel
def run(tiled: Tiled, learning: Learning, schedule: Floats, simultaneous: bool, tracking: int, worth: Floats) -> None:
    """Run one iteration for each row of `schedule`; `worth` is scratch, [sequences], and comes and goes as zeros."""
    players = tiled.sequence_begin.size - 1
    for t in range(schedule.shape[0]):
        step = schedule[t]
        decay = step[DECAY]
        learning.value[players] = learning.value[players] * decay + 1.0
        if simultaneous or tracking == GRADIENTS:
            for p in range(players):
                _gradient(tiled, p, learning.reach, worth)
            if tracking == GRADIENTS:
                for p in range(players):
                    track(tiled, p, worth, learning, decay)
        for p in range(players):
            if not simultaneous:
                _gradient(tiled, p, learning.reach, worth)
            for bucket in range(tiled.bucket_begin[p + 1] - 1, tiled.bucket_begin[p] - 1, -1):
                learn(tiled, bucket, tiled.tile_begin[bucket], tiled.tile_begin[bucket + 1], worth, learning, step)
            if tracking == VALUES and p == 0:
                learning.value[0] = learning.value[0] * decay + worth[0]
            worth[tiled.sequence_begin[p]] = 0.0
            if not simultaneous:
                _average_player(tiled, p, learning, decay)
        if simultaneous:
            for p in range(players):
                _average_player(tiled, p, learning, decay)
