"""Discounted CFR+.

H. Xu, K. Li, H. Fu, Q. Fu, J. Xing (2022), AutoCFR: learning to design counterfactual regret minimization algorithms.
"""

from __future__ import annotations

from typing import Unpack

from hannan.arguments import powers
from hannan.arrays import Floats
from hannan.forms.loader import Loadable
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.dcfr import discount
from hannan.solvers.fullwidth.engine import Engine, FullWidth, polynomial
from hannan.solvers.guarantee import NO_REGRET
from hannan.solvers.parameters import by_name


class DCFRPlus(FullWidth):
    """Regret matching plus; iteration t discounts old regrets by (t-1)^α/((t-1)^α+1.5), and weighs t^γ."""

    method = "dcfr+"
    guarantee = NO_REGRET
    meanings = by_name(
        alpha="the power by which old positive regrets are discounted",
        gamma="iteration t weighs t**gamma in the average",
    )

    def __init__(
        self,
        game: Loadable,
        *,
        alpha: float = 1.5,
        gamma: float = 4.0,
        **engine: Unpack[Engine],
    ) -> None:
        self.alpha, self.gamma = powers(alpha=alpha, gamma=gamma)
        super().__init__(game, **engine)

    def step(self, t: Floats) -> Step:
        return Step(positive=discount(t - 1, self.alpha, 1.5), floor=0.0, decay=polynomial(t, self.gamma))
