"""Discounted CFR.

N. Brown, T. Sandholm (2019), Solving imperfect-information games via discounted regret minimization.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from hannan.arrays import Floats
from hannan.errors import ParameterError
from hannan.forms.loading import Loadable
from hannan.layouts.schedule import Step
from hannan.solvers.fullwidth.engine import Engine
from hannan.solvers.fullwidth.family import FullWidth, polynomial


class DCFR(FullWidth):
    """Old regrets are discounted by t^α/(t^α+1) where positive, t^β/(t^β+1) elsewhere; iteration t weighs t^γ."""

    method = "dcfr"
    guarantee = "average profile → Nash in two-player zero-sum games, correlated average → CCE elsewhere, O(1/√T)"

    def __init__(
        self,
        game: Loadable,
        *,
        alpha: float = 1.5,
        beta: float = 0.0,
        gamma: float = 2.0,
        **engine: Unpack[Engine],
    ) -> None:
        self.alpha, self.beta, self.gamma = finite(alpha=alpha, beta=beta, gamma=gamma)
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


def finite(**numbers: float) -> list[float]:
    """Return the numbers as floats, or say which is none; an averaging power, gamma, may not be negative."""
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= 1e6:
            raise ParameterError(f"{name}={number!r} should be a finite number")
        if name == "gamma" and number < 0:
            raise ParameterError(f"gamma={number!r} should be 0 or more: later iterations do not weigh less")
    return [float(number) for number in numbers.values()]
