"""A sequence form for a card: sets in slices of 32 neighbours, of which each thread takes one.

Sets keep the order of their treeplex, in which the sets that follow one sequence are neighbours; every level begins a
new slice, so a set has a *slot* and some slots are empty. The actions of the sets of a slice lie side by side: action a
of the set in slot j has the *place* `first[j] + 32·a`. So threads that move together read together, the sets below a
sequence are a range of slots, and sums over them have one order.

Payoffs are rows, one for each place, cut into parts of at most `LONGEST` entries so that no thread works much longer
than the others. Parts that meet the same opponents form groups of 32, and a group's entries lie side by side too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from hannan.arrays import Floats, Ints, Longs, offsets
from hannan.errors import UnsuitableError
from hannan.forms.sequence import SequenceForm
from hannan.forms.treeplex import Treeplex
from hannan.kernels.fullwidth import slices
from hannan.kernels.fullwidth.slices import WIDTH
from hannan.layouts.layout import Precision, flat_of, kept

LONGEST = 64
"""The most entries of a part: longer rows are added up part by part."""

WIDEST = 1 << 15
"""More actions than any set may have here."""


@dataclass(frozen=True)
class Rows:
    """Rows of payoffs, cut into parts; players lie end to end."""

    part_begin: Longs  # [players + 1]  multiples of WIDTH
    target: Ints  # [parts]  the place where the sum goes, or -1 - piece
    group_begin: Longs  # [groups + 1]  where the cells of a group of parts begin
    row_begin: Longs  # [players + 1]  rows of several parts
    row: Ints  # [rows]  their places
    piece_begin: Ints  # [rows + 1]  their pieces


@dataclass(frozen=True)
class Slices(Rows):
    """The arrays of the layout; players lie end to end in all of them."""

    place: Longs  # [sequences]  the place of each sequence in the order of `Flat`
    places: int  # how many there are; the last WIDTH belong to nobody
    root: Longs  # [players]  the place of the empty sequence
    place_begin: Longs  # [players + 1]
    slot: (
        Ints  # [slots, 4]  place of action 0, actions + WIDEST · most of its slice, place of the parent, its slot or -1
    )
    level_begin: tuple[Longs, ...]  # for each player: the first slot of each level, then one past all
    level_end: tuple[Longs, ...]  # for each player: one past the last slot in use of each level
    level_places: tuple[Longs, ...]  # for each player: the first place of each level, then one past all
    below: Ints  # [places, 2]  the slots of the sets that follow: first, and one past the last
    other: Ints  # [players - 1, cells]  the places of the others
    payoff: Floats  # [cells]

    @property
    def slots(self) -> int:
        """How many slots there are."""
        return len(self.slot)

    def inward(self, array: Floats) -> Floats:
        """Bring an array over sequences into the order of places."""
        moved = np.zeros(self.places)
        moved[self.place] = array
        return moved

    def outward(self, array: Floats) -> Floats:
        """Bring an array over places back into the order of `Flat`."""
        moved: Floats = array[self.place]
        return moved


def slices_of(form: SequenceForm, payoffs: Precision = "float64") -> Slices:
    """Return the slices of a form; made once."""
    return kept(form, ("slices", payoffs), partial(_slice, payoffs=payoffs))


@dataclass(frozen=True)
class _Sets:
    """The slots and places of one player, counted from its first ones."""

    place: Longs  # [sequences]
    places: int
    slot: Longs  # [slots, 4]  as in `Slices`
    level_begin: Longs
    level_end: Longs
    level_places: Longs
    below: Longs  # [places, 2]


def _slice(form: SequenceForm, payoffs: Precision) -> Slices:
    flat = flat_of(form)
    if max((int(plex.sizes.max(initial=0)) for plex in form.treeplexes), default=0) >= WIDEST:
        raise UnsuitableError(f"device=cuda takes sets of fewer than {WIDEST:,} actions; device=cpu takes any")
    sets = [_arrange(plex) for plex in form.treeplexes]
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
    cells = int(rows.group_begin[-1])
    other = np.zeros((form.players - 1, cells), np.int32)
    payoff = np.zeros(cells, payoffs)
    slices.fill(start, length, rows.group_begin, place.astype(np.int32), flat, other, payoff)
    return Slices(
        **vars(rows),
        place=place,
        places=places,
        root=place_begin[:-1].copy(),
        place_begin=place_begin,
        slot=np.concatenate(slot).astype(np.int32),
        level_begin=tuple(one.level_begin + slot_begin[p] for p, one in enumerate(sets)),
        level_end=tuple(one.level_end + slot_begin[p] for p, one in enumerate(sets)),
        level_places=tuple(one.level_places + place_begin[p] for p, one in enumerate(sets)),
        below=below,
        other=other,
        payoff=payoff,
    )


def _arrange(plex: Treeplex) -> _Sets:
    """Give every set of a player its slot, and every sequence its place; the empty sequence has place 0."""
    level_begin, level_end, used = [], [], 0
    slot_of = np.empty(plex.sets, np.int64)
    for low, high in pairwise(plex.level_begin.tolist()):
        slot_of[low:high] = used + np.arange(high - low)
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
    slot[slot_of, 2] = place[plex.parent]
    inner = np.flatnonzero(plex.parent > 0)
    slot[slot_of[inner], 3] = slot_of[plex.set_of[plex.parent[inner]]]
    below = np.zeros((int(base[-1]), 2), np.int64)
    busy = np.flatnonzero(np.diff(plex.child_begin) > 0)
    below[place[busy], 0] = slot_of[plex.child_begin[busy]]
    below[place[busy], 1] = slot_of[plex.child_begin[busy + 1] - 1] + 1
    levels = np.array(level_begin)
    return _Sets(place, int(base[-1]), slot, levels, np.array(level_end, np.int64), base[levels // WIDTH], below)


def _cut(form: SequenceForm, sequence_at: Ints, place: Longs, place_begin: Longs) -> tuple[Rows, Longs, Ints]:
    """Cut the rows of all players into parts; a player's parts end with a full group.

    Parts that begin with the same opponent's sequence are neighbours: they mostly meet the same ones throughout,
    so threads side by side read the same reaches. Also returns where the entries of each part begin, and how many
    they are.
    """
    row_begin, other = flat_of(form).row_begin, flat_of(form).other
    spans = [(int(low), int(high)) for low, high in pairwise(place_begin)]
    counts = [slices.count_parts(sequence_at, *span, row_begin, LONGEST) for span in spans]
    parts = offsets([_full(many) for many, _, _ in counts])
    rows = offsets([many for _, many, _ in counts])
    pieces = offsets([many for _, _, many in counts])
    nowhere = len(sequence_at) - WIDTH  # a place that belongs to nobody
    target = np.full(parts[-1], nowhere, np.int32)
    start, length = np.zeros(parts[-1], np.int64), np.zeros(parts[-1], np.int32)
    row, piece_begin = np.zeros(rows[-1], np.int32), np.zeros(rows[-1] + 1, np.int32)
    for p, span in enumerate(spans):
        mine = slice(int(parts[p]), int(parts[p]) + counts[p][0])
        slices.cut_parts(
            sequence_at, *span, row_begin, LONGEST, target[mine], start[mine], length[mine],
            row[rows[p] : rows[p + 1]], piece_begin[rows[p] + 1 : rows[p + 1] + 1], int(pieces[p]),
        )  # fmt: skip
        order = np.lexsort((length[mine], place[other[0, start[mine]]])) if len(other) else np.argsort(length[mine])
        for array in (target, start, length):
            array[mine] = array[mine][order]
    widths = length.reshape(-1, WIDTH).max(axis=1, initial=0).astype(np.int64)
    return Rows(parts, target, offsets(WIDTH * widths), rows, row, piece_begin), start, length


def _full(count: int) -> int:
    """Return the least multiple of WIDTH that is not smaller."""
    return -(-count // WIDTH) * WIDTH
