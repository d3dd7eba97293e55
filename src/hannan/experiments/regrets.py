"""The regrets of a sequence of play, from the profiles alone: both sides of Theorem 1 of the CFR survey.

M. Zinkevich, M. Johanson, M. Bowling, C. Piccione (2007), Regret minimization in games with incomplete information,
theorems 3 and 4. Equations are those of the survey.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.forms.game import ExpandedGame
from hannan.kernels.fullwidth import passes
from hannan.layouts.layout import flat_of
from hannan.strategies.profile import Profile


class Regrets:
    """Sums over the played profiles. They use nothing that a solver keeps."""

    def __init__(self, game: ExpandedGame) -> None:
        self._flat = flat = flat_of(game.form)
        self._players = range(game.players)
        sequences = int(flat.sequence_begin[-1])
        self._gradient = np.zeros(sequences)
        self._earned = np.zeros(game.players)
        self._owner = np.repeat(np.arange(len(flat.first)), flat.size)
        self._begin = np.cumsum(flat.size) - flat.size
        self._members = np.arange(len(self._owner)) + np.repeat(flat.first - self._begin, flat.size)
        self._regret = np.zeros(len(self._members))
        self.iterations = 0

    def watch(self, profile: Profile) -> None:
        """Add one iteration, in which all players played `profile`."""
        flat, members = self._flat, self._members
        strategy = np.concatenate(profile.strategies)
        reach, worth = np.zeros_like(strategy), np.zeros_like(strategy)
        for player in self._players:
            passes.spread(flat, player, strategy, reach)
        for player in self._players:
            passes.gradient(flat, player, reach, worth)
        self._gradient += worth
        for player in self._players:
            self._earned[player] += passes.expect(flat, player, strategy, worth)
        mean = np.bincount(self._owner, strategy[members] * worth[members], len(flat.first))
        self._regret += worth[members] - mean[self._owner]
        self.iterations += 1

    def total(self) -> Floats:
        """Return the average regret of each player, equation 1."""
        best = np.zeros(len(self._flat.first), np.int32)
        worth = self._gradient.copy()
        values = [passes.respond(self._flat, player, worth, best) for player in self._players]
        result: Floats = (np.array(values) - self._earned) / self.iterations
        return result

    def immediate(self) -> list[Floats]:
        """Return the immediate counterfactual regret of every set of each player, equation 4."""
        largest = np.maximum.reduceat(self._regret, self._begin) / self.iterations
        return np.split(largest, self._flat.set_begin[1:-1])

    def decomposed(self) -> Floats:
        """Return the right side of Theorem 1 for each player: the sum of the positive immediate regrets."""
        return np.array([np.maximum(mine, 0.0).sum() for mine in self.immediate()])


def matching(regret: Floats) -> Floats:
    """Return the strategy of equation 6, regret matching, for the regrets of one set."""
    positive = np.maximum(regret, 0.0)
    whole = positive.sum()
    return positive / whole if whole > 0 else np.full(len(regret), 1 / len(regret))


OWED = 0.8
"""The regret of the other actions from which on the opponent of `informed` pays the first one again."""


def informed(actions: int, iterations: int) -> list[tuple[float, float]]:
    """Return the largest regret over √T, at T = 1, 2, 4, …, of regret matching against an opponent who knows its play.

    The opponent has two columns: one pays 1 to the first action and 0 to the others, the other 0 to the first and 1 to
    the others. It pays the others until they have regret, then the first, whose regret grows by the probability of the
    others. So the square of that regret grows by about `actions` - 1 in each iteration: nearly as the bound allows.
    """
    regret, points = np.zeros(actions), []
    for t in range(1, iterations + 1):
        played = matching(regret)
        first = regret[1] >= OWED or played[0] < 0.5
        pays = np.full(actions, 0.0 if first else 1.0)
        pays[0] = 1.0 if first else 0.0
        regret += pays - played @ pays
        if t & (t - 1) == 0:
            points.append((float(t), float(regret.max() / np.sqrt(t))))
    return points
