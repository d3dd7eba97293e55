"""The limit of regret matching that explores: its equations, its play, and what it is not."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.errors import ParameterError
from hannan.experiments.consistency import repeat_matrix
from hannan.experiments.stacked import stacked
from hannan.forms.loader import load_expanded
from hannan.treesearch import exploration
from hannan.treesearch.exploration import matrix_limit, tree_limit
from tests.treesearch.stages import exploring

NEAR = [[1.0, 1.0], [0.95, 0.95], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
"""Two rows that are nearly as good as each other, three that are not; the column does not matter."""


def allowed(A: Floats, gamma: float) -> Floats:
    """Return the row player's equilibrium in which every action has probability gamma/K at least."""
    m, n = A.shape
    mixed = [gamma / k + (1 - gamma) * np.eye(k) for k in (m, n)]
    return np.array(hn.solve_matrix(mixed[0] @ A @ mixed[1].T).row) @ mixed[0]


def alone(gains: list[float], gamma: float) -> tuple[list[float], float]:
    """Solve c = (1 - γ) Σ p g + γ mean(g), p in proportion to (g - c)⁺, by halving an interval: one player alone."""
    mean = sum(gains) / len(gains)
    low, high = mean, max(gains)
    for _ in range(200):
        c = (low + high) / 2
        positive = [max(gain - c, 0.0) for gain in gains]
        own = sum(gain * part for gain, part in zip(gains, positive, strict=True)) / sum(positive)
        low, high = (c, high) if (1 - gamma) * own + gamma * mean > c else (low, c)
    shares = [gamma / len(gains) + (1 - gamma) * part / sum(positive) for part in positive]
    return shares, c


def test_near_best_actions_keep_a_share() -> None:
    """By the equation of one player: frequencies .529 and .351, payoff 0.862, where 0.878 is allowed."""
    limit = matrix_limit(NEAR, 0.2)
    shares, payoff = alone([row[0] for row in NEAR], 0.2)
    assert limit.row == pytest.approx(shares, abs=1e-9)
    assert limit.payoff == pytest.approx(payoff, abs=1e-9)
    assert shares[:2] == pytest.approx([0.529, 0.351], abs=5e-4)
    assert max(0.84 * row[0] + 0.04 * other[0] for row in NEAR for other in NEAR if other != row) == 0.878
    assert limit.payoff < 0.863


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_five_million_plays_come_there(seed: int) -> None:
    """Six standard deviations of a frequency are 0.0014; the best that is allowed is 0.016 away."""
    limit = matrix_limit(NEAR, 0.2)
    played = repeat_matrix(NEAR, "rm", points=[5 * 10**6], gamma=0.2, seed=seed)
    assert played.frequencies[0, 0] == pytest.approx(limit.row, abs=0.0014)
    assert played.payoffs[0] == pytest.approx(limit.payoff, abs=0.001)
    star = repeat_matrix(NEAR, "rm", points=[5 * 10**6], gamma=0.2, explore="star", seed=seed)
    assert star.frequencies[0, 0] == pytest.approx(allowed(np.array(NEAR), 0.2), abs=0.0014)
    assert star.payoffs[0] == pytest.approx(0.878, abs=0.001)


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "counts"), [("rm+", True), ("hedge", False), ("exp3", False)])
def test_whose_learning_counts_the_loss_of_exploring(rule: str, counts: bool) -> None:
    """Regret matching plus compares with what was played, as regret matching does; sums of rewards do not."""
    payoff = repeat_matrix(NEAR, rule, points=[10**6], gamma=0.2, seed=1).payoffs[0]
    assert payoff == pytest.approx(matrix_limit(NEAR, 0.2).payoff if counts else 0.878, abs=0.002)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "seed"), [(3, 1), (5, 0), (5, 1)])
def test_games_come_to_their_limit_and_a_star_to_what_is_allowed(size: int, seed: int) -> None:
    """Games in which both differ: the play lies within 0.002 of one, and not of the other."""
    A = np.random.default_rng(seed).random((size, size))
    limit, least = matrix_limit(A, 0.2).row, allowed(A, 0.2)
    own, star = (
        repeat_matrix(A, "rm", points=[5 * 10**6], gamma=0.2, explore=explore, seed=1).frequencies[0, 0]
        for explore in ("own", "star")
    )
    assert np.abs(limit - least).max() > 0.005
    assert np.abs(own - limit).max() < 0.002
    assert np.abs(own - least).max() > 0.004
    assert np.abs(star - least).max() < 0.004


@pytest.mark.parametrize("gamma", [0.05, 0.2, 0.5])
def test_the_equations_hold(gamma: float) -> None:
    """x is γ/K and (1 - γ) in proportion to positive regrets, for both; where no regret is positive, all are 0."""
    random = np.random.default_rng(3)
    for shape in ((2, 2), (3, 3), (2, 5), (5, 3), (6, 6)):
        for _ in range(4):
            A = random.random(shape) * 7 - 2
            x, y, payoff = matrix_limit(A, gamma)
            assert payoff == pytest.approx(x @ A @ y, abs=1e-12)
            for own, regret in ((x, A @ y - payoff), (y, payoff - x @ A)):
                positive = np.maximum(regret, 0.0)
                if positive.sum() > 1e-6:
                    shares = gamma / len(own) + (1 - gamma) * positive / positive.sum()
                    assert own == pytest.approx(shares, abs=1e-5)
                else:
                    assert regret == pytest.approx(np.zeros(len(own)), abs=1e-6)


def test_averaged_play_leads_to_the_same_solution() -> None:
    """What a second attempt begins from, where Newton's method finds nothing from the equilibrium that explores."""
    random = np.random.default_rng(6)
    for _ in range(3):
        A = random.random((5, 5))
        x, y, _ = matrix_limit(A, 0.2)
        found = exploration._solved(A, exploration._averaged(A, 0.2, 2000), 0.2)
        assert found is not None
        assert 0.04 + 0.8 * found[:10] == pytest.approx(np.concatenate([x, y]), abs=1e-6)


def test_with_two_actions_the_limit_is_what_is_allowed() -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        A = random.random((2, 2))
        assert matrix_limit(A, 0.1).row == pytest.approx(allowed(A, 0.1), abs=1e-8)


def test_without_exploration_it_is_an_equilibrium() -> None:
    limit = matrix_limit([[0.5, 0.25, 1.0], [0.75, 0.5, 0.45], [0.0, 0.55, 0.5]], 0.0)
    assert limit.row == pytest.approx(np.array([1, 10, 5]) / 16, abs=1e-9)


@pytest.mark.slow
def test_trees() -> None:
    """The authors' worst cases by hand; with two actions: the equilibrium that explores, from elsewhere."""
    for digits, short in (
        ((0, 0, 1, 1, 0, 2, 2, 0, 0, 0, 1, 1, 2, 0, 2, 0), 0.0125),
        ((0, 0, 2, 2, 0, 0, 2, 2, 1, 2, 1, 2, 2, 1, 2, 1), 0.036875),
    ):
        limit = tree_limit(hn.Searcher(stacked(digits), "rm", gamma=0.05, tree="full"))
        assert limit.value - limit.guarantee == pytest.approx(short, abs=1e-9)
    game = load_expanded("random_game(depth=3,branching=2,seed=2)")
    limit = tree_limit(hn.Searcher(game, "rm", tree="full"), 0.1)
    value = hn.solve(game, "lp").values[0]
    shortfalls = hn.evaluate(game, exploring(game, 0.1), value).shortfalls
    assert shortfalls is not None
    assert limit.value == pytest.approx(value, abs=1e-9)
    assert limit.value - limit.guarantee == pytest.approx(shortfalls[0], abs=1e-7)


def test_chance_is_weighed() -> None:
    searcher = hn.Searcher("random_game(depth=2,branching=2,chance=2,seed=1)", "rm", tree="full")
    limit = tree_limit(searcher)
    assert limit.guarantee < limit.payoff
    assert limit.guarantee < limit.value == pytest.approx(hn.solve(searcher.game, "lp").values[0], abs=1e-9)


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="payoffs should be a matrix"):
        matrix_limit([1.0, 2.0], 0.1)
    with pytest.raises(ParameterError, match="gamma=2 is out of range"):
        matrix_limit(NEAR, 2)
    with pytest.raises(ParameterError, match="tree='full'"):
        tree_limit(hn.Searcher("random_game(depth=2,branching=2,seed=1)", "rm"))
