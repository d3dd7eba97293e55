"""ESCHER: regrets from a history value function, without importance weights.

S. McAleer, G. Farina, M. Lanctot, T. Sandholm (2023), ESCHER: eschewing importance sampling in games by computing a
history value function to estimate regret. Traversals go as in DREAM; once the networks have learnt from them what
actions at histories are worth, regrets are what these say, and nothing is divided by a probability.
"""

from __future__ import annotations

from hannan.kernels.batches.moves import GUESSED
from hannan.neural.history_values import Guessing
from hannan.solvers.guarantee import Guarantee


class ESCHER(Guessing):
    """Regrets that a history value network says, instead of what sampled branches came to."""

    method = "escher"
    guarantee = Guarantee("average profile → Nash as far as the networks are right", rate="O(1/√T)")

    def _traversed(self, player: int) -> None:
        super()._traversed(player)
        self._guess(self.walks, player, self.walks.rows_of(player))
        self.walks.go_back(player, GUESSED)
