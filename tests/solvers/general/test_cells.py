"""Payoffs of normal forms in fractions, against sums over the tree and known equilibria."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import hannan as hn
from hannan.solvers.general.cells import exact_cells, gains_of


@pytest.mark.parametrize("address", ["kuhn_poker", "matching_pennies", "random_game(depth=2,branching=2,seed=3)"])
def test_cells_are_the_floats_of_the_normal_form(address: str) -> None:
    """The same payoffs by two ways: rounding of a few sums apart."""
    form = hn.normal_form(address)
    cells = exact_cells(form)
    for player in range(form.players):
        floats = np.array([float(Fraction(n, cells.over[player])) for n in cells.numbers[player].ravel()])
        np.testing.assert_allclose(floats.reshape(cells.shape), form.payoffs[player], atol=1e-14)


def test_gains_by_substitution() -> None:
    """Battle of the sexes with payoffs 2, 1 and 0: both players mix (2/3, 1/3) and (1/3, 2/3), by hand."""
    form = hn.normal_form(hn.matrix_game([[[2, 0], [0, 1]], [[1, 0], [0, 2]]]))
    cells = exact_cells(form)
    third = Fraction(1, 3)
    assert gains_of(cells, ((2 * third, third), (third, 2 * third))) == (Fraction(0), Fraction(0))
    # against an even column the first row pays 1 and the second 1/2; against an even row the columns pay 1/2 and 1
    half = Fraction(1, 2)
    assert gains_of(cells, ((half, half), (half, half))) == (Fraction(1, 4), Fraction(1, 4))
