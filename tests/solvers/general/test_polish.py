"""Polishing: from rough strategies to an equilibrium in all digits, against equilibria known by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import hannan as hn
from hannan.solvers.general.cells import exact_cells, gains_of
from hannan.solvers.general.choices import PlanChoices
from hannan.solvers.general.polish import polish, solved


def choices_of(payoffs: object) -> PlanChoices:
    return PlanChoices(hn.normal_form(hn.matrix_game(payoffs)))


@pytest.mark.parametrize(
    ("payoffs", "rough", "known"),
    [
        ([[[9, 0], [0, 1]], [[0, 1], [1, 0]]], [0.6, 0.4, 0.2, 0.8], ["1/2", "1/2", "1/10", "9/10"]),
        ([[[2, 0], [0, 1]], [[1, 0], [0, 2]]], [0.6, 0.4, 0.4, 0.6], ["2/3", "1/3", "1/3", "2/3"]),
        ([[[2, 0], [0, 1]], [[1, 0], [0, 2]]], [0.999, 0.001, 0.9999, 0.0001], ["1", "0", "1", "0"]),
        (
            [[[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]],
            [0.3, 0.3, 0.4, 0.35, 0.25, 0.4],
            ["1/3"] * 6,
        ),
    ],
)
def test_known_equilibria(payoffs: object, rough: list[float], known: list[str]) -> None:
    """The fractions have no gains, by substitution; the floats are the nearest ones, up to rounding."""
    choices = choices_of(payoffs)
    exact = [Fraction(text) for text in known]
    size = len(exact) // 2
    assert gains_of(exact_cells(choices.form), (tuple(exact[:size]), tuple(exact[size:]))) == (Fraction(0), Fraction(0))
    found = polish(choices, np.array(rough))
    assert found is not None
    np.testing.assert_allclose(found, [float(part) for part in exact], atol=1e-15)


def test_a_component_is_left_at_the_nearest_point() -> None:
    """If the column is left with probability 1/2 or more, both rows are best: any p is an equilibrium with q = 1.

    The row player gets 1 whatever it does in the left column, so nothing is to be changed but the rest of q.
    """
    choices = choices_of([[[1, 2], [1, 0]], [[1, 0], [1, 0]]])
    found = polish(choices, np.array([0.3, 0.7, 0.9999, 0.0001]))
    assert found is not None
    assert choices.regret_of(found) <= 1e-15


def test_no_equilibrium_nearby_is_none_or_an_equilibrium() -> None:
    """From the far corner of matching pennies the only equilibrium is 1/2, 1/2; nothing else may come out."""
    choices = choices_of([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
    found = polish(choices, np.array([1.0, 0.0, 1.0, 0.0]))
    assert found is None or np.allclose(found, 0.5, atol=1e-15)


def test_singular_equations_have_the_shortest_solution() -> None:
    found = solved(np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([1.0, 2.0]))
    assert found is not None
    np.testing.assert_allclose(found, [0.5, 0.5], atol=1e-14)
