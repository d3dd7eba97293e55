"""From histories to payoffs: one entry for each tuple of sequences that gains something."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Shorts
from hannan.kernels import kernel


@kernel
def collect(
    players: int,
    rows: int,
    children: Ints,
    turn: Shorts,
    slot_begin: Ints,
    slots: Ints,
    probability: Floats,
    gain_node: Ints,
    gain: Floats,
    depth_begin: Ints,
    set_begin: Ints,
    set_offset: Longs,
    sequences: Ints,
    payoffs: Floats,
) -> None:
    """Write sequences[players, gainful] and payoffs[rows, gainful], chance folded in; modified in place.

    `set_begin[set_offset[p] + j]` is the first sequence of player p's set j.
    """
    widest = 0
    for depth in range(depth_begin.size - 1):
        widest = max(widest, depth_begin[depth + 1] - depth_begin[depth])
    last = np.zeros((widest, players), np.int32)
    reach = np.ones(widest)
    last_below = np.zeros((widest, players), np.int32)
    reach_below = np.ones(widest)
    size = np.empty(players, np.int64)
    first = np.empty(players, np.int64)
    mover = np.empty(players, np.int64)
    entry = 0
    for depth in range(depth_begin.size - 1):
        begin, end = depth_begin[depth], depth_begin[depth + 1]
        for node in range(begin, end):
            here = node - begin
            if entry < gain_node.size and gain_node[entry] == node:
                for p in range(players):
                    sequences[p, entry] = last[here, p]
                for p in range(rows):
                    payoffs[p, entry] = gain[entry, p] * reach[here]
                entry += 1
            movers = 0
            if turn[node] > 0:
                for p in range(players):
                    if (turn[node] >> p) & 1:
                        place = set_offset[p] + slots[slot_begin[node] + movers]
                        mover[movers] = p
                        first[movers] = set_begin[place]
                        size[movers] = set_begin[place + 1] - set_begin[place]
                        movers += 1
            for child in range(children[node], children[node + 1]):
                below = child - end
                reach_below[below] = reach[here] * probability[child]
                for p in range(players):
                    last_below[below, p] = last[here, p]
                rest = child - children[node]
                for k in range(movers - 1, -1, -1):
                    last_below[below, mover[k]] = first[k] + rest % size[k]
                    rest //= size[k]
        last, last_below = last_below, last
        reach, reach_below = reach_below, reach


@kernel
def stable_order(keys: Ints, kinds: int, order: Ints) -> Ints:
    """Return `order` rearranged so that keys[order] ascends, ties kept as they were; keys are below `kinds`."""
    begin = np.zeros(kinds + 1, np.int64)
    for key in keys:
        begin[key + 1] += 1
    for k in range(kinds):
        begin[k + 1] += begin[k]
    result = np.empty_like(order)
    for entry in order:
        key = keys[entry]
        result[begin[key]] = entry
        begin[key] += 1
    return result


@kernel
def merge(order: Ints, sequences: Ints, payoffs: Floats, merged: Ints, totals: Floats) -> int:
    """Add up entries (in `order`) with the same sequences; drop those that come to nothing; return how many stay."""
    players, rows = sequences.shape[0], payoffs.shape[0]
    count = 0
    k = 0
    while k < order.size:
        head = order[k]
        for p in range(players):
            merged[p, count] = sequences[p, head]
        for p in range(rows):
            totals[p, count] = 0.0
        while k < order.size:
            entry = order[k]
            same = True
            for p in range(players):
                if sequences[p, entry] != merged[p, count]:
                    same = False
            if not same:
                break
            for p in range(rows):
                totals[p, count] += payoffs[p, entry]
            k += 1
        something = False
        for p in range(rows):
            if totals[p, count] != 0.0:
                something = True
        if something:
            count += 1
    return count
