"""Values by playing, against exact ones."""

from __future__ import annotations

from itertools import count
from math import sqrt
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.forms.outline import walk_size
from hannan.kernels.sampling.records import ALL
from hannan.measures.rollouts import FIRST_SLICE, rollouts
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.strategies.policy import Policy
from tests import loaded
from tests.delegating import Delegating
from tests.games.plain import Kuhn

GAMES = ("kuhn_poker", "leduc_poker", "goofspiel(cards=3)", "kuhn_poker(players=3)")


@pytest.mark.parametrize("address", GAMES)
def test_bounds_and_intervals_hold_the_exact_values(address: str) -> None:
    """At 99.99 % for each of four games, a right method fails here once in two thousand; the draws are fixed."""
    profile = hn.random_profile(address, seed=1)
    found = rollouts(profile, plays=50_000, seed=3, confidence=0.9999)
    exact = hn.evaluate(profile.game, profile).values
    assert np.all(np.abs(np.subtract(found.values, exact)) < found.interval_half_widths)
    assert np.all(np.array(found.interval_half_widths) < found.half_widths)
    assert max(found.half_widths) < 0.2


def test_intervals_are_no_wider_than_they_should_be() -> None:
    """Of 200 pairs of intervals at 90 %, so each at 95 %, 190 should hold; 3 standard deviations are 9."""
    profile = hn.random_profile("kuhn_poker", seed=1)
    exact = hn.evaluate(profile.game, profile).values[0]
    runs = [rollouts(profile, plays=400, seed=seed, confidence=0.9) for seed in range(200)]
    held = sum(abs(run.values[0] - exact) < run.interval_half_widths[0] for run in runs)
    assert 181 <= held <= 199
    assert all(abs(run.values[0] - exact) < run.half_widths[0] for run in runs)


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e7, 1e9])
def test_intervals_are_those_of_what_differs(offset: float) -> None:
    """A constant that is added to all that is gained changes no interval: payoffs 0 or 1 have a standard error of 1/2
    over the square root of the plays. What a response gains by the same play is nothing, and no bound is above that
    in more plays than promised."""
    win = np.eye(2)
    policy = Policy.uniform(hn.load(hn.matrix_game(np.stack((win, 1 - win)) + offset)).played())
    estimate = rollouts(policy, plays=2000)
    assert estimate.standard_errors == pytest.approx([0.5 / sqrt(2000)] * 2, rel=0.02)
    response = hn.respond(policy, 0, policy, walks=1, plays=2000, seed=0)
    assert response.interval_half_width == pytest.approx(1.96 * sqrt(2 * 0.25 / 2000), rel=0.02)
    assert response.half_width == pytest.approx(2.4 * 1.64 * sqrt(2 * 0.25 / 2000), rel=0.1)
    assert response.lower_bound == 0.0


def test_a_single_play_says_nothing_about_its_error() -> None:
    found = rollouts(hn.uniform("kuhn_poker"), plays=1)
    assert found.standard_errors is found.interval_half_widths is None
    assert found.half_widths == tuple(2 + abs(value) for value in found.values)  # payoffs are from -2 to 2


def test_plain_rules_give_the_same_bits() -> None:
    compiled, plain = load_expanded("kuhn_poker"), ExpandedGame(Delegating(load_expanded("kuhn_poker").rules))
    profile, twin = hn.random_profile(compiled, seed=1), hn.random_profile(plain, seed=1)
    assert rollouts(profile, plays=300) == rollouts(twin, plays=300)


def test_unknown_sets_are_played_uniformly() -> None:
    solver = hn.methods.ExternalSampling("leduc_poker", over="rules")
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
    with pytest.raises(hn.errors.ParameterError, match="plays=0"):
        rollouts(profile, plays=0)
    with pytest.raises(hn.errors.ParameterError, match=r"confidence=1\.0"):
        rollouts(profile, confidence=1.0)


@pytest.mark.parametrize("slices", [1, 3])
def test_plays_may_be_stopped(slices: int) -> None:
    """What there is then are the numbers of so many plays; at least one slice is made."""
    profile = hn.random_profile("leduc_poker", seed=1)
    asked = count(1)
    found = rollouts(profile, plays=10**9, seed=3, stop=lambda: next(asked) >= slices)
    assert FIRST_SLICE + slices - 1 <= found.plays < 10**6
    assert found == rollouts(profile, plays=found.plays, seed=3)
    assert rollouts(profile, plays=2000, stop=lambda: False) == rollouts(profile, plays=2000)
    assert rollouts(profile, plays=7, stop=lambda: True) == rollouts(profile, plays=7)


def _visited(rules: Rules, state: Any, player: int, own: int, everybody: bool) -> float:
    """The exact mean number of histories in a walk, the others drawn uniformly."""
    turn = rules.turn(state)
    if turn == END:
        return 1.0
    if turn == CHANCE:
        parts = [(weight, rules.after(state, outcome)) for outcome, weight in rules.chance(state)]
        return 1 + sum(weight * _visited(rules, after, player, own, everybody) for weight, after in parts)
    moves: list[tuple[tuple[Any, ...], float]] = [((), 1.0)]
    for mover in movers(turn):
        menu = rules.actions(state, mover)
        taken = min(max(own, 1), len(menu)) if mover == player else len(menu) if everybody else 1
        moves = [((*joint, action), weight * taken / len(menu)) for joint, weight in moves for action in menu]
    after = [(rules.after(state, m if isinstance(turn, tuple) else m[0]), weight) for m, weight in moves]
    return 1 + sum(weight * _visited(rules, following, player, own, everybody) for following, weight in after)


WALKS = {"one": (0, False), "two": (2, False), "all": (ALL, False), "everybody": (ALL, True)}


@pytest.mark.slow
@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker(ranks=2)", "goofspiel(cards=3)", "liars_dice(faces=2)"])
def test_the_size_of_a_walk_is_right_on_average(game: str, walk: str) -> None:
    """Within a tenth: sizes were seen to deviate by 1.3 means at most, 3.4 standard errors of 2,000 plays."""
    rules, (own, everybody) = loaded.game(game).rules, WALKS[walk]
    for player in range(2):
        exact = _visited(rules, rules.start(), player, own, everybody)
        assert walk_size(rules, player, own, everybody, plays=2000) == pytest.approx(exact, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "walk"), [("mccfr-os", "one"), ("mccfr-es", "all"), ("mccfr-cs", "everybody")])
@pytest.mark.parametrize("address", ["kuhn_poker", "leduc_poker"])
def test_first_walks_are_as_long_as_estimated(address: str, method: str, walk: str) -> None:
    """Everybody plays uniformly in the first walk; its mean over 100 seeds, within 4 standard errors."""
    own, everybody = WALKS[walk]
    kind: Any = hn.solvers.method_class(method)
    game, seen = loaded.game(address), []
    for seed in range(100):
        solver = kind(game, over="rules", seed=seed)
        solver._streams[0].walk(1)
        seen.append(solver.histories)
    rules = game.rules
    exact = _visited(rules, rules.start(), 0, own, everybody)
    assert abs(np.mean(seen) - exact) <= 4 * np.std(seen) / sqrt(len(seen)) + 1e-9


def test_walks_that_never_end_are_told_from_short_ones() -> None:
    """13! orders of one player's cards, and all shorter beginnings: about e times 13!, the last card being forced."""
    rules = hn.load("goofspiel(cards=13)").played().rules
    assert 5e9 < walk_size(rules, 0, ALL, False) < 1e11
    assert walk_size(rules, 0, 0, False) < 40
    assert walk_size(rules, 0, ALL, True) > 1e18


def test_broken_rules_are_played_as_far_as_they_go() -> None:
    class Broken(Kuhn):
        def after(self, state: Any, move: Any) -> Any:
            if len(state) > 1:
                raise ZeroDivisionError
            return super().after(state, move)

    assert 1 <= walk_size(Broken(), 0, ALL, True) < 10
