"""The third view of a game: a treeplex for each player, and the payoffs of every tuple of sequences.

Full-width methods need nothing else: a gradient is a sparse product, a best response is one pass from the leaves to the
root, and the reach of a strategy is one pass the other way. No history is touched during an iteration.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hannan.arguments import place
from hannan.arrays import Floats, Ints, Numbers, frozen
from hannan.forms.treeplex import Treeplex

LARGE = 1_000_000
"""A form with at least this many entries is stored in less memory."""

SLICE = 1 << 18
"""Entries that are processed together, so that the memory for it does not grow with the game."""


@dataclass(frozen=True)
class SequenceForm:
    """One treeplex per player, and the payoffs as a sparse array with one axis per player."""

    treeplexes: tuple[Treeplex, ...]
    first: Ints  # [player 0's sequences + 1]  entries first[s] … first[s+1]-1 have its sequence s
    others: Ints  # [players - 1, entries]  the others' sequences; entries are sorted by player 0's, then 1's, …
    numbers: Numbers  # [rows, entries]  the payoffs; in a large form in the narrowest type that holds them
    total: float | None  # the sum of utilities if it is constant, else None; 0 in zero-sum games

    def __post_init__(self) -> None:
        for array in (self.first, self.others, self.numbers):
            frozen(array)

    def __repr__(self) -> str:
        sequences = " by ".join(f"{plex.sequences:,}" for plex in self.treeplexes)
        return f"SequenceForm({sequences} sequences, {self.entries:,} payoff entries)"

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.treeplexes)

    @property
    def entries(self) -> int:
        """The number of tuples of sequences with a payoff."""
        return self.numbers.shape[1]

    @property
    def large(self) -> bool:
        """Whether the form has at least `LARGE` entries."""
        return self.entries >= LARGE

    @property
    def bytes(self) -> int:
        """The bytes of all arrays, including those of the treeplexes."""
        plexes = (array for plex in self.treeplexes for array in vars(plex).values())
        return sum(array.nbytes for array in (self.first, self.others, self.numbers, *plexes))

    @property
    def competitive(self) -> bool:
        """Whether there are two players whose utilities have a constant sum."""
        return self.players == 2 and self.total is not None

    def sequence(self, player: int) -> Ints:
        """Return the sequence of one player at each entry, [entries]."""
        if place("player", player, self.players) > 0:
            theirs: Ints = self.others[player - 1]
            return theirs
        mine = np.repeat(np.arange(len(self.first) - 1, dtype=np.int32), np.diff(self.first))
        frozen(mine)
        return mine

    @property
    def sequences(self) -> Ints:
        """The sequence of each player at each entry, [players, entries]; kept unless the form is large."""
        return self._written_out() if self.large else self._sequences

    @cached_property
    def _sequences(self) -> Ints:
        return self._written_out()

    def _written_out(self) -> Ints:
        sequences = np.stack([self.sequence(player) for player in range(self.players)])
        frozen(sequences)
        return sequences

    @property
    def rows(self) -> int:
        """The number of rows of payoffs: one (player 0's) in two-player zero-sum games, else one per player."""
        return len(self.numbers)

    @property
    def payoffs(self) -> Floats:
        """The payoffs at each entry, chance folded in, [rows, entries]."""
        payoffs: Floats = self.numbers.astype(np.float64, copy=False)
        frozen(payoffs)
        return payoffs

    @property
    def largest(self) -> float:
        """The largest absolute value of a payoff."""
        return max(float(self.numbers.max(initial=0)), -float(self.numbers.min(initial=0)))

    def payoff(self, player: int) -> Floats:
        """Return the payoffs of `player` at each entry, [entries]."""
        player = place("player", player, self.players)
        row: Floats = self.numbers[min(player, self.rows - 1)].astype(np.float64, copy=False)
        return row if player < self.rows else -row

    @cached_property
    def hash(self) -> str:
        """A hash of the structure and the payoffs: games with the same hash have the same strategies and values."""
        digest = hashlib.sha256()
        for plex in self.treeplexes:
            digest.update(plex.begin.tobytes())
            digest.update(plex.parent.tobytes())
        for player in range(self.players):
            digest.update(self.sequence(player).data)
        for row in self.numbers:
            for low in range(0, self.entries, SLICE):
                part: Floats = row[low : low + SLICE].astype(np.float64) + 0.0  # + 0.0 turns -0.0 into 0.0
                digest.update(part.data)
        return digest.hexdigest()


def narrowest(payoffs: Floats) -> np.dtype[Any]:
    """Return the narrowest type that holds payoffs exactly, including the signs of zeros."""
    if np.abs(payoffs).max(initial=0.0) <= 127:  # so that the type also holds -x
        short = payoffs.astype(np.int8)
        if np.array_equal(short, payoffs) and not np.signbit(payoffs[payoffs == 0]).any():
            return short.dtype
    with np.errstate(over="ignore"):
        half = payoffs.astype(np.float32)
    return half.dtype if np.array_equal(half, payoffs) else payoffs.dtype


class Numbering:
    """Collects the payoffs of a form part by part, in the narrowest type that holds them so far."""

    def __init__(self, rows: int, entries: int) -> None:
        self.numbers: Numbers = np.empty((rows, entries), np.int8 if entries >= LARGE else np.float64)
        self._used = 0

    def add(self, payoffs: Floats) -> None:
        """Add the next payoffs, [rows, some entries]."""
        kind = self.numbers.dtype
        if kind != np.float64:
            kind = np.promote_types(kind, narrowest(payoffs))
        if kind != self.numbers.dtype:
            wider = np.empty(self.numbers.shape, kind)
            wider[:, : self._used] = self.numbers[:, : self._used]
            self.numbers = wider
        end = self._used + payoffs.shape[1]
        self.numbers[:, self._used : end] = payoffs
        self._used = end


def merged_form(
    treeplexes: tuple[Treeplex, ...], sequences: Ints, payoffs: Floats, total: float | None
) -> SequenceForm:
    """Sort entries by their sequences, add up entries with the same sequences, and drop entries that sum to 0."""
    from hannan.kernels.expansion import entries as kernels

    order = np.arange(sequences.shape[1], dtype=np.int32)
    for player in reversed(range(len(treeplexes))):
        order = kernels.stable_order(sequences[player], treeplexes[player].sequences, order)
    merged, totals = np.empty_like(sequences), np.empty_like(payoffs)
    count = kernels.merge(order, sequences, payoffs, merged, totals)
    return form_of(treeplexes, merged[:, :count], totals[:, :count], total)


def form_of(treeplexes: tuple[Treeplex, ...], sequences: Ints, payoffs: Floats, total: float | None) -> SequenceForm:
    """Return the form with these sorted entries: [players, entries] and [rows, entries]."""
    counts = np.bincount(sequences[0], minlength=treeplexes[0].sequences)
    return SequenceForm(
        treeplexes=treeplexes,
        first=np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        others=np.ascontiguousarray(sequences[1:]),
        numbers=_narrowed(payoffs),
        total=total,
    )


def _narrowed(payoffs: Floats) -> Numbers:
    """Return all payoffs in the type in which the form holds them."""
    numbering = Numbering(*payoffs.shape)
    for low in range(0, payoffs.shape[1], SLICE):
        numbering.add(payoffs[:, low : low + SLICE])
    return numbering.numbers
