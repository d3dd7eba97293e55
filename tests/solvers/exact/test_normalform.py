"""Normal forms: counts, payoffs, Kuhn's theorem both ways, pure, mixed and correlated equilibria as known."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hannan as hn
from hannan.solvers.exact.normalform import UNREACHED, taken
from tests.matching import grown
from tests.reference import pure_plans, values

SMALL = (
    "kuhn_poker",
    "chicken",
    "random_game(depth=2,branching=2)",
    "random_game(depth=2,branching=2,moves=turns,hidden=true,payoffs=general_sum)",
    "random_game(depth=1,branching=3,players=3)",
    "random_game(depth=1,branching=2,players=3,chance=2,moves=turns)",
)

KINDS: tuple[Any, ...] = ("ce", "cce")
"""Of correlated equilibria: the ordinary and the coarse ones."""


@cache
def form_of(address: str, reduced: bool = True) -> hn.solutions.NormalForm:
    return hn.normal_form(address, reduced)


@pytest.mark.parametrize("address", SMALL)
@pytest.mark.parametrize("reduced", [True, False])
def test_payoffs_are_those_of_the_plans(address: str, reduced: bool) -> None:
    form = form_of(address, reduced)
    assert hn.solutions.plan_counts(address, reduced) == form.payoffs.shape[1:]
    draw = np.random.default_rng(1)
    for _ in range(30):
        numbers = tuple(int(draw.integers(count)) for count in form.payoffs.shape[1:])
        found = hn.evaluate(form.game, form.pure(numbers))
        paid = [payoff[numbers] for payoff in form.payoffs]
        assert paid == pytest.approx(found.values, abs=1e-12)
    for plans in form.plans:
        assert len(np.unique(plans, axis=0)) == len(plans)
        assert reduced or not (plans == UNREACHED).any()


def test_against_brute_force() -> None:
    form = form_of("random_game(depth=2,branching=2,moves=turns,hidden=true,payoffs=general_sum)", False)
    tree = grown(form.game)
    every = [list(pure_plans(tree, player)) for player in range(2)]
    assert form.payoffs.shape[1:] == tuple(map(len, every))
    theirs = sorted(tuple(np.round(values(tree, {**a, **b}), 9)) for a, b in product(*every))
    ours = sorted(tuple(np.round(pair, 9)) for pair in form.payoffs.reshape(2, -1).T)
    assert np.allclose(ours, theirs, atol=1e-8)


def test_known_counts() -> None:
    # player 0 of Kuhn poker: for each card bet, or pass and then fold or call; player 1 answers a pass and a bet
    assert hn.solutions.plan_counts("kuhn_poker") == (3**3, 4**3)
    assert hn.solutions.plan_counts("kuhn_poker", reduced=False) == (2**6, 2**6)
    assert hn.solutions.plan_counts("chicken") == (2, 2)
    assert form_of("kuhn_poker").plan_text(0, 0) == "J: p, Q: p, K: p, J p Jpb: p, Q p Qpb: p, K p Kpb: p"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("leduc_poker", r"about 10\^44 by about 10\^87 reduced pure strategies"),
        ("kuhn_poker(players=3)", "6,561 by 10,000 by 65,536 reduced pure strategies"),
        ("liars_dice", r"about 10\^\d+ by about 10\^\d+ reduced"),
    ],
)
def test_refused_with_its_size(address: str, words: str) -> None:
    for function in (
        hn.normal_form,
        hn.solutions.pure_equilibria,
        hn.solutions.correlated_equilibrium,
        hn.solutions.nash_lp,
    ):
        with pytest.raises(hn.errors.SizeError, match=words):
            function(address)


@pytest.mark.parametrize("address", SMALL)
@pytest.mark.parametrize("reduced", [True, False])
@given(seed=st.integers(0, 10**6))
def test_behaviour_to_mixed_and_back(address: str, reduced: bool, seed: int) -> None:
    form = form_of(address, reduced)
    profile = hn.random_profile(form.game, seed)
    mixed = form.mixed(profile)
    assert [weights.sum() for weights in mixed] == pytest.approx([1.0] * form.players, abs=1e-12)
    back = form.profile(mixed)
    for ours, theirs in zip(back.strategies, profile.strategies, strict=True):
        assert np.allclose(ours, theirs, atol=1e-9)  # inner points: every set is reached
    paid = form.payoffs
    for weights in reversed(mixed):
        paid = paid @ weights
    assert paid == pytest.approx(hn.evaluate(form.game, profile).values, abs=1e-12)


@pytest.mark.parametrize("address", SMALL)
@given(seed=st.integers(0, 10**6))
def test_mixed_to_behaviour_reaches_the_same(address: str, seed: int) -> None:
    """Kuhn's theorem: every sequence is as probable, and everybody earns the same. Some plans are never used."""
    form = form_of(address)
    draw = np.random.default_rng(seed)
    mixed = [draw.dirichlet(np.full(len(plans), 0.1)) for plans in form.plans]
    profile = form.profile(mixed)
    again = form.mixed(profile)
    for player, plex in enumerate(form.game.form.treeplexes):
        moves = taken(plex, form.plans[player])
        assert mixed[player] @ moves == pytest.approx(again[player] @ moves, abs=1e-12)
    paid = form.payoffs
    for weights in reversed(mixed):
        paid = paid @ weights
    assert paid == pytest.approx(hn.evaluate(form.game, profile).values, abs=1e-12)


def test_bad_mixtures() -> None:
    form = form_of("chicken")
    for bad in ([0.5, 0.6], [1.5, -0.5], [1.0]):
        with pytest.raises(hn.errors.ParameterError, match="2 probabilities that sum to 1"):
            form.profile([np.array(bad), np.array([0.5, 0.5])])
    with pytest.raises(hn.errors.MismatchError):
        form.profile([np.array([0.5, 0.5])])
    with pytest.raises(hn.errors.MismatchError):
        form.mixed(hn.uniform("kuhn_poker"))


PURE = {
    "prisoners_dilemma": [("defect", "defect")],
    "chicken": [("yield", "dare"), ("dare", "yield")],
    "shapley": [],
    "matching_pennies": [],
    "rock_paper_scissors": [],
}
"""All pure equilibria, from the books."""


@pytest.mark.parametrize("address", PURE)
def test_pure_equilibria_as_known(address: str) -> None:
    found = hn.solutions.pure_equilibria(address)
    played = [tuple(max(profile.at(p, 0).items(), key=lambda item: item[1])[0] for p in range(2)) for profile in found]
    assert played == PURE[address]
    assert all(hn.evaluate(address, profile).nash_conv == 0 for profile in found)


@given(seed=st.integers(0, 10**6), players=st.integers(2, 3))
def test_pure_equilibria_are_all_of_them(seed: int, players: int) -> None:
    game = hn.load(
        f"random_game(depth=1,branching=3,utilities=ternary,payoffs=general_sum,players={players},seed={seed})"
    )
    form = hn.normal_form(game)
    found = {tuple(tuple(part) for part in profile.strategies) for profile in hn.solutions.pure_equilibria(form)}
    for numbers in np.ndindex(*form.payoffs.shape[1:]):
        profile = form.pure(numbers)
        stable = hn.evaluate(game, profile).nash_conv < 1e-12
        assert stable == (tuple(tuple(part) for part in profile.strategies) in found)


def test_gambit_finds_the_same_pure_equilibria() -> None:
    gambit = pytest.importorskip("pygambit")
    for seed in range(5):
        payoffs = np.random.default_rng(seed).integers(0, 4, size=(2, 4, 3))
        theirs = gambit.nash.enumpure_solve(gambit.Game.from_arrays(*payoffs)).equilibria
        assert len(hn.solutions.pure_equilibria(hn.matrix_game(payoffs))) == len(theirs)


@pytest.mark.parametrize("address", ["kuhn_poker", "biased_rps", "random_game(depth=2,branching=2)"])
def test_the_normal_form_has_the_value_of_the_sequence_form(address: str) -> None:
    found = hn.solutions.nash_lp(address)
    solver = hn.methods.SequenceFormLP(address)
    solver.run(1)
    assert found.upper - found.lower < 1e-12
    assert found.lower == pytest.approx(solver.proof().value, abs=1e-12)
    assert hn.evaluate(address, found.profile).nash_conv < 1e-12


def test_mixtures_as_known() -> None:
    weights = np.array([1, 10, 5]) / 16  # papers.md
    assert [list(mixed) for mixed in hn.solutions.nash_lp("biased_rps").mixed] == [
        pytest.approx(weights, abs=1e-12)
    ] * 2
    with pytest.raises(hn.errors.UnsuitableError, match="zero-sum"):
        hn.solutions.nash_lp("chicken")


def test_chicken() -> None:
    """Aumann's example: the best sum is 10.5, by (6,6) half of the time and (2,7), (7,2) a quarter each."""
    for found in (
        hn.solutions.correlated_equilibrium("chicken"),
        hn.solutions.correlated_equilibrium("chicken", "egalitarian"),
    ):
        assert found.distribution == pytest.approx(np.array([[0.5, 0.25], [0.25, 0.0]]), abs=1e-9)
        assert found.values == pytest.approx((5.25, 5.25), abs=1e-9)
        assert max(found.gains) < 1e-12
    # nobody can get more than the better of its two pure equilibria
    assert hn.solutions.correlated_equilibrium("chicken", 0).values == pytest.approx((7, 2), abs=1e-9)
    assert hn.solutions.correlated_equilibrium("chicken", 1).values == pytest.approx((2, 7), abs=1e-9)


def test_shapley() -> None:
    """The only Nash equilibrium is even play, worth 1/3 each; the best correlated one avoids the diagonal: 1/2 each.

    Without advice in hand before choosing, more is possible for one of them: 2/3.
    """
    found = hn.solutions.correlated_equilibrium("shapley")
    assert sum(found.values) == pytest.approx(1.0, abs=1e-9)
    assert found.distribution == pytest.approx((1 - np.eye(3)) / 6, abs=1e-9)
    coarse = hn.solutions.correlated_equilibrium("shapley", 0, "cce")
    assert coarse.values[0] == pytest.approx(2 / 3, abs=1e-9)
    assert max(coarse.gains) < 1e-12
    uniform = hn.evaluate("shapley", hn.uniform("shapley"))
    assert uniform.nash_conv == pytest.approx(0, abs=1e-12)
    assert uniform.values == pytest.approx((1 / 3, 1 / 3))


def test_prisoners_and_zero_sum_games_leave_no_choice() -> None:
    """Dominance leaves one correlated equilibrium; in a zero-sum game all of them have the value, coarse ones too."""
    assert hn.solutions.correlated_equilibrium("prisoners_dilemma").values == pytest.approx((1, 1), abs=1e-9)
    for objective in (0, 1):
        for kind in KINDS:
            found = hn.solutions.correlated_equilibrium("kuhn_poker", objective, kind)
            assert found.values == pytest.approx((-1 / 18, 1 / 18), abs=1e-9)


@given(seed=st.integers(0, 10**6), players=st.integers(2, 3))
def test_correlated_equilibria_are_and_include_the_pure_ones(seed: int, players: int) -> None:
    form = hn.normal_form(f"random_game(depth=1,branching=3,payoffs=general_sum,players={players},seed={seed})")
    best = {kind: hn.solutions.correlated_equilibrium(form, kind=kind) for kind in KINDS}
    for found in best.values():
        assert found.distribution is not None
        assert found.distribution.sum() == pytest.approx(1, abs=1e-9)
        assert max(found.gains) < 1e-9
        assert np.tensordot(form.payoffs, found.distribution, players) == pytest.approx(found.values, abs=1e-9)
    pure = [sum(hn.evaluate(form.game, profile).values) for profile in hn.solutions.pure_equilibria(form)]
    assert sum(best["cce"].values) >= sum(best["ce"].values) - 1e-9 >= max(pure, default=-np.inf) - 2e-9


def test_bad_objectives() -> None:
    bad: Any
    for bad in ("best", 2, -1, True, 0.5):
        with pytest.raises(hn.errors.ParameterError, match="objective"):
            hn.solutions.correlated_equilibrium("chicken", bad)


def test_payoffs_with_a_large_constant() -> None:
    """Chicken and a zero-sum game with 1e9 added: the same equilibria, values and objectives."""
    plain = np.array([[0.0, 4.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 4.0]])
    mixture = hn.solutions.nash_lp([plain + 1e9, -plain - 1e9])
    x, y = mixture.mixed
    assert (x @ plain).min() == pytest.approx(1.7, abs=1e-9)  # by exact fractions
    assert (plain @ y).max() == pytest.approx(1.7, abs=1e-9)
    chicken = form_of("chicken").payoffs
    more = np.array([1e9, 1e6]).reshape(2, 1, 1)
    for objective in ("welfare", "egalitarian", 0, 1):
        for kind in KINDS:
            before = hn.solutions.correlated_equilibrium(list(chicken), objective, kind)
            after = hn.solutions.correlated_equilibrium(list(chicken + more), objective, kind)
            assert max(after.gains) < 1e-8
            if objective != "egalitarian":  # player 0 is rich here, so it is player 1 alone that counts
                assert np.subtract(after.values, more.ravel()) == pytest.approx(before.values, abs=1e-6)
            else:
                best = hn.solutions.correlated_equilibrium(list(chicken), 1, kind)
                assert after.values[1] - 1e6 == pytest.approx(best.values[1], abs=1e-6)
    assert len(hn.solutions.pure_equilibria(list(chicken + more))) == len(hn.solutions.pure_equilibria("chicken"))
