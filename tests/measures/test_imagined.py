"""Imaginary observations, with every draw enumerated: the mean is exact, and the variance no larger than without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.measures.imagined import imagined
from hannan.measures.players import Player, playing, rule_player
from hannan.measures.plays import PlayTable, Worth
from hannan.measures.values import learnt_worth
from tests.measures.test_plays import every_play

GAMES = ["kuhn_poker", "random_game(seed=3)", "random_game(seed=4)", "goofspiel(cards=2)", "kuhn_poker(players=3)"]


def first_action(sight: hn.Sight) -> Any:
    return sight.actions[0]


def any_action(sight: hn.Sight) -> list[float]:
    return [1 / len(sight.actions)] * len(sight.actions)


def with_rule(game: hn.views.ExpandedGame, rule: Any) -> tuple[list[Player], hn.Profile]:
    """Return a rule in the first seat and tables in all others, and the same as a profile."""
    profile = hn.random_profile(game, seed=2)
    players: list[Player] = [rule_player(game, "rule", rule)]
    players += [playing(game, f"table {k}", profile) for k in range(1, game.players)]
    plex = game.form.treeplexes[0]
    strategy = hn.uniform(game).strategies[0].copy()
    if rule is first_action:
        strategy[1:] = 0.0
        strategy[plex.begin[:-1]] = 1.0
    return players, hn.profile(game, [strategy, *profile.strategies[1:]])


def guesses(game: hn.views.ExpandedGame) -> Sequence[Worth]:
    """Return learnt ones, and ones that mean nothing."""
    learnt = learnt_worth(game, 50, seed=1)
    return learnt, learnt._replace(value=np.random.default_rng(5).normal(size=learnt.value.shape))


@pytest.mark.parametrize("rule", [first_action, any_action])
@pytest.mark.parametrize("address", GAMES)
def test_the_mean_is_exact_and_the_variance_no_larger(address: str, rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game = hn.load(address).expanded()
    players, profile = with_rule(game, rule)
    seats, values = np.arange(game.players)[None], np.array(hn.evaluate(game, profile).values)
    for worth in guesses(game):
        variances = []
        for told in (imagined(game, players, seats, worth), ()):
            plays = list(every_play(PlayTable(game, players, seats, worth, told), 0, monkeypatch))
            mean = sum(weight * play.corrected for weight, play in plays)
            np.testing.assert_allclose(mean, values, atol=1e-9)
            variances.append(sum(weight * (play.corrected - values) ** 2 for weight, play in plays))
        if rule is first_action:  # one that tells its probabilities is corrected for in either case
            assert np.all(variances[0] <= variances[1] + 1e-9)
            assert "kuhn" not in address or np.any(variances[0] < variances[1] - 1e-3)


def test_nothing_is_imagined_where_all_are_tables_or_nobody_is() -> None:
    game = hn.load("kuhn_poker").expanded()
    worth = learnt_worth(game, 50, seed=1)
    rule = rule_player(game, "rule", first_action)
    table = playing(game, "table", hn.uniform(game))
    seatings = np.array([[0, 1], [0, 2], [2, 3]])
    told = imagined(game, [rule, table, playing(game, "other", hn.uniform(game)), table], seatings, worth)
    assert [one is None for one in told] == [False, False, True]
    assert imagined(game, [rule, rule], np.array([[0, 1]]), worth) == (None,)
    assert imagined(game, [rule, table], np.array([[0, 1]]), None) == (None,)
    assert imagined(game, [rule, table], np.array([[0, 1]]), worth._replace(whole=False)) == (None,)


def calls(sight: hn.Sight) -> str:
    return "c"


@pytest.mark.slow
def test_fewer_games_are_needed_on_leduc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same games, scored with and without: both intervals hold the exact score, and one is narrower."""
    game = hn.load("leduc_poker").expanded()
    solver = hn.CFR(game)
    solver.run(100)
    profile = solver.average()
    pairs = [hn.profile(game, {seat: {"*": {"c": 1.0}}}, rest=profile) for seat in range(2)]
    exact = sum(hn.evaluate(game, pair).values[seat] for seat, pair in enumerate(pairs)) / 2
    results = [hn.match(game, calls, profile, games=1000, seed=1, aivat=2000, confidence=0.999)]
    monkeypatch.setattr("hannan.runs.match.imagined", lambda *_: ())
    results.append(hn.match(game, calls, profile, games=1000, seed=1, aivat=2000, confidence=0.999))
    for result in results:
        assert abs(result.scores[0] - exact) < result.half_widths[0]
        assert abs(result.scores[0] - exact) < result.interval_half_widths[0]
    assert results[0].interval_half_widths[0] < 0.9 * results[1].interval_half_widths[0]


def test_decide_and_imagining_go_together() -> None:
    """The interval at any stopping time is wider than the usual one, and holds the score of a clear match."""
    game = hn.load("kuhn_poker").expanded()
    solver = hn.CFR(game)
    solver.run(100)
    result = hn.match(game, "uniform", solver.average(), first_action, games=300, seed=1, aivat=200, decide=True)
    assert result.games <= 300
    assert all(width > 0 for width in result.half_widths)
