"""External sampling: the traverser takes every action, chance and the others are drawn.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games.
"""

from __future__ import annotations

from typing import Unpack

from hannan.forms.loader import Loadable
from hannan.kernels.sampling.records import ALL
from hannan.solvers.parameters import by_name
from hannan.solvers.sampling.sampler import Common, Sampling
from hannan.solvers.sampling.ways import Walks


class ExternalSampling(Sampling):
    """One walk for each player and iteration, through one deal and one answer to each own action."""

    method = "mccfr-es"
    allowed = by_name(averaging=("lazy", "weighted", "simple"))

    def __init__(self, game: Loadable, **common: Unpack[Common]) -> None:
        super().__init__(game, Walks(ALL), **common)
