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
from hannan.forms.tree import GameTree
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


def sequence_form(tree: GameTree) -> SequenceForm:
    """Fold the histories of a tree into its sequence form."""
    from hannan.kernels.expansion import entries as kernels

    players = tree.players
    rows = 1 if players == 2 and tree.total == 0.0 else players
    begins = [plex.begin for plex in tree.treeplexes]
    offsets = np.concatenate(([0], np.cumsum([len(begin) for begin in begins])[:-1])).astype(np.int64)
    sequences = np.empty((players, len(tree.gain_node)), np.int32)
    gained = np.empty((rows, len(tree.gain_node)))
    kernels.collect(
        players, rows, tree.children, tree.turn, tree.slot_begin, tree.slots, tree.probability,
        tree.gain_node, tree.gain, tree.depth_begin, np.concatenate(begins), offsets, sequences, gained,
    )  # fmt: skip
    return merged_form(tree.treeplexes, sequences, gained, tree.total)


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
