"""A sequence form for a card: sets in slices of 32 neighbours, one set per thread.

Sets that meet the same others, hands behind the same public play for example, are neighbours, so that what meets them
reads their reaches side by side. Idle sets (`idle_sets`) come last in their level. Every level begins a new
slice, so a set has a *slot* and some slots are empty. The actions of the sets of a slice lie side by side: action a of
the set in slot j has the *place* `first[j] + 32·a`, so the threads of a warp read neighbours. What sets earn lies in
the order of the treeplex, where each set has a *seat*. The seats of the sets that follow a sequence are neighbours, and
sums over them have one order.

Payoffs are rows, one for each place, cut into parts of at most `LONGEST` entries so that no thread works much longer
than the others. 32 parts form a group. A group stores 8 entries of its first part, 8 of its second part, and so on, and
then the next 8 entries of each. Parts that meet exactly the same opponents' sequences, hands behind the same public
play for example, are a *cluster*. Neighbours from one cluster share one list of places. If the game has at most 255
different payoffs, an entry is one byte that stands for its payoff.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from hannan.arrays import Bools, Floats, Ints, Longs, Numbers, offsets
from hannan.errors import SizeError, UnsuitableError
from hannan.forms.sequence import SLICE, SequenceForm
from hannan.forms.treeplex import Treeplex, idle_sets, listed
from hannan.kernels.fullwidth import slices
from hannan.kernels.fullwidth.slices import PACK, WIDTH
from hannan.layouts.cuda.contraction import contract
from hannan.layouts.layout import Precision, flat_of, kept

LONGEST = 64
"""The most entries of a part; longer rows are added up part by part."""

WIDEST = 1 << 15
"""A bound above the number of actions of any set here."""

MIXED = np.uint64(0x5851F42D4C957F2D)
"""An odd number with which hashes are mixed."""

IDLE = 1 << 30
"""Marks the slot of an idle set."""

CODES = 256
"""Payoffs that a byte can tell apart, 0 among them."""

CELL, INDEX = 3, 4
"""The costs of a cell and a place when lanes are chosen: their bytes, and for a cell also the work of a thread."""


@dataclass(frozen=True)
class Rows:
    """Rows of payoffs, cut into parts; players lie end to end."""

    part_begin: Longs  # [players + 1]  multiples of WIDTH
    target: Ints  # [parts]  the place where the sum goes, or -1 - piece
    group: Ints  # [groups, 4]  where its cells and its indexes begin, in packs; its shift; entries of its longest part
    cells: int  # the number of cells
    indexes: int  # the number of places in the lists of the groups
    row_begin: Longs  # [players + 1]  rows of several parts
    row: Ints  # [rows]  their places
    piece_begin: Ints  # [rows + 1]  their pieces


@dataclass(frozen=True)
class Slices(Rows):
    """The arrays of the layout; players lie end to end in all of them."""

    place: Longs  # [sequences]  the place of each sequence in the order of `Flat`
    forced: Longs  # sequences that share the place of the one before them: the only actions of their sets
    places: int  # the number of places; the last WIDTH are unused
    root: Longs  # [players]  the place of the empty sequence
    place_begin: Longs  # [players + 1]
    slot: Ints  # [slots, 4]  place of action 0, actions + WIDEST · most of its slice (+ IDLE), parent's place, its slot
    idle: Longs  # [idle sets, 3]  as in `hannan.layouts.layout.Layout`
    seat: Ints  # [slots]  where what a set earns lies; the seats of a level are its slots in another order
    level_begin: tuple[Longs, ...]  # for each player: the first slot of each level, then one past all
    level_end: tuple[Longs, ...]  # for each player: one past the last slot in use of each level
    level_places: tuple[Longs, ...]  # for each player: the first place of each level, then one past all
    below: Ints  # [places, 2]  the seats of the sets that follow and are not idle: first, and one past the last
    other: Ints  # [players - 1, indexes]  the places of the others
    payoff: Numbers  # [cells]  numbers of `table`, or the payoffs themselves
    table: Floats  # [CODES]  the payoffs, the first one 0; empty if there are too many different ones

    @property
    def slots(self) -> int:
        """The number of slots."""
        return len(self.slot)

    def inward(self, array: Floats) -> Floats:
        """Bring an array over sequences into the order of places."""
        moved = np.zeros(self.places)
        if len(self.forced):
            own = np.ones(len(self.place), np.bool_)
            own[self.forced] = False
            moved[self.place[own]] = array[own]
        else:
            moved[self.place] = array
        return moved

    def outward(self, array: Floats, forced: float | None = None) -> Floats:
        """Bring an array over places back into the order of `Flat`.

        forced: the number of sequences that share a place. Default: the number at that place.
        """
        moved: Floats = array[self.place]
        if forced is not None:
            moved[self.forced] = forced
        return moved


def slices_of(form: SequenceForm, payoffs: Precision = "float64", contracted: bool = False) -> Slices:
    """Return the slices of a form, made once. If `contracted`, sets of one action are left out of all levels."""
    return kept(form, ("slices", payoffs, contracted), partial(_slice, payoffs=payoffs, contracted=contracted))


@dataclass(frozen=True)
class _Sets:
    """The slots and places of one player, counted from its first ones."""

    place: Longs  # [sequences]
    places: int
    slot: Longs  # [slots, 4]  as in `Slices`
    seat: Longs  # [slots]
    level_begin: Longs
    level_end: Longs
    level_places: Longs
    below: Longs  # [places, 2]


def _slice(form: SequenceForm, payoffs: Precision, contracted: bool) -> Slices:
    idle = _idle(form)
    if contracted:
        smaller = contract(form)
        form = smaller.form
    flat = flat_of(form)
    if max((int(plex.sizes.max(initial=0)) for plex in form.treeplexes), default=0) >= WIDEST:
        raise UnsuitableError(f"device=cuda takes sets of fewer than {WIDEST:,} actions; device=cpu takes any")
    begin = flat.sequence_begin
    met, length = np.empty(begin[-1], np.int64), np.diff(flat.row_begin).astype(np.int32)
    slices.digest(flat.row_begin[:-1], length, flat.other, met)
    sets = [
        _arrange(plex, length[begin[p] : begin[p + 1]] > 0, met[begin[p] : begin[p + 1]])
        for p, plex in enumerate(form.treeplexes)
    ]
    place_begin = offsets([one.places for one in sets])
    slot_begin = offsets([len(one.slot) for one in sets])
    place = np.concatenate([one.place + place_begin[p] for p, one in enumerate(sets)])
    places = int(place_begin[-1]) + WIDTH
    sequence_at = np.full(places, -1, np.int32)
    sequence_at[place] = np.arange(len(place), dtype=np.int32)
    slot = [one.slot + np.array([place_begin[p], 0, place_begin[p], 0]) for p, one in enumerate(sets)]
    below = np.zeros((places, 2), np.int32)
    for p, one in enumerate(sets):
        slot[p][:, 3] = np.where(one.slot[:, 3] < 0, -1, one.slot[:, 3] + slot_begin[p])
        mine = below[place_begin[p] : place_begin[p + 1]]
        mine[:] = one.below
        mine[one.below[:, 1] > 0] += np.int32(slot_begin[p])
    rows, start, length = _cut(form, sequence_at, place, place_begin)
    other = np.zeros((form.players - 1, rows.indexes), np.int32)
    slices.fill_indexes(start, length, rows.group, place.astype(np.int32), flat.other, other)
    known = _distinct(form)
    payoff = np.zeros(rows.cells, np.uint8 if len(known) else payoffs)
    slices.fill_payoffs(start, length, rows.group, flat.payoff, known, payoff)
    table = np.zeros(CODES if len(known) else 0)
    table[1 : 1 + len(known)] = known.astype(payoffs)
    return Slices(
        **vars(rows),
        place=place[smaller.sequence] if contracted else place,
        forced=smaller.forced if contracted else np.zeros(0, np.int64),
        places=places,
        root=place_begin[:-1].copy(),
        place_begin=place_begin,
        slot=np.concatenate(slot).astype(np.int32),
        seat=np.concatenate([one.seat + slot_begin[p] for p, one in enumerate(sets)]).astype(np.int32),
        idle=idle,
        level_begin=tuple(one.level_begin + slot_begin[p] for p, one in enumerate(sets)),
        level_end=tuple(one.level_end + slot_begin[p] for p, one in enumerate(sets)),
        level_places=tuple(one.level_places + place_begin[p] for p, one in enumerate(sets)),
        below=below,
        other=other,
        payoff=payoff,
        table=table,
    )


def _idle(form: SequenceForm) -> Longs:
    """Return the idle sets of all players."""
    found, begin = list[Longs](), 0
    for p, plex in enumerate(form.treeplexes):
        pays = np.zeros(plex.sequences, np.bool_)
        pays[form.sequence(p)] = True
        found.append(listed(plex, idle_sets(plex, pays)) + np.array([begin, 0, begin]))
        begin += plex.sequences
    return np.concatenate(found)


def _distinct(form: SequenceForm) -> Floats:
    """Return the different payoffs other than 0, of all players, sorted; none if a byte cannot tell them apart."""
    known, count = np.zeros(CODES - 1), 0
    for numbers in form.numbers:
        for sign in (1, -1) if form.rows < form.players else (1,):
            for low in range(0, form.entries, SLICE):
                count = slices.gather_distinct(sign * numbers[low : low + SLICE], known, count)
                if count < 0:
                    return known[:0]
    return known[:count]


def _alike(plex: Treeplex, met: Longs) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return a number for each set that sets share if they and all sets that follow them meet the same others.

    `met` is such a number for the row of each sequence.
    """
    total, numbers = met.astype(np.uint64), np.zeros(plex.sets, np.uint64)
    for low, high in reversed(list(pairwise(plex.level_begin.tolist()))):
        first, last = int(plex.begin[low]), int(plex.begin[high])
        if low == high:
            continue
        action = np.arange(first, last) - np.repeat(plex.begin[low:high], plex.sizes[low:high])
        mixed = (total[first:last] + MIXED) * (2 * action + 1).astype(np.uint64)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * MIXED
        number = np.add.reduceat(mixed ^ (mixed >> np.uint64(32)), plex.begin[low:high] - first)
        numbers[low:high] = number
        number = (number ^ (number >> np.uint64(31))) * MIXED
        starts = np.flatnonzero(np.diff(plex.parent[low:high], prepend=-1))
        total[plex.parent[low:high][starts]] += np.add.reduceat(number, starts)
    return numbers


def _arrange(plex: Treeplex, pays: Bools, met: Longs) -> _Sets:
    """Give every set of a player its slot, and every sequence its place; the empty sequence has place 0."""
    idle, alike = idle_sets(plex, pays), _alike(plex, met)
    level_begin, level_end, used = [], [], 0
    slot_of, seat_of = np.empty(plex.sets, np.int64), np.empty(plex.sets, np.int64)
    for low, high in pairwise(plex.level_begin.tolist()):
        _, leader, which = np.unique(alike[low:high], return_index=True, return_inverse=True)
        slot_of[low + np.lexsort((leader[which], idle[low:high]))] = used + np.arange(high - low)
        seat_of[low + np.argsort(idle[low:high], kind="stable")] = used + np.arange(high - low)
        level_begin.append(used)
        level_end.append(used + high - low)
        used = _full(used + high - low)
    level_begin.append(used)
    size = np.zeros(used, np.int64)
    size[slot_of] = plex.sizes
    base = WIDTH + offsets(WIDTH * size.reshape(-1, WIDTH).max(axis=1, initial=0))
    first = np.repeat(base[:-1], WIDTH) + np.arange(used) % WIDTH
    place = np.zeros(plex.sequences, np.int64)
    owner = plex.set_of[1:]
    place[1:] = first[slot_of[owner]] + WIDTH * (np.arange(1, plex.sequences) - plex.begin[owner])
    slot = np.zeros((used, 4), np.int64)
    most = np.repeat(size.reshape(-1, WIDTH).max(axis=1, initial=0), WIDTH)
    slot[:, 0], slot[:, 1], slot[:, 3] = first, size + WIDEST * most, -1
    slot[slot_of, 1] += IDLE * idle
    seat = np.arange(used)
    seat[slot_of] = seat_of
    slot[slot_of, 2] = place[plex.parent]
    inner = np.flatnonzero(plex.parent > 0)
    slot[slot_of[inner], 3] = slot_of[plex.set_of[plex.parent[inner]]]
    below = np.zeros((int(base[-1]), 2), np.int64)
    busy = np.flatnonzero(~idle)
    edge = np.flatnonzero(np.diff(plex.parent[busy], prepend=-1, append=-1))
    parent = place[plex.parent[busy[edge[:-1]]]]
    below[parent, 0] = seat_of[busy[edge[:-1]]]
    below[parent, 1] = seat_of[busy[edge[1:] - 1]] + 1
    levels, ends = np.array(level_begin), np.array(level_end, np.int64)
    return _Sets(place, int(base[-1]), slot, seat, levels, ends, base[levels // WIDTH], below)


def _cut(form: SequenceForm, sequence_at: Ints, place: Longs, place_begin: Longs) -> tuple[Rows, Longs, Ints]:
    """Cut the rows of all players into parts; a player's parts end with a full group.

    Parts of one cluster are neighbours, and clusters that begin with neighbouring sequences of the opponent are too,
    so threads side by side read the same reaches. Groups with long parts come first, so that threads end together. Also
    returns where the entries of each part begin, and how many they are.
    """
    row_begin, other = flat_of(form).row_begin, flat_of(form).other
    spans = [(int(low), int(high)) for low, high in pairwise(place_begin)]
    counts = [slices.count_parts(sequence_at, *span, row_begin, LONGEST) for span in spans]
    rows = offsets([many for _, many, _ in counts])
    pieces = offsets([many for _, _, many in counts])
    row, piece_begin = np.zeros(rows[-1], np.int32), np.zeros(rows[-1] + 1, np.int32)
    nowhere = len(sequence_at) - WIDTH  # an unused place
    targets, starts, lengths, shifts = list[Ints](), list[Longs](), list[Ints](), list[Longs]()
    for p, span in enumerate(spans):
        target = np.empty(counts[p][0], np.int32)
        start, length = np.empty(len(target), np.int64), np.empty(len(target), np.int32)
        slices.cut_parts(
            sequence_at, *span, row_begin, LONGEST, target, start, length,
            row[rows[p] : rows[p + 1]], piece_begin[rows[p] + 1 : rows[p + 1] + 1], int(pieces[p]),
        )  # fmt: skip
        order, at, shift = _arrange_parts(start, length, other, place)
        lanes = np.zeros((len(shift), WIDTH), np.int32)
        lanes.flat[at] = length[order]
        first = np.argsort(-((lanes.max(axis=1, initial=0) + PACK - 1) // PACK), kind="stable")  # long groups first
        for arrays, array, empty in ((targets, target, nowhere), (starts, start, 0), (lengths, length, 0)):
            padded = np.full((len(shift), WIDTH), empty, array.dtype)
            padded.flat[at] = array[order]
            arrays.append(padded[first].ravel())
        shifts.append(shift[first])
    start, length, shift = np.concatenate(starts), np.concatenate(lengths), np.concatenate(shifts)
    longest = length.reshape(-1, WIDTH).max(axis=1, initial=0)
    packs = -(-longest // PACK)
    cells, indexes = offsets(packs), offsets((WIDTH >> shift) * packs)
    if indexes[-1] >= 1 << 31:
        raise SizeError(
            f"device=cuda takes at most {PACK << 31:,} entries and places of payoffs; device=cpu takes more"
        )
    return (
        Rows(
            part_begin=offsets([len(array) for array in starts]),
            target=np.concatenate(targets),
            group=np.stack([cells[:-1], indexes[:-1], shift, longest], axis=1).astype(np.int32),
            cells=int(cells[-1]) * WIDTH * PACK,
            indexes=int(indexes[-1]) * PACK,
            row_begin=rows,
            row=row,
            piece_begin=piece_begin,
        ),
        start,
        length,
    )


def _arrange_parts(start: Longs, length: Ints, other: Ints, place: Longs) -> tuple[Longs, Longs, Longs]:
    """Return an order of a player's parts, the lane of each part in that order, and the shift of each group.

    A cluster is cut into runs of 2^shift lanes. The shift is the one for which cells and indexes cost least.
    """
    digests = np.empty(len(start), np.int64)
    slices.digest(start, length, other, digests)
    leading = place[other[0, start]] if len(other) else length
    order = np.lexsort((digests, length, leading)).astype(np.int64)
    fresh = np.empty(len(order), np.bool_)
    slices.mark_clusters(order, start, length, other, fresh)
    first = np.flatnonzero(fresh)
    size = np.diff(np.append(first, len(order)))
    run = 1 << np.arange(WIDTH.bit_length())
    lanes = -(-size[:, None] // run) * run
    shift = (lanes * (CELL + len(other) * INDEX / run)).argmin(axis=1)
    lanes = lanes[np.arange(len(size)), shift]
    at, shifts, used = np.empty(len(order), np.int64), list[Longs](), 0
    for some in range(WIDTH.bit_length()):
        mine = np.flatnonzero(shift == some)
        begin = used + offsets(lanes[mine])
        within = np.arange(size[mine].sum()) - np.repeat(offsets(size[mine])[:-1], size[mine])
        at[np.repeat(first[mine], size[mine]) + within] = np.repeat(begin[:-1], size[mine]) + within
        end = _full(int(begin[-1]))
        shifts.append(np.full((end - used) // WIDTH, some, np.int64))
        used = end
    return order, at, np.concatenate(shifts)


def _full(count: int) -> int:
    """Return the least multiple of WIDTH that is not smaller."""
    return -(-count // WIDTH) * WIDTH
