"""Rules that list their actions in another order than when a file was written: matched by name, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.files import read_arrays, write_arrays
from hannan.forms.game import PlayedGame
from hannan.measures.rollouts import rollouts
from hannan.strategies.seats import StrategyPlayer


class Doors(hn.Rules):
    """Player 0 opens one of three doors, twice; player 1 then guesses the first. No two doors are worth the same."""

    players = 2

    def __init__(self, order: Sequence[str] = ("a", "b", "c")) -> None:
        self.order = order

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> int:
        return (0, 0, 1, hn.END)[len(state)]

    def actions(self, state: Any, player: int) -> Sequence[str]:
        return list(self.order)

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Any:
        return len(state)

    def gains(self, state: Any) -> tuple[float, float]:
        if len(state) < 3:
            return (0.0, 0.0)
        value = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 0.0}[state[0]] * (1 + "abcd".index(state[1])) - 3 * (
            state[0] == state[2]
        )
        return (value, -value)


OTHER = ("c", "a", "b")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    solver = hn.methods.OutcomeSampling(Doors(), over="rules", seed=1)
    solver.run(200)
    hn.save(solver.policy(), tmp_path / "doors.policy")
    return tmp_path / "doors.policy"


def by_name(policy: Any) -> dict[Any, float]:
    """The probabilities of a policy on its expanded game, by the names of sets and actions."""
    profile = policy.profile()
    game = profile.game
    return {
        (player, frozenset(name.split()), action): share
        for player in range(2)
        for number in range(game.form.treeplexes[player].sets)
        for name in [game.set_text(player, number)]
        for action, share in profile.at(player, number).items()
    }


def test_a_policy_is_matched_by_name(path: Path) -> None:
    same, other = hn.read(path, Doors()), hn.read(path, Doors(OTHER))
    assert by_name(same) == by_name(other)
    values = [hn.evaluate(policy.game, policy.profile()).values for policy in (same, other)]
    assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_walks_play_it_by_name(path: Path) -> None:
    """Estimates of 4,000 plays lie within their intervals of the exact values, in both orders."""
    for order in (("a", "b", "c"), OTHER):
        policy: Any = hn.read(path, Doors(order))
        exact, estimate = hn.evaluate(policy.game, policy.profile()).values, rollouts(policy, plays=4000, seed=3)
        for value, told, half in zip(exact, estimate.values, estimate.half_widths, strict=True):
            assert abs(value - told) <= 2 * half


def test_a_player_plays_it_by_name(path: Path) -> None:
    """With the same luck a seat sees the same weights, in whichever order actions are listed."""
    for order in (("a", "b", "c"), OTHER):
        policy: Any = hn.read(path, Doors(order))
        weights, places = policy.offered(policy.find(0, 0), list(order))
        first = {name: float(share) for name, share in zip("abc", policy.plays(policy.find(0, 0), 3), strict=True)}
        assert dict(zip(order, weights.tolist(), strict=True)) == first
        assert ["abc"[place] for place in places] == list(order)
        assert StrategyPlayer(policy, 0, seed=1).act(0, list(order)) in order


def test_other_actions_are_refused(path: Path) -> None:
    policy: Any = hn.read(path, Doors(("a", "b", "d")))
    with pytest.raises(hn.errors.MismatchError, match="has the actions 'a', 'b', 'c', but the game has 'a', 'b', 'd'"):
        policy.profile()
    with pytest.raises(hn.errors.RulesError, match="the actions are 'a', 'b', 'd', and in the file 'a', 'b', 'c'"):
        rollouts(policy, plays=10)


def test_a_sampler_goes_on_by_name(tmp_path: Path) -> None:
    """What it has learnt of each action stays with its name."""
    solver = hn.methods.OutcomeSampling(PlayedGame(Doors()), seed=1)
    solver.run(50)
    solver.save(tmp_path / "x")
    before = by_name(solver.policy())
    back: Any = hn.resume(tmp_path / "x", PlayedGame(Doors(OTHER)))
    assert by_name(back.policy()) == before
    whole = hn.methods.OutcomeSampling(PlayedGame(Doors()), seed=1)
    whole.run(80)
    back.run(30)
    assert by_name(back.policy()) == by_name(whole.policy())


def test_a_profile_names_its_actions(tmp_path: Path) -> None:
    hn.save(hn.random_profile(Doors(), 1), tmp_path / "x")
    assert isinstance(hn.read(tmp_path / "x", Doors()), hn.Profile)
    with pytest.raises(hn.errors.MismatchError):
        hn.read(tmp_path / "x", Doors(OTHER))
    arrays, facts = read_arrays(tmp_path / "x", "strategy")
    assert facts["actions"] == [["a", "b", "c"]] * 2
    facts["actions"][0] = ["b", "a", "c"]
    write_arrays(tmp_path / "x", "strategy", arrays, facts)
    with pytest.raises(hn.errors.MismatchError, match="names other actions of player 0 than Doors has, or has them in"):
        hn.read(tmp_path / "x", Doors())


def test_uniform_play_has_no_names(tmp_path: Path) -> None:
    hn.save(hn.Policy.uniform(hn.load(Doors()).played()), tmp_path / "x")
    assert np.isclose(hn.read(tmp_path / "x", Doors()).profile().strategies[0][1], 1 / 3)
