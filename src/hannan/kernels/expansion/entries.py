"""Sorting and merging payoffs: one entry for each tuple of sequences that gains something."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import kernel


def stable_order(keys: Ints, kinds: int, order: Ints) -> Ints:
    """Return `order` rearranged so that keys[order] ascends, ties kept as they were; keys are below `kinds`."""
    result = np.empty_like(order)
    _put_in_order(keys, order, np.zeros(kinds + 1, np.int64), result)
    return result


@kernel
def _put_in_order(keys: Ints, order: Ints, begin: Longs, result: Ints) -> None:
    """Write `order` rearranged; `begin` is 0, [kinds + 1]."""
    for entry in order:
        begin[keys[entry] + 1] += 1
    for k in range(begin.size - 1):
        begin[k + 1] += begin[k]
    for entry in order:
        key = keys[entry]
        result[begin[key]] = entry
        begin[key] += 1


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
