"""Gains in the sequence form, by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.solvers.general.sequences import exact_sequences

HALF = Fraction(1, 2)


def test_gains_by_hand() -> None:
    """Even play against a second row of 1 and 3 and a first of 0: the second row gains half of 4 over the mean of 1."""
    exact = exact_sequences(load_expanded(hn.matrix_game([[[0, 0], [1, 3]], [[0, 0], [2, 1]]])))
    even = (Fraction(1), HALF, HALF)
    assert exact.gains((even, even)) == (Fraction(1), Fraction(1, 4))


@pytest.mark.parametrize("plan", [(1, 1, 1), (1, 2, -1), (2, 1, 1), (0, 0, 0)])
def test_what_is_no_plan(plan: tuple[int, ...]) -> None:
    exact = exact_sequences(load_expanded("matching_pennies"))
    even = (Fraction(1), HALF, HALF)
    assert exact.consistent((even, even))
    assert not exact.consistent((tuple(map(Fraction, plan)), even))
