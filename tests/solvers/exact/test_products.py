"""Factors inside a linear program say what the payoffs say, and the program has the same value."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import spsolve

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.layouts import factoring
from hannan.layouts.factoring import factor
from hannan.solvers.exact.products import product_parts

POKER = "leduc_poker(ranks=9)"


def test_products_are_those_of_the_payoffs() -> None:
    form = load_expanded(POKER).form
    factors = factor(form)
    assert factors.left is not None
    parts = product_parts(factors, form)
    x = np.random.default_rng(5).random(form.treeplexes[0].sequences)
    expected = csr_array((form.payoffs[0], tuple(form.sequences)), shape=parts.rest.shape).T @ x
    variables = spsolve(parts.sums.tocsc(), -(parts.given @ x))
    np.testing.assert_allclose(parts.rest.T @ x + parts.total @ variables, expected, rtol=0.0, atol=1e-13)
    assert sum(part.nnz for part in (parts.rest, parts.given, parts.sums, parts.total)) < form.entries


@pytest.mark.parametrize("perturbation", [0.0, 0.3])
@pytest.mark.parametrize("algorithm", ["simplex", "ipm"])
def test_the_program_has_the_same_value(algorithm: str, perturbation: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """To 1e-8, HiGHS's tolerance being 1e-7 of payoffs near 1: on Leduc with factors forced, and without."""
    game = load_expanded("leduc_poker(ranks=2)")
    plain = hn.methods.SequenceFormLP(game, algorithm=algorithm, perturbation=perturbation)  # type: ignore[arg-type]
    plain.run(1)
    for name in ("PAYS", "PAYS_DENSE"):
        monkeypatch.setattr(factoring, name, 1e-6)
    solver = hn.methods.SequenceFormLP(game, algorithm=algorithm, perturbation=perturbation)  # type: ignore[arg-type]
    solver.run(1)
    assert solver._parts.sums.shape[0] > 0
    assert solver.proof().gap < 1e-8
    assert solver.proof().value == pytest.approx(plain.proof().value, abs=1e-8)
