"""Chance sampling: chance is drawn, all players take every action.

M. Zinkevich, M. Johanson, M. Bowling, C. Piccione (2007), Regret minimization in games with incomplete information.
"""

from __future__ import annotations

from typing import Unpack

from hannan.forms.loader import Loadable
from hannan.kernels.sampling.records import ALL
from hannan.solvers.sampling.sampler import Common, Sampling
from hannan.solvers.sampling.ways import Walks


class ChanceSampling(Sampling):
    """One walk for each player and iteration, through everything that may follow one deal."""

    method = "mccfr-cs"

    def __init__(self, game: Loadable, **common: Unpack[Common]) -> None:
        super().__init__(game, Walks(ALL, others=True), **common)
