"""Sets that plays come to, against exact frequencies and values."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.measures.responses.field import Field
from hannan.measures.responses.learners import EXPLORING, Learner
from hannan.strategies.policy import Policy


@pytest.mark.parametrize("address", ["kuhn_poker", "goofspiel(cards=3)"])
def test_frequencies_and_values_are_those_of_the_profile(address: str) -> None:
    """Within 4 standard errors of 3,000 plays; names and probabilities exactly."""
    profile = hn.random_profile(address, seed=1)
    exact = {(row.player, row.name): row for row in hn.summary(profile.game, profile, 10**6)}
    for row in hn.summary(Policy.of_profile(profile), 10**6, plays=3000):
        right = exact[row.player, row.name]
        assert [one.action for one in row.actions] == [one.action for one in right.actions]
        np.testing.assert_array_equal([a.probability for a in row.actions], [a.probability for a in right.actions])
        assert abs(row.frequency - right.frequency) <= 4 * np.sqrt(right.frequency / 3000)
        assert row.value is not None
        assert right.value is not None
        assert abs(row.value - right.value) <= 4 * 6 / np.sqrt(row.frequency * 3000)


def test_sets_of_a_policy_one_by_one() -> None:
    profile = hn.random_profile("kuhn_poker", seed=1)
    policy, seen = Policy.of_profile(profile), {}
    for one in policy:
        assert policy.set(one.number) == one
        assert sum(one.probabilities) == pytest.approx(1)
        words = [text for way in one.history for text in way]
        assert list(one.actions) == ["p", "b"]
        assert list(one.actions.values()) == list(one.probabilities)
        seen[one.player, " ".join([*words, one.seen])] = one.probabilities
    for player in range(2):
        for number in range(6):
            name = profile.game.set_text(player, number)
            assert list(seen[player, name]) == list(profile.at(player, name).values())
    with pytest.raises(hn.errors.ParameterError, match="12 is not the number of a set; the policy knows 12 sets"):
        policy.set(12)


@pytest.mark.slow
def test_sets_of_one_who_forgets() -> None:
    learner = Learner(Field(Policy.uniform(hn.load("goofspiel(cards=4)").played())), 0, EXPLORING, 7, 1)
    learner.learn(500, lambda: False)
    response = learner.response()
    assert all(one.history == () for one in response if one.player == 0)
    for row in hn.summary(response, 50, plays=100):
        if row.player == 0:
            assert max(one.probability for one in row.actions) > 0.99 or len(row.actions) == 1
