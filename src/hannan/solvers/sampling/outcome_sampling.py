"""Outcome sampling: one play of the game for each player and iteration.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games.
"""

from __future__ import annotations

from typing import Unpack

from hannan.forms.loading import Loadable
from hannan.kernels.sampling.records import ONE
from hannan.solvers.sampling.guide import Given
from hannan.solvers.sampling.sampler import Common, Draw, Sampling


class OutcomeSampling(Sampling):
    """One action at each own set is drawn: uniformly with probability ε, else by the traverser's strategy.

    explore: the other players' moves are drawn so too, not only by their strategies.
    sampling_policy: a profile, a policy or the file of one that takes the strategies' place in these draws.
    """

    method = "mccfr-os"

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
        super().__init__(game, Draw(ONE, epsilon=epsilon, explore=explore, policy=sampling_policy), **common)
