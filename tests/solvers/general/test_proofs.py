"""What `prove` makes of strategies that some method found."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.solvers.general.cells import exact_cells, gains_of
from hannan.solvers.general.proofs import prove
from tests.solvers.general.test_krawczyk import COORDINATION
from tests.solvers.general.test_polynomial import cyclic, form_of


def test_rational_equilibria_become_fractions() -> None:
    form = form_of(COORDINATION)
    point = prove(form, [np.array([0.6666, 0.3334]), np.array([0.3334, 0.6666])])
    assert point.fractions == ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3)))
    assert (point.index, point.isolated, point.regret) == (-1, True, 0.0)


def test_noise_on_plans_that_are_not_used() -> None:
    """Probabilities of 1e-7 beside a strict equilibrium, as a path that follows quantal responses leaves them."""
    point = prove(form_of(COORDINATION), [np.array([1 - 1e-7, 1e-7])] * 2)
    assert [list(one) for one in point.fractions or ()] == [[1, 0], [1, 0]]
    assert point.index == 1


def test_irrational_equilibria_get_a_box() -> None:
    point = prove(cyclic(), [np.array([0.6457, 0.3543])] * 3)
    assert point.fractions is None
    assert point.radius is not None
    assert 0 < point.radius < 1e-15
    assert abs(point.strategies[0][0] - (7**0.5 - 2)) < 1e-15


def test_what_is_no_equilibrium_gets_a_bound_on_gains() -> None:
    """Even strategies in battle of the sexes: each player could gain 1/4, by hand (test_cells has the same)."""
    point = prove(form_of(COORDINATION), [np.array([0.5, 0.5])] * 2)
    assert point.radius is None
    assert point.isolated is None
    assert point.regret == 0.25


def test_a_component_gets_no_box() -> None:
    """A player who does not care: the equilibrium is exact where it is rational, and never called isolated."""
    point = prove(form_of([[[1, 0]], [[1, 1]]]), [np.ones(1), np.array([0.5, 0.5])])
    assert point.isolated is None
    assert point.index is None
    assert point.regret == 0.0


def test_trees() -> None:
    """Kuhn poker with three players: the bound on gains is that of `evaluate`, to twelve digits."""
    game = load_expanded("kuhn_poker(players=3)")
    profile = hn.solve(game, "cfr+", iterations=50).profile
    assert profile is not None
    reach = []
    for plex, behaviour in zip(game.form.treeplexes, profile.strategies, strict=True):
        own = np.ones(plex.sequences)
        for j, above in enumerate(plex.parent.tolist()):
            own[plex.begin[j] : plex.begin[j + 1]] = own[above] * behaviour[plex.begin[j] : plex.begin[j + 1]]
        reach.append(own)
    point = prove(game, reach)
    gains = hn.evaluate(profile).gains
    assert gains is not None
    assert point.space == "sequences"
    assert point.regret == pytest.approx(max(gains), abs=1e-12)
    for one, other in zip(point.strategies, reach, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-15)


def test_strategies_that_do_not_fit() -> None:
    with pytest.raises(hn.errors.MismatchError, match="expected"):
        prove(form_of(COORDINATION), [np.ones(3), np.ones(2)])


@pytest.mark.parametrize("seed", range(5))
def test_adversarial_numbers_are_never_falsely_proven(seed: int) -> None:
    """Payoffs of 1e15 and 1e-15 in one game: exact points are checked in fractions, bounds recomputed."""
    draw = np.random.default_rng(seed)
    U = draw.normal(size=(3, 2, 2, 2)) * draw.choice([1e-15, 1e15], (3, 2, 2, 2))
    form = form_of(U)
    cells = exact_cells(form)
    for _ in range(6):
        given = [draw.dirichlet([0.3, 0.3]) for _ in range(3)]
        point = prove(form, given)
        assert point.regret is not None
        if point.fractions is not None:
            assert not any(gains_of(cells, point.fractions))
        else:
            exact = tuple(tuple(Fraction(float(x)) for x in own) for own in point.strategies)
            if all(sum(own) == 1 for own in exact):
                assert max(gains_of(cells, exact)) <= Fraction(point.regret)
