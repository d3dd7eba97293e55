"""Best responses and gaps: known numbers, OpenSpiel's answers, and brute force over all pure strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hannan.errors import FileError, MismatchError, ParameterError
from hannan.forms.loader import load_expanded as load
from hannan.games.leduc_poker import leduc_poker
from hannan.games.matrix import matrix_game
from hannan.measures.appraisal import evaluate
from hannan.measures.evaluation import best_response, cce_gap
from hannan.measures.rational import exact_gap
from hannan.solvers import method_class
from hannan.solvers.exact.normalform import normal_form
from hannan.strategies.profile import Profile, profile, random_profile, uniform
from tests.matching import grown, plan_of
from tests.methods import CASES, UPDATES
from tests.openspiel import PERFECT_RECALL, pair
from tests.plaingames import Coins
from tests.reference import best_value, pure_plans, values
from tests.reference_cfr import VARIANTS, Learner

TOLERANCE = 1e-9
"""Absolute, on utilities of a few units: sums of at most some thousand terms, each rounded at 1e-16."""


@pytest.mark.parametrize(
    ("address", "nash_conv"),
    [
        ("kuhn_poker", 11 / 12),
        ("kuhn_poker(players=3)", 2.0625),
        ("leduc_poker", 4.747222222222222),
        ("matching_pennies", 0.0),
        ("rock_paper_scissors", 0.0),
    ],
)
def test_nash_conv_of_uniform_play(address: str, nash_conv: float) -> None:
    """From papers.md; of the symmetric matrix games uniform play is the equilibrium."""
    found = evaluate(address, uniform(address))
    assert found.nash_conv == pytest.approx(nash_conv, abs=TOLERANCE)
    assert found.exploitability == pytest.approx(nash_conv / load(address).players, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("address", PERFECT_RECALL)
def test_random_profiles_against_openspiel(address: str, seed: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    both = pair(address)
    drawn = random_profile(both.ours, seed)
    found = evaluate(both.ours, drawn)
    policy: Any = pyspiel.TabularPolicy(both.policy(drawn))
    start = both.theirs.new_initial_state()
    returns = pyspiel.expected_returns(start, policy, -1, False)
    bests = [
        pyspiel.TabularBestResponse(both.theirs, player, policy).value_from_state(start)
        for player in range(both.ours.players)
    ]
    assert found.values == pytest.approx(returns, abs=TOLERANCE)
    assert found.best_values == pytest.approx(bests, abs=TOLERANCE)
    assert found.nash_conv == pytest.approx(pyspiel.nash_conv(both.theirs, policy), abs=TOLERANCE)


TINY = st.one_of(
    # two players, at most 2^5 pure strategies each; three players, 2^9 at most
    st.builds(
        "random_game(seed={},depth=2,chance={},hidden=true,utilities={},moves={},payoffs={})".format,
        st.integers(0, 10_000),
        st.sampled_from([0, 2]),
        st.sampled_from(["uniform", "ternary", "edges"]),
        st.sampled_from(["joint", "turns"]),
        st.sampled_from(["zero_sum", "general_sum", "identical"]),
    ),
    st.builds(
        "random_game(seed={},depth={},players=3,hidden=true,chance={},utilities={},moves={})".format,
        st.integers(0, 10_000),
        st.sampled_from([1, 2]),
        st.sampled_from([0, 2]),
        st.sampled_from(["uniform", "edges"]),
        st.sampled_from(["joint", "turns"]),
    ),
)


@settings(max_examples=12)
@given(address=TINY, seed=st.integers(0, 1000))
def test_gains_against_all_pure_strategies(address: str, seed: int) -> None:
    game = load(address)
    tree = grown(game)
    drawn = random_profile(game, seed)
    plan = plan_of(drawn)
    found = evaluate(game, drawn)
    assert found.values == pytest.approx(values(tree, plan), abs=TOLERANCE)
    assert all(gain >= 0 for gain in found.gains)
    for player in range(game.players):
        best = max(values(tree, {**plan, **pure})[player] for pure in pure_plans(tree, player))
        assert found.best_values[player] == pytest.approx(best, abs=TOLERANCE)
        assert found.gains[player] == pytest.approx(best - found.values[player], abs=TOLERANCE)
        response = best_response(game, drawn, player)
        assert response.value == pytest.approx(best, abs=TOLERANCE)
        strategies = [*drawn.strategies]
        strategies[player] = response.strategy
        assert evaluate(game, profile(game, strategies)).values[player] == pytest.approx(best, abs=TOLERANCE)


@given(seed=st.integers(0, 10_000))
def test_gains_are_never_negative_near_an_equilibrium(seed: int) -> None:
    """Where the gain is 0 the value and the best value are two sums of the same terms: they may round apart."""
    game = load(f"random_game(seed={seed},payoffs=identical)")
    strategies = [*random_profile(game, seed).strategies]
    for _ in range(4):
        for player in range(2):
            strategies[player] = best_response(game, profile(game, strategies), player).strategy
    found = evaluate(game, profile(game, strategies))
    assert min(found.gains) >= 0
    assert found.gains[1] <= TOLERANCE


def test_shortfalls_of_biased_rps() -> None:
    """By hand: rock alone guarantees -0.25, the value is 0; the equilibrium (1, 10, 5)/16 falls short by nothing."""
    game = load("biased_rps")
    rock, mixed = np.array([1.0, 1, 0, 0]), np.array([16.0, 1, 10, 5]) / 16
    found = evaluate(game, profile(game, (rock, mixed)))
    assert found.shortfalls == pytest.approx((0.25, 0.0), abs=1e-12)
    assert evaluate(game, profile(game, (mixed, rock))).shortfalls == pytest.approx((0.0, 0.25), abs=1e-12)
    assert evaluate(game, profile(game, (mixed, mixed))).nash_conv == pytest.approx(0.0, abs=1e-12)


def test_shortfalls_are_gains_against_the_value() -> None:
    """By definition v − min over replies; NashConv is the sum of both, whatever the value is said to be."""
    drawn = random_profile("kuhn_poker", 3)
    found = evaluate("kuhn_poker", drawn)
    assert found.shortfalls is not None
    assert found.shortfalls[0] == pytest.approx(-1 / 18 + found.best_values[1], abs=1e-12)
    assert sum(found.shortfalls) == pytest.approx(found.nash_conv, abs=1e-12)
    assert sum(evaluate("kuhn_poker", drawn, value=0.3).shortfalls or ()) == pytest.approx(found.nash_conv, abs=1e-12)


def test_shortfalls_where_utilities_add_up_to_a_constant() -> None:
    """Matching pennies for one unit that somebody wins: value 1/2, total 1. Heads alone guarantees 0."""
    game = load(matrix_game([[[1, 0], [0, 1]], [[0, 1], [1, 0]]]))
    heads = np.array([1.0, 1, 0])
    found = evaluate(game, profile(game, (heads, heads)), value=0.5)
    assert found.shortfalls == pytest.approx((0.5, 0.5), abs=1e-12)
    assert found.gains == pytest.approx((0.0, 1.0), abs=1e-12)


def test_no_shortfall_without_a_value() -> None:
    assert evaluate("random_game", uniform("random_game")).shortfalls is None
    assert evaluate("chicken", uniform("chicken"), value=1.0).shortfalls is None
    assert evaluate("kuhn_poker(players=3)", uniform("kuhn_poker(players=3)")).shortfalls is None


def test_the_value_of_other_parameters_is_not_taken() -> None:
    """Rules given as an object carry no parameters: the catalogue's value of the default game is not theirs."""
    game = load(leduc_poker(ranks=2))
    assert evaluate(game, uniform(game)).shortfalls is None


def test_a_name_alone_has_no_known_value() -> None:
    """User rules that are called like a built-in game without parameters do not inherit its value."""

    class Mine(Coins):
        name = "matching_pennies"

    assert load("matching_pennies").known_value == 0
    assert load(Mine()).known_value is None
    assert not load(Mine()).built_in
    assert evaluate(Mine(), uniform(Mine())).shortfalls is None


@pytest.mark.parametrize("thing", [5, (), {}])
def test_what_is_no_profile(thing: Any) -> None:
    for measure in (evaluate, exact_gap):
        with pytest.raises(ParameterError, match="is not a strategy; `solve` and `read` return one"):
            measure("kuhn_poker", thing)
        with pytest.raises(
            FileError, match="the strategy file kuhn_poker does not exist; if this is a game, give its strategy"
        ):
            measure("kuhn_poker")
    with pytest.raises(ParameterError, match="is not a strategy"):
        best_response("kuhn_poker", thing, 0)
    with pytest.raises(ParameterError, match="is not a profile"):
        normal_form("kuhn_poker").mixed(thing)


def test_what_is_refused() -> None:
    player: Any = "0"
    with pytest.raises(ParameterError, match="player '0' is out of range"):
        best_response("kuhn_poker", uniform("kuhn_poker"), player)
    with pytest.raises(MismatchError, match=r"for kuhn_poker, not for leduc_poker"):
        evaluate("leduc_poker", uniform("kuhn_poker"))
    with pytest.raises(ParameterError, match="player 2 is out of range; kuhn_poker has players 0 to 1"):
        best_response("kuhn_poker", uniform("kuhn_poker"), 2)


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    "address",
    [
        "random_game(seed=11,players=3,hidden=true,chance=2)",
        "random_game(seed=12,players=2,hidden=true,payoffs=general_sum,moves=turns,depth=3)",
        "random_game(seed=13,hidden=true,depth=3)",
        "kuhn_poker(players=3)",
    ],
)
def test_cce_gap_by_its_definition(address: str, case: str, updates: str) -> None:
    """Keep the profile of every iteration; the correlated average plays the t-th with the method's weight w_t."""
    game = load(address)
    tree = grown(game)
    make: Any = method_class(CASES[case].method)
    solver = make(game, updates=updates, **CASES[case].parameters)
    weight = CASES[case].variant.weight
    plays = []
    for t in range(1, 16):
        plays.append((weight(t), plan_of(solver.current())))
        solver.run(1)
    total = sum(w for w, _ in plays)
    plays = [(w / total, plan) for w, plan in plays]
    gains = []
    for player in range(game.players):
        earned = sum(w * values(tree, plan)[player] for w, plan in plays)
        gains.append(best_value(tree, player, plays) - earned)
    assert cce_gap(solver) == pytest.approx(max(0.0, *gains), abs=TOLERANCE)


def test_cce_gap_before_the_first_iteration() -> None:
    assert cce_gap(method_class("cfr")(load("chicken"))) is None


def test_reference_best_response_is_brute_force() -> None:
    """The two independent answers of the reference agree, against a mixture of two plans."""
    game = load("random_game(seed=5,players=3,hidden=true,chance=2)")
    tree = grown(game)
    plays = [(0.3, plan_of(random_profile(game, 1))), (0.7, plan_of(random_profile(game, 2)))]
    for player in range(3):
        brute = max(
            sum(w * values(tree, {**plan, **pure})[player] for w, plan in plays) for pure in pure_plans(tree, player)
        )
        assert best_value(tree, player, plays) == pytest.approx(brute, abs=1e-12)


def test_the_reference_learner_keeps_its_play() -> None:
    tree = grown(load("kuhn_poker"))
    learner = Learner(tree, VARIANTS["cfr"], "alternating")
    learner.iterate()
    assert learner.played == [(1.0, tree.uniform())]


def test_a_profile_of_an_equal_game_is_accepted() -> None:
    """Two objects, one game: what counts is the structure and the payoffs."""
    ours: Profile = uniform(load("kuhn_poker"))
    assert evaluate(load("kuhn_poker"), ours).values[0] == pytest.approx(1 / 8, abs=1e-12)  # by OpenSpiel too
