"""The interface of back ends. A back end holds the state of one solver and runs its iterations.

An iteration consists of four verbs, each for one player, and `Verbs.run` is the loop over them. If calls from Python
would cost too much, a back end has the same loop compiled: `kernels.fullwidth.plain.run`,
`kernels.fullwidth.tiled.run`, and the phases of `cuda/program.cu`. Each layout has one loop, which serves all families
of methods: the learner and its steps are data (`Setup.learner` and the rows of a schedule).

`Plain` and `Tiles`, at the end, run on one thread. To add a back end, write a file with a subclass of `Verbs`, and give
it a name in `hannan.layouts.backends.BACKENDS`: `layout=NAME` of every method runs on it. `tests/layouts/obvious.py` is
the shortest example. To add an algorithm, write a `Step`: see `hannan.solvers.fullwidth.engine`.

Evaluation (reaches, best responses) reads the plain layout through `hannan.layouts.layout`; a back end that holds its
state elsewhere measures its average there (`Backend.measure`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Generic

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Numbers, offsets
from hannan.forms.sequence import SequenceForm
from hannan.forms.treeplex import reaches
from hannan.kernels.fullwidth import passes, plain, tiled
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.records import Flat, Learning, Tiled
from hannan.layouts.layout import Arrays, Layout, Precision, plain_of, tiled_of

CLOSE = 1e-5
"""The largest relative rounding error of a sum of reaches under a strategy that never changed."""


@dataclass(frozen=True)
class Setup:
    """The requirements of a solver for a back end."""

    form: SequenceForm
    learner: int = rec.REGRETS
    """REGRETS, WEIGHTS, FACTORS or FLOORED of `kernels.fullwidth.records`."""
    simultaneous: bool = False
    """Whether all players learn from the same play; else a player sees the new strategies of the players before it."""
    payoffs: Precision = "float64"
    threads: int = 1
    averaged: bool = True
    """Whether the average, and the correlated average play, are kept; else the result is the last strategies."""
    leaders: tuple[Ints, ...] | None = None
    """If players forget: for each player, the first member of the abstract set of each set, [sets]."""
    precision: Precision = "float64"
    """The precision of the state."""

    @property
    def tracking(self) -> int:
        """The record of the correlated average play: VALUES or GRADIENTS of `kernels.fullwidth.records`.

        If players forget, the gains against the correlated average play do not follow from the average profile.
        """
        alone = self.form.competitive and self.leaders is None
        return rec.VALUES if alone or not self.averaged else rec.GRADIENTS

    @property
    def sequences(self) -> int:
        """The number of sequences of all players."""
        return sum(plex.sequences for plex in self.form.treeplexes)

    @property
    def sizes(self) -> dict[str, int]:
        """The names and lengths of the arrays of a state; `Learning` describes them.

        Plans with weights add their `prior`: the log of the probability of each sequence's last action, given its set.
        """
        sizes = dict.fromkeys(Learning._fields, self.sequences)
        sizes["played"] = self.sequences if self.tracking == rec.GRADIENTS else 0
        sizes["total"] = self.sequences if self.averaged else 0
        sizes["value"] = self.form.players + 1
        return sizes if self.learner == rec.REGRETS else {**sizes, "prior": self.sequences}


@dataclass(frozen=True)
class Average:
    """Values of the average play of a solver, measured by its back end."""

    values: tuple[float, ...]
    """The value of the average profile to each player."""
    best_values: tuple[float, ...]
    """The value of each player's best response to it."""
    correlated_best_values: tuple[float, ...] | None
    """The value of best responses to the correlated average play, if gradients are tracked."""


ALIGNMENT = 64
"""Bytes in a line of memory, and in a vector."""

Number = float | Floats
"""One number, an array over several iterations t, or an array [iterations or 1, players]."""


@dataclass(frozen=True)
class Step:
    """The parameters of the learners at iteration t. The fields are the columns of a schedule, in this order.

    Regrets (the CFR family): with r the instantaneous regret and R the cumulative one, R becomes
    max(R·positive + r, floor) where R > 0 and max(R·negative + r, floor) elsewhere. The next strategy is proportional
    to the positive part of keep·R + predict·r (what is at most `noise` counts as 0), or to
    exp(rate·(keep·R + predict·r)) where rate > 0.

    Weights of whole plans (EINR and KOMWU): with g the gradient, the sum G becomes G + weight·g, and a plan weighs its
    prior times exp(rate·(G + predict·weight·g)), summed over its sequences; or it is multiplied by 1 + rate·weight·u
    after utility u. Floored: L of an action becomes max(L + rate·weight·(its gradient, and what sets that follow have
    gained) - the mean of that over play, floor), and an action weighs its prior times exp(L).

    Both: the average strategy is the sum of reaches S, which becomes decay·S + (reach of the strategy just played).
    """

    positive: Number = 1.0
    negative: Number = 1.0
    floor: Number = -np.inf
    keep: Number = 1.0
    predict: Number = 0.0
    rate: Number = 0.0
    decay: Number = 1.0
    weight: Number = 1.0
    noise: Number = 0.0

    def rows(self, count: int, players: int = 1) -> Floats:
        """Return the steps of `count` iterations as rows, [iterations, players, columns].

        If `players` is 1, one row serves all players.
        """
        columns = astuple(self)
        rows = np.empty((count, players, len(columns)))
        rows[:] = [column if isinstance(column, float) else 0.0 for column in columns]  # most are the same for all t
        for k, column in enumerate(columns):
            if not isinstance(column, float):
                rows[:, :, k] = column[:, None] if np.ndim(column) == 1 else column
        return rows


class Backend(ABC):
    """The state of one solver, all 0 at first, and its iterations."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @abstractmethod
    def read(self, name: str) -> Floats:
        """Return a copy of an array of the state; sequences are in the order of `Flat`, whatever the layout."""

    @abstractmethod
    def write(self, name: str, array: Floats) -> None:
        """Overwrite an array of the state, given as `read` returns it."""

    @abstractmethod
    def run(self, schedule: Floats) -> None:
        """Run one iteration for each row of the schedule, [iterations, 1 or players, columns]."""

    def prepare(self) -> None:
        """Compile what `run` needs; the state does not change."""
        self.run(Step().rows(0))

    def measure(self) -> Average | None:
        """Measure the average play in the back end; None if it is to be measured in the plain layout."""
        return None


class Verbs(Backend):
    """A back end whose iterations are four verbs."""

    @abstractmethod
    def gradient(self, player: int) -> None:
        """Compute the gain of each sequence of `player` against the reach of the others."""

    @abstractmethod
    def learn(self, player: int, step: Floats) -> None:
        """Turn the gradient of `player` into its next strategy, by the learner and one row of the schedule.

        If values are tracked, player 0 adds the value of its current strategy to its decayed `value`.
        """

    @abstractmethod
    def average(self, player: int, decay: float) -> None:
        """Decay the average of `player` and add the reach just played; then write the reach of the next strategy.

        A back end may do the first while it learns, when the set is in the cache. Player 0 adds 1 to the decayed sum of
        weights, the last of `value`. If the setup is not `averaged`, no average decays.
        """

    @abstractmethod
    def track(self, player: int, decay: float) -> None:
        """Decay `played` and `value` of a player, and add its gradient and its value of the joint play."""

    def run(self, schedule: Floats) -> None:
        players = range(self.setup.form.players)
        simultaneous, tracking = self.setup.simultaneous, self.setup.tracking
        for steps in schedule:
            decay = float(steps[0, rec.DECAY])
            if simultaneous or tracking == rec.GRADIENTS:
                for p in players:
                    self.gradient(p)
            if tracking == rec.GRADIENTS:
                for p in players:
                    self.track(p, decay)
            for p in players:
                if not simultaneous:
                    self.gradient(p)
                self.learn(p, steps[min(p, len(steps) - 1)])
                if not simultaneous:
                    self.average(p, decay)
            if simultaneous:
                for p in players:
                    self.average(p, decay)


def _aligned(size: int, kind: Precision) -> Numbers:
    """Return zeros that begin at the boundary of a vector."""
    room = np.zeros(size * np.dtype(kind).itemsize + ALIGNMENT, np.uint8)
    skipped = -room.ctypes.data % ALIGNMENT
    return room[skipped : skipped + size * np.dtype(kind).itemsize].view(kind)


class InMemory(Verbs, Generic[Arrays]):
    """A back end whose state is NumPy arrays in the order of a layout."""

    def __init__(self, setup: Setup, layout: Layout[Arrays]) -> None:
        super().__init__(setup)
        self.arrays: Arrays = layout.arrays
        self._layout: Layout[Arrays] = layout
        self._state: dict[str, Numbers] = {
            name: np.zeros(size) if name == "value" else _aligned(layout.places if size else 0, setup.precision)
            for name, size in setup.sizes.items()
        }
        self._learning = Learning(**{name: self._state[name] for name in Learning._fields})
        self._prior = self._state.get("prior")
        self._worth = _aligned(layout.places, setup.precision)

    def track(self, player: int, decay: float) -> None:
        passes.track(self.arrays.sequence_begin, player, self._learning, decay, self._worth)

    def read(self, name: str) -> Floats:
        array = self._state[name]
        return array.copy() if name == "value" or not len(array) else self._layout.outward(array)

    def write(self, name: str, array: Floats) -> None:
        mine = self._state[name]
        if name == "value" or not len(mine):
            mine[:] = array
        else:
            self._layout.inward(array, mine)


class Plain(InMemory[Flat]):
    """Sets one after another, payoffs as rows."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, plain_of(setup.form, setup.payoffs))

    def gradient(self, player: int) -> None:
        passes.gradient(self.arrays, player, self._learning.reach, self._worth)

    def learn(self, player: int, step: Floats) -> None:
        plain.learn(
            self.arrays, player, self._learning, self._prior, step, self.setup.learner, self.setup.tracking, self._worth
        )

    def average(self, player: int, decay: float) -> None:
        passes.average(self.arrays, player, self._learning, decay)

    def run(self, schedule: Floats) -> None:
        asked = (self.setup.learner, self.setup.simultaneous, self.setup.tracking)
        plain.run(self.arrays, self._learning, self._prior, schedule, *asked, self._worth)


class Tiles(InMemory[Tiled]):
    """Sets side by side, payoffs in dense blocks. It has no learners FACTORS and FLOORED.

    Sets at which nothing is at stake are left out of the iterations if their regrets are 0: their strategy stays as it
    is, and their average is computed when it is read.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, tiled_of(setup.form, setup.payoffs))
        self.arrays = self.arrays._replace(scratch=np.zeros_like(self.arrays.scratch))  # the rest is shared
        self._plans = None if self._prior is None else (self._prior, _aligned(len(self._worth), setup.precision))
        self._until: int | None = None  # C_IDLE or C_END of `kernels.fullwidth.records`; None: not determined yet

    @property
    def until(self) -> int:
        """The column that ends the visited tiles of a chunk."""
        if self._until is None:
            self._until = rec.C_IDLE if self._rests() else rec.C_END
        return self._until

    def _rests(self) -> bool:
        """Whether the sets at which nothing is at stake are left out."""
        setup = self.setup
        learns = setup.learner == rec.REGRETS
        return learns and rest(self._layout.idle, super().read, setup.averaged, setup.precision)

    def read(self, name: str) -> Floats:
        array = super().read(name)
        if name == "reach":
            strategy, begin = super().read("strategy").astype(self.setup.precision), 0
            for plex in self.setup.form.treeplexes:  # some reaches are never read while learning, and not written
                part = slice(begin, begin + plex.sequences)
                array[part] = reaches(plex, strategy[part])
                begin += plex.sequences
        elif name == "total" and len(array) and self.until == rec.C_IDLE:
            passes.spread_below(self._layout.idle, super().read("strategy"), array)
        return array

    def write(self, name: str, array: Floats) -> None:
        if self._until == rec.C_IDLE:  # write what was left out, since the next run may not leave it out
            for late in ("reach", "total"):
                super().write(late, self.read(late))
        self._until = None
        super().write(name, array)

    def gradient(self, player: int) -> None:
        tiled.gradient(self.arrays, player, self._learning.reach, self._worth)

    def learn(self, player: int, step: Floats) -> None:
        held = (self._learning, self._plans, step, self.setup.tracking, self._worth)
        tiled.learn(self.arrays, player, self.until, *held)

    def average(self, player: int, decay: float) -> None:
        tiled.average(self.arrays, player, self.until, self._learning, decay)

    def run(self, schedule: Floats) -> None:
        asked = (self.setup.simultaneous, self.setup.tracking)
        tiled.run(self.arrays, self.until, self._learning, self._plans, schedule, *asked, self._worth)


def rest(sets: Longs, read: Callable[[str], Floats], averaged: bool, precision: str) -> bool:
    """Return whether these sets would not learn from regrets, and have the average of a constant strategy.

    `sets` is as `listed` returns it, but of all players, in the order of `Flat`; `read` returns an array of the state.
    """
    if not len(sets):
        return False
    mine = np.repeat(sets[:, 0] - offsets(sets[:, 1])[:-1], sets[:, 1]) + np.arange(sets[:, 1].sum())
    if np.any(read("regret")[mine]):
        return False
    strategy, even = read("strategy"), np.repeat(1.0 / sets[:, 1], sets[:, 1])
    if np.any(strategy[mine] != even.astype(precision)):
        return False
    if not averaged:
        return True
    total = read("total")
    given = total[mine]
    passes.spread_below(sets, strategy, total)
    return bool(np.all(np.abs(total[mine] - given) <= CLOSE * total[mine]))
