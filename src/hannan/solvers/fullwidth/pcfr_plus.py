"""Predictive CFR+.

G. Farina, C. Kroer, T. Sandholm (2021), Faster game solving via predictive Blackwell approachability.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.engine import FullWidth, polynomial
from hannan.solvers.guarantee import NO_REGRET


class PCFRPlus(FullWidth):
    """Regret matching plus that plays as if the last regret came once more; the average weighted by t²."""

    method = "pcfr+"
    guarantee = NO_REGRET

    def step(self, t: Floats) -> Step:
        return Step(floor=0.0, predict=1.0, decay=polynomial(t, 2))
