"""Payoffs of a sequence form without the part that no choice changes.

If sequence s leads player 0 to a set, the probabilities of its actions there sum to that of s. So an amount m that
every action a of a set gains at a sequence j of the other may be gained at (s, j) instead: the bilinear form xᵀAy stays
the same on the treeplexes. A large constant in the payoffs would drown their differences in the tolerances of a linear
program; this moves it to the two empty sequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.forms.treeplex import EMPTY, Treeplex


def lifted(payoffs: Any, plexes: Sequence[Treeplex]) -> tuple[Any, float]:
    """Return equivalent payoffs (a sparse array, [sequences of 0, sequences of 1]) and a constant to add to them.

    payoffs: an array, sparse or not.
    """
    from scipy.sparse import csr_array

    entries = csr_array(payoffs).tocoo()
    places, gains = [np.asarray(axis, np.int64) for axis in entries.coords], entries.data.astype(np.float64)
    for player in _turns(plexes):
        moved = False
        for first, last in zip(plexes[player].level_begin[-2::-1], plexes[player].level_begin[:0:-1], strict=True):
            places, gains, more = _lift(plexes, player, places, gains, int(first), int(last))
            moved |= more
        if not moved:
            break
    root = (places[0] == EMPTY) & (places[1] == EMPTY)
    kept = ~root & (gains != 0)
    return csr_array((gains[kept], (places[0][kept], places[1][kept])), payoffs.shape), float(gains[root].sum())


def _turns(plexes: Sequence[Treeplex]) -> list[int]:
    """Return the players whose sets are lifted, in order: enough for amounts to get from any leaf to the root."""
    rounds = 1 + sum(plex.levels for plex in plexes)
    return [k % 2 for k in range(2 * rounds)]


def _lift(
    plexes: Sequence[Treeplex], player: int, places: list[Any], gains: Floats, first: int, last: int
) -> tuple[list[Any], Floats, bool]:
    """Move the common gain of a set's actions to the sequence before it, at sets `first` … `last` - 1 of a player.

    If their gains have different signs, nothing is moved, and the sequence before has an entry of 0. Otherwise the gain
    nearest 0 is moved, so that the differences are exact.
    """
    plex, others = plexes[player], plexes[1 - player].sequences
    own, other = places[player], places[1 - player]
    inside = (own >= plex.begin[first]) & (own < plex.begin[last])
    sets = plex.set_of[own[inside]].astype(np.int64)
    key = sets * others + other[inside]
    order = np.argsort(key, kind="stable")
    begin = np.flatnonzero(np.diff(key[order], prepend=-1))
    if len(begin) == 0:
        return places, gains, False
    group, counts = key[order][begin], np.diff(begin, append=len(order))
    full = counts == plex.sizes[group // others]
    sorted_gains = gains[inside][order]
    low, high = np.minimum.reduceat(sorted_gains, begin), np.maximum.reduceat(sorted_gains, begin)
    amount = np.where(full, np.maximum(low, 0.0) + np.minimum(high, 0.0), 0.0)
    left = gains.copy()
    left[np.flatnonzero(inside)[order]] -= np.repeat(amount, counts)
    above = [np.empty(0, np.int64)] * 2
    above[player], above[1 - player] = plex.parent[group[full] // others].astype(np.int64), group[full] % others
    joined = [np.concatenate((places[k], above[k])) for k in range(2)]
    columns = plexes[1].sequences
    where, merged = np.unique(joined[0] * columns + joined[1], return_inverse=True)
    total: Floats = np.bincount(merged, np.concatenate((left, amount[full])), len(where)).astype(np.float64)
    return [where // columns, where % columns], total, bool(np.any(amount != 0))
