"""ESCHER: regrets from a history value function, without importance weights.

S. McAleer, G. Farina, M. Lanctot, T. Sandholm (2023), ESCHER: eschewing importance sampling in games by computing a
history value function to estimate regret. Traversals run as in DREAM. The networks learn from them the values of
actions at histories. Regrets are then computed from these values, and nothing is divided by a probability.
"""

from __future__ import annotations

from dataclasses import replace

from hannan.neural.hauls import Haul, MenuRows
from hannan.neural.history_values import Guessing
from hannan.neural.traversals import Samples
from hannan.solvers.guarantee import Guarantee


class ESCHER(Guessing):
    """Regrets from a history value network instead of from the values of sampled branches."""

    method = "escher"
    guarantee = Guarantee("average profile → Nash as far as the networks are right", rate="O(1/√T)")

    def haul(self, t: int, player: int, low: int, high: int) -> Haul:
        made = super().haul(t, player, low, high)
        return replace(made, judged=MenuRows.of(self.walks, self.walks.rows_of(player)))

    def _regrets(self, player: int, haul: Haul) -> Samples:
        """Return the traverser's regrets by the networks, which `_study` has trained before."""
        rows = haul.judged
        assert rows is not None
        values = self.guesses[player, player].values(rows.known) * self.scale
        return self._own(Samples(rows.known, rows.regrets(values) / self.scale))
