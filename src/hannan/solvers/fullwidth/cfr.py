"""Counterfactual regret minimization.

M. Zinkevich, M. Johanson, M. Bowling, C. Piccione (2007), Regret minimization in games with incomplete information.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.layouts.schedule import Step
from hannan.solvers.fullwidth.family import FullWidth


class CFR(FullWidth):
    """Regret matching at every information set, and the uniform average of all strategies."""

    method = "cfr"
    guarantee = "average profile → Nash in two-player zero-sum games, correlated average → CCE elsewhere, O(1/√T)"

    def step(self, t: Floats) -> Step:
        return Step()
