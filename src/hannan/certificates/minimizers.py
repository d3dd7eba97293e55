"""Extendable regret minimisers (Definition 7.1) on the growing treeplexes of a trunk.

A set that is added begins without regret and with uniform play, and the averages are what they would be had it been
there from the start: extending changes nothing that was there before. All are CFR, with outcome-sampled estimates of
the gradient or, as presets of the full-width methods, with the whole of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.trunk import Trunk
from hannan.kernels.certifying import sweeping, walking
from hannan.kernels.certifying.records import Learned, Steps
from hannan.kernels.fullwidth import passes, plain
from hannan.kernels.fullwidth.records import GRADIENTS, REGRETS, Learning
from hannan.layouts.schedule import Step
from hannan.rules.plain import MOST_MOVES

_SEQUENCES = ("strategy", "regret", "total", "baseline")
_NOTHING = np.zeros(0)


class Minimizer(ABC):
    """One regret minimiser for each player."""

    name: str
    power: float
    """Iteration t weighs t to this power in the averages."""
    lazy: bool
    """Whether averages are brought up to date only where play comes."""

    def __init__(self, trunk: Trunk) -> None:
        self.seats, self.players = trunk.seats, trunk.players
        room = 64
        self.strategy, self.regret, self.total, self.baseline = (np.zeros((self.seats, room)) for _ in _SEQUENCES)
        self.strategy[:, 0] = 1.0
        self.mark = np.zeros((self.seats, room))
        self.uncertainty = np.zeros(self.seats)
        self.known = np.zeros(self.seats, np.int64)
        self.extend(trunk)

    def extend(self, trunk: Trunk) -> None:
        """Take the sets that are new in a trunk."""
        self.reserve(int(trunk.sequences.max()), int(trunk.sheets.used.max()))
        if not np.array_equal(self.known, trunk.sheets.used):
            walking.extend(trunk.set_records(), self.learned, self.lazy)

    def reserve(self, sequences: int, sets: int) -> None:
        """Make room for so many sequences and sets of every player."""
        if sequences > self.strategy.shape[1]:
            for name in _SEQUENCES:
                setattr(self, name, _longer(getattr(self, name), sequences))
        if sets > self.mark.shape[1]:
            self.mark = _longer(self.mark, sets)

    @property
    def learned(self) -> Learned:
        """What kernels read and write."""
        return Learned(
            self.strategy, self.regret, self.total, self.baseline, self.mark, self.uncertainty, self.known
        )  # fmt: skip

    @abstractmethod
    def iterate(self, trunk: Trunk, first: int, states: Any, radius: Floats) -> None:
        """Make the iterations `first`, `first` + 1, …, one for each random state, on the pseudogame of now."""

    @abstractmethod
    def average(self, trunk: Trunk, player: int) -> Floats:
        """Return the weighted sums of reaches of a player's sequences, [sequences]."""

    def state(self) -> dict[str, np.ndarray]:
        """Return all that goes on, for a checkpoint."""
        return self.learned._asdict()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take what `state` returned."""
        for name in Learned._fields:
            setattr(self, name, state[name].copy())


def _longer(array: np.ndarray, least: int) -> np.ndarray:
    new = np.zeros((array.shape[0], max(least, array.shape[1] + array.shape[1] // 2)))
    new[:, : array.shape[1]] = array
    return new


class OutcomeSampling(Minimizer):
    """Outcome-sampling MCCFR: an iteration costs no more as the trunk grows, except through depth (section 7.4)."""

    name = "mccfr"
    power = 1.0
    lazy = True
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
            first, states, self.players, trunk.unknown, trunk.records(), trunk.set_records(), self.learned,
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
    lazy = False
    step = Step()

    def iterate(self, trunk: Trunk, first: int, states: Any, radius: Floats) -> None:
        for t in range(first, first + len(states)):
            game = Sweep(trunk, t, radius)
            reach = game.reaches(self.strategy)
            gradients = [game.gradient(player, reach, game.pays(player)[1]) for player in range(self.players)]
            for player, worth in enumerate(gradients):
                low, high = game.pays(player)
                self.uncertainty[player] += game.value(reach, high) - game.value(reach, low)
                self.observe(trunk, player, worth, reach, t)

    def observe(self, trunk: Trunk, player: int, worth: Floats, reach: Floats, t: int) -> None:
        """Give a player's minimiser what each of its sequences gains by itself, [sequences]; the vector is changed."""
        self.total[player, : len(worth)] += float(t) ** self.power * reach[player, : len(worth)]
        learning = Learning(self.strategy[player], _NOTHING, self.regret[player], _NOTHING, _NOTHING, _NOTHING)
        row = self.step.rows(1)[0, 0]
        plain.learn(trunk.flat(player), 0, learning, None, row, REGRETS, GRADIENTS, worth)

    def average(self, trunk: Trunk, player: int) -> Floats:
        return self.total[player, : trunk.sets[player].sequences].copy()


class SweepingPlus(Sweeping):
    """CFR+: regrets never below 0, iteration t weighs t."""

    name = "online-cfr+"
    power = 1.0
    step = Step(floor=0.0)


class SweepingPredictive(SweepingPlus):
    """PCFR+: the last regret is expected once more, iteration t weighs t²."""

    name = "online-pcfr+"
    power = 2.0
    step = Step(floor=0.0, predict=1.0)


class Sweep:
    """A pseudogame of any number of players, for passes over all nodes of its trunk."""

    def __init__(self, trunk: Trunk, t: int, radius: Floats) -> None:
        self.trunk, self._nodes, self._t, self._radius = trunk, trunk.records(), t, radius
        self._flats = [trunk.flat(player) for player in range(trunk.seats)]
        self._chance = np.empty(trunk.nodes.used)
        self._pays: dict[int, tuple[Floats, Floats]] = {}
        sweeping.chances(self._nodes, self._chance)

    def pays(self, player: int) -> tuple[Floats, Floats]:
        """Return what each node pays a player in its pessimistic and in its optimistic game, [nodes] each."""
        if player not in self._pays:
            low, high = self._pays[player] = np.empty_like(self._chance), np.empty_like(self._chance)
            unknown = max(self.trunk.unknown, 1)
            sweeping.payoffs(self._nodes, player, self._t, unknown, self._radius, self._chance, low, high)
        return self._pays[player]

    def reaches(self, strategy: Floats) -> Floats:
        """Return the reach of all sequences under behaviour strategies, [seats, room]."""
        reach = np.ones_like(strategy)
        for flat, played, reached in zip(self._flats, strategy, reach, strict=True):
            passes.spread(flat, 0, played, reached)
        return reach

    def gradient(
        self, player: int, reach: Floats, pays: Floats, weight: float = 1.0, out: Floats | None = None
    ) -> Floats:
        """Return what each sequence of a player gains against the others' play, added to `out` where that is given."""
        worth = np.zeros(self.trunk.sets[player].sequences) if out is None else out
        sweeping.gradient(self._nodes, player, reach, pays, weight, worth)
        return worth

    def respond(self, player: int, worth: Floats) -> tuple[float, np.ndarray]:
        """Return the value of a best response to a gradient, and its choices."""
        best = np.zeros(self.trunk.sets[player].rows.used, np.int32)
        return float(passes.respond(self._flats[player], 0, worth.copy(), best)), best

    def value(self, reach: Floats, pays: Floats) -> float:
        """Return what a profile earns."""
        return float(sweeping.value(self._nodes, reach, pays))


MINIMIZERS: dict[str, type[Minimizer]] = {
    kind.name: kind for kind in (OutcomeSampling, Sweeping, SweepingPlus, SweepingPredictive)
}
