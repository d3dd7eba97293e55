"""The payoffs of a normal form in whole numbers, one denominator per player.

Equilibria do not change if a player's payoffs are multiplied by a positive number, so methods may work with the whole
numbers alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, prod

import numpy as np
import numpy.typing as npt

from hannan.forms.exactpayoffs import exact_payoffs
from hannan.solvers.exact.normalform import NormalForm, taken

Whole = npt.NDArray[np.object_]
"""An array of Python's integers, which have no limit."""


@dataclass(frozen=True, eq=False)
class ExactCells:
    """What every combination of plans pays, exactly: `numbers[player][plans] / over[player]`."""

    numbers: tuple[Whole, ...]  # a player: [plans of player 0, plans of player 1, …]
    over: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many plans each player has."""
        return tuple(self.numbers[0].shape)

    def payoff(self, player: int, cell: tuple[int, ...]) -> Fraction:
        """Return what one combination of plans pays a player."""
        return Fraction(self.numbers[player][cell], self.over[player])


def exact_cells(form: NormalForm) -> ExactCells:
    """Return the payoffs of a normal form without rounding, from the exact payoffs of its game."""
    payoffs, plexes = exact_payoffs(form.game), form.game.form.treeplexes
    users = [
        [np.flatnonzero(column) for column in taken(plex, plans).T]
        for plex, plans in zip(plexes, form.plans, strict=True)
    ]
    shape = tuple(len(plans) for plans in form.plans)
    totals = [np.zeros(prod(shape), object) for _ in range(form.players)]
    for entry, sequences in enumerate(zip(*payoffs.sequences, strict=True)):
        who = [users[player][sequence] for player, sequence in enumerate(sequences)]
        places = np.ravel_multi_index(np.ix_(*who), shape).ravel()
        for player, total in enumerate(totals):
            total[places] += payoffs.gained[player][entry]
    numbers, over = [], []
    for total, below in zip(totals, payoffs.over, strict=True):
        common = gcd(below, *total.tolist())
        numbers.append((total // common).reshape(shape))
        over.append(below // common)
    return ExactCells(tuple(numbers), tuple(over))


def gains_of(cells: ExactCells, fractions: tuple[tuple[Fraction, ...], ...]) -> tuple[Fraction, ...]:
    """Return what each player could gain by deviating from mixed strategies, by substitution in fractions."""
    supports = [[(k, weight) for k, weight in enumerate(strategy) if weight] for strategy in fractions]
    gains = []
    for player, size in enumerate(cells.shape):
        others = [part for q, part in enumerate(supports) if q != player]
        pays = [Fraction(0)] * size
        for choice in product(*others):
            weight = prod((part for _, part in choice), start=Fraction(1))
            cell = [k for k, _ in choice]
            for own in range(size):
                pays[own] += weight * cells.numbers[player][(*cell[:player], own, *cell[player:])]
        earned = sum((weight * pays[own] for own, weight in supports[player]), Fraction(0))
        gains.append((max(pays) - earned) / cells.over[player])
    return tuple(gains)
