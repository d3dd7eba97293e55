"""Counterfactual regret minimization.

M. Zinkevich, M. Johanson, M. Bowling, C. Piccione (2007), Regret minimization in games with incomplete information.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.engine import FullWidth
from hannan.solvers.guarantee import NO_REGRET


class CFR(FullWidth):
    """Regret matching at every information set, and the uniform average of all strategies."""

    method = "cfr"
    guarantee = NO_REGRET

    def step(self, t: Floats) -> Step:
        return Step()
