"""The payoffs of a normal form in whole numbers, one denominator per player.

Equilibria do not change if a player's payoffs are multiplied by a positive number, so methods may work with the whole
numbers alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, lcm, prod
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from hannan.forms.exactpayoffs import exact_payoffs
from hannan.solvers.exact.normalform import NormalForm, taken
from hannan.solvers.general.point import Fractions

Whole = npt.NDArray[np.object_]
"""An array of Python's integers, which have no limit."""


@dataclass(frozen=True, eq=False)
class ExactCells:
    """The exact payoffs of every combination of plans: `numbers[player][plans] / over[player]`."""

    numbers: tuple[Whole, ...]  # a player: [plans of player 0, plans of player 1, …]
    over: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of plans of each player."""
        return tuple(self.numbers[0].shape)

    def payoff(self, player: int, cell: tuple[int, ...]) -> Fraction:
        """Return the payoff of one combination of plans to a player."""
        return Fraction(self.numbers[player][cell], self.over[player])


_known: WeakKeyDictionary[NormalForm, ExactCells] = WeakKeyDictionary()
"""The exact payoffs of normal forms in use, since several methods need them."""


def exact_cells(form: NormalForm) -> ExactCells:
    """Return the payoffs of a normal form without rounding, from the exact payoffs of its game."""
    if form not in _known:
        _known[form] = _added_up(form)
    return _known[form]


def _added_up(form: NormalForm) -> ExactCells:
    """Add up the exact payoffs of a game for every combination of plans."""
    payoffs, plexes = exact_payoffs(form.game), form.game.form.treeplexes
    users = [
        [np.flatnonzero(column) for column in taken(plex, plans).T]
        for plex, plans in zip(plexes, form.plans, strict=True)
    ]
    shape = tuple(len(plans) for plans in form.plans)
    totals = [np.zeros(prod(shape), object) for _ in range(form.players)]
    single = [np.array([each[0] if len(each) == 1 else -1 for each in own]) for own in users]
    one = [own[sequences] for own, sequences in zip(single, payoffs.sequences, strict=True)]
    alone = np.all([places >= 0 for places in one], axis=0)  # entries that belong to a single combination of plans
    cells = np.ravel_multi_index([np.maximum(places, 0) for places in one], shape)
    for entry in np.flatnonzero(~alone).tolist():
        who = [own[sequences[entry]] for own, sequences in zip(users, payoffs.sequences, strict=True)]
        places = np.ravel_multi_index(np.ix_(*who), shape).ravel()
        for player, total in enumerate(totals):
            total[places] += payoffs.gained[player][entry]
    for player, total in enumerate(totals):
        np.add.at(total, cells[alone], np.array(payoffs.gained[player], object)[alone])
    numbers, over = [], []
    for total, below in zip(totals, payoffs.over, strict=True):
        common = gcd(below, *total.tolist())
        numbers.append((total // common).reshape(shape))
        over.append(below // common)
    return ExactCells(tuple(numbers), tuple(over))


def pays_of(cells: ExactCells, fractions: Fractions) -> tuple[tuple[Fraction, ...], ...]:
    """Return the payoff of each plan of each player against the others' mixed strategies."""
    below = [lcm(*(weight.denominator for weight in strategy)) for strategy in fractions]
    supports = [
        [(k, weight.numerator * (over // weight.denominator)) for k, weight in enumerate(strategy) if weight]
        for strategy, over in zip(fractions, below, strict=True)
    ]
    every = []
    for player, size in enumerate(cells.shape):
        pays, numbers = [0] * size, np.moveaxis(cells.numbers[player], player, -1)
        for choice in product(*(part for q, part in enumerate(supports) if q != player)):
            weight, place = prod(part for _, part in choice), tuple(k for k, _ in choice)
            for own, number in enumerate(numbers[place]):
                pays[own] += weight * number
        over = prod(below) // below[player] * cells.over[player]
        every.append(tuple(Fraction(pay, over) for pay in pays))
    return tuple(every)


def gains_of(cells: ExactCells, fractions: Fractions) -> tuple[Fraction, ...]:
    """Return what each player could gain by deviating from mixed strategies, by substitution in fractions."""
    return tuple(
        max(pays) - sum((weight * pay for weight, pay in zip(own, pays, strict=True) if weight), Fraction(0))
        for own, pays in zip(fractions, pays_of(cells, fractions), strict=True)
    )
