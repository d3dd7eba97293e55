"""The learnt strategies of several streams, as one policy."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs, longer
from hannan.forms.game import PlayedGame
from hannan.kernels.sampling.records import SETS, STRANGE
from hannan.kernels.sets import SET_ROW, bucket_count, rehash
from hannan.rules.observations import check_different
from hannan.solvers.sampling.rules_stream import RulesStream
from hannan.solvers.sampling.streams import Stream
from hannan.solvers.sampling.tables import part_cells
from hannan.strategies.policy import Policy


def gathered(
    game: PlayedGame, streams: Sequence[Stream], learnt: Sequence[Floats], part: int, facts: Mapping[str, Any]
) -> Policy:
    """Return a part of the streams' tables (0: the strategy, 2: the sums of the average) as one policy."""
    first, *others = [_numbered(stream, cells, part) for stream, cells in zip(streams, learnt, strict=True)]
    merged = first
    for other in others:
        merged = _merged(merged, other)
    base = game.players + np.cumsum(merged.size) - merged.size
    probability = np.ones(game.players + int(merged.size.sum()))
    if len(base):
        scale = np.repeat(np.add.reduceat(merged.total, base - game.players), merged.size)
        even = np.repeat(1.0 / merged.size, merged.size)
        probability[game.players :] = np.divide(merged.total, scale, out=even, where=scale > 0)
    worded = streams[0].source is not None and streams[0].source.worded
    labels, met = (merged.labels, merged.met) if worded else (None, None)
    names = np.concatenate((np.full(game.players, None, object), merged.names)) if worded else None
    return Policy(
        game, merged.parent, merged.observation, base, merged.size, probability, labels, facts, met,
        streams[0].forgets, names,
    )  # fmt: skip


class _Numbered(NamedTuple):
    """Sets in the order of their first visits; a set's actions follow one another."""

    players: int
    parent: Longs  # [sets]  the last sequence: a player's empty one, or players + a place in `total`
    observation: Longs  # [sets]
    size: Longs  # [sets]
    total: Floats  # [actions]
    labels: tuple[str, ...]
    met: Mapping[Hashable, int]
    names: Any  # [actions]  texts of plain rules' actions, None if not known


def _numbered(stream: Stream, cells: Floats, part: int) -> _Numbered:
    tables, players = stream.tables, stream.game.players
    sets = int(tables.counts[SETS])
    known = tables.set_observation[:sets] != STRANGE
    base, size = tables.set_base[:sets][known], tables.set_size[:sets][known]
    sums = part_cells(base, size, 2)
    goes = np.zeros(len(cells), np.int64)
    goes[:players] = np.arange(players)
    goes[sums] = players + np.arange(len(sums))
    parent, seen = goes[tables.set_parent[:sets][known]], tables.set_observation[:sets][known]
    labels, met = (None, None) if stream.source is None else stream.source.vocabulary()
    names = np.full(len(sums), None, object)
    if isinstance(stream, RulesStream):
        names = stream.names()[np.repeat(known, tables.set_size[:sets])]
    total = cells[part_cells(base, size, part)]
    return _Numbered(players, parent, seen, size, total, labels or (), met or {}, names)


def _merged(one: _Numbered, other: _Numbered) -> _Numbered:
    """Add the sums of `other` to those of `one`; sets that only `other` has visited come last."""
    from hannan.kernels.sampling.sums import merge

    labels, met, codes = _renumbered(one, other)
    seen = codes[other.observation] if other.labels else other.observation
    sets, actions = len(one.size), len(one.total)
    room = sets + len(other.size)
    row = np.zeros((room, SET_ROW), np.int64)
    row[:sets] = _rows(one, one.observation)
    total = longer(one.total, actions + len(other.total))
    buckets = np.empty(bucket_count(room), np.int64)
    rehash(sets, row, buckets)
    goes = np.arange(one.players + len(other.total))
    sets, actions = merge(one.players, sets, actions, row, total, buckets, _rows(other, seen), other.total, goes)
    parent, observation, _, size = row[:sets].T.copy()
    names = np.full(actions, None, object)
    names[goes[one.players :] - one.players] = other.names
    names[: len(one.names)] = np.where(one.names != None, one.names, names[: len(one.names)])  # noqa: E711
    return _Numbered(one.players, parent, observation, size, total[:actions], labels, met, names)


def _renumbered(one: _Numbered, other: _Numbered) -> tuple[tuple[str, ...], dict[Hashable, int], Longs]:
    """Return the labels and observations of both, and the numbers that those of `other` have among them.

    Observations are compared by equality, or by text if one was only read from a file.
    """
    labels, met, codes = list(one.labels), dict(one.met), np.zeros(len(other.labels), np.int64)
    known, itself = set(met.values()), {code: seen for seen, code in other.met.items()}
    unmet = {text: code for code, text in enumerate(labels) if code not in known}
    if len(itself) < len(codes):
        check_different(one.met, one.labels)
    named = {text: code for code, text in enumerate(labels)}
    for code, text in enumerate(other.labels):
        if code not in itself:
            place = named.get(text, len(labels))
        elif (place := met.get(itself[code], -1)) < 0:
            place = met[itself[code]] = unmet.pop(text, len(labels))
        if place == len(labels):
            labels.append(text)
        codes[code] = place
    return tuple(labels), met, codes


def _rows(sets: _Numbered, observation: Longs) -> Longs:
    return np.column_stack((sets.parent, observation, sets.players + np.cumsum(sets.size) - sets.size, sets.size))
