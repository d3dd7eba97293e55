"""Predictive discounted CFR+.

H. Xu, K. Li, B. Liu, H. Fu, Q. Fu, J. Xing, J. Cheng (2024), Minimizing weighted counterfactual regret with optimistic
online mirror descent.
"""

from __future__ import annotations

from typing import Unpack

from hannan.arrays import Floats
from hannan.forms.loader import Loadable
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.dcfr import discount
from hannan.solvers.fullwidth.dcfr_plus import DCFRPlus
from hannan.solvers.fullwidth.engine import Engine, polynomial


class PDCFRPlus(DCFRPlus):
    """DCFR+ that plays as if the last regret came once more, after the discount that is due then."""

    method = "pdcfr+"

    def __init__(self, game: Loadable, *, alpha: float = 2.3, gamma: float = 5.0, **engine: Unpack[Engine]) -> None:
        super().__init__(game, alpha=alpha, gamma=gamma, **engine)

    def step(self, t: Floats) -> Step:
        return Step(
            positive=discount(t - 1, self.alpha),
            floor=0.0,
            keep=discount(t, self.alpha),
            predict=1.0,
            decay=polynomial(t, self.gamma),
        )
