"""Selection rules in one matrix game, again and again; and deviations in every subgame of a tree."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hannan as hn
from hannan.errors import ParameterError
from hannan.experiments.consistency import deviations, equilibrium_gap, payoff_errors, repeat_matrix
from hannan.experiments.matrix_plays import EPSILON, MATRICES, NEEDLES
from hannan.experiments.sm_mcts_lemmas import excess, value_of
from hannan.experiments.sm_mcts_theory import NEEDLE, bound_in_subgame
from hannan.experiments.stacked import stacked

PENNIES = MATRICES["matching pennies"]


@pytest.mark.slow
def test_regret_of_uniform_play_against_a_fixed_strategy() -> None:
    """The best row earns 0.8 there and uniform play 0.5; six standard deviations of the mean are 0.03."""
    played = repeat_matrix(PENNIES, "random", points=[10_000], opponent="stochastic", strategy=[0.8, 0.2], seed=3)
    assert played.regrets[0, 0] == pytest.approx(0.3, abs=0.03)
    assert played.frequencies[0, 0] == pytest.approx([0.5, 0.5], abs=0.03)
    assert played.frequencies[0, 1] == pytest.approx([0.8, 0.2], abs=0.03)


def test_a_responding_opponent_takes_all_that_uniform_play_leaves() -> None:
    """Of a row that pays more everywhere, uniform play forgoes half; the opponent plays the column that pays less."""
    played = repeat_matrix([[1.0, 0.9], [0.1, 0.0]], "random", points=[5000], opponent="responding")
    assert played.frequencies[0, 1] == pytest.approx([0, 1], abs=1e-3)
    assert played.regrets[0, 0] == pytest.approx(0.45, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["itself", "stochastic", "responding", "switching"])
@pytest.mark.parametrize("rule", ["rm", "exp3", "hedge"])
def test_rules_are_consistent_up_to_their_exploration(rule: str, opponent: str) -> None:
    for payoffs in MATRICES.values():
        played = repeat_matrix(payoffs, rule, points=[30_000], opponent=opponent, gamma=0.1, seed=1)
        assert played.regrets[0, 0] <= EPSILON[rule] + 0.01


def test_exploration_costs_what_it_must() -> None:
    """Half of gamma goes to a row that pays 0.9 less; six standard deviations of that share are 0.007."""
    played = repeat_matrix(MATRICES["a dominated row"], "rm", points=[30_000], gamma=0.1, seed=1)
    assert played.regrets[0, 0] == pytest.approx(0.9 * 0.1 / 2, abs=0.008)


@pytest.mark.slow
def test_uct_is_not_consistent_against_itself() -> None:
    played = repeat_matrix(PENNIES, "uct", points=[30_000])
    assert played.regrets[0].max() > 0.2


def test_a_wrapper_explores_without_learning() -> None:
    """Lemma 4.4: A* is (ε + gamma)-consistent, and plays everything."""
    played = repeat_matrix(PENNIES, "rm", points=[30_000], opponent="responding", explore="star", gamma=0.2)
    assert played.regrets[0, 0] <= 0.2 + 0.01
    assert played.frequencies[0].min() > 0.05


def test_frequencies_and_averages_meet() -> None:
    """Lemma 4.5. A count of t draws lies within six standard deviations, 3/√t."""
    points = [100, 1000, 40_000]
    played = repeat_matrix(MATRICES["biased rock-paper-scissors"], "rm", points=points, seed=2)
    for player in range(2):
        assert np.all(played.apart(player, 3) <= 3 / np.sqrt(points))
    assert 0 < played.apart(0, 3)[-1] < 0.01


@pytest.mark.parametrize("error", [0.0, 0.1])
def test_errors_cost_no_more_than_theorem_4_10_allows(error: float) -> None:
    """And errors do cost: regret is measured with them, the gap without."""
    payoffs = MATRICES["two by three"]
    played = repeat_matrix(payoffs, "rm", points=[30_000], error=error, gamma=0.1)
    gap = equilibrium_gap(payoffs, played.frequencies[0, 0, :2], played.frequencies[0, 1, :3])
    assert gap <= 4 * (0.1 + error)
    assert played.regrets[0].max() <= 0.1 + 0.01
    exact = repeat_matrix(payoffs, "rm", points=[30_000], gamma=0.1).frequencies[0]
    apart = float(np.abs(exact - played.frequencies[0]).max())
    assert apart == 0 if error == 0 else apart > 0.02


def test_what_was_played_together_and_what_it_paid() -> None:
    """Counts of pairs have the frequencies as their sums, and the payoff is theirs, to the last bit of a mean."""
    payoffs = np.array(MATRICES["biased rock-paper-scissors"])
    for opponent in ("itself", "stochastic"):
        played = repeat_matrix(payoffs, "rm", points=[7, 3000], opponent=opponent, seed=4)
        for k, t in enumerate((7, 3000)):
            assert played.together[k].sum() == t
            assert played.together[k].sum(axis=1) / t == pytest.approx(played.frequencies[k, 0], abs=1e-12)
            assert played.together[k].sum(axis=0) / t == pytest.approx(played.frequencies[k, 1], abs=1e-12)
            assert played.payoffs[k] == pytest.approx((played.together[k] * payoffs).sum() / t, abs=1e-12)
            best = (payoffs @ played.frequencies[k, 1]).max()  # equation 8: gmax(t) = u(br, σ̂2(t))
            assert played.payoffs[k] + played.regrets[k, 0] == pytest.approx(best, abs=1e-12)


def test_equation_9() -> None:
    """The most that a row would have paid, with errors and without, differs by the error at most, and does differ."""
    payoffs = np.array(MATRICES["biased rock-paper-scissors"])
    played = repeat_matrix(payoffs, "rm", points=[1000, 30_000], error=0.1, seed=4)
    apart = np.abs(played.payoffs + played.regrets[:, 0] - (played.frequencies[:, 1] @ payoffs.T).max(axis=1))
    assert np.all(apart <= 0.1)
    assert apart.max() > 0.001


def test_remark_6_2() -> None:
    """Best responses lie 0.1 from the value 0.5 on both sides; player 1 can gain 0.2 (the paper writes player 2)."""
    payoffs, pure = [[0.4, 0.5], [0.6, 0.5]], np.array([1.0, 0.0])
    assert value_of(payoffs) == pytest.approx(0.5, abs=1e-12)
    assert equilibrium_gap(payoffs, pure, pure) == pytest.approx(0.2, abs=1e-12)
    assert (np.array(payoffs) @ pure).max() == 0.6
    assert (pure @ np.array(payoffs)).min() == 0.4


def test_lemma_4_4_and_its_constant() -> None:
    """On a row of ten that alone pays, A* has nine tenths of γ as regret, A+ none; γ/2 would be a wrong bound."""
    payoffs = NEEDLES["one good row of ten"]
    star, plus = (
        repeat_matrix(payoffs, "rm", points=[10**5], gamma=0.1, explore=explore, seed=1) for explore in ("star", "plus")
    )
    assert star.regrets[0, 0] == pytest.approx(0.09, abs=0.006)  # six standard deviations
    assert plus.regrets[0, 0] < 0.012
    assert star.together[0].min() > 10**5 * 0.1**2 / 20 - 6 * math.sqrt(50)
    assert plus.together[0].min() > 0


def test_lemmas_4_6_and_4_9_and_their_constants() -> None:
    """At every time u(br, σ̂2) - v is at most both regrets, and g(t) - v at most (c + 1)ε; smaller constants fail."""
    points = [10, 100, 1000, 10_000, 50_000]
    reached = 0.0
    for payoffs in (*MATRICES.values(), *NEEDLES.values()):
        played = repeat_matrix(payoffs, "rm", points=points, gamma=0.1, seed=2)
        beyond = excess(payoffs, played)
        assert np.all(beyond <= played.regrets.sum(axis=1) + 1e-9)
        reached = max(reached, float((beyond / (2 * played.regrets.max(axis=1))).max()))
    assert reached > 0.45
    payoffs = NEEDLES["one good row of ten"]
    for error in (0.0, 0.1):
        off = 1.0 - repeat_matrix(payoffs, "rm", points=[50_000], gamma=0.1, error=error, seed=2).payoffs[0]
        assert 0.75 * (0.1 + error) < off <= 0.1 + error  # the value is 1
    assert off > 0.1


def test_the_payoff_bound_and_its_constant() -> None:
    """Where exploring costs most, the mean payoff of height d is off by 1 - (1 - γ/2)^d: about half of dγ."""
    searcher = hn.Searcher(stacked(NEEDLE), "rm-mean", gamma=0.1, seed=1, tree="full")
    searcher.run(100_000)
    errors = payoff_errors(searcher, 10_000)
    assert errors[1] == pytest.approx(0.05, abs=0.004)
    assert errors[2] == pytest.approx(1 - 0.95**2, abs=0.006)
    assert payoff_errors(searcher, 10**9) == {}


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match=r"payoffs in \[0, 1\]"):
        repeat_matrix([[2, 0], [0, 1]], "rm", points=[10])
    with pytest.raises(ParameterError, match="learns from whole walks"):
        repeat_matrix(PENNIES, "oos", points=[10])
    with pytest.raises(ParameterError, match="2 probabilities"):
        repeat_matrix(PENNIES, "rm", points=[10], opponent="stochastic", strategy=[1, 1])


@pytest.mark.parametrize("rule", ["rm-mean", "exp3-mean"])
def test_no_subgame_lets_a_player_gain_more_than_theorem_4_11_allows(rule: str) -> None:
    epsilon = 0.1 * (math.e - 1 if rule == "exp3-mean" else 1)
    for seed in range(3):
        searcher = hn.Searcher(f"random_game(depth=3,branching=2,seed={seed})", rule, seed=seed, tree="full")
        searcher.run(100_000)
        for height, gain in deviations(searcher).items():
            assert gain <= bound_in_subgame(height, epsilon)


@pytest.mark.slow
def test_uniform_play_breaks_the_bound_of_theorem_4_11() -> None:
    """With ε = 0.05 the bound of a leaf matrix is 0.2, and uniform play gives away more somewhere."""
    searcher = hn.Searcher("random_game(depth=3,branching=2,seed=0)", "random", tree="full")
    searcher.run(20_000)
    assert deviations(searcher)[1] > bound_in_subgame(1, 0.05)


def test_deviations_at_the_root_are_gains() -> None:
    game = "random_game(depth=2,branching=3,seed=5)"
    searcher = hn.Searcher(game, "rm-mean", seed=1, tree="full")
    searcher.run(2000)
    from hannan.treesearch.outcome import profile_of

    gains = hn.evaluate(game, profile_of(searcher, False, True)).gains
    assert deviations(searcher)[2] == pytest.approx(max(gains) / 2, abs=1e-12)
    with pytest.raises(ParameterError, match="full tree"):
        deviations(hn.Searcher(game))
