"""Strategies that play a box themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hannan as hn
from hannan.rules.box import Box
from tests.certificates.boxes import Bandit


def earned(box: Box, players: list[hn.StrategyPlayer], plays: int) -> float:
    """The mean of what player 0 earns."""
    total = 0.0
    for seed in range(plays):
        for player in players:
            player.reset()
        view = box.reset(10**6 + seed)
        total += view.gains[0]
        while view.movers or view.draw:
            shown = zip(view.movers, view.observations, view.actions, strict=True)
            view = box.step(tuple(players[player].act(seen, menu) for player, seen, menu in shown))
            total += view.gains[0]
    return total / plays


def test_a_certified_strategy_earns_what_it_guarantees() -> None:
    """5,000 plays, payoffs in [-2, 2] and [0, 1]: within 5 standard deviations of the exact value."""
    certificate = hn.certify("kuhn_poker", playthroughs=2000, solve_every=500)
    profile = certificate.strategy
    assert isinstance(profile, hn.Profile)
    from hannan.forms.boxes import boxed

    mean = earned(boxed("kuhn_poker").box, [hn.StrategyPlayer(profile, player, seed=player) for player in (0, 1)], 5000)
    assert abs(mean - hn.evaluate("kuhn_poker", profile).values[0]) <= 5 * 2 / math.sqrt(5000)
    box = Bandit(sure=(0.5,), risky=(0.9, 0.2))
    certificate = hn.certify(box, playthroughs=1000)
    mean = earned(box, [hn.StrategyPlayer(certificate.strategy, 0)], 5000)
    assert mean >= certificate.guarantees[0] - 5 * 0.5 / math.sqrt(5000)


def locked() -> tuple[hn.views.LockedGame, hn.Profile]:
    """Kuhn poker in which nearly everybody must bet, and a profile of what is left."""
    places = {0: {"J": {"b": 1.0}, "Q": {"b": 1.0}, "K": {"b": 1.0}}, 1: {"*": {"b": 1.0}}}
    game = hn.lock("kuhn_poker", places)  # type: ignore[arg-type]
    return game, hn.uniform(game)


def test_a_profile_of_a_game_with_locks_plays_the_locked_sets_as_they_are_locked() -> None:
    """As a table, in a seat, and where it is certified: the exact gap is that of the lifted profile."""
    game, profile = locked()
    whole = game.lift(profile)
    for ours, theirs in zip(hn.Policy.of_profile(profile).profile().strategies, whole.strategies, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    rules = game.base.rules
    state = rules.after(rules.after(rules.start(), 0), 1)
    player = hn.StrategyPlayer(profile, 0, seed=1)
    for _ in range(50):
        player.reset()
        assert player.act(rules.observe(state, 0), list(rules.actions(state, 0))) == 1
    certificate = hn.certify("kuhn_poker", strategy=profile, groups="known", playthroughs=1000, check=True)
    assert certificate.true_gap == pytest.approx(hn.evaluate("kuhn_poker", whole).nash_conv, abs=1e-9)
    with pytest.raises(hn.errors.UnsuitableError, match="do not take locks"):
        hn.respond(profile, 0, "learned", walks=1)


def test_a_policy_that_forgets_plays_what_it_remembers() -> None:
    """A set is known by what is seen now and by the number of actions; the policy bets, and never draws.

    Its exact NashConv is 1, that of uniform play 11/12."""
    game = hn.load("kuhn_poker").played()
    jack, two = 0, np.array([2])
    policy = hn.Policy(
        game, np.array([0]), np.array([jack]), two, two, np.array([1.0, 1.0, 0.0, 1.0]), None, {}, forgets=(0,)
    )
    player = hn.StrategyPlayer(policy, 0, seed=1)
    assert [player.act(jack, ["p", "b"]) for _ in range(50)] == ["b"] * 50
    certificate = hn.certify("kuhn_poker", strategy=policy, groups="known", playthroughs=1000, check=True)
    assert certificate.true_gap == pytest.approx(1.0, abs=1e-9)
