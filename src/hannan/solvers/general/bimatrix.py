"""Two-player normal forms in whole numbers: the input of the exact methods for two players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.errors import HannanError, UnsuitableError
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.cells import ExactCells, Whole, exact_cells, gains_of
from hannan.solvers.general.point import Fractions, Point


@dataclass(frozen=True, eq=False)
class Bimatrix:
    """The payoffs of two players, each as a matrix with one row for each strategy of the player who answers.

    `answers[p][e][c]` is the payoff of answer e to its player against strategy c of player p: `answers[0]` are the
    columns' payoffs, [columns, rows], `answers[1]` the rows', [rows, columns].
    """

    cells: ExactCells
    answers: tuple[Whole, Whole]

    @property
    def shape(self) -> tuple[int, int]:
        """The number of strategies of each player."""
        rows, columns = self.cells.shape
        return rows, columns

    @cached_property
    def positive(self) -> tuple[Whole, Whole]:
        """The payoffs plus a number for each player, so that the least is an eighth of the range, and at least 1."""
        one, other = (matrix - matrix.min() + max(1, (matrix.max() - matrix.min()) // 8) for matrix in self.answers)
        return one, other

    def best(self, player: int, strategy: Sequence[Any]) -> tuple[int, ...]:
        """Return the best answers to a strategy of a player, given as whole numbers or fractions."""
        used = [c for c, weight in enumerate(strategy) if weight]
        pays = [sum(row[c] * strategy[c] for c in used) for row in self.answers[player]]
        most = max(pays)
        return tuple(e for e, pay in enumerate(pays) if pay == most)

    def point(self, fractions: Fractions, *, index: int | None = None, isolated: bool | None = None) -> Point:
        """Return an equilibrium as a point, after a check by substitution in fractions."""
        if any(gains_of(self.cells, fractions)):
            raise HannanError(f"a method returned {fractions}, which is not an equilibrium: please report this game")
        strategies = tuple(np.array([float(weight) for weight in strategy]) for strategy in fractions)
        return Point(strategies, fractions=fractions, radius=0.0, regret=0.0, index=index, isolated=isolated)


def bimatrix(form: NormalForm, method: str) -> Bimatrix:
    """Return the exact payoffs of a normal form with two players; refuse any other."""
    if form.players != 2:
        raise UnsuitableError(
            f"{method} is for two players, and {form.game.address} has {form.players}; the methods pure, "
            "polynomial and first take any number"
        )
    cells = exact_cells(form)
    return Bimatrix(cells, (cells.numbers[1].T, cells.numbers[0]))


def as_fractions(ray: Sequence[int]) -> tuple[Fraction, ...]:
    """Return a ray of whole numbers as probabilities."""
    total = sum(ray)
    return tuple(Fraction(number, total) for number in ray)


def as_ray(weights: Sequence[Fraction]) -> tuple[int, ...]:
    """Return a multiple of some weights as whole numbers without a common divisor."""
    over = lcm(*(weight.denominator for weight in weights))
    whole = [weight.numerator * (over // weight.denominator) for weight in weights]
    divisor = gcd(*whole)
    return tuple(number // divisor for number in whole)


def scaled(whole: Whole) -> Floats:
    """Return whole numbers over a power of two, at most 1, each rounded once."""
    over = 1 << int(whole.max()).bit_length()
    return np.array([[number / over for number in row] for row in whole.tolist()])
