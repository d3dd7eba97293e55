"""From a sequence form to the tiled layout: buckets, tiles and blocks, as `kernels.fullwidth.tiled_passes` reads them.

Blocks come from the payoffs themselves: sequences of the two players that meet in an entry belong together, and in
games with private information such a group is a dense matrix, hands against hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hannan.arrays import Bools, Ints, Longs, Numbers, offsets
from hannan.forms.sequence import SLICE, SequenceForm
from hannan.forms.treeplex import Treeplex
from hannan.kernels.fullwidth import blocks as block_kernels
from hannan.kernels.fullwidth import factors as kernels
from hannan.kernels.fullwidth.records import Tiled
from hannan.layouts.factoring import Factors

TILE = 256
"""Blocks in a piece, and sets with four actions in a tile: what they touch stays in the nearest cache."""

SIDE = 32
"""The most rows or columns of a block."""

FEWEST = 8
"""The fewest blocks of one shape that are worth a loop of their own."""

FULLEST = 0.3
"""The least share of a block's cells that are entries."""


def tile(form: SequenceForm, factors: Factors, kind: np.dtype[Any] | None = None) -> tuple[Tiled, Ints]:
    """Return the arrays of the layout, and its number of each sequence in the order of `Flat`.

    factors: what is stored as factors, and not in blocks or rows. kind: of the numbers in these; else as in the form.
    """
    begin = offsets([plex.sequences for plex in form.treeplexes])
    buckets = [_bucketed(plex) for plex in form.treeplexes]
    place = np.concatenate([one.place + np.int32(begin[p]) for p, one in enumerate(buckets)])
    tiles = [tile for one in buckets for tiles in one.tiles for tile in tiles]
    many_tiles = [len(tiles) for one in buckets for tiles in one.tiles]
    many_sets = [count for one in buckets for count in one.sets]
    factored = factors.factored
    rest = _Rest.of(form, place, begin, factors.left, kind or form.numbers.dtype)
    blocks = _blocks(rest) if form.players == 2 else _no_blocks(rest)
    rows = _rows(rest, blocks.inside)
    del rest
    sides = factored.block[:, kernels.F_ROWS : kernels.F_ROW_AT].max(initial=0)
    arrays = Tiled(
        sequence_begin=begin,
        bucket_begin=offsets([len(one.first) for one in buckets]),
        first=np.array([first + begin[p] for p, one in enumerate(buckets) for first in one.first], np.int64),
        sets=np.array(many_sets, np.int64),
        actions=np.array([count for one in buckets for count in one.actions], np.int64),
        parents=offsets(many_sets)[:-1],
        tile_begin=offsets(many_tiles),
        tile=np.array(tiles, np.int64).reshape(-1, 2),
        parent=np.concatenate([one.parent + begin[p] for p, one in enumerate(buckets)]).astype(np.int32),
        piece=blocks.piece,
        rows=blocks.rows,
        columns=blocks.columns,
        block=blocks.cells,
        **rows,
        scratch=np.zeros((SIDE + 1, max([TILE, int(sides), *(end - low for low, end in tiles)]))),
        factored=factored._replace(
            row=place[factored.row].astype(np.int32),
            column=place[factored.column + begin[min(1, form.players - 1)]].astype(np.int32),
        ),
    )
    return arrays, place


@dataclass(frozen=True)
class _Rest:
    """The entries that are in no factor, as they are in the form, and the layout's numbers of sequences."""

    sequences: tuple[Ints, ...]  # [entries] of each player
    payoffs: Numbers  # [rows, entries]
    place: Ints  # [sequences]
    begin: Longs  # [players + 1]

    @staticmethod
    def of(form: SequenceForm, place: Ints, begin: Longs, left: Ints | None, kind: np.dtype[Any]) -> _Rest:
        """Return what is left of a form, with payoffs of a kind; where that is all, the form's own arrays."""
        sequences, payoffs = tuple(map(form.sequence, range(form.players))), form.numbers
        if left is not None:
            sequences, payoffs = tuple(mine[left] for mine in sequences), payoffs[:, left]
        return _Rest(sequences, payoffs.astype(kind, copy=False), place, begin)

    @property
    def players(self) -> int:
        return len(self.sequences)

    @property
    def entries(self) -> int:
        return self.payoffs.shape[1]

    def places(self, player: int) -> tuple[Ints, int]:
        """Return the layout's numbers of a player's sequences, and the first of these numbers."""
        return self.place[self.begin[player] : self.begin[player + 1]], int(self.begin[player])


@dataclass(frozen=True)
class _Buckets:
    place: Ints  # [sequences of the player]  new numbers, counted from the player's empty sequence
    first: list[int]
    sets: list[int]
    actions: list[int]
    tiles: list[list[tuple[int, int]]]
    parent: Ints  # [sets]


def _bucketed(plex: Treeplex) -> _Buckets:
    level = np.repeat(np.arange(plex.levels), np.diff(plex.level_begin))
    order = np.lexsort((np.arange(plex.sets), plex.sizes, level))
    kind = np.stack((level[order], plex.sizes[order]), axis=1)
    changes = np.flatnonzero(np.any(np.diff(kind, axis=0), axis=1)) + 1
    edges = [0, *changes.tolist(), plex.sets] if plex.sets else [0]
    place = np.zeros(plex.sequences, np.int32)
    first, sets, actions, tiles = [], [], [], []
    used = 1
    for begin, end in pairwise(edges):
        count, choices = end - begin, int(plex.sizes[order[begin]])
        for action in range(choices):
            place[plex.begin[order[begin:end]] + action] = used + action * count + np.arange(count)
        first.append(used)
        sets.append(count)
        actions.append(choices)
        tiles.append(_tiles(plex.parent[order[begin:end]], max(TILE // 8, 4 * TILE // choices)))
        used += choices * count
    return _Buckets(place, first, sets, actions, tiles, place[plex.parent[order]])


def _tiles(parent: Ints, size: int) -> list[tuple[int, int]]:
    """Cut sets, which are sorted by parent, into tiles of about `size` such that no two tiles share a parent."""
    starts = np.concatenate(([0], np.flatnonzero(np.diff(parent)) + 1, [len(parent)]))
    cuts = [0]
    while cuts[-1] < len(parent):
        fits = starts[np.searchsorted(starts, cuts[-1] + size, "right") - 1]
        cuts.append(int(fits if fits > cuts[-1] else starts[np.searchsorted(starts, cuts[-1], "right")]))
    return list(pairwise(cuts))


@dataclass(frozen=True)
class _Blocks:
    piece: Longs
    rows: Ints
    columns: Ints
    cells: Numbers
    inside: Bools  # [entries]  whether they are in a block


def _no_blocks(rest: _Rest) -> _Blocks:
    empty, cells = np.zeros(0, np.int32), np.zeros((len(rest.payoffs), 0), rest.payoffs.dtype)
    return _Blocks(np.zeros((0, 6), np.int64), empty, empty, cells, np.zeros(rest.entries, np.bool_))


def _blocks(rest: _Rest) -> _Blocks:
    """Group entries into dense blocks by the connected parts of the payoff matrix, and blocks by their shape."""
    if rest.entries == 0:
        return _no_blocks(rest)
    begin, (mine, theirs) = rest.begin, rest.sequences
    rows_total, columns_total = int(begin[1]), int(begin[2] - begin[1])
    label = block_kernels.components(mine, theirs, rows_total, columns_total)
    count = int(label.max()) + 1
    label, filled = block_kernels.relabel(label, rest.place, block_kernels.entries_of(label, mine, count))
    rank, height, width = block_kernels.sizes(label, rows_total)
    good = (height <= SIDE) & (width <= SIDE) & (filled >= FULLEST * height * width)
    kind = np.where(good, height * (SIDE + 1) + width, -1)
    kinds, which, amounts = np.unique(kind, return_inverse=True, return_counts=True)
    usable = (kinds >= 0) & (amounts >= FEWEST)
    shape_of = np.where(usable, np.cumsum(usable) - 1, -1)[which]  # [components]
    # the place of each component among those of its shape
    order = np.argsort(shape_of, kind="stable")
    shapes = int(usable.sum())
    starts = np.searchsorted(shape_of[order], np.arange(shapes))
    block = np.empty(count, np.int64)
    block[order] = np.arange(count) - np.where(shape_of[order] >= 0, starts[shape_of[order]] if shapes else 0, 0)
    m, n = kinds[usable] // (SIDE + 1), kinds[usable] % (SIDE + 1)
    many = amounts[usable]
    # blocks of a shape are cut into pieces, each stored by itself as [rows or columns or cells, blocks]
    size = np.maximum(8, np.minimum(TILE, 16 * TILE // np.maximum(np.maximum(m, n), 1)))
    begins = [offsets(count)[:-1] for count in (m * many, n * many, m * n * many)]
    pieces = [
        (
            m[k],
            n[k],
            min(size[k], many[k] - low),
            *(begin[k] + low * each for begin, each in zip(begins, each_of, strict=True)),
        )
        for k in range(shapes)
        for each_of in [(m[k], n[k], m[k] * n[k])]
        for low in range(0, int(many[k]), int(size[k]))
    ]

    def place(side: int, component: Ints, line: Longs | Ints) -> Longs:
        """Where the given line (a row, a column or a cell) of a component is stored."""
        shape = shape_of[component]
        low = block[component] // size[shape] * size[shape]
        count = np.minimum(size[shape], many[shape] - low)
        each = (m, n, m * n)[side][shape]
        where: Longs = begins[side][shape] + low * each + line * count + block[component] - low
        return where

    index = []
    for side in (0, 1):
        first, last = int(begin[side]), int(begin[side + 1])
        held = first + np.flatnonzero((label[first:last] >= 0) & (shape_of[label[first:last]] >= 0))
        array = np.empty(int(((m, n)[side] * many).sum()), np.int32)
        array[place(side, label[held], rank[held])] = held
        index.append(array)
    cells = np.zeros((len(rest.payoffs), int((m * n * many).sum())), rest.payoffs.dtype)
    inside = np.empty(rest.entries, np.bool_)
    for low in range(0, rest.entries, SLICE):
        part = slice(low, low + SLICE)
        rows, columns = rest.place[mine[part]], rest.place[begin[1] + theirs[part]]
        inside[part] = here = shape_of[label[rows]] >= 0
        rows, columns = rows[here], columns[here]
        where = place(2, label[rows], rank[rows] * n[shape_of[label[rows]]] + rank[columns])
        cells[:, where] = rest.payoffs[:, part][:, here]
    return _Blocks(np.array(pieces, np.int64).reshape(-1, 6), index[0], index[1], cells, inside)


def _rows(rest: _Rest, inside: Bools) -> dict[str, Any]:
    """Lay the entries that are in no block out as rows, once for each player; return the arrays of `Tiled`."""
    players, size = rest.players, rest.entries - int(np.count_nonzero(inside))
    begins, rows, entries = [0], [], [np.zeros(1, np.int64)]
    other, payoff = np.empty((players - 1, players * size), np.int32), np.empty(players * size, rest.payoffs.dtype)
    for p in range(players):
        mine = (rest.sequences[p], *rest.places(p), inside)
        first, row, begin = block_kernels.rows_of(*mine)
        rows.append(row)
        begins.append(begins[-1] + len(row))
        entries.append(p * size + begin[1:])
        part = slice(p * size, (p + 1) * size)
        for k, q in enumerate(q for q in range(players) if q != p):
            block_kernels.lay_out(*mine, first, rest.sequences[q], rest.places(q)[0], other[k, part])
        block_kernels.lay_out(*mine, first, rest.payoffs[p if p < len(rest.payoffs) else 0], None, payoff[part])
        if p >= len(rest.payoffs):
            np.negative(payoff[part], out=payoff[part])
    begin, row, entry_begin = np.array(begins, np.int64), np.concatenate(rows), np.concatenate(entries)
    return {"row_begin": begin, "row": row, "entry_begin": entry_begin, "other": other, "payoff": payoff}
