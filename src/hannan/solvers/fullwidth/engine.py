"""The engine of the CFR family: a local learner at every information set, spread over the game by two passes.

M. Zinkevich, M. Johanson, M. Bowling, C. Piccione (2007), Regret minimization in games with incomplete information.

An algorithm is a `Step`: how a learner at one set changes at iteration t. Everything else is here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Literal, TypedDict, get_args

import numpy as np

from hannan.arguments import choice, count, whole
from hannan.arrays import Floats
from hannan.errors import ParameterError
from hannan.forms.game import Game
from hannan.forms.sizes import Sizes
from hannan.kernels.fullwidth import passes, tiled
from hannan.layouts.layout import Kind, Precision, choose
from hannan.layouts.threaded import Team
from hannan.memory import require
from hannan.rules.plain import Rules
from hannan.solvers.base import CorrelatedPlay, Solver
from hannan.solvers.fullwidth import warmstart
from hannan.solvers.parameters import by_name
from hannan.strategies.profile import Profile, check_profile, reaches, uniform

Updates = Literal["alternating", "simultaneous"]


class Engine(TypedDict, total=False):
    """The parameters that every full-width method has; `FullWidth` says what they mean."""

    updates: Updates
    layout: Kind | Literal["auto"]
    payoffs: Precision
    threads: int


ROUNDING = 1e-12
"""A positive regret below this share of the largest payoff is rounding, and counts as none. Symmetric games have many
regrets of exactly 0: what is played there should not depend on the order in which numbers were added."""

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

    changeable = ("threads",)
    meanings = by_name(
        updates="whether a player sees the others' new strategies within an iteration",
        layout="where the loops run: plain for small games, tiled for large ones; numbers differ by rounding only",
        payoffs="the precision of payoffs while learning: float32 saves memory; gaps are always measured exactly",
        threads="how many threads share an iteration; they change no bit",
    )

    def __init__(
        self,
        game: str | Rules | Game,
        *,
        updates: Updates = "alternating",
        layout: Kind | Literal["auto"] = "auto",
        payoffs: Precision = "float64",
        threads: int = 1,
    ) -> None:
        """`layout` and `threads` change the speed and not the result (threads: not a bit; layouts: to rounding).

        `payoffs` in float32 save memory while learning; gaps are always measured with the exact payoffs.
        """
        super().__init__(game)
        choice("updates", updates, get_args(Updates))
        choice("layout", layout, ("auto", *get_args(Kind)))
        choice("payoffs", payoffs, get_args(Precision))
        self.updates, self.layout, self.payoffs = updates, layout, payoffs
        self.threads = whole("threads", threads, most=256)
        form = self.game.form
        require(self.memory(Sizes.of_form(form)), f"{self.method} on {self.game.address}")
        size = sum(plex.sequences for plex in form.treeplexes)
        self._layout = self.game.layout(choose(size)[0] if layout == "auto" else layout, payoffs).own()
        arrays = self._layout.arrays
        self._team = Team(arrays, threads) if threads > 1 and isinstance(arrays, tiled.Tiled) else None
        self._tracking = passes.VALUES if form.competitive else passes.GRADIENTS
        self._learning = passes.Learning(
            strategy=self._layout.inward(np.concatenate(uniform(self.game).strategies)),
            reach=self._layout.inward(reaches(self.game, uniform(self.game))),
            regret=np.zeros(size),
            total=np.zeros(size),
            played=np.zeros(size if self._tracking == passes.GRADIENTS else 0),
            value=np.zeros(form.players + 1),
        )
        self._worth = np.zeros(size)
        self._noise = ROUNDING * float(np.abs(form.payoffs).max(initial=0.0))
        self._warm = np.zeros(1)  # how many iterations a warm start stands for

    @abstractmethod
    def step(self, t: Floats) -> Step:
        """Return what the learners do at iterations t = 1, 2, …"""

    def schedule(self, first: int, count: int) -> Floats:
        """Return the steps of `count` iterations from `first` on, as rows for the kernel."""
        step = self.step(np.arange(first, first + count, dtype=np.float64))
        columns = [*astuple(step), self._noise]
        return np.stack([np.broadcast_to(column, count) for column in columns], axis=1).astype(np.float64)

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return sizes.flat_bytes + sizes.layout_bytes + sizes.learning_bytes

    def prepare(self) -> None:
        self._iterate(0)

    def run(self, iterations: int) -> None:
        left = count("iterations", iterations)
        if self.most_iterations is not None and self.iterations + left > self.most_iterations:
            raise ParameterError(
                f"{self.method} was given a horizon of {self.most_iterations} iterations; {self.iterations} are done, "
                f"{left} more are too many"
            )
        while left > 0:
            some = min(left, CHUNK)
            self._iterate(some)
            left -= some

    def _iterate(self, count: int) -> None:
        schedule = self.schedule(int(self._warm[0]) + self.iterations + 1, count)
        rest = (self._learning, schedule, self.updates == "simultaneous", self._tracking, self._worth)
        if self._team is not None:
            self._team.run(*rest)
        elif isinstance(self._layout.arrays, passes.Flat):
            passes.run(self._layout.arrays, *rest)
        else:
            tiled.run(self._layout.arrays, *rest)
        self.iterations += count

    def warm_start(self, profile: Profile, weight: int = 1000) -> None:
        """Begin as if `profile` had been played for `weight` iterations; only before the first one.

        The average starts with it, and discounts and averaging weights go on from there.
        """
        if self.iterations > 0 or self._warm[0] > 0:
            raise ParameterError(f"{self!r} has begun; a warm start comes before the first iteration")
        whole("weight", weight, most=10**7)
        check_profile(self.game, profile)
        strategy, steps = np.concatenate(profile.strategies), self.schedule(1, weight)
        warm = {**self.state(), "warm": np.array([float(weight)])}
        learning = passes.Learning(**{name: warm[name] for name in passes.Learning._fields})
        warmstart.begin(self.game.flat, learning, strategy, steps, self.game.form.competitive)
        self.restore(0, warm)

    def average(self) -> Profile:
        return self._profile(self._layout.outward(self._learning.total))

    def current(self) -> Profile:
        return self._profile(self._layout.outward(self._learning.strategy))

    def correlated(self) -> CorrelatedPlay | None:
        weight = float(self._learning.value[-1])
        if weight == 0:
            return None
        values = self._learning.value[:-1] / weight
        if self._tracking == passes.GRADIENTS:
            gradient = self._layout.outward(self._learning.played) / weight
            return CorrelatedPlay(tuple(float(value) for value in values), gradient)
        total = self.game.form.total or 0.0
        return CorrelatedPlay((float(values[0]), total - float(values[0])), None)

    def state(self) -> dict[str, Floats]:
        size = len(self._worth)
        return {
            name: self._layout.outward(array) if len(array) == size else array.copy()
            for name, array in self._arrays().items()
        }

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        self.iterations = iterations
        for name, array in self._arrays().items():
            array[:] = self._layout.inward(state[name]) if len(array) == len(self._worth) else state[name]

    def _arrays(self) -> dict[str, Floats]:
        return {**self._learning._asdict(), "warm": self._warm}
