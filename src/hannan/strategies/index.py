"""An index of the information sets of a policy, to look up many of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Longs

UNKNOWN = -1
"""The sequence of a player who has come to a set that is not in the table."""


def forgotten(players: int, player: Any, size: Any) -> Any:
    """Return the number that replaces the last sequence of a player who forgets, at a set of `size` actions.

    The number is below UNKNOWN.
    """
    return -players * size - player - 1


@dataclass(frozen=True)
class SetIndex:
    """Sets in the order of (parent, observation), to find many of them at once."""

    seen: Longs  # [different observations]  sorted
    key: Longs  # [sets]  sorted
    place: Longs  # [sets]

    @staticmethod
    def of(parent: Longs, observation: Longs) -> SetIndex:
        seen, rank = np.unique(observation, return_inverse=True)
        key = parent * len(seen) + rank
        place = np.argsort(key, kind="stable")
        return SetIndex(seen, key[place], place)

    def places(self, sequence: Longs, observation: Longs) -> Longs:
        """Return the number of each set, or UNKNOWN."""
        result = np.full(len(sequence), UNKNOWN, np.int64)
        if len(self.place):
            rank = np.minimum(np.searchsorted(self.seen, observation), len(self.seen) - 1)
            key = sequence * len(self.seen) + rank
            spot = np.maximum(np.searchsorted(self.key, key, side="right") - 1, 0)  # of equal sets, the last
            there = (sequence != UNKNOWN) & (self.seen[rank] == observation) & (self.key[spot] == key)
            result[there] = self.place[spot[there]]
        return result
