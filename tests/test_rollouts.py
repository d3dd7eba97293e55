"""Values by playing, against exact ones; learned deviations, against best responses."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import hannan as hn
from hannan.game import Game
from hannan.policy import Policy
from hannan.rollouts import Search, rollouts, search_response
from tests.games.plain import Kuhn
from tests.solvers.sampled import Plain

GAMES = ("kuhn_poker", "leduc_poker", "goofspiel(cards=3)", "kuhn_poker(players=3)")


@pytest.mark.parametrize("address", GAMES)
def test_intervals_hold_the_exact_values(address: str) -> None:
    """At 99.99 % for each of nine values, a right method fails here once in a thousand; the draws are fixed."""
    profile = hn.random_profile(address, seed=1)
    found = rollouts(profile, plays=50_000, seed=3, confidence=0.9999)
    exact = hn.evaluate(profile.game, profile).values
    assert np.all(np.abs(np.subtract(found.values, exact)) < found.half_widths)
    assert max(found.half_widths) < 0.1


def test_intervals_are_no_wider_than_they_should_be() -> None:
    """Of 200 intervals at 90 %, 180 should hold; 3 standard deviations are 13."""
    profile = hn.random_profile("kuhn_poker", seed=1)
    exact = hn.evaluate(profile.game, profile).values[0]
    runs = [rollouts(profile, plays=400, seed=seed, confidence=0.9) for seed in range(200)]
    held = sum(abs(run.values[0] - exact) < run.half_widths[0] for run in runs)
    assert 167 <= held <= 193


@pytest.mark.parametrize("address", GAMES)
def test_a_learned_deviation_is_a_lower_bound(address: str) -> None:
    profile = hn.random_profile(address, seed=1)
    gains = hn.evaluate(profile.game, profile).gains
    for player in range(profile.players):
        found = search_response(profile, player, plays=50_000, confidence=0.999)
        assert 0.8 * gains[player] < found.lower_bound < gains[player]
        strategies = list(profile.strategies)
        strategies[player] = found.policy.profile().strategies[player]
        values = hn.evaluate(profile.game, hn.profile(profile.game, strategies)).values
        before = hn.evaluate(profile.game, profile).values
        assert values[player] - before[player] <= gains[player] + 1e-12
        for other in range(profile.players):
            if other != player:
                np.testing.assert_allclose(found.policy.profile().strategies[other], profile.strategies[other])


@pytest.mark.parametrize("sampling", ["external", "outcome"])
@pytest.mark.parametrize("address", ["kuhn_poker", "leduc_poker"])
def test_lower_bounds_hold_as_often_as_stated(address: str, sampling: Search) -> None:
    """Of 60 bounds at 80 %, 12 should fail; 3 standard deviations are 9.3.

    Each is compared with what its own response gains: the best response gains more, and is bounded more easily.
    """
    profile = hn.random_profile(address, seed=2)
    exact = hn.evaluate(profile.game, profile)
    failed = 0
    for seed in range(60):
        found = search_response(
            profile, 0, iterations=300, plays=500, seed=10 * seed, confidence=0.8, sampling=sampling
        )
        strategies = (found.policy.profile().strategies[0], *profile.strategies[1:])
        values = hn.evaluate(profile.game, hn.profile(profile.game, strategies)).values
        failed += found.lower_bound > max(values[0] - exact.values[0], 0.0)
        assert values[0] - exact.values[0] <= exact.gains[0] + 1e-12
    assert 3 <= failed <= 21


@pytest.mark.parametrize("address", ["leduc_poker", "goofspiel(cards=4)"])
def test_outcome_sampling_finds_responses_too(address: str) -> None:
    """The bounds fail with probability 0.001 each; 70 % is what 100,000 walks were seen to find, and more."""
    profile = hn.random_profile(address, seed=1)
    gains = hn.evaluate(profile.game, profile).gains
    for player in range(2):
        found = search_response(profile, player, plays=50_000, confidence=0.999, sampling="outcome")
        assert 0.7 * gains[player] < found.lower_bound < gains[player]


def test_values_that_are_known_are_not_estimated_again() -> None:
    profile = hn.random_profile("kuhn_poker", seed=1)
    before = rollouts(profile, plays=1000, seed=8)
    found = search_response(profile, 0, plays=1000, seed=7, before=before)
    assert found.gain == search_response(profile, 0, plays=1000, seed=7).gain


def test_forgetting_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = hn.ExternalSampling("leduc_poker", on="rules")
    solver.run(1)
    found = rollouts(solver.policy(), plays=1000)
    monkeypatch.setattr(sys.modules["hannan.rollouts"], "AT_ONCE", 150)  # hannan.rollouts itself is the function
    assert rollouts(solver.policy(), plays=1000) == found


def test_plain_rules_give_the_same_bits() -> None:
    compiled, plain = hn.load("kuhn_poker"), Game(Plain(hn.load("kuhn_poker").rules))
    profile, twin = hn.random_profile(compiled, seed=1), hn.random_profile(plain, seed=1)
    assert rollouts(profile, plays=300) == rollouts(twin, plays=300)


def test_unknown_sets_are_played_uniformly() -> None:
    solver = hn.ExternalSampling("leduc_poker", on="rules")
    solver.run(1)
    policy = solver.policy()
    assert policy.sets < 936
    found = rollouts(policy, plays=20_000, confidence=0.9999)
    exact = hn.evaluate(policy.game, policy.profile()).values
    assert np.all(np.abs(np.subtract(found.values, exact)) < found.half_widths)


@pytest.mark.parametrize("game", ["leduc_poker", Kuhn()])
def test_a_profile_is_a_policy_and_back(game: str | Kuhn) -> None:
    profile = hn.random_profile(game, seed=4)
    for ours, theirs in zip(Policy.of_profile(profile).profile().strategies, profile.strategies, strict=True):
        assert np.array_equal(ours, theirs)


def test_bad_input() -> None:
    profile = hn.uniform("kuhn_poker")
    with pytest.raises(hn.ParameterError, match="plays=0"):
        rollouts(profile, plays=0)
    with pytest.raises(hn.ParameterError, match=r"confidence=1\.0"):
        rollouts(profile, confidence=1.0)
    with pytest.raises(hn.ParameterError, match="player=2 should be 0 to 1"):
        search_response(profile, 2)
    with pytest.raises(hn.ParameterError, match="sampling='extrenal' is not known; did you mean 'external'"):
        search_response(profile, 0, sampling="extrenal")  # type: ignore[arg-type]
