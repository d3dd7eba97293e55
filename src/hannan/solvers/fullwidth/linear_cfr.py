"""Linear CFR.

N. Brown, T. Sandholm (2019), Solving imperfect-information games via discounted regret minimization, section 3.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.engine import FullWidth, polynomial
from hannan.solvers.guarantee import NO_REGRET


class LinearCFR(FullWidth):
    """Iteration t weighs t, in the regrets and in the average."""

    method = "lcfr"
    guarantee = NO_REGRET

    def step(self, t: Floats) -> Step:
        kept = polynomial(t, 1)
        return Step(positive=kept, negative=kept, decay=kept)
