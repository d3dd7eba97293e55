"""Responses that look ahead: beliefs that are exact where they can be, gains that hold, the same bits for all rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.loader import load_expanded
from hannan.measures.players import playing
from hannan.measures.plays import PlayTable
from hannan.measures.responses.search import LOCAL, SEARCH, LookAhead, LookAheadPlayer
from hannan.splitmix import first_random
from hannan.strategies.policy import Policy
from tests.delegating import Delegating


def choices(policy: Policy, search: LookAhead, player: int, plays: int) -> tuple[LookAheadPlayer, list[float]]:
    """Plays of a search in one seat; return it with its notes, and what it earned."""
    game = policy.game.played()
    one = LookAheadPlayer("one", policy, search)
    seating = np.ones((1, game.players), np.int64)
    seating[0, player] = 0
    table = PlayTable(game, [one, playing(game, "others", policy)], seating)
    earned = [float(table.play(0, first_random(1, k), first_random(2, k)).earned[player]) for k in range(plays)]
    return one, earned


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [LOCAL, SEARCH])
@pytest.mark.parametrize("address", ["kuhn_poker", "leduc_poker", "goofspiel(cards=3)", "kuhn_poker(players=3)"])
def test_searches_gain_most_of_what_can_be_gained_and_no_more(address: str, ahead: int) -> None:
    """One step ahead of a random default is no best response: 60 % of the gain is far more than the default earns.

    The draws are fixed; 4 standard errors.
    """
    profile = hn.random_profile(address, seed=1)
    exact = hn.evaluate(profile.game, profile)
    policy = Policy.of_profile(profile)
    for player in range(profile.players):
        _, earned = choices(policy, LookAhead(ahead, 200), player, 150)
        mean, error = np.mean(earned), 4 * np.std(earned) / np.sqrt(len(earned))
        best, value = exact.best_values[player], exact.values[player]
        assert mean <= best + error
        assert mean >= value + 0.6 * (best - value) - error


def beliefs_of(desk: Any) -> dict[tuple[int, ...], float]:
    now = desk.now
    belief: dict[tuple[int, ...], float] = {}
    for i in range(int(now.many[0])):
        state = tuple(now.state[i].tolist())
        belief[state] = belief.get(state, 0.0) + float(now.weight[i])
    return belief


def test_beliefs_are_bayes() -> None:
    """In Kuhn poker with a queen, after the other has bet: its cards by what it bets with each, written out."""
    profile = hn.random_profile("kuhn_poker", seed=3)
    game, policy = profile.game, Policy.of_profile(profile)
    one = LookAheadPlayer("one", policy, LookAhead(simulations=2))
    rules = game.rules
    seat = one.sit(1, 5)
    states = {}
    for card in ("J", "K"):
        state = rules.start()
        for move in (card, "Q", "b"):
            acting: Any = rules.turn(state)
            menu = [o for o, _ in rules.chance(state)] if acting == hn.CHANCE else list(rules.actions(state, acting))
            state = rules.after(state, next(a for a in menu if rules.action_text(acting, a) == move))
        states[card] = state
    seen = rules.observe(states["J"], 1)
    assert seen == rules.observe(states["K"], 1)
    seat.choose(seen, list(rules.actions(states["J"], 1)))
    weights = {card: profile.at(0, card)["b"] for card in states}
    belief = beliefs_of(one._desks[1])
    assert len(belief) == 2
    for card, state in states.items():
        assert belief[tuple(int(word) for word in state)] == pytest.approx(
            weights[card] / sum(weights.values()), abs=1e-12
        )


@pytest.mark.parametrize("ahead", [LOCAL, SEARCH])
@pytest.mark.parametrize("address", ["kuhn_poker", "goofspiel(cards=3)"])
def test_plain_rules_give_the_same_bits(address: str, ahead: int) -> None:
    compiled = load_expanded(address)
    plain = ExpandedGame(Delegating(compiled.rules))
    one, other = (Policy.of_profile(hn.random_profile(game, seed=1)) for game in (compiled, plain))
    for player in range(2):
        (ours, earned), (theirs, same) = (choices(policy, LookAhead(ahead, 40), player, 6) for policy in (one, other))
        assert earned == same
        assert [note[4] for note in ours.notes] == [note[4] for note in theirs.notes]


def test_too_few_particles_go_on_by_default() -> None:
    """With one particle a belief is often wrong or lost; play goes on, and is no error."""
    policy = Policy.of_profile(hn.random_profile("leduc_poker", seed=1))
    one, earned = choices(policy, LookAhead(simulations=4, particles=1), 0, 50)
    assert len(earned) == 50
    assert one.notes


@pytest.mark.slow
@pytest.mark.parametrize("method", ["search", "local"])
def test_bounds_of_searches_hold_as_often_as_stated(method: Any) -> None:
    """Of 20 bounds at 80 %, 4 may exceed what a best response gains if they all were best; 3 deviations are 5.4."""
    profile = hn.random_profile("kuhn_poker", seed=2)
    best = hn.evaluate(profile.game, profile).gains[0]
    failed = 0
    for seed in range(20):
        response = hn.respond(profile, 0, method, walks=30, plays=100, seed=seed, confidence=0.8)
        assert response.lower_bound is not None
        failed += response.lower_bound > best
        assert response.method == method
        assert isinstance(response.strategy, LookAheadPlayer)
    assert failed <= 9


@pytest.mark.slow
def test_what_was_gathered_is_a_policy(tmp_path: Path) -> None:
    for game in (load_expanded("leduc_poker"), ExpandedGame(Delegating(load_expanded("kuhn_poker").rules))):
        profile = hn.random_profile(game, seed=1)
        response = hn.respond(profile, 1, "search", walks=100, plays=200)
        assert isinstance(response.strategy, LookAheadPlayer)
        policy = hn.responses.gathered(response.strategy, 1)
        hn.save(policy, tmp_path / "r.strategy")
        saved = hn.read(tmp_path / "r.strategy", game)
        assert isinstance(saved, Policy)
        again = saved.profile()
        np.testing.assert_allclose(again.strategies[0], profile.strategies[0], rtol=0, atol=1e-15)
        exact = hn.evaluate(game, again).values[1]
        assert exact > hn.evaluate(game, profile).values[1] + 0.5 * hn.evaluate(game, profile).gains[1]


def test_gathered_sets_that_the_strategy_does_not_know() -> None:
    """Against uniform play, a table without any set, all sets are new ones."""
    policy = Policy.uniform(PlayedGame(load_expanded("kuhn_poker").rules))
    response = hn.respond(policy, 0, "search", walks=100, plays=200)
    assert isinstance(response.strategy, LookAheadPlayer)
    found = hn.responses.gathered(response.strategy, 0)
    assert {one.player for one in found} == {0}
    assert found.sets == 6
    profile = found.profile()
    exact = hn.evaluate(profile.game, hn.uniform(profile.game))
    value = hn.evaluate(profile.game, profile).values[0]
    assert exact.values[0] + 0.6 * exact.gains[0] < value <= exact.best_values[0] + 1e-12


def test_a_search_takes_a_seat_in_a_match() -> None:
    policy = Policy.of_profile(hn.random_profile("kuhn_poker", seed=1))
    one = LookAheadPlayer("one", policy, LookAhead(simulations=100))
    result = hn.match("kuhn_poker", one, policy, games=400, seed=1)
    assert result.players[0] == "one"
    assert result.scores[0] - result.half_widths[0] > 0
