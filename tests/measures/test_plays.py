"""Plays by plain steps and by the compiled loop, and corrections for luck, with every draw enumerated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.measures import plays
from hannan.measures.players import Player, playing, rule_player, table_of
from hannan.measures.plays import PlayTable, Worth
from hannan.measures.values import learnt_worth, worth_under
from hannan.runs.match_pieces import game_streams
from hannan.strategies.policy import Policy
from tests.delegating import Delegating
from tests.games.plain import Kuhn

GAMES = ("kuhn_poker", "leduc_poker", "goofspiel(cards=3)", "kuhn_poker(players=3)", "random_game(seed=3)")


def table(game: hn.views.ExpandedGame, worth: Worth | None = None, *seeds: int) -> PlayTable:
    players = [playing(game, f"p{seed}", hn.random_profile(game, seed=seed)) for seed in seeds or range(game.players)]
    seats = np.arange(game.players)
    return PlayTable(game, players, np.array([np.roll(seats, turn) for turn in seats]), worth)


def exact(table: PlayTable, seating: int) -> list[float]:
    """Return what each seat is worth by the sequence form."""
    strategies = []
    for seat, one in enumerate(table.seatings[seating].tolist()):
        policy = table_of(table.players[one])
        assert policy is not None
        strategies.append(policy.profile().strategies[seat])
    game = table.game.expanded()
    return list(hn.evaluate(game, hn.profile(game, strategies)).values)


class Script:
    """Draws that are written down beforehand, the first move where nothing is; then the next script in order."""

    def __init__(self) -> None:
        self.moves: list[int] = []
        self.begin()

    def begin(self) -> None:
        self.weight, self.sizes = 1.0, list[int]()

    def draw(self, weights: Any) -> int:
        if len(self.sizes) == len(self.moves):
            self.moves.append(0)
        k = self.moves[len(self.sizes)]
        self.sizes.append(len(weights))
        self.weight *= weights[k]
        return k

    def next(self) -> bool:
        while self.moves and self.moves[-1] + 1 == self.sizes[len(self.moves) - 1]:
            self.moves.pop()
        if self.moves:
            self.moves[-1] += 1
        return bool(self.moves)


def every_play(table: PlayTable, seating: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[float, plays.Play]]:
    """Yield each play that can come about, with its probability."""
    script = Script()
    monkeypatch.setattr(plays.Draws, "draw", lambda draws, weights, even: script.draw(weights))
    while True:
        script.begin()
        play = table.play(seating, 1, 2)
        yield script.weight, play
        if not script.next():
            return


@pytest.mark.parametrize("address", GAMES)
def test_compiled_and_plain_steps_give_the_same_bits(address: str) -> None:
    game = hn.load(address).expanded()
    one = table(game, worth_under(hn.random_profile(game, seed=9)))
    chances, draws = game_streams(3, 0, 40, len(one.seatings), True)
    fast, slow = (one.batch(chances, draws, telling) for telling in (False, True))
    assert one.fast
    assert np.array_equal(fast.earned, slow.earned)
    assert np.array_equal(fast.corrected, slow.corrected)
    assert len(np.unique(fast.earned)) > 1


@pytest.mark.parametrize("address", GAMES)
def test_a_policy_in_several_seats_plays_as_its_copies_do(address: str) -> None:
    game = hn.load(address).expanded()
    policy, other = (Policy.of_profile(hn.random_profile(game, seed=seed)) for seed in (1, 2))
    policies = [policy, policy, other][: game.players]
    seats, batches = np.arange(game.players), []
    for mine in (policies, [replace(one) for one in policies]):
        players = [playing(game, f"p{k}", one) for k, one in enumerate(mine)]
        one = PlayTable(game, players, np.array([np.roll(seats, turn) for turn in seats]))
        assert one.fast
        chances, draws = game_streams(3, 0, 40, len(one.seatings), True)
        batches += [one.batch(chances, draws, telling, 5) for telling in (False, True)]
    for batch in batches[1:]:
        np.testing.assert_array_equal(batch.earned, batches[0].earned)
        np.testing.assert_array_equal(batch.trail, batches[0].trail)


@pytest.mark.parametrize("address", ["kuhn_poker", "goofspiel(cards=3)"])
def test_plain_rules_give_the_same_bits(address: str) -> None:
    compiled = hn.load(address).expanded()
    plain = hn.load(Delegating(compiled.rules)).expanded()
    batches = []
    for game in (compiled, plain):
        one = table(game, worth_under(hn.random_profile(game, seed=9)))
        batches.append(one.batch(*game_streams(3, 0, 40, len(one.seatings), True)))
    assert np.array_equal(batches[0].earned, batches[1].earned)
    assert np.array_equal(batches[0].corrected, batches[1].corrected)


@pytest.mark.parametrize("address", ["kuhn_poker", "random_game(seed=3)", "random_game(seed=4)", "goofspiel(cards=2)"])
def test_corrections_leave_the_mean_and_right_guesses_leave_no_variance(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sum over all plays of probability times score is exact up to rounding."""
    game = hn.load(address).expanded()
    guesses = learnt_worth(game, 50, seed=1)
    wrong = Worth(guesses.child, guesses.many, np.random.default_rng(5).normal(size=guesses.value.shape) * 10)
    for worth in (guesses, wrong):
        one = table(game, worth)
        plays = list(every_play(one, 1, monkeypatch))
        assert sum(weight for weight, _ in plays) == pytest.approx(1.0, abs=1e-12)
        for name in ("earned", "corrected"):
            mean = sum(weight * getattr(play, name) for weight, play in plays)
            np.testing.assert_allclose(mean, exact(one, 1), atol=1e-9)
    one = table(game)
    order = one.seatings[0].tolist()
    pair = [one.players[k].strategy.profile().strategies[seat] for seat, k in enumerate(order)]
    right = table(game, worth_under(hn.profile(game, pair)))
    for _, play in every_play(right, 0, monkeypatch):
        np.testing.assert_allclose(play.corrected, exact(one, 0), atol=1e-9)


def test_a_rule_that_names_actions_is_not_corrected_for(monkeypatch: pytest.MonkeyPatch) -> None:
    game = hn.load("kuhn_poker").expanded()
    bold = rule_player(game, "bold", lambda sight: "b")
    pair: list[Player] = [playing(game, "random", hn.random_profile(game, seed=1)), bold]
    one = PlayTable(game, pair, np.array([[0, 1], [1, 0]]), learnt_worth(game, 50, seed=1))
    strategy = hn.uniform(game).strategies[1].copy()
    strategy[1:] = np.tile([0.0, 1.0], len(strategy) // 2)
    values = hn.evaluate(game, hn.profile(game, [hn.random_profile(game, seed=1).strategies[0], strategy])).values
    mean = sum(weight * play.corrected for weight, play in every_play(one, 0, monkeypatch))
    np.testing.assert_allclose(mean, values, atol=1e-9)


def test_a_rule_sees_what_its_seat_observes_and_nothing_else() -> None:
    game = hn.load(Kuhn()).expanded()
    seen: list[hn.Sight] = []

    def watch(sight: hn.Sight) -> dict[str, float]:
        seen.append(sight)
        return {"p": 0.5, "b": 0.5}

    one = PlayTable(game, [rule_player(game, "a", watch)] * 2, np.array([[0, 1], [1, 0]]))
    one.batch(*game_streams(0, 0, 30, 2, True))
    for sight in seen:
        assert sight.names == ("p", "b")
        observation: Any = sight.observation
        earlier: Any = sight.history
        assert len(observation[1]) % 2 == sight.seat
        assert all(seen_then[0] == observation[0] for seen_then, _ in earlier)
    assert {len(sight.history) for sight in seen} == {0, 1}
    assert not [name for name in vars(seen[0]) if "rules" in name or "state" in name]
