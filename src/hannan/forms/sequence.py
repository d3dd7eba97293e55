"""The third view of a game: what each player can do, and what every tuple of sequences gains.

Full-width methods need nothing else: a gradient is a sparse product, a best response one pass from the leaves to the
root, the reach of a strategy one pass the other way. No history is touched during an iteration.
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
"""Entries from which on memory matters."""

SLICE = 1 << 18
"""Entries that are looked at together, so that what that takes does not grow with a game."""


@dataclass(frozen=True)
class SequenceForm:
    """One treeplex a player, and the payoffs as a sparse array with one axis a player."""

    treeplexes: tuple[Treeplex, ...]
    first: Ints  # [player 0's sequences + 1]  entries first[s] … first[s+1]-1 have its sequence s
    others: Ints  # [players - 1, entries]  the others' sequences; entries are sorted by player 0's, then 1's, …
    numbers: Numbers  # [rows, entries]  the payoffs; those of a large form in the narrowest type that holds them
    total: float | None  # what utilities add up to, where that is constant; 0 in zero-sum games

    def __post_init__(self) -> None:
        for array in (self.first, self.others, self.numbers):
            frozen(array)

    def __repr__(self) -> str:
        sequences = " by ".join(f"{plex.sequences:,}" for plex in self.treeplexes)
        return f"SequenceForm({sequences} sequences, {self.entries:,} payoff entries)"

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.treeplexes)

    @property
    def entries(self) -> int:
        """How many tuples of sequences gain something."""
        return self.numbers.shape[1]

    @property
    def large(self) -> bool:
        """Whether there are so many entries that memory matters."""
        return self.entries >= LARGE

    @property
    def bytes(self) -> int:
        """What the arrays take, those of the treeplexes included."""
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
        """The sequence of each player at each entry, [players, entries]; kept where that is not much."""
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
        """How many rows of payoffs there are: one (player 0's) in two-player zero-sum games, else one a player."""
        return len(self.numbers)

    @property
    def payoffs(self) -> Floats:
        """What is gained at each entry, chance folded in, [rows, entries]."""
        payoffs: Floats = self.numbers.astype(np.float64, copy=False)
        frozen(payoffs)
        return payoffs

    @property
    def largest(self) -> float:
        """The largest payoff without its sign."""
        return max(float(self.numbers.max(initial=0)), -float(self.numbers.min(initial=0)))

    def payoff(self, player: int) -> Floats:
        """Return what `player` gains at each entry, [entries]."""
        player = place("player", player, self.players)
        row: Floats = self.numbers[min(player, self.rows - 1)].astype(np.float64, copy=False)
        return row if player < self.rows else -row

    @cached_property
    def hash(self) -> str:
        """A hash of the structure and the payoffs: two games with one hash have the same strategies and values."""
        digest = hashlib.sha256()
        for plex in self.treeplexes:
            digest.update(plex.begin.tobytes())
            digest.update(plex.parent.tobytes())
        for player in range(self.players):
            digest.update(self.sequence(player).data)
        for row in self.numbers:
            for low in range(0, self.entries, SLICE):
                part: Floats = row[low : low + SLICE].astype(np.float64) + 0.0  # + 0.0: there is one zero
                digest.update(part.data)
        return digest.hexdigest()


def narrowest(payoffs: Floats) -> np.dtype[Any]:
    """Return the narrowest type that holds payoffs exactly, the signs of zeros and of all others included."""
    if np.abs(payoffs).max(initial=0.0) <= 127:  # so that -x is in the type as well
        short = payoffs.astype(np.int8)
        if np.array_equal(short, payoffs) and not np.signbit(payoffs[payoffs == 0]).any():
            return short.dtype
    with np.errstate(over="ignore"):
        half = payoffs.astype(np.float32)
    return half.dtype if np.array_equal(half, payoffs) else payoffs.dtype


class Numbering:
    """The payoffs of a form that come part by part, in the type that is needed so far."""

    def __init__(self, rows: int, entries: int) -> None:
        self.numbers: Numbers = np.empty((rows, entries), np.int8 if entries >= LARGE else np.float64)
        self._used = 0

    def add(self, payoffs: Floats) -> None:
        """Take the next payoffs, [rows, some entries]."""
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
    """Sort entries by their sequences, add up those that have the same, and drop those that come to nothing."""
    from hannan.kernels.expansion import entries as kernels

    order = np.arange(sequences.shape[1], dtype=np.int32)
    for player in reversed(range(len(treeplexes))):
        order = kernels.stable_order(sequences[player], treeplexes[player].sequences, order)
    merged, totals = np.empty_like(sequences), np.empty_like(payoffs)
    count = kernels.merge(order, sequences, payoffs, merged, totals)
    return form_of(treeplexes, merged[:, :count], totals[:, :count], total)


def form_of(treeplexes: tuple[Treeplex, ...], sequences: Ints, payoffs: Floats, total: float | None) -> SequenceForm:
    """Return the form with these entries, which are sorted: [players, entries] and [rows, entries]."""
    counts = np.bincount(sequences[0], minlength=treeplexes[0].sequences)
    return SequenceForm(
        treeplexes=treeplexes,
        first=np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        others=np.ascontiguousarray(sequences[1:]),
        numbers=_narrowed(payoffs),
        total=total,
    )


def _narrowed(payoffs: Floats) -> Numbers:
    """Return all payoffs of a form as it holds them."""
    numbering = Numbering(*payoffs.shape)
    for low in range(0, payoffs.shape[1], SLICE):
        numbering.add(payoffs[:, low : low + SLICE])
    return numbering.numbers
