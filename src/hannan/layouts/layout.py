"""How a sequence form is laid out for the kernels: plain for tiny games, tiled for the others.

The choice is made once, by size; the strategies are the same to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Generic, Literal, TypeVar

import numpy as np

from hannan.arrays import Floats, Ints
from hannan.forms.sequence import SLICE, SequenceForm
from hannan.kernels.fullwidth.records import Flat, Tiled
from hannan.layouts.factoring import factor
from hannan.layouts.flat import flat_of, kept
from hannan.layouts.tiling import tile
from hannan.memory import lean

Kind = Literal["plain", "tiled"]
Precision = Literal["float64", "float32"]
Arrays = TypeVar("Arrays", Flat, Tiled)

TINY = 400
"""Below this many sequences, plain loops are faster."""


@dataclass(frozen=True)
class Layout(Generic[Arrays]):
    """A sequence form for the kernels, and where its sequences went."""

    arrays: Arrays
    place: Ints | None  # [sequences]  the layout's number of each sequence in the order of `Flat`; None: the same

    @property
    def bytes(self) -> int:
        """What the arrays take."""
        parts = (part if isinstance(part, tuple) else (part,) for part in self.arrays)
        return sum(array.nbytes for part in parts for array in part)

    def inward(self, array: Floats) -> Floats:
        """Bring an array over sequences into the layout's order."""
        if self.place is None:
            return array.copy()
        moved = np.empty_like(array)
        for part in self._parts():
            moved[self.place[part]] = array[part]
        return moved

    def outward(self, array: Floats) -> Floats:
        """Bring an array in the layout's order back into that of `Flat`."""
        if self.place is None:
            return array.copy()
        moved = np.empty_like(array)
        for part in self._parts():
            moved[part] = array[self.place[part]]
        return moved

    def _parts(self) -> Iterator[slice]:
        """Cut the sequences: NumPy copies the places that it is given, in twice their size."""
        size = 0 if self.place is None else len(self.place)
        return (slice(low, low + SLICE) for low in range(0, size, SLICE))


def choose(sequences: int) -> tuple[Kind, str]:
    """Say which layout suits a game with so many sequences, all players together, and why."""
    if sequences < TINY:
        return "plain", f"{sequences} sequences: too few for anything but plain loops"
    return "tiled", f"{sequences:,} sequences: sets side by side, payoffs in dense blocks where they form any"


def plain_of(form: SequenceForm, payoffs: Precision = "float64") -> Layout[Flat]:
    """Return the plain layout of a form; made once. In float32, payoffs are rounded to 7 digits and take half."""
    return kept(form, ("plain", payoffs), partial(_plain, payoffs=payoffs))


def tiled_of(form: SequenceForm, payoffs: Precision = "float64") -> Layout[Tiled]:
    """Return the tiled layout of a form; made once, so copy its `scratch`. Payoffs are as in `plain_of`.

    Blocks that are far fewer numbers as factors are stored as factors, in float64 always.
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
    return Layout(flat, None)


def _tiled(form: SequenceForm, payoffs: Precision) -> Layout[Tiled]:
    narrow = payoffs == "float32" and form.numbers.itemsize > 4
    with lean(form.large):
        return Layout(*tile(form, factor(form), np.dtype(np.float32) if narrow else form.numbers.dtype))
