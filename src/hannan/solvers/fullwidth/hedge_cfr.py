"""CFR with Hedge as its local learner.

N. Cesa-Bianchi, G. Lugosi (2006), Prediction, learning, and games, section 2.2; N. Brown, C. Kroer, T. Sandholm (2017),
Dynamic thresholding and pruning for regret minimization.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from hannan.arguments import positive, truth
from hannan.arrays import Floats
from hannan.forms.loader import Loadable
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.engine import Engine, FullWidth
from hannan.solvers.guarantee import NO_REGRET
from hannan.solvers.parameters import by_name


class HedgeCFR(FullWidth):
    """At every information set, actions in proportion to exp(rate · regret); the uniform average.

    With `decreasing`, the rate at iteration t is rate/√t, as the regret bound wants it.
    """

    method = "cfr-hedge"
    guarantee = replace(
        NO_REGRET,
        rate="O(1/√T) with decreasing=true",
        caveat="with a constant rate the proven bound does not fall to 0",
    )
    meanings = by_name(
        rate="actions are played in proportion to exp(rate · regret)",
        decreasing="whether the rate of iteration t is rate/√t, as the regret bound wants it",
    )

    def __init__(
        self,
        game: Loadable,
        *,
        rate: float = 1.0,
        decreasing: bool = False,
        **engine: Unpack[Engine],
    ) -> None:
        self.rate, self.decreasing = positive("rate", rate), truth("decreasing", decreasing)
        super().__init__(game, **engine)

    def step(self, t: Floats) -> Step:
        return Step(rate=self.rate / t**0.5 if self.decreasing else self.rate)
