"""The engine of the CFR family: a local learner at every information set, spread over the game by two passes.

M. Zinkevich, M. Johanson, M. Bowling, C. Piccione (2007), Regret minimization in games with incomplete information.

An algorithm is a `Step`: how a learner at one set changes at iteration t. Everything else is here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Literal, get_args

import numpy as np

from hannan.arrays import Floats
from hannan.errors import MismatchError, ParameterError, nearest
from hannan.game import Game
from hannan.kernels import passes
from hannan.profile import Profile, uniform
from hannan.rules import Rules
from hannan.sizes import Sizes
from hannan.solvers import warmstart
from hannan.solvers.base import CorrelatedPlay, Solver, positive_count

Updates = Literal["alternating", "simultaneous"]

CHUNK = 4096
"""The most rows of the schedule that are laid out at once."""


@dataclass(frozen=True)
class Step:
    """What the local learners do at iteration t: numbers, or arrays over several t.

    With r the instantaneous regret and R the cumulative one, R becomes max(R·positive + r, floor) where R > 0 and
    max(R·negative + r, floor) elsewhere. The next strategy is proportional to the positive part of
    keep·R + predict·r, or to exp(rate·(keep·R + predict·r)) where rate > 0. The average strategy is the sum of
    reaches S, which becomes decay·S + (reach of the strategy just played).
    """

    positive: float | Floats = 1.0
    negative: float | Floats = 1.0
    floor: float = -np.inf
    keep: float | Floats = 1.0
    predict: float = 0.0
    rate: float | Floats = 0.0
    decay: float | Floats = 1.0


def polynomial(t: Floats, power: float | Floats) -> Floats:
    """Return the decay that weighs iteration t by t**power: ((t-1)/t)**power."""
    decay: Floats = ((t - 1) / t) ** power
    return decay


class FullWidth(Solver):
    """A method that updates every information set at every iteration."""

    def __init__(self, game: str | Rules | Game, *, updates: Updates = "alternating") -> None:
        super().__init__(game)
        if updates not in get_args(Updates):
            raise ParameterError(f"updates={updates!r} is not known{nearest(str(updates), get_args(Updates))}")
        self.updates = updates
        flat, form = self.game.flat, self.game.form
        self._tracking = passes.VALUES if form.competitive else passes.GRADIENTS
        size = int(flat.sequence_begin[-1])
        self._learning = passes.Learning(
            strategy=np.zeros(size),
            reach=np.zeros(size),
            regret=np.zeros(size),
            total=np.zeros(size),
            played=np.zeros(size if self._tracking == passes.GRADIENTS else 0),
            value=np.zeros(form.players + 1),
        )
        self._worth = np.zeros(size)
        self._warm = np.zeros(1)  # how many iterations a warm start stands for
        self._begin()

    @abstractmethod
    def step(self, t: Floats) -> Step:
        """Return what the learners do at iterations t = 1, 2, …"""

    def _begin(self) -> None:
        """Everybody starts with the uniform strategy."""
        self._learning.strategy[:] = np.concatenate(uniform(self.game).strategies)
        for player in range(self.game.players):
            passes.spread(self.game.flat, player, self._learning.strategy, self._learning.reach)

    def schedule(self, first: int, count: int) -> Floats:
        """Return the steps of `count` iterations from `first` on, as rows for the kernel."""
        step = self.step(np.arange(first, first + count, dtype=np.float64))
        return np.stack([np.broadcast_to(column, count) for column in astuple(step)], axis=1).astype(np.float64)

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return sizes.flat_bytes + sizes.learning_bytes

    def prepare(self) -> None:
        self._iterate(0)

    def run(self, iterations: int) -> None:
        left = positive_count(iterations)
        if self.most_iterations is not None and self.iterations + left > self.most_iterations:
            raise ParameterError(
                f"{self.method} was given a horizon of {self.most_iterations} iterations; {self.iterations} are done, "
                f"{left} more are too many"
            )
        while left > 0:
            count = min(left, CHUNK)
            self._iterate(count)
            left -= count

    def _iterate(self, count: int) -> None:
        schedule = self.schedule(int(self._warm[0]) + self.iterations + 1, count)
        simultaneous = self.updates == "simultaneous"
        passes.run(self.game.flat, self._learning, schedule, simultaneous, self._tracking, self._worth)
        self.iterations += count

    def warm_start(self, profile: Profile, weight: int = 1000) -> None:
        """Begin as if `profile` had been played for `weight` iterations; only before the first one.

        The average starts with it, and discounts and averaging weights go on from there.
        """
        if self.iterations > 0 or self._warm[0] > 0:
            raise ParameterError(f"{self!r} has begun; a warm start comes before the first iteration")
        if isinstance(weight, bool) or not isinstance(weight, int) or not 1 <= weight <= 10**7:
            raise ParameterError(f"weight={weight!r} should be a whole number from 1 to ten million")
        if profile.game.form.hash != self.game.form.hash:
            raise MismatchError(f"the strategy is for {profile.game.address}, not for {self.game.address}")
        strategy, steps = np.concatenate(profile.strategies), self.schedule(1, weight)
        warmstart.begin(self.game.flat, self._learning, strategy, steps, self.game.form.competitive)
        self._warm[0] = weight

    def average(self) -> Profile:
        return self._profile(self._learning.total)

    def current(self) -> Profile:
        return self._profile(self._learning.strategy)

    def correlated(self) -> CorrelatedPlay | None:
        if self._learning.value[-1] == 0:
            return None
        values = self._learning.value[:-1] / self._learning.value[-1]
        if self._tracking == passes.GRADIENTS:
            gradient = self._learning.played / self._learning.value[-1]
            return CorrelatedPlay(tuple(float(value) for value in values), gradient)
        total = self.game.form.total or 0.0
        return CorrelatedPlay((float(values[0]), total - float(values[0])), None)

    def state(self) -> dict[str, Floats]:
        return {name: array.copy() for name, array in self._arrays().items()}

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        self.iterations = iterations
        for name, array in self._arrays().items():
            array[:] = state[name]

    def _arrays(self) -> dict[str, Floats]:
        return {**self._learning._asdict(), "warm": self._warm}
