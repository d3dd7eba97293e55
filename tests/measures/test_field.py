"""Learners that share the tables of one policy: nobody disturbs anybody, and the policy stays what it was."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.forms.game import PlayedGame
from hannan.measures.responses import learners
from hannan.measures.responses.field import Field
from hannan.measures.responses.learners import EXPLORING, FORGETTING_EVERY, ON_POLICY, ONE_ACTION, Learner
from hannan.measures.rollouts import Plays
from hannan.strategies.policy import Policy
from tests.delegating import Delegating

GAMES = ["goofspiel(cards=4)", "leduc_poker"]


def never() -> bool:
    return False


def random_policy(address: str) -> Policy:
    return Policy.of_profile(hn.random_profile(address, seed=3))


def same(one: Policy, other: Policy) -> None:
    for name in ("parent", "observation", "base", "size", "probability"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("address", GAMES)
def test_learners_of_one_field_learn_what_each_would_alone(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In turns, with plays of all of them in between: the same bits as alone, though the tables had to grow."""
    policy = random_policy(address)
    monkeypatch.setattr("hannan.measures.responses.field.SPARE", 1)
    recipes = [(0, EXPLORING, 5), (0, ON_POLICY, 6), (1, FORGETTING_EVERY, 7), (0, ONE_ACTION, 8)]
    field = Field(policy)
    together = [Learner(field, player, recipe, random, 1) for player, recipe, random in recipes]
    for until in (50, 300, 900):
        for learner in together:
            learner.learn(until, never)
            learner.earned(1, 100)
    for learner, (player, recipe, random) in zip(together, recipes, strict=True):
        alone = Learner(Field(policy), player, recipe, random, 1)
        alone.learn(900, never)
        assert learner.earned(2, 500) == alone.earned(2, 500)
        same(learner.response(), alone.response())


@pytest.mark.parametrize("address", GAMES)
def test_what_a_policy_earns_is_what_it_earns_after_others_have_learnt(address: str) -> None:
    policy = random_policy(address)
    field = Field(policy)
    fresh = Plays(policy, 1, 4)
    fresh.make(1000)
    assert field.earned(1, 4, 1000) == fresh.mean(1)
    Learner(field, 0, EXPLORING, 5, 1).learn(500, never)
    assert field.earned(1, 4, 1000) == fresh.mean(1)


def test_a_learner_earns_what_its_response_earns() -> None:
    policy = random_policy("goofspiel(cards=4)")
    learner = Learner(Field(policy), 1, EXPLORING, 5, 1)
    learner.learn(2000, never)
    plays = Plays(learner.response(), 1, 9)
    plays.make(1000)
    assert learner.earned(9, 1000) == plays.mean(1)


def test_plain_rules_share_a_field_to_the_same_bits() -> None:
    compiled = hn.load("goofspiel(cards=4)").played()
    means = []
    for game in (compiled, PlayedGame(Delegating(compiled.rules))):
        field = Field(Policy.uniform(game))
        learners = [Learner(field, 0, recipe, 5, 1) for recipe in (EXPLORING, ON_POLICY)]
        for learner in (*learners, *learners):
            learner.learn(learner.walks + 200, never)
        means.append([learner.earned(3, 200) for learner in learners])
    assert means[0] == means[1]


def test_a_strategy_too_large_for_the_time_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = random_policy("goofspiel(cards=4)")
    monkeypatch.setattr(learners, "LONGEST_WALK", 1)
    assert ONE_ACTION in learners.learned_recipes(policy, 0, None)
    assert ONE_ACTION in learners.learned_recipes(policy, 0, 1.0)
    assert learners.searching_helps(policy, 0, 1.0)
    monkeypatch.setattr(learners, "COPIED", policy.sets - 1)
    assert learners.learned_recipes(policy, 0, 1.0) == [EXPLORING, ON_POLICY]
    assert not learners.searching_helps(policy, 0, 1.0)
