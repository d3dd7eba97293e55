"""What is proven about players who forget: cases that are known, and the inequality behind the bound by brute force."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.coarsening import forget
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.forms.recall import SKEW, UNPROVEN, WELL_FORMED, recall
from tests import loaded
from tests.forgetting import Scaled, betting, scrambled, stakes, suits
from tests.matching import grown, keys_of, plan_of
from tests.reference import counterfactual


def test_suits_decide_nothing_in_leduc_poker() -> None:
    tied = forget("leduc_poker", suits).tied
    assert tied.ties.counts == (144, 144)  # of 468 sets, as many as with ranks alone (Southey et al. 2005)
    assert tied.recall.verdict == WELL_FORMED
    assert tied.recall.bounds == (0.0, 0.0)


def test_the_betting_of_the_first_round_decides() -> None:
    tied = forget("leduc_poker", betting).tied
    assert tied.recall.verdict == UNPROVEN
    assert tied.recall.bounds == (None, None)


def test_payoffs_that_differ_by_a_factor_are_well_formed() -> None:
    """Stakes of 1 with probability 0.7 and of 3 with 0.3: the shares are 0.7 and 0.9 of 1.6."""
    tied = forget(Scaled(), stakes).tied
    assert tied.recall.verdict == WELL_FORMED
    low = next(j for j, name in enumerate(tied.set_texts(0)) if name.startswith("low in"))
    high = next(j for j, name in enumerate(tied.set_texts(0)) if name.startswith("high in"))
    assert tied.recall.weights[0][[low, high]] == pytest.approx([0.4375, 0.5625], abs=1e-12)
    assert tied.recall.weights[1].tolist() == [1.0]


def test_noise_in_payoffs_gives_a_bound_of_its_size() -> None:
    """By hand: the members' payoffs are 0.7 M and 0.9 M + 0.3 n at (right, right), M = 2, −1, −1, 1; κ is the share.

    Below the whole set S = 1.6 M + 0.3 n there. With κ = ⟨W, S⟩/⟨S, S⟩ the errors are e = ±(0.7 M − κ S), and the most
    that they do in the value of an action is the largest |e| of a cell, as both players can go where they like.
    """
    noise = 0.1
    tied = forget(Scaled(noise), stakes).tied
    cells = np.array([2.0, -1.0, -1.0, 1.0])
    low, high = 0.7 * cells, 0.9 * cells + np.array([0, 0, 0, 0.3 * noise])
    whole = low + high
    most = np.abs(low - low @ whole / (whole @ whole) * whole).max()
    assert tied.recall.verdict == SKEW
    assert tied.recall.bounds == pytest.approx((2 * 2 * most, 0.0), abs=1e-12)


def test_a_bound_above_the_range_of_payoffs_proves_nothing() -> None:
    game = loaded.game("kuhn_poker")
    tied = forget(game, lambda player, name: f"{player} {len(name)}").tied  # cards are forgotten
    assert tied.recall.verdict == UNPROVEN


def test_large_games_are_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.forms.recall.MOST_ENTRIES", 10)
    assert forget("leduc_poker", suits).tied.recall.verdict == UNPROVEN


CASES = [
    ("kuhn_poker", 1),
    ("kuhn_poker", 2),
    pytest.param("kuhn_poker(players=3)", 1, marks=pytest.mark.slow),
    pytest.param("random_game(seed=3,depth=3,moves=turns,hidden=true)", 1, marks=pytest.mark.slow),
    ("random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)", 2),
    ("random_game(seed=5,depth=2,players=3,hidden=true,moves=turns)", 3),
]


def _apart(game: ExpandedGame, names: Any, shares: Any, profile: hn.Profile) -> list[float]:
    """Return Σ_j max_a |r_j(a) − κ_j r(a)| of each player: r_j by the reference, r their sum over an abstract set."""
    tree, plan = grown(game), plan_of(profile)
    result = []
    for player in range(game.players):
        worth, instant = counterfactual(tree, plan, player), []
        for key in keys_of(game, player):
            value = sum(plan[key][action] * worth[key][action] for action in worth[key])
            instant.append(np.array([worth[key][action] - value for action in worth[key]]))
        whole: dict[int, Any] = {}
        for number, regrets in zip(names[player].tolist(), instant, strict=True):
            whole[number] = whole.get(number, 0.0) + regrets
        members = zip(names[player].tolist(), instant, shares[player].tolist(), strict=True)
        result.append(sum(float(np.abs(mine - share * whole[number]).max()) for number, mine, share in members))
    return result


@pytest.mark.parametrize(("address", "seed"), CASES)
def test_regrets_at_members_are_shares_of_the_whole_up_to_the_bound(address: str, seed: int) -> None:
    """In random play and in pure play, which is where the sides are furthest apart; no bound is more than 60 times as
    large as the largest distance that was found, so that a bound that forgets a factor of the tree is noticed."""
    game = loaded.game(address)
    ties = forget(game, scrambled(game, seed)).tied.ties
    decided = recall(game.form, ties.number, [math.inf] * game.players)
    furthest = np.zeros(game.players)
    for number in range(60):
        profile = hn.random_profile(game, seed=number)
        if number % 2:
            profile = hn.profile(game, [(_pure(game, player, one)) for player, one in enumerate(profile.strategies)])
        alike = _alike(game, ties.number, profile)
        furthest = np.maximum(furthest, _apart(game, ties.number, decided.shares, alike))
    bounds = np.array(decided.bounds, np.float64)
    assert np.all(furthest <= bounds + 1e-12)
    assert np.all(bounds <= 60 * furthest + 1e-12)


def _pure(game: ExpandedGame, player: int, strategy: Any) -> Any:
    """Return the strategy that takes the likeliest action everywhere."""
    plex, result = game.form.treeplexes[player], np.zeros(len(strategy))
    result[0] = 1.0
    for j in range(plex.sets):
        result[int(plex.begin[j]) + int(strategy[plex.begin[j] : plex.begin[j + 1]].argmax())] = 1.0
    return result


def _alike(game: ExpandedGame, numbers: Any, profile: hn.Profile) -> hn.Profile:
    """Return what a profile does at the first members of abstract sets, at all members."""
    strategies = []
    for player, strategy in enumerate(profile.strategies):
        plex, mine, first = game.form.treeplexes[player], strategy.copy(), dict[int, int]()
        for j, number in enumerate(numbers[player].tolist()):
            leader = first.setdefault(number, j)
            mine[plex.begin[j] : plex.begin[j + 1]] = strategy[plex.begin[leader] : plex.begin[leader + 1]]
        strategies.append(mine)
    return hn.profile(game, strategies)


def test_well_formed_averages_leave_the_others_what_the_play_did() -> None:
    """κ weighs members so that the others cannot tell the average from the play it is of: an identity, at any time."""
    tied = forget(Scaled(), stakes)
    solver = hn.CFR(tied, updates="simultaneous")
    solver.run(37)
    play, average = solver.correlated(), solver.average()
    assert play is not None
    assert play.gradient is not None
    game = load_expanded(Scaled())
    for player in range(2):
        best = hn.best_response(game, hn.profile(game, list(average.strategies)), player).value
        mine = play.gradient[: game.form.treeplexes[0].sequences]
        theirs = play.gradient[game.form.treeplexes[0].sequences :]
        known = _best(game, player, (mine, theirs)[player])
        assert best == pytest.approx(known, abs=1e-12)


def _best(game: ExpandedGame, player: int, gradient: Any) -> float:
    """Return the value of a best response to a gradient, by recursion."""
    plex = game.form.treeplexes[player]

    def after(sequence: int) -> float:
        sets = range(int(plex.child_begin[sequence]), int(plex.child_begin[sequence + 1]))
        return float(gradient[sequence]) + sum(
            max(after(s) for s in range(int(plex.begin[j]), int(plex.begin[j + 1]))) for j in sets
        )

    return after(0)
