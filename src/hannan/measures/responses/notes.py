"""A policy made from the plays of a search, which can be saved, shown and played."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import ParameterError
from hannan.measures.responses.search import LookAheadPlayer
from hannan.rules.observations import canonical
from hannan.strategies.index import UNKNOWN
from hannan.strategies.policy import Policy


def gathered(player: LookAheadPlayer, seat: int) -> Policy:
    """Return a policy that plays in a seat as the search did at each set that its plays reached; elsewhere the default.

    The policy differs from the search, and so does its gain: at other sets it does not search. If the default of the
    seat forgets, play is uniform elsewhere, because one table cannot hold sets of both kinds.
    """
    if not isinstance(player, LookAheadPlayer):
        raise ParameterError(f"{shown(player)} is not a LookAheadPlayer: other responses are policies, or were given")
    player.policy.game.check_player(seat)
    policy = player.policy.without(seat) if seat in player.policy.forgets else player.policy
    gathering = _Gathering(policy, seat)
    for at, history, seen, size, k in player.notes:
        if at == seat:
            gathering.count(history, seen, size, k)
    return gathering.policy(player.search.name)


class _Gathering:
    """Counts of each action at each set."""

    def __init__(self, policy: Policy, seat: int) -> None:
        self._given, self._seat = policy, seat
        self._codes = dict(policy.met or {})
        self._labels = None if policy.labels is None else list(policy.labels)
        self._new: dict[tuple[int, int], int] = {}  # the sets that the policy does not know
        self._parent, self._seen, self._size = policy.parent.tolist(), policy.observation.tolist(), policy.size.tolist()
        self._base = policy.base.tolist()
        self._end = len(policy.probability)
        self._counts: dict[int, Floats] = {}

    def count(self, history: tuple[tuple[Hashable, int], ...], seen: Hashable, size: int, k: int) -> None:
        """Count one choice; the choices of the history were counted before."""
        sequence = self._seat
        for before, taken in history:
            sequence = self._base[self._place(sequence, before, 0)] + taken
        place = self._place(sequence, seen, size)
        self._counts.setdefault(place, np.zeros(size))[k] += 1.0

    def _place(self, sequence: int, seen: Hashable, size: int) -> int:
        """Return the number of a set; a new set gets the next number."""
        place = self._given.find(sequence, seen) if sequence < len(self._given.probability) else UNKNOWN
        if place != UNKNOWN:
            return place
        key = sequence, self._code(seen)
        if key not in self._new:
            self._new[key] = len(self._parent)
            self._parent.append(sequence)
            self._seen.append(key[1])
            self._size.append(size)
            self._base.append(self._end)
            self._end += size
        return self._new[key]

    def _code(self, seen: Hashable) -> int:
        """Return the number of an observation."""
        if self._labels is None:
            return int(seen)  # type: ignore[call-overload]  # observations of compiled rules are integers
        code = self._given.code(seen)
        if code == UNKNOWN:
            code = self._codes.setdefault(seen, len(self._labels))
            if code == len(self._labels):
                self._labels.append(canonical(seen))
        return code

    def policy(self, name: str) -> Policy:
        given = self._given
        sizes = np.array(self._size, np.int64)
        probability = np.ones(self._end)
        probability[: len(given.probability)] = given.probability
        for place, counts in self._counts.items():
            first = self._base[place]
            probability[first : first + len(counts)] = counts / counts.sum()
        return replace(
            given, parent=np.array(self._parent, np.int64), observation=np.array(self._seen, np.int64),
            base=np.array(self._base, np.int64), size=sizes, probability=probability,
            labels=None if self._labels is None else tuple(self._labels),
            met=None if self._labels is None else self._codes,
            facts={"method": "response", "player": self._seat, "learnt": f"gathered from plays of {name}"},
        )  # fmt: skip
