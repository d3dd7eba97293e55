"""Outcome sampling: one play of the game for each player and iteration.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games.
"""

from __future__ import annotations

from typing import Unpack

from hannan.forms.loader import Loadable
from hannan.kernels.sampling.records import ONE
from hannan.solvers.parameters import by_name
from hannan.solvers.sampling.guide import Given
from hannan.solvers.sampling.sampler import Common, Sampling
from hannan.solvers.sampling.ways import Walks


class OutcomeSampling(Sampling):
    """One action at each own set is drawn: uniformly with probability ε, else by the traverser's strategy."""

    method = "mccfr-os"
    meanings = by_name(
        epsilon="the probability with which the traverser's move is drawn uniformly instead of by its strategy",
        explore="whether the other players' moves are drawn so too",
        sampling_policy="a strategy, or the file of one, that takes the current strategies' place in these draws",
    )

    def __init__(
        self,
        game: Loadable,
        *,
        epsilon: float = 0.6,
        explore: bool = False,
        sampling_policy: Given | None = None,
        **common: Unpack[Common],
    ) -> None:
        self.epsilon, self.explore = epsilon, explore
        super().__init__(game, Walks(ONE, epsilon=epsilon, explore=explore, policy=sampling_policy), **common)
