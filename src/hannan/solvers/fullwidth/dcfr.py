"""Discounted CFR.

N. Brown, T. Sandholm (2019), Solving imperfect-information games via discounted regret minimization.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from hannan.arguments import powers
from hannan.arrays import Floats
from hannan.forms.loader import Loadable
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.engine import Engine, FullWidth, polynomial
from hannan.solvers.guarantee import NO_REGRET
from hannan.solvers.parameters import by_name


class DCFR(FullWidth):
    """Iteration t discounts old regrets by (t-1)^α/((t-1)^α+1) where positive, with β elsewhere, and weighs t^γ.

    Old regrets are those left after iteration t-1. They are multiplied before the regret of iteration t is added. The
    paper states the same discount as t^α/(t^α+1), applied after the regret of iteration t is added.
    """

    method = "dcfr"
    guarantee = NO_REGRET
    meanings = by_name(
        alpha="iteration t multiplies old positive regrets by (t-1)**alpha / ((t-1)**alpha + 1)",
        beta="iteration t multiplies old negative regrets by (t-1)**beta / ((t-1)**beta + 1)",
        gamma="iteration t weighs t**gamma in the average",
    )

    def __init__(
        self,
        game: Loadable,
        *,
        alpha: float = 1.5,
        beta: float = 0.0,
        gamma: float = 2.0,
        **engine: Unpack[Engine],
    ) -> None:
        self.alpha, self.beta, self.gamma = powers(alpha=alpha, beta=beta, gamma=gamma)
        super().__init__(game, **engine)

    def step(self, t: Floats) -> Step:
        return Step(
            positive=discount(t - 1, self.alpha),
            negative=discount(t - 1, self.beta),
            decay=polynomial(t, self.gamma),
        )


def discount(t: Floats, power: float | Floats, offset: float = 1.0) -> Floats:
    """Return t^power / (t^power + offset); t = 0 counts as 1, since there is nothing yet to discount."""
    with np.errstate(over="ignore"):
        result: Floats = 1.0 / (1.0 + offset * np.maximum(t, 1.0) ** -np.asarray(power))
    return result
