"""Extendable regret minimisers (Definition 7.1) on the growing treeplexes of a trunk.

A new set begins without regret and with uniform play, and the averages are those that it would have if it had existed
from the start: extending changes no older number. All minimisers are CFR, with outcome-sampled estimates of the
gradient or, as presets of the full-width methods, with whole gradients.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.columns import longer
from hannan.certificates.trunk import Trunk
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying import sweeps, walks
from hannan.kernels.certifying.records import Learned, Steps
from hannan.kernels.fullwidth import passes, plain
from hannan.kernels.fullwidth.records import GRADIENTS, REGRETS, Flat, Learning
from hannan.layouts.backend import Step
from hannan.rules.plain import MOST_MOVES

_SEQUENCES = ("strategy", "regret", "total", "baseline", "rounds", "breadth", "owner")
_NEWER = ("rounds", "breadth", "owner")
"""Arrays that checkpoints of version 0.1 lack."""

_NOTHING = np.zeros(0)

RATE = 0.1
"""The share by which a baseline moves towards each observed value."""

Averaging = Literal["linear", "uniform"]
Sampling = Literal["uniform", "balanced"]


@dataclass(frozen=True)
class Manner:
    """The walks of outcome sampling, and its averaging."""

    averaging: Averaging = "linear"
    """Whether iteration t weighs t, or all iterations weigh alike."""
    baselines: bool = True
    epsilon: float = 0.5
    """The share of a walker's own play that explores."""
    sampling: Sampling = "uniform"
    """uniform: at each set, every action equally likely. balanced: for the whole walk, every end of its own play is."""

    @property
    def power(self) -> float:
        """The power of t by which iteration t is weighted in the averages."""
        return 1.0 if self.averaging == "linear" else 0.0

    @property
    def numbers(self) -> Floats:
        """The manner in the form that kernels take."""
        manner = np.zeros(rec.MANNER)
        manner[rec.EXPLORATION], manner[rec.POWER] = self.epsilon, self.power
        manner[rec.RATE], manner[rec.BALANCED] = RATE * self.baselines, self.sampling == "balanced"
        return manner

    @property
    def unusual(self) -> dict[str, Any]:
        """The fields that differ from the defaults."""
        told = asdict(self)
        return {field.name: told[field.name] for field in fields(self) if told[field.name] != field.default}


class Minimizer(ABC):
    """One regret minimiser for each player."""

    name: str
    power: float
    """Iteration t weighs t to this power in the averages."""
    lazy: bool
    """Whether averages are updated only at the sets that walks visit."""
    sampled: bool
    """Whether the sums over rounds are of estimates from walks, or of exact gradients."""

    def __init__(self, trunk: Trunk) -> None:
        self.seats, self.players = trunk.seats, trunk.players
        room = 64
        self.strategy, self.regret, self.total, self.baseline = (np.zeros((self.seats, room)) for _ in range(4))
        self.rounds, self.breadth = (np.zeros((self.seats, room)) for _ in range(2))
        self.owner = np.zeros((self.seats, room), np.int64)
        self.strategy[:, 0] = self.breadth[:, 0] = 1.0
        self.mark = np.zeros((self.seats, room))
        self.uncertainty = np.zeros(self.seats)
        self.known = np.zeros(self.seats, np.int64)
        self.extend(trunk)

    def extend(self, trunk: Trunk) -> None:
        """Add the sets that are new in a trunk."""
        if self.known.tolist() != trunk.sheets.used.tolist():
            self.reserve(int(trunk.sequences.max()), int(trunk.sheets.used.max()))
            walks.extend(trunk.set_records(), self.learned, self.lazy)

    def reserve(self, sequences: int, sets: int) -> None:
        """Make room for `sequences` sequences and `sets` sets of every player."""
        if sequences > self.strategy.shape[1]:
            room = max(sequences, 3 * self.strategy.shape[1] // 2)
            for name in _SEQUENCES:
                setattr(self, name, longer(getattr(self, name), room, 1))
        if sets > self.mark.shape[1]:
            self.mark = longer(self.mark, max(sets, 3 * self.mark.shape[1] // 2), 1)

    @property
    def learned(self) -> Learned:
        """The arrays that kernels read and write."""
        return Learned(
            self.strategy, self.regret, self.total, self.baseline, self.rounds, self.breadth, self.owner, self.mark,
            self.uncertainty, self.known,
        )  # fmt: skip

    @abstractmethod
    def iterate(self, trunk: Trunk, first: int, states: Any, radius: Floats) -> None:
        """Make the iterations `first`, `first` + 1, …, one for each random state, on the present pseudogame."""

    @abstractmethod
    def average(self, trunk: Trunk, player: int) -> Floats:
        """Return the weighted sums of reaches of a player's sequences, [sequences]."""

    def state(self) -> dict[str, np.ndarray]:
        """Return the state, for a checkpoint."""
        return self.learned._asdict()

    def restore(self, trunk: Trunk, state: dict[str, np.ndarray]) -> None:
        """Take over what `state` returned; version 0.1 had no sums over rounds."""
        for name in Learned._fields:
            if name in state:
                setattr(self, name, state[name].copy())
        for name in (name for name in _NEWER if name not in state):
            setattr(self, name, np.zeros(self.strategy.shape, getattr(self, name).dtype))
        walks.widen(trunk.set_records(), self.learned)


class OutcomeSampling(Minimizer):
    """Outcome-sampling MCCFR: an iteration costs no more as the trunk grows, except through depth (section 7.4)."""

    name = "mccfr"
    lazy = True
    sampled = True

    def __init__(self, trunk: Trunk, manner: Manner | None = None) -> None:
        super().__init__(trunk)
        how = manner or Manner()
        self.manner, self.power = how.numbers, how.power
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
        walks.learn(
            first, states, self.players, trunk.unknown, trunk.records(), trunk.set_records(), self.learned,
            self.steps, radius, self.manner,
        )  # fmt: skip

    def average(self, trunk: Trunk, player: int) -> Floats:
        out = np.zeros(trunk.sets[player].sequences)
        walks.average(trunk.set_records(), self.learned, player, out)
        return out


class Sweeping(Minimizer):
    """CFR with whole gradients: an iteration reads every node of the trunk."""

    name = "online-cfr"
    power = 0.0
    lazy = False
    sampled = False
    step = Step()

    def __init__(self, trunk: Trunk) -> None:
        super().__init__(trunk)
        self._row = self.step.rows(1)[0, 0]

    def iterate(self, trunk: Trunk, first: int, states: Any, radius: Floats) -> None:
        for t in range(first, first + len(states)):
            game = Sweep(trunk, t, radius)
            reach = game.reaches(self.strategy)
            gradients = [game.gradient(player, reach) for player in range(self.players)]
            for player, worth in enumerate(gradients):
                self.uncertainty[player] += game.value(player, reach, 1) - game.value(player, reach, 0)
                self.rounds[player, : len(worth)] += float(t) ** self.power * worth
                self.observe(game.flats[player], player, worth, reach, t)

    def observe(self, flat: Flat, player: int, worth: Floats, reach: Floats, t: int) -> None:
        """Give a player's minimiser the gain of each of its sequences by itself, [sequences]; changes the vector."""
        self.total[player, : len(worth)] += float(t) ** self.power * reach[player, : len(worth)]
        learning = Learning(self.strategy[player], _NOTHING, self.regret[player], _NOTHING, _NOTHING, _NOTHING)
        plain.learn(flat, 0, learning, None, self._row, REGRETS, GRADIENTS, worth)

    def average(self, trunk: Trunk, player: int) -> Floats:
        return self.total[player, : trunk.sets[player].sequences].copy()


class SweepingPlus(Sweeping):
    """CFR+: regrets never below 0, iteration t weighs t."""

    name = "online-cfr+"
    power = 1.0
    step = Step(floor=0.0)


class SweepingPredictive(SweepingPlus):
    """PCFR+: play as if the last regret came once more; iteration t weighs t²."""

    name = "online-pcfr+"
    power = 2.0
    step = Step(floor=0.0, predict=1.0)


class Sweep:
    """A pseudogame of any number of players, for passes over all nodes of its trunk."""

    def __init__(self, trunk: Trunk, t: int, radius: Floats) -> None:
        self.trunk, self._nodes, many = trunk, trunk.records(), trunk.nodes.used
        self.flats = [trunk.flat(player) for player in range(trunk.seats)]
        self._pays = np.empty((trunk.seats, 2, many))
        sweeps.payoffs(self._nodes, t, max(trunk.unknown, 1), radius, np.empty(many), self._pays)

    def reaches(self, strategy: Floats) -> Floats:
        """Return the reach of all sequences under behaviour strategies, [seats, room]."""
        reach = np.ones_like(strategy)
        for flat, played, reached in zip(self.flats, strategy, reach, strict=True):
            passes.spread(flat, 0, played, reached)
        return reach

    def gradient(self, player: int, reach: Floats, weight: float = 1.0, out: Floats | None = None) -> Floats:
        """Return the gain of each sequence of a player in its optimistic game, added to `out` if that is given."""
        worth = np.zeros(self.trunk.sets[player].sequences) if out is None else out
        sweeps.gradient(self._nodes, player, reach, self._pays[player, 1], weight, worth)
        return worth

    def respond(self, player: int, worth: Floats) -> tuple[float, np.ndarray]:
        """Return the value of a best response to a gradient, and its choices."""
        best = np.zeros(self.trunk.sets[player].rows.used, np.int32)
        return float(passes.respond(self.flats[player], 0, worth.copy(), best)), best

    def value(self, player: int, reach: Floats, side: int) -> float:
        """Return what a profile earns a player in its pessimistic (0) or its optimistic (1) game."""
        return float(sweeps.value(self._nodes, reach, self._pays[player, side]))


MINIMIZERS: dict[str, type[Minimizer]] = {
    kind.name: kind for kind in (OutcomeSampling, Sweeping, SweepingPlus, SweepingPredictive)
}
