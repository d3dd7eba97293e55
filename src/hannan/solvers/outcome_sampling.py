"""Outcome sampling: one play of the game for each player and iteration.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games.
"""

from __future__ import annotations

from typing import Unpack

from hannan.game import Game
from hannan.kernels.samplingrecords import ONE
from hannan.rules import Rules
from hannan.solvers.sampling import Common, Draw, Sampling


class OutcomeSampling(Sampling):
    """At own sets the traverser plays uniformly with probability ε, else its strategy; `explore`: everybody does."""

    method = "mccfr-os"

    def __init__(
        self, game: str | Rules | Game, *, epsilon: float = 0.6, explore: bool = False, **common: Unpack[Common]
    ) -> None:
        self.epsilon, self.explore = epsilon, explore
        super().__init__(game, Draw(ONE, epsilon=epsilon, explore=explore), **common)
