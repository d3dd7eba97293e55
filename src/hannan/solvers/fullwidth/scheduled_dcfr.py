"""Discounted CFR whose discounts follow a schedule over a horizon that is known in advance.

N. Zhang, S. McAleer, T. Sandholm (2024), Faster game solving via hyperparameter schedules.
"""

from __future__ import annotations

from typing import Unpack

from hannan.arguments import whole
from hannan.arrays import Floats
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.loader import Loadable
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.dcfr import discount
from hannan.solvers.fullwidth.engine import Engine, FullWidth, polynomial
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.strategies.profile import Profile


class ScheduledDCFR(FullWidth):
    """DCFR with α = 1+3t/n, β = −1−2t/n and γ = 30−5t/n at iteration t of n; the run ends at iteration n."""

    method = "hs-dcfr"
    guarantee = Guarantee("average profile → Nash", rate="in practice", caveat="nothing is proven")
    meanings = by_name(horizon="the number of iterations; the schedule needs it in advance")

    def __init__(
        self,
        game: Loadable,
        *,
        horizon: int | None = None,
        **engine: Unpack[Engine],
    ) -> None:
        if horizon is None:
            raise ParameterError("hs-dcfr needs its horizon, the number of iterations, in advance: horizon=1000")
        self.horizon = whole("horizon", horizon, most=2**53)
        super().__init__(game, **engine)

    @property
    def most_iterations(self) -> int | None:
        return self.horizon

    def warm_start(self, profile: Profile, weight: int | None = None) -> None:
        raise UnsuitableError("hs-dcfr follows a schedule from its first iteration on: it cannot start from a strategy")

    def step(self, t: Floats) -> Step:
        done = t / self.horizon
        return Step(
            positive=discount(t - 1, 1 + 3 * done),
            negative=discount(t - 1, -1 - 2 * done),
            decay=polynomial(t, 30 - 5 * done),
        )
