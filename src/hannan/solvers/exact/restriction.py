"""A treeplex restricted to some of its sequences, such as the supports of both players."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Bools, Floats, Ints
from hannan.forms.treeplex import Treeplex


def closed(plex: Treeplex, reach: Floats, least: float) -> Bools:
    """Return which sequences are reached with more than `least`; at each set after one of them, the likeliest too."""
    kept = reach > least
    kept[0] = True
    for first, last in zip(plex.level_begin[:-1], plex.level_begin[1:], strict=True):
        begin, sizes = plex.begin[first:last], plex.sizes[first:last]
        inside = slice(begin[0], plex.begin[last])
        open_ = kept[plex.parent[first:last]]
        likeliest = np.maximum.reduceat(reach[inside], begin - begin[0])
        lacking = np.add.reduceat(kept[inside].astype(np.int64), begin - begin[0]) == 0
        kept[inside] |= np.repeat(lacking, sizes) & (reach[inside] >= np.repeat(likeliest, sizes))
        kept[inside] &= np.repeat(open_, sizes)
    return kept


def restricted(plex: Treeplex, kept: Bools) -> Treeplex:
    """Return the treeplex of the sequences in `kept`, which `closed` has made; their order stays the same."""
    sets = np.flatnonzero(kept[plex.parent])
    sizes = np.add.reduceat(kept.astype(np.int64), plex.begin[:-1])[sets] if plex.sets else np.zeros(0, np.int64)
    number = np.cumsum(kept) - 1
    children = np.diff(plex.child_begin)[kept]
    return Treeplex(
        _ints(np.concatenate(([1], 1 + np.cumsum(sizes)))),
        _ints(number[plex.parent[sets]]),
        _ints(np.concatenate(([0], np.cumsum(children)))),
        _ints(np.unique(np.searchsorted(sets, plex.level_begin))),  # levels without sets are the last ones
        plex.action[kept],
        plex.observation[sets],
        plex.node[sets],
    )


def behaviour(plex: Treeplex, reach: Floats) -> Floats:
    """Return the probability of each action at its set; uniform at sets without reach."""
    if plex.sets == 0:
        return np.ones(1)
    sums = np.add.reduceat(reach, plex.begin[:-1])
    spread = np.repeat(sums, plex.sizes)
    even = np.repeat(1.0 / plex.sizes, plex.sizes)
    played: Floats = np.concatenate(([1.0], np.divide(reach[1:], spread, out=even, where=spread > 0.0)))
    return played


def widened(plex: Treeplex, kept: Bools, worth: Floats, limits: Floats) -> Bools:
    """Return `kept` and all that pays more: actions above the `limits` of their sets, and best play after them.

    `worth` has the value of each sequence with best play after it, `limits` the value of the kept actions of each set.
    """
    wider = kept.copy()
    for first, last in zip(plex.level_begin[:-1], plex.level_begin[1:], strict=True):
        begin, sizes, parent = plex.begin[first:last], plex.sizes[first:last], plex.parent[first:last]
        inside = slice(begin[0], plex.begin[last])
        best = np.maximum.reduceat(worth[inside], begin - begin[0])
        limit = np.where(kept[parent], limits[first:last], best)
        wider[inside] |= np.repeat(wider[parent], sizes) & (worth[inside] >= np.repeat(limit, sizes))
    return wider


def _ints(numbers: np.ndarray) -> Ints:
    return numbers.astype(np.int32)
