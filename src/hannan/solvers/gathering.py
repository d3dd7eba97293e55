"""What several streams have learnt, as one policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.game import Game
from hannan.kernels.samplingrecords import SET_ROW, SETS
from hannan.policy import Policy
from hannan.rules import CompiledRules
from hannan.solvers.samplingtables import bucket_count, longer, part_cells
from hannan.solvers.streams import Stream


def gathered(
    game: Game, streams: Sequence[Stream], learnt: Sequence[Floats], part: int, facts: Mapping[str, Any]
) -> Policy:
    """Return a part of what streams have learnt (0: the strategy, 2: the sums of the average) as one policy."""
    first, *others = [_numbered(stream, cells, part) for stream, cells in zip(streams, learnt, strict=True)]
    found = first
    for other in others:
        found = _merged(found, other)
    base = game.players + np.cumsum(found.size) - found.size
    probability = np.ones(game.players + int(found.size.sum()))
    if len(base):
        scale = np.repeat(np.add.reduceat(found.total, base - game.players), found.size)
        even = np.repeat(1.0 / found.size, found.size)
        probability[game.players :] = np.divide(found.total, scale, out=even, where=scale > 0)
    labels = None if isinstance(game.rules, CompiledRules) else found.labels
    return Policy(game, found.parent, found.observation, base, found.size, probability, labels, facts)


class _Numbered(NamedTuple):
    """Sets in the order in which they were found; a set's actions follow one another."""

    players: int
    parent: Longs  # [sets]  the last sequence: a player's empty one, or players + a place in `total`
    observation: Longs  # [sets]
    size: Longs  # [sets]
    total: Floats  # [actions]
    labels: tuple[str, ...]


def _numbered(stream: Stream, cells: Floats, part: int) -> _Numbered:
    tables, players = stream.tables, stream.game.players
    sets = int(tables.counts[SETS])
    base, size = tables.set_base[:sets], tables.set_size[:sets]
    sums = part_cells(base, size, 2)
    goes = np.zeros(len(cells), np.int64)
    goes[:players] = np.arange(players)
    goes[sums] = players + np.arange(len(sums))
    labels = () if stream.plain is None else tuple(stream.plain.labels())
    total = cells[part_cells(base, size, part)]
    return _Numbered(players, goes[tables.set_parent[:sets]], tables.set_observation[:sets].copy(), size.copy(), total,
                     labels)  # fmt: skip


def _merged(one: _Numbered, other: _Numbered) -> _Numbered:
    """Add the other's sums to the one's; sets that only the other has found come last."""
    from hannan.kernels.samplingparts import merge, rehash

    names = {name: code for code, name in enumerate(one.labels)}
    seen = other.observation
    if other.labels:
        seen = np.array([names.setdefault(name, len(names)) for name in other.labels], np.int64)[seen]
    sets, actions = len(one.size), len(one.total)
    room = sets + len(other.size)
    row = np.zeros((room, SET_ROW), np.int64)
    row[:sets] = _rows(one, one.observation)
    total = longer(one.total, actions + len(other.total))
    buckets = np.empty(bucket_count(room), np.int32)
    rehash(sets, row, buckets)
    goes = np.arange(one.players + len(other.total))
    sets, actions = merge(one.players, sets, actions, row, total, buckets, _rows(other, seen), other.total, goes)
    parent, observation, _, size = row[:sets].T.copy()
    return _Numbered(one.players, parent, observation, size, total[:actions], tuple(names))


def _rows(found: _Numbered, observation: Longs) -> Longs:
    return np.column_stack((found.parent, observation, found.players + np.cumsum(found.size) - found.size, found.size))
