"""The tiled layout of a sequence form: levels, chunks, tiles and blocks.

`kernels.fullwidth.tiled_passes` describes how they are read, `hannan.layouts.blocks` where the payoffs go.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Bools, Bytes, Ints, Longs, offsets
from hannan.forms.sequence import SequenceForm
from hannan.forms.treeplex import Treeplex, idle_sets, listed
from hannan.kernels.fullwidth import factors as kernels
from hannan.kernels.fullwidth.records import C_COLUMNS, EARNS, GATHERS, T_COLUMNS, Tiled
from hannan.kernels.vectors import LANES
from hannan.layouts.blocks import PIECE, SIDE, Rest, blocks_of, rows_of
from hannan.layouts.factoring import Factors

CHUNK = 4096
"""The number of sets after which a chunk ends, before the sets of the next parent."""

FEW = 64
"""With fewer sets than this, a separate tile costs more in padding than it saves."""

KINDS = 1 << 16
"""Hashes of the uses of a set's sequences; different uses may have the same hash."""


class Tiling(NamedTuple):
    """The arrays of the layout, and where the sequences of `Flat` are in them."""

    arrays: Tiled
    place: Ints  # [sequences]
    places: int
    idle: Longs  # [idle sets, 3]  see `hannan.layouts.layout.Layout`


def tile(form: SequenceForm, factors: Factors, kind: np.dtype[Any] | None = None) -> Tiling:
    """Lay a form out.

    factors: the payoffs stored as factors, outside blocks and rows. kind: the type of payoffs without a small unit.
    """
    plans: list[_Plan] = []
    for player, plex in enumerate(form.treeplexes):
        plans.append(_Plan(plex, form.sequence(player), plans[-1].end if plans else 0))
    place, places = np.concatenate([plan.place for plan in plans]), plans[-1].end
    begin = offsets([plex.sequences for plex in form.treeplexes])
    taken = np.zeros(places, np.bool_)
    taken[place] = True
    wide, narrow = np.flatnonzero(taken).astype(np.int32), (np.cumsum(taken, dtype=np.int32) - 1)[place]
    rest = Rest.of(form, narrow, begin, factors.left, kind or form.numbers.dtype)
    blocks = blocks_of(rest)
    rows = rows_of(rest, blocks.inside)
    unit = rest.unit
    del rest, narrow, taken
    for array in (blocks.rows, blocks.columns, rows["row"], rows["other"]):
        array[...] = wide[array]
    factored = factors.factored
    sides = int(factored.block[:, kernels.F_ROWS : kernels.F_ROW_AT].max(initial=0))
    lines = int(blocks.piece[:, :2].max(initial=0)) + LANES
    longest = [LANES * int(plex.sizes.max(initial=1)) for plex in form.treeplexes]
    arrays = Tiled(
        sequence_begin=np.array([0, *(plan.end for plan in plans)], np.int64),
        **_joined(plans),
        piece=blocks.piece,
        rows=blocks.rows,
        columns=blocks.columns,
        block=blocks.cells,
        **rows,
        unit=unit,
        scratch=np.zeros((SIDE + 1, max(PIECE, sides, lines, *longest))),
        factored=factored._replace(
            row=place[factored.row].astype(np.int32),
            column=place[factored.column + begin[min(1, form.players - 1)]].astype(np.int32),
        ),
    )
    idle = [plan.idle + np.array([begin[p], 0, begin[p]]) for p, plan in enumerate(plans)]
    return Tiling(arrays, place, places, np.concatenate(idle))


def _joined(plans: list[_Plan]) -> dict[str, Any]:
    """Return the tiles of all players as arrays of `Tiled`."""
    tiles = offsets([len(plan.tiles) for plan in plans])
    parents = offsets([sum(map(len, plan.parent)) for plan in plans])
    uses = offsets([sum(map(len, plan.use)) for plan in plans])
    chunk = [np.array(plan.chunks, np.int64).reshape(-1, C_COLUMNS) + tiles[p] for p, plan in enumerate(plans)]
    tile = [
        np.array(plan.tiles, np.int64).reshape(-1, T_COLUMNS) + np.array([0, 0, 0, parents[p], uses[p]])
        for p, plan in enumerate(plans)
    ]
    return {
        "level_begin": offsets([len(plan.levels) for plan in plans]),
        "chunk_begin": offsets([count for plan in plans for count in plan.levels]),
        "chunk": np.concatenate(chunk),
        "tile": np.concatenate(tile),
        "parent": np.concatenate([np.zeros(0, np.int32), *(part for plan in plans for part in plan.parent)]),
        "use": np.concatenate([np.zeros(0, np.uint8), *(part for plan in plans for part in plan.use)]),
    }


class _Plan:
    """The places of the sets of one player."""

    def __init__(self, plex: Treeplex, paying: Ints, begin: int) -> None:
        """`paying` are the sequences that have payoffs; places begin at `begin`, with the empty sequence."""
        self._plex = plex
        self.place = np.zeros(plex.sequences, np.int32)
        self.place[0] = begin
        self.end = begin + LANES
        self.levels: list[int] = []  # the number of chunks of each
        self.chunks: list[tuple[int, int, int]] = []
        self.tiles: list[tuple[int, int, int, int, int]] = []
        self.parent: list[Ints] = []
        self.use: list[Bytes] = []
        self._sets, self._uses = 0, 0
        pays, follows = np.zeros(plex.sequences, np.bool_), np.diff(plex.child_begin) > 0
        pays[paying] = True
        self._flags = (EARNS * (pays | follows) + GATHERS * (follows & ~pays)).astype(np.uint8)
        kinds = _kinds(plex, self._flags)
        idle = idle_sets(plex, pays)
        for low, high in pairwise(plex.level_begin.tolist()):
            self._level(low, high, kinds[low:high], idle[low:high])
        self.idle = listed(plex, idle)

    def _level(self, low: int, high: int, kinds: Longs, idle: Bools) -> None:
        """Give the sets `low … high` of a level their places. Sets in too small tiles are no longer `idle`."""
        plex = self._plex
        chunk, sizes = _chunks(plex.parent[low:high]), plex.sizes[low:high].astype(np.int64)
        base = int(sizes.max(initial=0)) + 1

        def keys() -> Longs:
            key: Longs = ((chunk * 2 + idle) * base + sizes) * KINDS + kinds
            return key

        _, which, counts = np.unique(keys(), return_inverse=True, return_counts=True)
        few = counts[which] < FEW
        kinds[few], idle[few] = 0, False
        key = keys()
        order = np.argsort(key, kind="stable")
        edges = np.flatnonzero(np.diff(key[order], prepend=-1)).tolist()
        begun = len(self.chunks)
        for first, last in pairwise([*edges, high - low]):
            if len(self.chunks) == begun + int(chunk[order[first]]):
                self.chunks.append((len(self.tiles), len(self.tiles), len(self.tiles)))
            self._tile(low + order[first:last])
            begin, still, _ = self.chunks[-1]
            end = len(self.tiles)
            self.chunks[-1] = (begin, still if idle[order[first]] else end, end)
        self.levels.append(len(self.chunks) - begun)

    def _tile(self, sets: Longs) -> None:
        """Make a tile of sets with equally many actions."""
        plex, actions = self._plex, int(self._plex.sizes[sets[0]])
        groups = -(-len(sets) // LANES)
        k = np.arange(len(sets))
        first = self.end + k // LANES * (actions * LANES) + k % LANES
        use = np.empty(actions, np.uint8)
        for action in range(actions):
            mine = plex.begin[sets] + action
            self.place[mine] = first + action * LANES
            use[action] = np.bitwise_or.reduce(self._flags[mine])
        parent = np.full(groups * LANES, self.place[0], np.int32)
        parent[: len(sets)] = self.place[plex.parent[sets]]
        self.tiles.append((self.end, groups, actions, self._sets, self._uses))
        self.parent.append(parent)
        self.use.append(use)
        self.end += groups * actions * LANES
        self._sets += groups * LANES
        self._uses += actions


def _chunks(parent: Ints) -> Longs:
    """Return the chunk of each set of a level; sets are sorted by parent, and those of one parent share their chunk."""
    starts = np.append(np.flatnonzero(np.diff(parent, prepend=-1)), len(parent))
    cuts = [0]
    while len(parent) - cuts[-1] > CHUNK:
        cuts.append(int(starts[np.searchsorted(starts, cuts[-1] + CHUNK)]))
    return np.repeat(np.arange(len(cuts)), np.diff([*cuts, len(parent)]))


def _kinds(plex: Treeplex, flags: Bytes) -> Longs:
    """Return for each set a number from 1 on that encodes the flags of its sequences."""
    if plex.sets == 0:
        return np.zeros(0, np.int64)
    action = np.arange(1, plex.sequences) - np.repeat(plex.begin[:-1], plex.sizes)
    mixed = flags[1:] * ((2 * action + 1) ** 3 * 40503)
    kinds: Longs = 1 + np.add.reduceat(mixed, plex.begin[:-1] - 1) % (KINDS - 1)
    return kinds
