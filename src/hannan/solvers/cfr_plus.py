"""CFR+.

O. Tammelin (2014), Solving large imperfect information games using CFR+; O. Tammelin, N. Burch, M. Johanson,
M. Bowling (2015), Solving heads-up limit Texas hold'em.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.solvers.fullwidth import FullWidth, Step, polynomial


class CFRPlus(FullWidth):
    """Regret matching plus (negative regrets are forgotten), and the average weighted by t."""

    method = "cfr+"
    guarantee = (
        "average profile → Nash in two-player zero-sum games, correlated average → CCE elsewhere, O(1/√T)"
    )

    def step(self, t: Floats) -> Step:
        return Step(floor=0.0, decay=polynomial(t, 1))
