"""The third view of a game: what each player can do, and what every tuple of sequences gains.

Full-width methods need nothing else: a gradient is a sparse product, a best response one pass from the leaves to the
root, the reach of a strategy one pass the other way. No history is touched during an iteration.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hannan.arrays import Floats, Ints, frozen
from hannan.forms.treeplex import Treeplex


@dataclass(frozen=True)
class SequenceForm:
    """One treeplex a player, and the payoffs as a sparse array with one axis a player."""

    treeplexes: tuple[Treeplex, ...]
    sequences: Ints  # [players, entries]  the sequence of each player; entries are sorted by player 0's, then 1's, …
    payoffs: Floats  # [rows, entries]  chance folded in; one row (player 0's) in two-player zero-sum games
    total: float | None  # what utilities add up to, where that is constant; 0 in zero-sum games

    def __post_init__(self) -> None:
        frozen(self.sequences)
        frozen(self.payoffs)

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.treeplexes)

    @property
    def entries(self) -> int:
        """How many tuples of sequences gain something."""
        return self.sequences.shape[1]

    @property
    def competitive(self) -> bool:
        """Whether there are two players whose utilities have a constant sum."""
        return self.players == 2 and self.total is not None

    def payoff(self, player: int) -> Floats:
        """Return what `player` gains at each entry, [entries]."""
        if player < len(self.payoffs):
            row: Floats = self.payoffs[player]
            return row
        return -self.payoffs[0]

    @cached_property
    def hash(self) -> str:
        """A hash of the structure and the payoffs: two games with one hash have the same strategies and values."""
        digest = hashlib.sha256()
        for plex in self.treeplexes:
            digest.update(plex.begin.tobytes())
            digest.update(plex.parent.tobytes())
        digest.update(self.sequences.tobytes())
        digest.update((self.payoffs + 0.0).tobytes())  # + 0.0: there is one zero
        return digest.hexdigest()


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
    return SequenceForm(
        treeplexes=treeplexes,
        sequences=np.ascontiguousarray(merged[:, :count]),
        payoffs=np.ascontiguousarray(totals[:, :count]),
        total=total,
    )
