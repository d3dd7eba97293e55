"""Responses by playing: never better than best responses, as sure as stated, and the same bits for all rules."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hannan as hn
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.loader import load_expanded
from hannan.measures.players import playing
from hannan.measures.plays import PlayTable
from hannan.measures.responses import respond as responding
from hannan.measures.responses import trials
from hannan.measures.responses.field import Field
from hannan.measures.responses.learners import EXPLORING, FORGETTING_EVERY, Learner, Recipe
from hannan.measures.rollouts import Plays
from hannan.splitmix import first_random
from hannan.strategies.policy import Policy
from tests.delegating import Delegating

GAMES = ("kuhn_poker", "leduc_poker", "goofspiel(cards=3)", "kuhn_poker(players=3)")


def as_profile(strategy: Any) -> hn.Profile:
    profile: hn.Profile = strategy if isinstance(strategy, hn.Profile) else strategy.profile()
    return profile


def gain_of(profile: hn.Profile, player: int, response: Any) -> float:
    """What a response gains, exactly; nobody else's play may have changed."""
    other = as_profile(response)
    for p, (ours, theirs) in enumerate(zip(profile.strategies, other.strategies, strict=True)):
        if p != player:
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-15)  # scaled to sum to 1 once more
    strategies = list(profile.strategies)
    strategies[player] = other.strategies[player]
    before = hn.evaluate(profile.game, profile).values[player]
    return hn.evaluate(profile.game, hn.profile(profile.game, strategies)).values[player] - before


@pytest.mark.slow
@pytest.mark.parametrize("address", GAMES)
def test_a_learned_response_is_nearly_a_best_one(address: str) -> None:
    profile = hn.random_profile(address, seed=1)
    gains = hn.evaluate(profile.game, profile).gains
    for player in range(profile.players):
        response = hn.respond(profile, player, "learned", walks=20_000, plays=200_000, confidence=0.999)
        assert response.lower_bound is not None
        assert 0.75 * gains[player] < response.lower_bound < gains[player]
        assert gain_of(profile, player, response.strategy) <= gains[player] + 1e-12
        assert {trial.method for trial in response.tried} >= {response.method}


@pytest.mark.parametrize("method", ["auto", "learned"])
@pytest.mark.parametrize("address", ["kuhn_poker", "goofspiel(cards=4)"])
def test_who_wants_to_stop_gets_what_there_is(address: str, method: Any) -> None:
    """After the third question: a response that is no better than a best one, measured all the same."""
    asked = iter(range(3))
    policy = hn.Policy.uniform(hn.load(address).played())
    response = hn.respond(
        policy, 0, method, seconds=3000, plays=2000, confidence=0.999, stop=lambda: next(asked, None) is None
    )
    assert response.interrupted
    assert response.plays == 2000
    profile = hn.uniform(address)
    gain = hn.evaluate(address, profile).gains[0]
    assert response.lower_bound is not None
    assert response.lower_bound <= gain
    assert gain_of(profile, 0, response.strategy) <= gain + 1e-12


def test_ctrl_c_ends_a_response_in_python_too() -> None:
    pressed = iter([False] * 50 + [True])

    def rule(sight: Any) -> Any:
        if next(pressed, False):
            signal.raise_signal(signal.SIGINT)
        return sight.actions[0]

    response = hn.respond(hn.uniform("leduc_poker"), 0, rule, seconds=3000, plays=300)
    assert (response.interrupted, response.plays) == (True, 300)
    assert not hn.respond(hn.uniform("leduc_poker"), 0, rule, seconds=3000, plays=300).interrupted


@pytest.mark.parametrize("address", GAMES)
def test_exact_responses(address: str) -> None:
    profile = hn.random_profile(address, seed=1)
    gains = hn.evaluate(profile.game, profile).gains
    for player in range(profile.players):
        for strategy in (profile, Policy.of_profile(profile)):
            response = hn.respond(strategy, player, "exact")
            assert response.gain == response.lower_bound == pytest.approx(gains[player], abs=1e-14)
            assert gain_of(profile, player, response.strategy) == pytest.approx(gains[player], abs=1e-12)
    assert hn.respond(profile, 0).method == "exact"


@pytest.mark.parametrize("recipe", [FORGETTING_EVERY, EXPLORING])
def test_one_who_forgets_does_the_same_wherever_it_sees_the_same(recipe: Recipe) -> None:
    """In Goofspiel with 4 cards a round has 4 actions, then 3, …: sets of one round and one sight are played alike."""
    policy = Policy.of_profile(hn.random_profile("goofspiel(cards=4)", seed=1))
    learner = Learner(Field(policy), 1, recipe, 7, 1)
    learner.learn(5000, lambda: False)
    response = learner.response()
    assert response.forgets == (1,)
    profile, plex = response.profile(), response.game.expanded().form.treeplexes[1]
    plays: dict[tuple[int, int], Any] = {}
    for j in range(plex.sets):
        first, last = int(plex.begin[j]), int(plex.begin[j + 1])
        here = profile.strategies[1][first:last].tolist()
        assert plays.setdefault((int(plex.observation[j]), last - first), here) == here
    assert len(plays) < plex.sets / 2
    earned = Plays(response, 1, 3)
    earned.make(50_000)
    exact = hn.evaluate(profile.game, profile).values[1]
    assert abs(earned.mean(1).value - exact) < 4 * earned.mean(1).standard_error
    np.testing.assert_allclose(profile.strategies[0], policy.profile().strategies[0], rtol=0, atol=1e-15)


def test_a_response_that_forgets_is_saved_and_found_again(tmp_path: Path) -> None:
    policy = Policy.uniform(hn.load("goofspiel(cards=4)").played())
    learner = Learner(Field(policy), 0, EXPLORING, 7, 1)
    learner.learn(2000, lambda: False)
    response = learner.response()
    hn.save(response, tmp_path / "r.strategy")
    again = hn.read(tmp_path / "r.strategy")
    assert isinstance(again, Policy)
    assert again.forgets == (0,)
    for ours, theirs in zip(response.profile().strategies, again.profile().strategies, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    given = hn.respond(policy, 0, again, walks=1, plays=20_000, confidence=0.999)
    assert given.method == "given"
    assert abs(given.gain - gain_of(hn.uniform(policy.game), 0, response)) < given.interval_half_width
    answer = hn.respond(response, 1, "learned", walks=3000, plays=5000)
    np.testing.assert_array_equal(
        as_profile(answer.strategy).strategies[0], response.profile().strategies[0]
    )  # what forgets can be responded to


@pytest.mark.slow
@pytest.mark.parametrize("address", ["kuhn_poker", "leduc_poker"])
def test_bounds_hold_and_intervals_hold_as_often_as_stated(address: str) -> None:
    """Of 60 intervals at 80 %, 12 should miss; 3 standard deviations are 9.3. Of the bounds, no more than that.

    Each is compared with what its own response gains: the best response gains more, and is bounded more easily.
    """
    profile = hn.random_profile(address, seed=2)
    best = hn.evaluate(profile.game, profile).gains[0]
    failed = missed = 0
    for seed in range(60):
        response = hn.respond(profile, 0, "learned", walks=300, plays=500, seed=seed, confidence=0.8)
        gain = gain_of(profile, 0, response.strategy)
        assert response.lower_bound is not None
        failed += response.lower_bound > max(gain, 0.0)
        missed += abs(response.gain - gain) > response.interval_half_width
        assert gain <= best + 1e-12
    assert failed <= 21
    assert 3 <= missed <= 21


@pytest.mark.slow
def test_the_best_of_twenty_on_the_same_plays_is_not_as_sure() -> None:
    """What the plays for choosing would be if they were quoted: of 60 such bounds at 80 %, far more than 21 fail."""
    profile = hn.random_profile("kuhn_poker", seed=2)
    policy = Policy.of_profile(profile)
    responses = []
    for k in range(20):
        learner = Learner(Field(policy), 0, FORGETTING_EVERY, first_random(k, 0), 1)
        learner.learn(20, lambda: False)
        responses.append(learner.response())
    gains = [gain_of(profile, 0, response) for response in responses]
    value = hn.evaluate(profile.game, profile).values[0]
    failed = 0
    for seed in range(60):
        bounds = []
        for k, response in enumerate(responses):
            plays = Plays(response, 0, first_random(seed, k))
            plays.make(500)
            bounds.append(plays.mean(0).value - value - 0.8416 * plays.mean(0).standard_error)
        failed += max(bounds) > gains[int(np.argmax(bounds))]
    assert failed > 30


@pytest.mark.slow
@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(0, 1), st.sampled_from(["auto", "learned", "local", "search"]))
def test_bounds_do_not_exceed_best_responses_in_random_games(seed: int, player: int, method: Any) -> None:
    """At 99.99 % each of 12 bounds on trees that are drawn, chance and joint moves included; the draws are fixed."""
    profile = hn.random_profile(f"random_game(seed={seed % 1000})", seed=seed)
    gains = hn.evaluate(profile.game, profile).gains
    response = hn.respond(Policy.of_profile(profile), player, method, walks=30, plays=100, seed=seed, confidence=0.9999)
    assert response.lower_bound is not None
    assert response.half_width is not None
    assert response.lower_bound <= gains[player] + 1e-12
    assert response.gain - response.half_width <= gains[player] + 1e-12


@pytest.mark.slow
def test_no_more_bounds_fail_in_random_games_than_stated() -> None:
    """Of 120 bounds at 80 %, one for each of as many trees, 24 may fail where the response is as good as a best one.

    Three standard deviations are 13. Each bound is compared with what its own response gains, exactly.
    """
    failed = 0
    for seed in range(120):
        profile = hn.random_profile(f"random_game(seed={seed})", seed=seed)
        response = hn.respond(
            Policy.of_profile(profile), seed % 2, "learned", walks=30, plays=200, seed=seed, confidence=0.8
        )
        assert response.lower_bound is not None
        failed += response.lower_bound > max(gain_of(profile, seed % 2, response.strategy), 0.0)
    assert failed <= 37


@pytest.mark.slow
def test_plain_rules_give_the_same_bits() -> None:
    for address in ("kuhn_poker", "goofspiel(cards=3)"):
        compiled = load_expanded(address)
        plain = ExpandedGame(Delegating(compiled.rules))
        one, other = (hn.random_profile(game, seed=1) for game in (compiled, plain))
        for player in range(2):
            ours, theirs = (
                hn.respond(Policy.of_profile(profile), player, walks=300, plays=300) for profile in (one, other)
            )
            assert (ours.gain, ours.half_width, ours.method) == (theirs.gain, theirs.half_width, theirs.method)
            for mine, same in zip(
                as_profile(ours.strategy).strategies, as_profile(theirs.strategy).strategies, strict=True
            ):
                np.testing.assert_array_equal(mine, same)


def test_what_is_given_is_taken_from_the_other_policy() -> None:
    for game in (load_expanded("leduc_poker"), ExpandedGame(Delegating(load_expanded("kuhn_poker").rules))):
        one, other = hn.random_profile(game, seed=1), hn.random_profile(game, seed=2)
        for player in range(2):
            taken = Policy.of_profile(one).taking(player, Policy.of_profile(other)).profile()
            for p in range(2):
                np.testing.assert_array_equal(taken.strategies[p], (other if p == player else one).strategies[p])


def test_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that jumps a tenth of a second whenever it is asked, learning, choosing and plays all end."""
    ticks = iter(range(10**9))
    for module in (responding, trials):
        monkeypatch.setattr(module, "perf_counter", lambda: next(ticks) / 10)
    policy = Policy.uniform(PlayedGame(load_expanded("leduc_poker").rules))
    response = hn.respond(policy, 0, seconds=5.0, plays=1000)
    assert 100 <= response.plays <= 1000
    assert len(response.tried) == 3
    assert len({trial.walks for trial in response.tried}) > 1


def test_bad_input() -> None:
    profile = hn.uniform("kuhn_poker")
    with pytest.raises(hn.errors.ParameterError, match="player 2 is out of range"):
        hn.respond(profile, 2)
    with pytest.raises(hn.errors.ParameterError, match="method='lerned' is not known; did you mean 'learned'"):
        hn.respond(profile, 0, "lerned")  # type: ignore[arg-type]
    with pytest.raises(hn.errors.ParameterError, match="seconds=0"):
        hn.respond(profile, 0, seconds=0)
    with pytest.raises(hn.errors.ParameterError, match="plays=10 is out of range"):
        hn.respond(profile, 0, plays=10)
    with pytest.raises(hn.errors.MismatchError, match="the response is for leduc_poker, not for kuhn_poker"):
        hn.respond(profile, 0, hn.uniform("leduc_poker"))


def bet_kings(sight: Any) -> Any:
    """Bet with a king or half the time with a queen, else pass."""
    if sight.seen.startswith("K"):
        return "b"
    return {"b": 0.5, "p": 0.5} if sight.seen.startswith("Q") else [1.0, 0.0]


@pytest.mark.slow
def test_a_rule_is_a_response() -> None:
    """Its gain is that of the same strategy written down, to within the interval at 99.9 %; the draws are fixed."""
    profile = hn.uniform("kuhn_poker")
    game, strategy = profile.game, profile.strategies[0].copy()
    assert game.actions_at(0, 0) == ["p", "b"]
    for j in range(game.form.treeplexes[0].sets):
        first = int(game.form.treeplexes[0].begin[j])
        plays = {"K": (0.0, 1.0), "Q": (0.5, 0.5), "J": (1.0, 0.0)}[game.set_text(0, j)[0]]
        strategy[first : first + 2] = plays

    def rule(sight: Any) -> Any:
        """Remember the card: after the first choice only what the other did is seen."""
        card = sight.history[0][0] if sight.history else sight.observation
        return bet_kings(replace(sight, seen=game.rules.observation_text(0, card)))

    exact = gain_of(profile, 0, hn.Profile(game, (strategy, profile.strategies[1])))
    response = hn.respond(profile, 0, rule, walks=1, plays=4000, confidence=0.999)
    assert response.method == "given"
    assert response.strategy is rule
    assert abs(response.gain - exact) < response.interval_half_width
    assert response.gain == hn.respond(profile, 0, rule, walks=1, plays=4000).gain


BAD_RULES: dict[str, tuple[Any, str]] = {
    "no legal action": (lambda sight: 77, "it returned 77, which is not a legal action"),
    "no distribution": (lambda sight: [0.5, 0.6], r"these probabilities sum to 1\.1, not 1"),
    "in the middle": (lambda sight: 1 / (1 - len(sight.history)), "raised ZeroDivisionError"),
}


@pytest.mark.parametrize("case", BAD_RULES)
def test_bad_rules_are_refused_with_the_path_of_play(case: str) -> None:
    rule, sentence = BAD_RULES[case]
    with pytest.raises(hn.HannanError, match=f"^node r:.*seat 0: .*{sentence}"):
        hn.respond(
            hn.uniform("leduc_poker"), 0, (lambda s: rule(s) if s.history or case[0] == "n" else s.actions[0]), walks=1
        )


def test_responses_that_forget_can_be_matched() -> None:
    """By plain steps and by the compiled loop: to the same bits, and worth what they are worth."""
    profile = hn.random_profile("goofspiel(cards=4)", seed=1)
    learner = Learner(Field(Policy.of_profile(profile)), 0, EXPLORING, 7, 1)
    learner.learn(3000, lambda: False)
    response = learner.response()
    one, other = playing(response.game.played(), "one", response), playing(profile.game, "other", profile)
    table = PlayTable(response.game.played(), [one, other], np.array([[0, 1]]))
    earned = []
    for k in range(300):
        chance, drawn = (np.array([[first_random(k, number)]], np.uint64) for number in (0, 1))
        earned.append(float(table.batch(chance, drawn).earned[0, 0, 0]))
        assert earned[-1] == table.play(0, int(chance[0, 0]), int(drawn[0, 0])).earned[0]
    exact = hn.evaluate(profile.game, response.profile()).values[0]
    assert abs(np.mean(earned) - exact) < 4 * np.std(earned) / np.sqrt(len(earned))


class Different(hn.Rules):
    """Player 1 does not see the coin, but its actions depend on it: a broken promise."""

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> int:
        return (hn.CHANCE, 0, 1, hn.END)[len(state)]

    def chance(self, state: Any) -> Any:
        return [("heads", 0.5), ("tails", 0.5)]

    def actions(self, state: Any, player: int) -> Any:
        return ["a", "b"] if player == 0 or state[0] == "heads" else ["b", "c"]

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Any:
        return None

    def gains(self, state: Any) -> Any:
        return (1, -1) if len(state) == 3 and state[1] == state[2] else (0, 0)


@pytest.mark.parametrize("method", ["learned", "search"])
def test_sets_that_are_not_known_must_have_the_same_actions_everywhere(method: Any) -> None:
    """Uniform play knows no set, so all of player 1's are one to the walk; the broken promise is named all the same."""
    with pytest.raises(hn.errors.RulesError, match=r"node r:(heads|tails):(a|b): .*actions"):
        hn.respond(Policy.uniform(PlayedGame(Different())), 0, method, walks=50, plays=100)


def test_what_is_no_strategy_gets_a_sentence() -> None:
    asks: list[Any] = [hn.rollouts, lambda given: hn.respond(given, 0)]
    for ask in asks:
        with pytest.raises(hn.errors.ParameterError, match=r"5 is not a strategy; .* `uniform\(game\)`"):
            ask(5)
        with pytest.raises(
            hn.errors.FileError, match="the strategy file uniform does not exist; if this is a game, give its strategy"
        ):
            ask("uniform")
    with pytest.raises(hn.errors.ParameterError, match="is not a LookAheadPlayer"):
        hn.responses.gathered(hn.uniform("kuhn_poker"), 0)  # type: ignore[arg-type]
    assert hn.Policy.uniform("kuhn_poker").profile().at(0, "J") == {"p": 0.5, "b": 0.5}
