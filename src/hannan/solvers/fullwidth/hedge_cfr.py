"""CFR with Hedge as its local learner.

N. Cesa-Bianchi, G. Lugosi (2006), Prediction, learning, and games, section 2.2; N. Brown, C. Kroer, T. Sandholm (2017),
Dynamic thresholding and pruning for regret minimization.
"""

from __future__ import annotations

from typing import Unpack

from hannan.arrays import Floats
from hannan.errors import ParameterError
from hannan.forms.loading import Loadable
from hannan.games.parameters import truth
from hannan.layouts.schedule import Step
from hannan.solvers.fullwidth.engine import Engine
from hannan.solvers.fullwidth.family import FullWidth


class HedgeCFR(FullWidth):
    """At every information set, actions in proportion to exp(rate · regret); the uniform average.

    With `decreasing`, the rate at iteration t is rate/√t, as the regret bound wants it.
    """

    method = "cfr-hedge"
    guarantee = (
        "average profile → Nash in two-player zero-sum games, correlated average → CCE elsewhere, O(1/√T) with "
        "decreasing=true; a constant rate stops at a distance"
    )

    def __init__(
        self,
        game: Loadable,
        *,
        rate: float = 1.0,
        decreasing: bool = False,
        **engine: Unpack[Engine],
    ) -> None:
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < float("inf"):
            raise ParameterError(f"rate={rate!r} should be a positive, finite number")
        truth("decreasing", decreasing)
        self.rate = float(rate)
        self.decreasing = decreasing
        super().__init__(game, **engine)

    def step(self, t: Floats) -> Step:
        return Step(rate=self.rate / t**0.5 if self.decreasing else self.rate)
