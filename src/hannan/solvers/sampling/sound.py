"""Checks of tables from a file, so that no walk reads or writes outside of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Longs
from hannan.errors import MismatchError
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import Tables
from hannan.rules.plain import MOST_MOVES
from hannan.solvers.sampling.tables import part_cells

CLOSE = 1e-6
"""How far the sum of the probabilities at a set may be from 1."""

OLDER = rec.TABLE
"""The number of counters in versions whose tables kept all sets."""

MOST = 2**53
"""The most walks or visits that may be counted."""


def check_layout(tables: Tables) -> None:
    """Refuse sets that are not consecutive in the cells, each after its parent."""
    players, counts = len(tables.empty), tables.counts
    sets, cells = int(counts[rec.SETS]), int(counts[rec.CELLS])
    _demand(0 <= sets <= len(tables.set_row) and players <= cells <= len(tables.learnt))
    size, base, parent = tables.set_size[:sets], tables.set_base[:sets], tables.set_parent[:sets]
    _demand(bool(np.all((size >= 1) & (size <= cells))))  # no sum wraps
    lead = int(counts[rec.LEAD])
    _demand(lead in (rec.PLAIN_LEAD, rec.COUNTED_LEAD))
    blocks = lead + 3 * size
    _demand(float(blocks.sum(dtype=np.float64)) == cells - players)
    _demand(np.array_equal(base, players + lead + np.cumsum(blocks) - blocks))
    _demand(bool(np.all((parent >= 0) & (parent < base))))
    known = np.zeros(cells, bool)  # the cells that identify sequences
    known[:players] = True
    known[part_cells(base, size, 2)] = True
    _demand(bool(known[parent].all()))


def check_tables(tables: Tables) -> None:
    """Refuse counters and learnt numbers that walks cannot leave. If sets are read, `check_layout` comes first."""
    counts, sets = tables.counts, int(tables.counts[rec.SETS])
    _demand(0 <= counts[rec.TABLE] <= rec.SHUT and 1 <= counts[rec.EVERY] < MOST)
    _demand(all(0 <= counts[k] < MOST for k in (rec.VISITED, rec.WALKS)) and 0 <= counts[rec.DEPTH] <= MOST_MOVES)
    for array in (tables.learnt, tables.guide, tables.clock, tables.baseline):
        _demand(bool(np.isfinite(array).all()), "a number that was learnt is not finite")
    _demand(bool(np.all(tables.clock >= 0)), "a clock runs backwards")
    base, size = tables.set_base[:sets], tables.set_size[:sets]
    for array in (tables.learnt, tables.guide):
        strategy = array[part_cells(base, size, 0)]
        sums = np.add.reduceat(strategy, np.cumsum(size) - size) if sets else np.ones(0)
        sound = bool(np.all(strategy >= 0)) and bool(np.all(np.abs(sums - 1) <= CLOSE))
        _demand(sound, "the probabilities at a set are negative or do not sum to 1")
    _demand(bool(np.all(tables.learnt[part_cells(base, size, 2)] >= 0)), "a sum of weights is negative")


def check_numbers(child: Longs, kind: Longs, histories: int) -> None:
    """Refuse histories unless the children of all of them, in consecutive blocks, are exactly the other histories."""
    size = kind // rec.KINDS
    parents = np.flatnonzero(child > 0)
    parents = parents[np.argsort(child[parents], kind="stable")]
    begins, ends = child[parents], child[parents] + size[parents]
    whole = np.array_equal(begins, np.concatenate(([1], ends[:-1]))[: len(begins)]) and np.all(child >= 0)
    last = int(ends[-1]) if len(ends) else 1
    sound = whole and np.all(begins > parents) and np.all(size[parents] >= 1) and last == histories <= len(child)
    _demand(bool(sound))


def joint_slots(child: Longs, kind: Longs, slots: int, players: int) -> int:
    """Return the most slots of the joint nodes among these histories; refuse an impossible count.

    A joint node has at least two movers. In games of more than two players, their number is not known.
    """
    joint = int(np.count_nonzero((child > 0) & (kind % rec.KINDS == rec.JOINT)))
    _demand(2 * joint <= slots <= players * joint)
    return players * joint


def counted(counts: Any) -> Any:
    """Return counters; those of an older version are completed with the counters that it lacked."""
    if counts.shape != (OLDER,) or counts.dtype != np.int64:
        return counts
    added = np.zeros(rec.COUNTS - OLDER, np.int64)
    added[rec.EVERY - OLDER], added[rec.LEAD - OLDER] = 1, rec.PLAIN_LEAD
    return np.concatenate((counts, added))


def _demand(sound: bool, sentence: str = "the state points to what is not there") -> None:
    if not sound:
        raise MismatchError(sentence)
