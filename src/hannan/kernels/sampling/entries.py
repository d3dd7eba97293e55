"""Which sets enter a table that does not take all, and which leave it."""

from __future__ import annotations

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import Tables
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN, place_of

NEVER = 2**62
"""A cell that no table has."""


@inlined
def limit_entries(players: int, tables: Tables) -> None:
    """Write down what may enter in the walk that begins: by its number and the table alone, before any draw."""
    counts = tables.counts
    counts[rec.ENTERS], counts[rec.FRESH] = counts[rec.TABLE], NEVER
    if counts[rec.TABLE] != rec.WHOLE:
        counts[rec.FRESH] = counts[rec.CELLS]
        if counts[rec.EVERY] > 1 and counts[rec.WALKS] // players % counts[rec.EVERY] != 0:
            counts[rec.ENTERS] = rec.SHUT


@inlined
def take_back(sets: int, cells: int, tables: Tables) -> None:
    """Take all sets but the first ones out again, the last one first, so that a walk can begin again as it began."""
    row, buckets, counts = tables.set_row, tables.buckets, tables.counts
    for place in range(counts[rec.SETS] - 1, sets - 1, -1):
        _, spot = place_of(row[place, S_PARENT], row[place, S_SEEN], row, buckets)
        buckets[spot] = -1
    tables.learnt[cells : counts[rec.CELLS]] = 0.0
    counts[rec.SETS], counts[rec.CELLS] = sets, cells


@kernel
def keep_visited(
    least: float, players: int, row: Longs, base: Longs, shift: Longs, learnt: Floats, clock: Floats, stamp: Longs,
    baseline: Floats, counts: Longs,
) -> None:  # fmt: skip
    """Keep the sets of more than `least` visits whose parents are kept, moved together, in their order.

    base: [sets], a copy of their first cells. shift: [sets], written here: how far each has moved down, or -1: dropped.
    """
    sets, lead, kept, cells = counts[rec.SETS], counts[rec.LEAD], 0, players
    for j in range(sets):
        parent, first, count, moved = row[j, S_PARENT], row[j, S_FIRST], row[j, S_COUNT], 0
        if parent >= players:
            moved = shift[_holder(base, j, parent)]
        shift[j] = -1
        if moved < 0 or not learnt[first - 2] > least:
            continue
        goes = cells + lead
        shift[j] = first - goes
        for k in range(-lead, 3 * count):
            learnt[goes + k] = learnt[first + k]
        if clock.size > 0:
            clock[goes], stamp[goes] = clock[first], stamp[first]
        if baseline.size > 0:
            for p in range(players):
                for k in range(count):
                    baseline[p, goes + k] = baseline[p, first + k]
        row[kept, S_PARENT], row[kept, S_SEEN] = parent - moved, row[j, S_SEEN]
        row[kept, S_FIRST], row[kept, S_COUNT] = goes, count
        cells = goes + 3 * count
        kept += 1
    learnt[cells : counts[rec.CELLS]] = 0.0
    if clock.size > 0:
        clock[cells:], stamp[cells:] = 0.0, 0
    if baseline.size > 0:
        baseline[:, cells:] = 0.0
    counts[rec.SETS], counts[rec.CELLS] = kept, cells


@inlined
def _holder(base: Longs, sets: int, cell: int) -> int:
    """Return the last of the first `sets` sets that begins at or before a cell."""
    low, high = 0, sets
    while high - low > 1:
        middle = (low + high) // 2
        if base[middle] <= cell:
            low = middle
        else:
            high = middle
    return low
