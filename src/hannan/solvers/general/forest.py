"""Copies of the sets that a player plays by itself after it has left the advice, one copy for each trigger.

A trigger is an advised action; its copy begins at the set of the action. The copies lie side by side in flat arrays,
level by level, so that one pass serves all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.forms.treeplex import Treeplex, ranges


@dataclass(frozen=True)
class Forest:
    """The copies of one player's sets. A place is one action in one copy; those of one set are neighbours."""

    plex: Treeplex
    begin: Longs  # [copied sets + 1]  places of a copied set
    level_begin: Longs  # [levels + 1]  copied sets of each level of the treeplex
    above: Longs  # [copied sets]  the place before the set; -1 where the copy begins
    trigger: Longs  # [places]  the sequence that is the trigger
    sequence: Longs  # [places]
    level: Longs  # [sequences]  the level of the set in which a sequence ends; -1 of the empty one

    @property
    def places(self) -> int:
        """The number of actions in all copies together."""
        return len(self.trigger)

    @property
    def sizes(self) -> Longs:
        """The number of actions at each copied set."""
        sizes: Longs = np.diff(self.begin)
        return sizes

    def matched(self, regrets: Floats) -> Floats:
        """Return behaviour in proportion to positive regrets at each copied set; uniform if there are none."""
        positive = np.maximum(regrets, 0.0)
        sums = np.add.reduceat(positive, self.begin[:-1]) if len(positive) else positive
        total = np.repeat(sums, self.sizes)
        even = np.repeat(1.0 / self.sizes, self.sizes)
        return np.where(total > 0, positive / np.where(total > 0, total, 1.0), even)

    def reach(self, behaviour: Floats) -> Floats:
        """Return the probability of each place, once its copy has begun."""
        reach = behaviour.copy()
        for first, last in zip(self.level_begin[:-1], self.level_begin[1:], strict=True):
            low, high = self.begin[first], self.begin[last]
            above = np.repeat(self.above[first:last], self.sizes[first:last])
            reach[low:high] *= np.where(above >= 0, reach[above], 1.0)
        return reach

    def worth(self, utility: Floats, behaviour: Floats | None) -> tuple[Floats, Floats]:
        """Return the value of each place and each copied set, by the behaviour after it, or by best play if None."""
        places, sets = utility.copy(), np.zeros(len(self.above))
        for first, last in zip(self.level_begin[-2::-1], self.level_begin[:0:-1], strict=True):
            low, high = int(self.begin[first]), int(self.begin[last])
            if low == high:
                continue
            starts = self.begin[first:last] - low
            if behaviour is None:
                values = np.maximum.reduceat(places[low:high], starts)
            else:
                values = np.add.reduceat(places[low:high] * behaviour[low:high], starts)
            sets[first:last] = values
            above = self.above[first:last]
            later = above >= 0
            np.add.at(places, above[later], values[later])
        return places, sets

    def beginnings(self, sets: Floats) -> Floats:
        """Return the number at each copy's first set, by trigger, [sequences]; 0 for the empty sequence."""
        values = np.zeros(self.plex.sequences)
        first = self.above < 0
        values[self.trigger[self.begin[:-1][first]]] = sets[first]
        return values


def forest(plex: Treeplex) -> Forest:
    """Copy the sets below every trigger of a player."""
    level = np.full(plex.sequences, -1, np.int64)
    place_of: dict[tuple[int, int], int] = {}
    used = 0
    begins, level_begin = [np.zeros(1, np.int64)], [0]
    triggers: list[Any] = []
    sequences: list[Any] = []
    aboves: list[Any] = []
    for depth, (first, last) in enumerate(
        zip(plex.level_begin[:-1].tolist(), plex.level_begin[1:].tolist(), strict=True)
    ):
        level[int(plex.begin[first]) : int(plex.begin[last])] = depth
        rows: list[tuple[int, int, int]] = []  # trigger, set, place above
        for j in range(first, last):
            own = range(int(plex.begin[j]), int(plex.begin[j + 1]))
            rows += [(k, j, -1) for k in own]
            parent = int(plex.parent[j])
            rows += [(t, j, place_of[t, parent]) for t in _triggers_before(plex, parent)]
        part = np.array(rows, np.int64).reshape(-1, 3)
        sizes = plex.sizes[part[:, 1]].astype(np.int64)
        places = ranges(plex.begin[part[:, 1]].astype(np.int64), sizes)
        owners = np.repeat(part[:, 0], sizes)
        for number, key in enumerate(zip(owners.tolist(), places.tolist(), strict=True), used):
            place_of[key] = number
        triggers.append(owners)
        sequences.append(places)
        aboves.append(part[:, 2])
        begins.append(used + np.cumsum(sizes))
        used += len(places)
        level_begin.append(level_begin[-1] + len(part))
    none = np.zeros(0, np.int64)
    return Forest(
        plex, np.concatenate(begins), np.array(level_begin, np.int64), np.concatenate([*aboves, none]),
        np.concatenate([*triggers, none]), np.concatenate([*sequences, none]), level,
    )  # fmt: skip


def _triggers_before(plex: Treeplex, sequence: int) -> list[int]:
    """Return the triggers whose copies hold a sequence: all actions of its set and of the sets before."""
    found: list[int] = []
    while sequence:
        j = int(plex.set_of[sequence])
        found += range(int(plex.begin[j]), int(plex.begin[j + 1]))
        sequence = int(plex.parent[j])
    return found
