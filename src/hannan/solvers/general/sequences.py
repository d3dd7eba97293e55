"""Two-player trees in whole numbers: payoffs of pairs of sequences, and gains by deviating from realization plans."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hannan.forms.exactpayoffs import exact_payoffs
from hannan.forms.game import ExpandedGame
from hannan.forms.treeplex import EMPTY, Treeplex
from hannan.solvers.general.cells import Whole
from hannan.solvers.general.point import Fractions


@dataclass(frozen=True, eq=False)
class ExactSequences:
    """The exact gains of two players from each pair of sequences: `numbers[player][own, other's] / over[player]`."""

    plexes: tuple[Treeplex, Treeplex]
    numbers: tuple[Whole, Whole]  # a player: [own sequences, the other's sequences]
    over: tuple[int, int]

    def pays(self, player: int, fractions: Fractions) -> list[Fraction]:
        """Return the gain of each sequence of a player against the other's realization plan, times `over`."""
        matrix, plan = self.numbers[player], fractions[1 - player]
        used = [s for s, weight in enumerate(plan) if weight]
        return [sum((row[s] * plan[s] for s in used if row[s]), Fraction(0)) for row in matrix]

    def gains(self, fractions: Fractions) -> tuple[Fraction, ...]:
        """Return what each player could gain by deviating from realization plans."""
        gained = []
        for player, plex in enumerate(self.plexes):
            pays = self.pays(player, fractions)
            earned = sum((pay * weight for pay, weight in zip(pays, fractions[player], strict=True)), Fraction(0))
            worth = list(pays)
            for j in reversed(range(plex.sets)):
                worth[plex.parent[j]] += max(worth[plex.begin[j] : plex.begin[j + 1]])
            gained.append((worth[EMPTY] - earned) / self.over[player])
        return tuple(gained)

    def consistent(self, fractions: Fractions) -> bool:
        """Return whether these are realization plans: the probabilities at each set sum to that of the parent."""
        for plex, plan in zip(self.plexes, fractions, strict=True):
            sums = (sum(plan[plex.begin[j] : plex.begin[j + 1]]) == plan[plex.parent[j]] for j in range(plex.sets))
            if plan[EMPTY] != 1 or min(plan) < 0 or not all(sums):
                return False
        return True


def exact_sequences(game: ExpandedGame) -> ExactSequences:
    """Return the payoffs of a two-player tree without rounding."""
    payoffs, (one, other) = exact_payoffs(game), game.form.treeplexes
    numbers = [np.zeros((one.sequences, other.sequences), object), np.zeros((other.sequences, one.sequences), object)]
    for entry, (mine, theirs) in enumerate(zip(*payoffs.sequences, strict=True)):
        numbers[0][mine, theirs] += payoffs.gained[0][entry]
        numbers[1][theirs, mine] += payoffs.gained[1][entry]
    return ExactSequences((one, other), (numbers[0], numbers[1]), (payoffs.over[0], payoffs.over[1]))
