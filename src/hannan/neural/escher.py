"""ESCHER: regrets from a history value function, without importance weights.

S. McAleer, G. Farina, M. Lanctot, T. Sandholm (2023), ESCHER: eschewing importance sampling in games by computing a
history value function to estimate regret. Traversals go as in DREAM; once the networks have learnt from them what
actions at histories are worth, regrets are what these say, and nothing is divided by a probability.
"""

from __future__ import annotations

from dataclasses import replace

from hannan.neural.hauls import Haul, MenuRows
from hannan.neural.history_values import Guessing
from hannan.neural.traversals import Samples
from hannan.solvers.guarantee import Guarantee


class ESCHER(Guessing):
    """Regrets that a history value network says, instead of what sampled branches came to."""

    method = "escher"
    guarantee = Guarantee("average profile → Nash as far as the networks are right", rate="O(1/√T)")

    def haul(self, t: int, player: int, low: int, high: int) -> Haul:
        made = super().haul(t, player, low, high)
        return replace(made, judged=MenuRows.of(self.walks, self.walks.rows_of(player)))

    def _regrets(self, player: int, haul: Haul) -> Samples:
        """Return what the networks say of the traverser's rows, now that they have learnt."""
        rows = haul.judged
        assert rows is not None
        values = self.guesses[player, player].values(rows.known) * self.scale
        return self._own(Samples(rows.known, rows.regrets(values) / self.scale))
