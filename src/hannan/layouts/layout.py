"""Layouts of a sequence form for the kernels: plain for tiny games, tiled for the others.

The choice is made once, by size; the strategies are the same to rounding. The plain layout is flat arrays, and their
order of sequences is the common one. The layouts of a form are kept as long as the form lives.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Numbers, offsets
from hannan.forms.sequence import SLICE, SequenceForm
from hannan.kernels.expansion import entries as entry_kernels
from hannan.kernels.fullwidth.records import Flat, Tiled
from hannan.layouts.factoring import factor
from hannan.layouts.tiles import tile
from hannan.memory import lean

Kind = Literal["plain", "tiled"]
Precision = Literal["float64", "float32"]
Arrays = TypeVar("Arrays", Flat, Tiled)
T = TypeVar("T")

_KEPT: dict[int, dict[Hashable, Any]] = {}
"""Layouts by the `id` of a living form. They must not refer to the form."""

TINY = 400
"""Below this many sequences, plain loops are faster."""


@dataclass(frozen=True)
class Layout(Generic[Arrays]):
    """A sequence form for the kernels, and the places of its sequences."""

    arrays: Arrays
    place: Ints | None  # [sequences]  the layout's place of each sequence in the order of `Flat`; None: the same
    places: int
    idle: (
        Longs  # [idle sets, 3]  sets at which nothing is at stake, parents first: first sequence, size, parent (`Flat`)
    )

    @property
    def bytes(self) -> int:
        """The bytes of the arrays."""
        parts = (part if isinstance(part, tuple) else (part,) for part in self.arrays)
        return sum(array.nbytes for part in parts for array in part if not isinstance(array, float))

    def inward(self, array: Floats, out: Numbers | None = None) -> Numbers:
        """Bring an array over sequences into the layout's order. Places without a sequence are 0, or as in `out`."""
        moved: Numbers = np.zeros(self.places) if out is None else out
        if self.place is None:
            moved[:] = array
            return moved
        for part in self._parts():
            moved[self.place[part]] = array[part]
        return moved

    def outward(self, array: Numbers) -> Floats:
        """Bring an array in the layout's order back into that of `Flat`."""
        if self.place is None:
            return array.astype(np.float64)
        moved = np.empty(len(self.place))
        for part in self._parts():
            moved[part] = array[self.place[part]]
        return moved

    def _parts(self) -> Iterator[slice]:
        """Cut the sequences into parts, since NumPy copies an index array at twice its size."""
        size = 0 if self.place is None else len(self.place)
        return (slice(low, low + SLICE) for low in range(0, size, SLICE))


def choose(sequences: int) -> tuple[Kind, str]:
    """Return the layout that suits a game with `sequences` sequences over all players, and why."""
    if sequences < TINY:
        return "plain", f"{sequences} sequences: too few for anything but plain loops"
    return "tiled", f"{sequences:,} sequences: sets side by side, payoffs in dense blocks where they form any"


def plain_of(form: SequenceForm, payoffs: Precision = "float64") -> Layout[Flat]:
    """Return the plain layout of a form; made once. In float32, payoffs are rounded to 7 digits and take half."""
    return kept(form, ("plain", payoffs), partial(_plain, payoffs=payoffs))


def tiled_of(form: SequenceForm, payoffs: Precision = "float64") -> Layout[Tiled]:
    """Return the tiled layout of a form; made once, so copy its `scratch`.

    Payoffs that are small multiples of one number take a byte; others are as in `plain_of`. Blocks that need far fewer
    numbers as factors are stored as factors, always in float64.
    """
    return kept(form, ("tiled", payoffs), partial(_tiled, payoffs=payoffs))


def layout_of(form: SequenceForm) -> Layout[Flat] | Layout[Tiled]:
    """Return the layout that is chosen for the form by its size."""
    kind, _ = choose(sum(plex.sequences for plex in form.treeplexes))
    return plain_of(form) if kind == "plain" else tiled_of(form)


def _plain(form: SequenceForm, payoffs: Precision) -> Layout[Flat]:
    flat = flat_of(form)
    if payoffs == "float32":
        flat = flat._replace(payoff=flat.payoff.astype(np.float32))
    return Layout(flat, None, len(flat.row_begin) - 1, np.zeros((0, 3), np.int64))


def _tiled(form: SequenceForm, payoffs: Precision) -> Layout[Tiled]:
    narrow = payoffs == "float32" and form.numbers.itemsize > 4
    with lean(form.large):
        return Layout(*tile(form, factor(form), np.dtype(np.float32) if narrow else form.numbers.dtype))


def kept(form: SequenceForm, key: Hashable, make: Callable[[SequenceForm], T]) -> T:
    """Return the result of `make` for the form under this key; it is called only the first time."""
    number = id(form)
    if number not in _KEPT:
        _KEPT[number] = {}
        weakref.finalize(form, _KEPT.pop, number).atexit = False
    things = _KEPT[number]
    if key not in things:
        things[key] = make(form)
    thing: T = things[key]
    return thing


def flat_of(form: SequenceForm) -> Flat:
    """Return the flat arrays of a form; they are made once, and kept as long as the form lives."""
    return kept(form, "flat", flatten)


def flatten(form: SequenceForm) -> Flat:
    """Lay the players end to end, and the payoffs once for each player, sorted by that player's sequence."""
    players = form.players
    plexes = form.treeplexes
    sequence_begin, set_begin = offsets([p.sequences for p in plexes]), offsets([p.sets for p in plexes])
    row_begin = np.zeros(sequence_begin[-1] + 1, np.int64)
    other = np.empty((players - 1, players * form.entries), np.int32)
    payoff = np.empty(players * form.entries)
    sequences = [form.sequence(p) for p in range(players)]
    with lean(form.large):
        for p in range(players):
            order, many = _sorted_by(form, p, sequences[p])
            row_begin[sequence_begin[p] + 1 : sequence_begin[p + 1] + 1] = p * form.entries + np.cumsum(many)
            numbers, sign = form.numbers[min(p, form.rows - 1)], 1.0 if p < form.rows else -1.0
            for low in range(0, form.entries, SLICE):
                some = order[low : low + SLICE]
                place = slice(p * form.entries + low, p * form.entries + low + len(some))
                payoff[place] = sign * numbers[some]
                for row, q in enumerate(q for q in range(players) if q != p):
                    other[row, place] = sequences[q][some] + sequence_begin[q]
    return Flat(
        sequence_begin=sequence_begin,
        set_begin=set_begin,
        first=np.concatenate([plex.begin[:-1] + sequence_begin[p] for p, plex in enumerate(plexes)]).astype(np.int32),
        size=np.concatenate([plex.sizes for plex in plexes]).astype(np.int32),
        parent=np.concatenate([plex.parent + sequence_begin[p] for p, plex in enumerate(plexes)]).astype(np.int32),
        row_begin=row_begin,
        other=other,
        payoff=payoff,
    )


def _sorted_by(form: SequenceForm, player: int, sequence: Ints) -> tuple[Ints, Longs]:
    """Return the order of entries by a player's sequence, and how many entries each sequence has."""
    order = np.arange(form.entries, dtype=np.int32)
    if player == 0:
        return order, np.diff(form.first).astype(np.int64)  # entries are in this order
    kinds = form.treeplexes[player].sequences
    return entry_kernels.stable_order(sequence, kinds, order), np.bincount(sequence, minlength=kinds)
