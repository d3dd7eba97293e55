"""Both sides of the inequalities of the certificates paper, beside other ways to compute them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import hannan as hn
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.radii import paper
from hannan.experiments.theorems import failure, uncertainty_bound
from hannan.forms.boxes import boxed
from tests.certificates.boxes import Bandit


@pytest.mark.parametrize("scale", [0.25, 0.5, 1.0])
def test_two_outcomes_fail_as_often_as_a_binomial_says(scale: float) -> None:
    t, p = 40, 0.6
    rho = scale * float(paper([2], [t], t, 1, 1)[0])
    wins = np.arange(t + 1)
    off = np.abs(wins / t - p) > rho
    assert failure((p, 1 - p), t, scale) == pytest.approx(binom(t, p).pmf(wins)[off].sum(), rel=1e-9)


def test_three_outcomes_fail_as_often_as_draws_say() -> None:
    """200,000 draws of 20 at a quarter of the radius; four standard errors are 0.0045 at most."""
    odds, t = np.array([0.5, 0.3, 0.2]), 20
    frequencies = np.random.default_rng(1).multinomial(t, odds, 200_000) / t
    rho = 0.25 * float(paper([3], [t], t, 1, 1)[0])
    sampled = np.mean(np.abs(frequencies - odds).sum(1) / 2 > rho)  # total variation: the worst set of outcomes
    assert failure(odds.tolist(), t, 0.25) == pytest.approx(sampled, abs=0.0045)
    assert 0.05 < sampled < 0.95


@pytest.mark.parametrize(("box", "wide"), [(Bandit(sure=(0.5,), risky=(0.6, 0.4)), 1.0), ("kuhn_poker", 4.0)])
def test_the_right_side_is_the_one_that_certificates_print(box: hn.Box | str, wide: float) -> None:
    played = boxed(box).box if isinstance(box, str) else box
    work = Regretting(played, method="online-cfr", every=100, confidence=Confidence("paper"), seed=1)
    work.advance(200)
    assert wide * uncertainty_bound(work.trunk, 200) == pytest.approx(work.uncertainty_bound)
