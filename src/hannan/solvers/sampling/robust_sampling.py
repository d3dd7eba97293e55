"""Robust sampling: the traverser takes k of its actions, chance and the others are drawn.

H. Li, K. Hu, Z. Ge, T. Jiang, Y. Qi, L. Song (2018), Double neural counterfactual regret minimization, section 4.
"""

from __future__ import annotations

from typing import Unpack

from hannan.arguments import whole
from hannan.forms.loader import Loadable
from hannan.solvers.parameters import by_name
from hannan.solvers.sampling.sampler import Common, Sampling
from hannan.solvers.sampling.ways import Walks


class RobustSampling(Sampling):
    """Draw k actions at each own information set, uniformly without replacement; all actions if there are at most k."""

    method = "mccfr-rs"
    meanings = by_name(k="the number of its actions that the traverser takes")
    allowed = by_name(averaging=("lazy", "weighted", "simple"))

    def __init__(self, game: Loadable, *, k: int = 2, **common: Unpack[Common]) -> None:
        self.k = whole("k", k)
        super().__init__(game, Walks(self.k), **common)
