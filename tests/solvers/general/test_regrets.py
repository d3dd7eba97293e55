"""Exact gains of deviations, against enumeration of plans and the best response of the tree."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.solvers.general.cells import exact_cells, gains_of
from hannan.solvers.general.regrets import BITS, behaviour_of, plan_regret, realized, rounded, sequence_regret, upward
from tests.solvers.general.test_polynomial import form_of


def test_rounded_probabilities_sum_to_one() -> None:
    for strategy in (np.array([1 / 3] * 3), np.array([0.1, -1e-9, np.nan, 0.9]), np.zeros(2), np.array([1e-300, 1.0])):
        whole = rounded(strategy)
        assert whole.sum() == 2**BITS
        assert min(whole) >= 0


def test_upward() -> None:
    for number in (Fraction(1, 3), Fraction(2, 3), Fraction(1), Fraction(0), Fraction(1, 10**400)):
        assert Fraction(upward(number)) >= number


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 2, 2, 3)])
def test_plans(shape: tuple[int, ...]) -> None:
    draw = np.random.default_rng(1)
    cells = exact_cells(form_of(draw.normal(size=(len(shape), *shape))))
    whole = [rounded(draw.dirichlet(np.ones(size)) * (draw.random(size) < 0.7)) for size in shape]
    exact = tuple(tuple(Fraction(int(x), 2**BITS) for x in own) for own in whole)
    assert plan_regret(cells, whole) == max(gains_of(cells, exact))


@pytest.mark.parametrize("address", ["kuhn_poker", "kuhn_poker(players=3)", "goofspiel(cards=3)"])
def test_sequences(address: str) -> None:
    """The floats of `evaluate` have twelve digits at least."""
    game = load_expanded(address)
    profile = hn.random_profile(game, 3)
    whole = behaviour_of(game, profile.strategies)
    regret = sequence_regret(game, whole)
    gains = hn.evaluate(profile).gains
    assert gains is not None
    assert float(regret) == pytest.approx(max(gains), abs=1e-12)
    for plex, own in zip(game.form.treeplexes, whole, strict=True):
        reach, bits = realized(plex, own)
        for j, above in enumerate(plex.parent.tolist()):
            assert reach[plex.begin[j] : plex.begin[j + 1]].sum() == reach[above]
        assert reach[0] == 1 << bits
