"""The CFR family: a regret learner at every information set, spread over the game by two passes.

M. Zinkevich, M. Johanson, M. Bowling, C. Piccione (2007), Regret minimization in games with incomplete information.

An algorithm is a `Step`: how a learner at one set changes at iteration t. Everything else is here and in the engine.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Unpack

import numpy as np

from hannan.arguments import whole
from hannan.arrays import Floats
from hannan.errors import MismatchError, ParameterError
from hannan.forms.loading import Loadable
from hannan.forms.treeplex import even, reaches
from hannan.kernels.fullwidth.records import REGRETS
from hannan.layouts.schedule import Step
from hannan.memory import lean
from hannan.solvers.fullwidth import warmstart
from hannan.solvers.fullwidth.engine import Backed, Engine
from hannan.strategies.profile import Profile, check_profile

ROUNDING = 1e-12
"""A positive regret below this share of the largest payoff is rounding, and counts as none. Symmetric games have many
regrets of exactly 0: what is played there should not depend on the order in which numbers were added."""


MOST_WARM = 10**7
"""How many iterations a warm start may stand for."""


def polynomial(t: Floats, power: float | Floats) -> Floats:
    """Return the decay that weighs iteration t by t**power: ((t-1)/t)**power."""
    decay: Floats = ((t - 1) / t) ** power
    return decay


class FullWidth(Backed):
    """A method of the CFR family. Subclasses name it and write its `step`."""

    def __init__(self, game: Loadable, **engine: Unpack[Engine]) -> None:
        super().__init__(game, REGRETS, **engine)
        form = self.game.form
        with lean(form.large):
            played = np.concatenate([even(plex) for plex in form.treeplexes])
            self._backend.write("strategy", played)
            begin = 0
            for plex in form.treeplexes:  # in place: there may be many
                played[begin : begin + plex.sequences] = reaches(plex, played[begin : begin + plex.sequences])
                begin += plex.sequences
            self._backend.write("reach", played)
        self._noise = ROUNDING * form.largest
        self._warm = 0  # how many iterations a warm start stands for

    @abstractmethod
    def step(self, t: Floats) -> Step:
        """Return what the learners do at iterations t = 1, 2, …"""

    def rows(self, first: int, count: int) -> Floats:
        first += self._warm
        step = self.step(np.arange(first, first + count, dtype=np.float64))
        return replace(step, noise=self._noise).rows(count)

    def warm_start(self, profile: Profile, weight: int = 1000) -> None:
        """Begin as if `profile` had been played for `weight` iterations; only before the first one.

        The average starts with it, and discounts and averaging weights go on from there.
        """
        if self.iterations > 0 or self._warm > 0:
            raise ParameterError(f"{self!r} has begun; a warm start comes before the first iteration")
        whole("weight", weight, most=MOST_WARM)
        check_profile(self.game, profile)
        state = warmstart.begin(self.game.form, np.concatenate(profile.strategies), self.rows(1, weight))
        self.restore(0, {**state, "warm": np.array([float(weight)])})

    def state(self) -> dict[str, Floats]:
        return {**super().state(), "warm": np.array([float(self._warm)])}

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        warm = float(state["warm"][0])
        if not (0 <= warm <= MOST_WARM and warm.is_integer()):
            raise MismatchError(f"a warm start stands for 0 to {MOST_WARM} iterations, not for {warm}")
        super().restore(iterations, state)
        self._warm = int(warm)
