"""Extendable regret minimisers (Definition 7.1) on the growing treeplexes of a trunk.

A set that is added begins without regret and with uniform play, and the averages are what they would be had it been
there from the start: extending changes nothing that was there before. All are CFR with one of three matchings, and with
the whole gradient or an outcome-sampled estimate of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.trunk import Trunk
from hannan.kernels.certifying import sweeping, walking
from hannan.kernels.certifying.records import COUNTERS, UNKNOWN, Learned, Sets, Steps
from hannan.rules.plain import MOST_MOVES

_SEQUENCES = ("strategy", "regret", "total", "baseline")


class Minimizer(ABC):
    """One regret minimiser for each player."""

    name: str
    power: float
    """Iteration t weighs t to this power in the averages."""
    exact: bool
    """Whether the uncertainty U is computed, and not estimated."""

    def __init__(self, trunk: Trunk) -> None:
        self.seats, self.players = trunk.seats, trunk.players
        room = 64
        self.strategy, self.regret, self.total, self.baseline = (np.zeros((self.seats, room)) for _ in _SEQUENCES)
        self.strategy[:, 0] = 1.0
        self.mark = np.zeros((self.seats, room))
        self.uncertainty = np.zeros(self.seats)
        self._known = np.zeros(self.seats, np.int64)
        self.extend(trunk)

    def extend(self, trunk: Trunk) -> None:
        """Take the sets that are new in a trunk."""
        self.reserve(max(sets.sequences for sets in trunk.sets), int(trunk.sheets.used.max()))
        for player, sets in enumerate(trunk.sets):
            rows = sets.rows
            for number in range(int(self._known[player]), rows.used):
                first, size, above = int(rows.first[number]), int(rows.size[number]), int(rows.parent[number])
                place = slice(first, first + size)
                self.strategy[player, place] = 1.0 / size
                self.baseline[player, place] = np.nan
                self._enter(player, place, above, size)
            self._known[player] = rows.used

    def _enter(self, player: int, place: slice, above: int, size: int) -> None:  # noqa: B027
        """Let a new set's sequences have been played uniformly all the time; where averages are lazy, they have."""

    def reserve(self, sequences: int, sets: int) -> None:
        """Make room for so many sequences and sets of every player."""
        if sequences > self.strategy.shape[1]:
            for name in _SEQUENCES:
                setattr(self, name, _longer(getattr(self, name), sequences))
        if sets > self.mark.shape[1]:
            self.mark = _longer(self.mark, sets)

    def known(self, trunk: Trunk) -> None:
        """Note that all sets of a trunk are entered: a kernel did it."""
        self._known[:] = trunk.sheets.used

    @property
    def learned(self) -> Learned:
        """What kernels read and write."""
        return Learned(self.strategy, self.regret, self.total, self.baseline, self.mark, self.uncertainty)

    @abstractmethod
    def iterate(self, trunk: Trunk, first: int, states: Any, radius: Floats) -> None:
        """Make the iterations `first`, `first` + 1, …, one for each random state, on the pseudogame of now."""

    @abstractmethod
    def average(self, trunk: Trunk, player: int) -> Floats:
        """Return the weighted sums of reaches of a player's sequences, [sequences]."""

    def state(self) -> dict[str, np.ndarray]:
        """Return all that goes on, for a checkpoint."""
        arrays = {name: getattr(self, name) for name in (*_SEQUENCES, "mark", "uncertainty")}
        return {**arrays, "known": self._known}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take what `state` returned."""
        for name in (*_SEQUENCES, "mark", "uncertainty"):
            setattr(self, name, state[name].copy())
        self._known = state["known"].copy()


def _longer(array: np.ndarray, least: int) -> np.ndarray:
    new = np.zeros((array.shape[0], max(least, array.shape[1] + array.shape[1] // 2)))
    new[:, : array.shape[1]] = array
    return new


def counters(trunk: Trunk) -> np.ndarray:
    """Return how much of a trunk is in use, as kernels count it."""
    used = np.zeros(COUNTERS, np.int64)
    used[:UNKNOWN] = trunk.nodes.used, trunk.groups.used, trunk.slots.used, trunk.expanded
    used[UNKNOWN] = trunk.unknown
    return used


class OutcomeSampling(Minimizer):
    """Outcome-sampling MCCFR: an iteration costs no more as the trunk grows, except through depth (section 7.4)."""

    name = "mccfr"
    power = 1.0
    exact = False
    exploration = 0.5
    """How much of a walker's own play is uniform over the actions of the current pseudogame."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__(trunk)
        deepest = MOST_MOVES + 2
        self.steps = Steps(
            np.zeros(deepest, np.int64),
            np.zeros(deepest, np.int64),
            np.zeros(deepest),
            np.zeros(deepest),
            np.zeros((self.seats * deepest, 2), np.int64),
            np.zeros(1, np.uint64),
        )

    def iterate(self, trunk: Trunk, first: int, states: Any, radius: Floats) -> None:
        walking.learn(
            first, states, self.players, counters(trunk), trunk.records(), trunk.set_records(), self.learned,
            self.steps, radius, self.exploration, self.power,
        )  # fmt: skip

    def average(self, trunk: Trunk, player: int) -> Floats:
        out = np.zeros(trunk.sets[player].sequences)
        walking.average(trunk.set_records(), self.learned, player, out)
        return out


class Sweeping(Minimizer):
    """CFR with whole gradients: an iteration reads every node of the trunk."""

    name = "online-cfr"
    power = 0.0
    exact = True
    floor = predict = False

    def _enter(self, player: int, place: slice, above: int, size: int) -> None:
        self.total[player, place] = self.total[player, above] / size

    def iterate(self, trunk: Trunk, first: int, states: Any, radius: Floats) -> None:
        for t in range(first, first + len(states)):
            self._iterate(trunk, t, radius)

    def _iterate(self, trunk: Trunk, t: int, radius: Floats) -> None:
        nodes, sets = trunk.records(), trunk.set_records()
        game = Sweep(trunk, nodes, sets, t, radius)
        reach = game.reaches(self.strategy)
        gradients = []
        for player in range(self.players):
            low, high = game.pays(player)
            gradients.append(game.gradient(player, reach, high))
            self.uncertainty[player] += sweeping.value(nodes, reach, high) - sweeping.value(nodes, reach, low)
        for player, worth in enumerate(gradients):
            self.observe(sets, player, worth, reach, t)

    def observe(self, sets: Sets, player: int, worth: Floats, reach: Floats, t: int) -> None:
        """Give a player's minimiser what each of its sequences gains by itself, [sequences]; the vector is changed."""
        weight = float(t) ** self.power
        sweeping.iterate(sets, player, worth, reach, weight, self.floor, self.predict, self.learned)

    def average(self, trunk: Trunk, player: int) -> Floats:
        return self.total[player, : trunk.sets[player].sequences].copy()


class SweepingPlus(Sweeping):
    """CFR+: regrets never below 0, iteration t weighs t."""

    name = "online-cfr+"
    power = 1.0
    floor = True


class SweepingPredictive(SweepingPlus):
    """PCFR+: the last regret is expected once more, iteration t weighs t²."""

    name = "online-pcfr+"
    power = 2.0
    predict = True


class Sweep:
    """A pseudogame of any number of players, for passes over all nodes of its trunk."""

    def __init__(self, trunk: Trunk, nodes: Any, sets: Sets, t: int, radius: Floats) -> None:
        self.trunk, self.nodes, self.sets, self._t, self._radius = trunk, nodes, sets, t, radius
        self._chance = np.empty(trunk.nodes.used)
        sweeping.chances(nodes, self._chance)

    def pays(self, player: int) -> tuple[Floats, Floats]:
        """Return what each node pays a player in its pessimistic and in its optimistic game, [nodes] each."""
        low, high = np.empty_like(self._chance), np.empty_like(self._chance)
        unknown = max(self.trunk.unknown, 1)
        sweeping.payoffs(self.nodes, player, self._t, unknown, self._radius, self._chance, low, high)
        return low, high

    def reaches(self, strategy: Floats) -> Floats:
        """Return the reach of all sequences under behaviour strategies, [seats, room]."""
        reach = np.ones_like(strategy)
        for player in range(self.trunk.seats):
            sweeping.spread(self.sets, player, strategy, reach)
        return reach

    def gradient(
        self, player: int, reach: Floats, pays: Floats, weight: float = 1.0, out: Floats | None = None
    ) -> Floats:
        """Return what each sequence of a player gains against the others' play, added to `out` where that is given."""
        worth = np.zeros(self.trunk.sets[player].sequences) if out is None else out
        sweeping.gradient(self.nodes, player, reach, pays, weight, worth)
        return worth

    def respond(self, player: int, worth: Floats) -> tuple[float, np.ndarray]:
        """Return the value of a best response to a gradient, and its choices."""
        best = np.zeros(int(self.sets.used[player]), np.int32)
        return float(sweeping.respond(self.sets, player, worth.copy(), best)), best

    def value(self, reach: Floats, pays: Floats) -> float:
        """Return what a profile earns."""
        return float(sweeping.value(self.nodes, reach, pays))


MINIMIZERS: dict[str, type[Minimizer]] = {
    kind.name: kind for kind in (OutcomeSampling, Sweeping, SweepingPlus, SweepingPredictive)
}
