"""Fitting λ: synthetic choices give back the λ they were drawn with, and the standard error is the spread of fits."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.measures.likelihood import Fit, fit, log_likelihood
from hannan.solvers.general.branch import System, branch
from hannan.solvers.general.choices import PlanChoices
from tests.solvers.general.mixed import random_form

TRUE, WRONG, CHOICES = 2.0, 4.0, 400
"""The λ that choices are drawn with, one that they should contradict, and how many each player makes."""


def drawn(choices: PlanChoices, rate: float, seed: int) -> Floats:
    """Return counts of choices at a λ."""
    mixed = choices.parted(np.exp(list(branch(choices, 3000, rate * choices.spread))[-1].logs))
    draw = np.random.default_rng(seed)
    return np.concatenate([draw.multinomial(CHOICES, part / part.sum()) for part in mixed]).astype(float)


def fitted(choices: PlanChoices, counts: Floats) -> Fit:
    return fit(System(choices), list(branch(choices, 3000, 60.0 * choices.spread)), counts)


def pennies() -> PlanChoices:
    return PlanChoices(hn.normal_form(hn.matrix_game([[[4, 0], [0, 1]], [[0, 1], [1, 0]]])))


@pytest.mark.parametrize("which", ["pennies", "random"])
def test_the_true_rate_is_found_and_a_wrong_one_is_rejected(which: str) -> None:
    choices = pennies() if which == "pennies" else PlanChoices(random_form((3, 3, 2), 3))
    found = fitted(choices, drawn(choices, TRUE, seed=5))
    assert found.standard_error is not None
    assert abs(found.rate / choices.spread - TRUE) <= 3 * found.standard_error / choices.spread
    assert abs(found.rate / choices.spread - WRONG) > 3 * found.standard_error / choices.spread
    assert not found.at_end


def test_no_point_of_a_fine_grid_is_more_likely() -> None:
    choices = pennies()
    counts = drawn(choices, TRUE, seed=6)
    found = fitted(choices, counts)
    for rate in np.linspace(0.2, 8, 60):
        logs = list(branch(choices, 3000, rate * choices.spread))[-1].logs
        assert log_likelihood(logs, counts) <= found.log_likelihood + 1e-9
    # at a maximum inside, the log-likelihood falls off as the information says: half a unit for one standard error
    assert found.standard_error is not None
    for sign in (-1, 1):
        rate = found.rate + sign * found.standard_error
        logs = list(branch(choices, 3000, rate))[-1].logs
        assert found.log_likelihood - log_likelihood(logs, counts) == pytest.approx(0.5, rel=0.35)


@pytest.mark.slow  # statistics: 60 fits
def test_the_standard_error_is_the_spread_of_fits() -> None:
    """The standard deviation of 60 fits is known to about 1/sqrt(120) = 9 %; a factor of 2 would be seen."""
    choices = pennies()
    fits = [fitted(choices, drawn(choices, TRUE, seed=100 + k)) for k in range(60)]
    rates = np.array([one.rate for one in fits])
    claimed = np.mean([one.standard_error for one in fits if one.standard_error is not None])
    assert 0.7 < rates.std(ddof=1) / claimed < 1.4
    assert not 0.7 < rates.std(ddof=1) / (2 * claimed) < 1.4


def test_choices_that_only_perfect_players_make_fit_at_the_end() -> None:
    """In the prisoner's dilemma nobody ever cooperates: the likelihood grows with λ up to the end of the branch."""
    choices = PlanChoices(hn.normal_form(hn.matrix_game([[[3, 0], [5, 1]], [[3, 5], [0, 1]]])))
    found = fit(System(choices), list(branch(choices, 3000, 20.0)), np.array([0.0, 50.0, 0.0, 50.0]))
    assert found.at_end
    assert found.rate == 20.0


def test_even_choices_fit_at_zero() -> None:
    """If both rows and both columns are as frequent, λ = 0 explains it, where every probability is 1/2."""
    choices = PlanChoices(hn.normal_form(hn.matrix_game([[[3, 0], [5, 1]], [[3, 5], [0, 1]]])))
    found = fitted(choices, np.full(4, 25.0))
    assert found.rate == 0
    assert found.log_likelihood == pytest.approx(100 * np.log(0.5), rel=1e-12)
