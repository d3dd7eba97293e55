"""Matches: against exact values, over many seeds, and with players that fail."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.measures import values
from tests.delegating import Delegating
from tests.measures.coverage import worth

KEYS = [
    "game", "players", "games", "seats", "scores", "half_widths", "interval_half_widths", "confidence", "wins",
    "draws", "losses", "duplicate", "variance_reduction", "effective_games", "seconds", "stop", "seed",
]  # fmt: skip


@pytest.mark.parametrize("address", ["kuhn_poker", "kuhn_poker(players=3)", "goofspiel(cards=3)", "leduc_poker"])
@pytest.mark.parametrize("parameters", [{}, {"duplicate": False}, {"aivat": 100}])
def test_bounds_and_intervals_hold_the_exact_scores(address: str, parameters: dict[str, Any]) -> None:
    """At 99.9 % in all, a right method fails one in a hundred of such tests; the draws are fixed."""
    game = hn.load(address).expanded()
    profiles = [hn.random_profile(game, seed=seed) for seed in range(game.players)]
    result = hn.match(game, *profiles, games=30_000, confidence=0.999, seed=5, **parameters)
    off = np.abs(worth(game, *profiles) - result.scores)
    assert np.all(off <= result.interval_half_widths)
    assert np.all(off <= result.half_widths)
    assert max(result.interval_half_widths) < 0.3
    assert max(result.half_widths) < 0.5
    assert list(result.record()) == KEYS
    assert result.effective_games is not None
    for won, drawn, lost in zip(result.wins, result.draws, result.losses, strict=True):
        assert won + drawn + lost == result.games


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [{}, {"duplicate": False}, {"aivat": 100}])
def test_intervals_are_no_wider_than_they_should_be(parameters: dict[str, Any]) -> None:
    """Of 200 intervals at 90 %, 180 should hold; 3 standard deviations are 13. Their mean is the exact score."""
    game = hn.load("kuhn_poker").expanded()
    profiles = [hn.random_profile(game, seed=1), hn.uniform(game)]
    exact = worth(game, *profiles)[0]
    runs = [hn.match(game, *profiles, games=400, confidence=0.9, seed=seed, **parameters) for seed in range(200)]
    held = sum(abs(run.scores[0] - exact) < run.interval_half_widths[0] for run in runs)
    assert 167 <= held <= 193
    assert sum(abs(run.scores[0] - exact) < run.half_widths[0] for run in runs) >= 193
    scores = np.array([run.scores[0] for run in runs])
    assert abs(scores.mean() - exact) < 4 * scores.std() / np.sqrt(len(scores))


def test_duplicate_play_and_corrections_take_luck_out() -> None:
    game = hn.load("leduc_poker").expanded()
    few, many = (hn.solve(game, "cfr", iterations=n).profile for n in (10, 1000))
    kinds: list[dict[str, Any]] = [{"duplicate": False}, {}, {"aivat": 20_000}]
    runs = [hn.match(game, few, many, games=20_000, **kind) for kind in kinds]
    alone, shared, corrected = (run.variance_reduction or 0.0 for run in runs)
    assert 0.9 < alone < 1.1
    assert shared > 1.5
    assert corrected > 5
    for kind in ("half_widths", "interval_half_widths"):
        widths = [getattr(run, kind)[0] for run in runs]
        assert widths[2] < widths[1] < widths[0]


def test_independent_games_are_worth_as_many_as_they_are() -> None:
    """Whoever beats one and loses to another in a round robin has scores that vary by opponent, and not by luck."""
    game = hn.load([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]).expanded()
    often = [[0.98, 0.01, 0.01], [0.01, 0.98, 0.01], [0.01, 0.01, 0.98]]
    profiles = [hn.profile(game, {0: {0: plays}, 1: {0: plays}}) for plays in often]
    for players in (profiles[:2], profiles):
        result = hn.match(game, *players, games=30_000, duplicate=False, seed=1)
        assert result.variance_reduction == pytest.approx(1.0, abs=0.05)  # a standard error near 0.01


def test_a_profile_against_itself_scores_nothing() -> None:
    profile = hn.random_profile("leduc_poker", seed=2)
    result = hn.match("leduc_poker", profile, profile, games=20_000, confidence=0.999)
    assert abs(result.scores[0]) <= result.half_widths[0]
    assert result.players == ("random", "random #2")


@pytest.mark.slow
def test_equal_players_are_seldom_told_apart() -> None:
    """At 80 %, at most 20 % of 100 matches may be decided at any time; 3 standard deviations more are 12."""
    profile = hn.random_profile("kuhn_poker", seed=2)
    runs = [
        hn.match("kuhn_poker", profile, profile, games=4000, confidence=0.8, decide=True, seed=seed)
        for seed in range(100)
    ]
    assert sum(run.stop == "decided" for run in runs) <= 32
    assert all(abs(run.scores[0]) <= run.half_widths[0] for run in runs if run.stop != "decided")


def test_different_players_are_told_apart_early() -> None:
    result = hn.match("kuhn_poker", "cfr+(iterations=100)", "uniform", games=1_000_000, decide=True)
    assert result.stop == "decided"
    assert result.games < 20_000
    assert result.scores[0] - result.half_widths[0] > -0.2
    again = hn.match("kuhn_poker", "cfr+(iterations=100)", "uniform", games=1_000_000, decide=True)
    assert (again.games, again.scores) == (result.games, result.scores)


def test_a_round_robin() -> None:
    result = hn.match("kuhn_poker", "uniform", "cfr(iterations=2)", "cfr+(iterations=200)", games=60_000)
    assert [who for who, _ in result.pairings] == [(0, 1), (0, 2), (1, 2)]
    assert result.scores[2] > result.scores[0]
    for one in range(3):
        mine = [scores[who.index(one)] for who, scores in result.pairings if one in who]
        assert np.mean(mine) == pytest.approx(result.scores[one])
        assert np.mean(np.array(result.seats[one], float)) == pytest.approx(result.scores[one])
    assert sum(result.scores) == pytest.approx(0.0, abs=1e-12)


def test_the_same_seed_gives_the_same_bits_on_plain_and_compiled_rules(tmp_path: Path) -> None:
    compiled = hn.load("kuhn_poker").expanded()
    plain = hn.load(Delegating(compiled.rules)).expanded()
    runs = []
    for k, game in enumerate((compiled, plain)):
        players = [hn.random_profile(game, seed=1), hn.uniform(game)]
        runs.append(hn.match(game, *players, games=300, seed=4, aivat=20))
        told = hn.match(game, *players, games=300, seed=4, aivat=20, record=tmp_path / f"{k}.jsonl")
        assert told.scores == runs[-1].scores
    assert (runs[0].scores, runs[0].half_widths) == (runs[1].scores, runs[1].half_widths)
    lines = [json.loads(line) for line in (tmp_path / "0.jsonl").read_text().splitlines()]
    assert len(lines) == 300
    earned = [line["earned"][line["seats"].index("random")] for line in lines]
    assert np.mean(earned) == pytest.approx(np.mean(np.array(runs[0].seats[0], float)))


def test_a_policy_of_a_large_game_plays() -> None:
    sampler = hn.methods.OutcomeSampling("goofspiel(cards=13)", over="rules")
    sampler.run(200)
    result = hn.match("goofspiel(cards=13)", sampler.policy(), bid, games=40)
    assert result.scores[1] > 0


def bid(sight: hn.Sight) -> Any:
    """Play the highest card that is left."""
    actions: Any = sight.actions
    return max(actions)


def test_a_rule_that_fails_tells_of_the_games_before() -> None:
    def short(sight: hn.Sight) -> Any:
        calls.append(sight)
        return "p" if len(calls) < 60 else 17

    calls: list[hn.Sight] = []
    with pytest.raises(
        hn.errors.PlayerError, match=r"^node r:.:.*: short in seat [01]: it returned 17, which is not a legal"
    ):
        hn.match("kuhn_poker", "uniform", short, games=1000)
    calls.clear()
    with pytest.raises(hn.errors.PlayerError) as failed:
        hn.match("kuhn_poker", "uniform", short, games=1000)
    assert failed.value.match.stop == "failed"
    assert 0 < failed.value.match.games < 60


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("x", "not a legal action"),
        (None, "not a legal action"),
        ({"p": 0.5}, "sum to 0.5"),
        ({"p": 0.5, "q": 0.5}, "not a legal action"),
        ({"p": -1.0, "b": 2.0}, "negative"),
        ([0.5, 0.25, 0.25], "3 probabilities for 2 actions"),
        ([0.5, "b"], "for a probability"),
        ([float("nan"), 1.0], "not finite"),
    ],
)
def test_wrong_answers_are_named(answer: Any, words: str) -> None:
    with pytest.raises(hn.errors.PlayerError, match=words):
        hn.match("kuhn_poker", "uniform", lambda sight: answer, games=10)


def test_a_rule_that_raises() -> None:
    def broken(sight: hn.Sight) -> Any:
        raise KeyError("card")

    with pytest.raises(hn.errors.PlayerError, match="broken in seat 1: it raised KeyError: 'card'"):
        hn.match("kuhn_poker", "uniform", broken, games=10)


@pytest.mark.parametrize(
    ("players", "parameters", "words"),
    [
        (("uniform",), {}, "2 seats: name 2 players and not 1"),
        ((), {}, "needs players"),
        (("uniform", "nobody"), {}, "'nobody' is neither a file nor a player"),
        (("uniform", "cfr++"), {}, "did you mean 'cfr\\+'"),
        (("uniform", "missing.strategy"), {}, "missing.strategy is neither a file nor a player"),
        (("uniform", "uniform"), {"games": 0}, "games=0"),
        (("uniform", "uniform"), {"confidence": 1.0}, "confidence"),
        (("uniform", "uniform"), {"decide": True, "bounds": (1.0, 1.0)}, "the least and the most"),
        (("uniform", "cfr(iterations=0)"), {}, "iterations=0"),
        (("uniform", "cfr(speed=3)"), {}, "speed"),
    ],
)
def test_bad_input(players: tuple[str, ...], parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(hn.HannanError, match=words):
        hn.match("kuhn_poker", *players, **parameters)


def test_a_strategy_of_another_game_is_refused() -> None:
    with pytest.raises(hn.errors.MismatchError, match="leduc_poker, not of kuhn_poker"):
        hn.match("kuhn_poker", hn.uniform("leduc_poker"), "uniform")


def test_hand_made_games_of_the_same_rules_are_the_same() -> None:
    policy = hn.Policy.uniform(hn.views.PlayedGame(hn.load("leduc_poker").played().rules))
    assert hn.match("leduc_poker", policy, "uniform", games=20).games == 20
    plain = hn.Policy.uniform(hn.views.PlayedGame(Delegating(hn.load("leduc_poker").played().rules)))
    with pytest.raises(hn.errors.MismatchError, match="not of leduc_poker itself: it belongs to plain Python rules"):
        hn.match("leduc_poker", plain, "uniform", games=20)


@pytest.mark.slow
@pytest.mark.parametrize("plain", [False, True])
def test_values_of_histories_that_plays_came_to(monkeypatch: pytest.MonkeyPatch, plain: bool) -> None:
    """As in a game too large to write out: scores are unbiased, and worth more games; compiled and plain, same bits."""
    monkeypatch.setattr(values, "is_small", lambda rules: False)
    game = hn.load("leduc_poker").expanded()
    profiles = [hn.random_profile(game, seed=seed) for seed in range(2)]
    games = 400 if plain else 20_000
    aivat = 40 if plain else 20_000
    result = hn.match(game, *profiles, games=games, seed=5, aivat=aivat, confidence=0.999)
    assert np.all(np.abs(worth(game, *profiles) - result.scores) <= result.half_widths)
    if plain:
        other = hn.views.ExpandedGame(Delegating(game.rules))
        same = hn.match(other, *(hn.random_profile(other, seed=seed) for seed in range(2)), games=games, seed=5,
                        aivat=aivat, confidence=0.999)  # fmt: skip
        assert same.scores == result.scores
    else:
        alone = hn.match(game, *profiles, games=games, seed=5)
        assert (result.variance_reduction or 0) > 1.05 * (alone.variance_reduction or 0)


def test_corrections_in_a_game_that_cannot_be_written_out() -> None:
    """Against uniform play the highest card earns nothing: the game is symmetric, and so is whoever draws at random."""
    result = hn.match("goofspiel(cards=13)", "uniform", bid, games=60, aivat=500, seed=1, confidence=0.999)
    assert abs(result.scores[1]) < result.half_widths[1]
    assert result.scores != hn.match("goofspiel(cards=13)", "uniform", bid, games=60, seed=1).scores


@pytest.mark.parametrize("aivat", [0, 2000])
def test_decisions_with_corrections_are_right(aivat: int) -> None:
    """Two profiles of which one is far better; nobody is ever certain of the other one, in 20 matches at 80 %."""
    game = hn.load("kuhn_poker").expanded()
    good, bad = hn.solve(game, "cfr+", iterations=200).profile, hn.random_profile(game, seed=1)
    exact = worth(game, good, bad)
    missed = 0
    for seed in range(20):
        result = hn.match(game, good, bad, games=40_000, decide=True, aivat=aivat, seed=seed, confidence=0.8)
        assert result.stop == "decided"
        assert result.scores[0] > result.scores[1]
        missed += bool(np.any(np.abs(exact - result.scores) > result.half_widths))
    assert missed <= 9  # of 20 at 80 %: 4 and 3 standard deviations


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [{}, {"decide": True}, {"aivat": 50}])
def test_a_match_is_resumed_to_the_same_bits(tmp_path: Path, parameters: dict[str, Any]) -> None:
    players = (hn.random_profile("leduc_poker", seed=1), bold, "uniform")
    whole = hn.match("leduc_poker", *players, games=480, seed=3, **parameters)
    stopped = hn.match("leduc_poker", *players, games=480, seed=3, checkpoint=tmp_path / "c",
                       progress=stop_after(5), **parameters)  # fmt: skip
    assert stopped.stop == "interrupted"
    assert stopped.games < 480
    again = hn.match("leduc_poker", *players, games=480, seed=3, resume=tmp_path / "c", **parameters)
    assert {**again.record(), "seconds": 0} == {**whole.record(), "seconds": 0}
    with pytest.raises(hn.errors.MismatchError, match="is of a match with terms"):
        hn.match("leduc_poker", *players, games=480, seed=4, resume=tmp_path / "c", **parameters)
    with pytest.raises(hn.errors.MismatchError, match="is of a match with players"):
        hn.match("leduc_poker", "uniform", "uniform", games=480, seed=3, resume=tmp_path / "c", **parameters)
    with pytest.raises(hn.errors.ParameterError, match="record and resume do not go together"):
        hn.match("leduc_poker", *players, seed=3, resume=tmp_path / "c", record=tmp_path / "r", **parameters)


def bold(sight: hn.Sight) -> Any:
    return sight.actions[-1]


def stop_after(times: int) -> Any:
    """Progress that presses Ctrl-C when it is told so many times."""
    told = iter(range(times))

    def progress(now: hn.Progress) -> None:
        assert "games" in now.status
        if next(told, None) is None:
            signal.raise_signal(signal.SIGINT)

    return progress


BOLD = {0: {"*": {"b": 1}}, 1: {"*": {"b": 1}}}


@pytest.mark.parametrize("aivat", [0, 20])
def test_bounds_that_a_game_leaves_are_refused(aivat: int) -> None:
    """Kuhn poker pays up to 2. Bounds that rest on less hold nothing, and matches would be decided wrongly."""
    bold = hn.profile("kuhn_poker", BOLD)  # type: ignore[arg-type]
    with pytest.raises(hn.errors.ParameterError, match=r"seat \d earned -?2 in a play, but by the bounds"):
        hn.match("kuhn_poker", bold, "uniform", games=1000, decide=True, bounds=(-0.5, 0.5), aivat=aivat)
    right = hn.match("kuhn_poker", bold, "uniform", games=1000, decide=True, bounds=(-2, 2), aivat=aivat)
    known = hn.match("kuhn_poker", bold, "uniform", games=1000, decide=True, aivat=aivat)
    assert right == replace(known, seconds=right.seconds)


def test_a_match_is_not_resumed_with_other_bounds(tmp_path: Path) -> None:
    """Games before the checkpoint were compared with one range only."""
    terms = {"decide": True, "seed": 1}
    hn.match("kuhn_poker", "uniform", "uniform", games=100, bounds=(-2, 2), checkpoint=tmp_path / "half", **terms)  # type: ignore[arg-type]
    with pytest.raises(hn.errors.MismatchError, match="with other bounds"):
        hn.match("kuhn_poker", "uniform", "uniform", games=200, bounds=(-20, 20), resume=tmp_path / "half", **terms)  # type: ignore[arg-type]
    again = hn.match("kuhn_poker", "uniform", "uniform", games=200, bounds=(-2, 2), resume=tmp_path / "half", **terms)  # type: ignore[arg-type]
    whole = hn.match("kuhn_poker", "uniform", "uniform", games=200, bounds=(-2, 2), **terms)  # type: ignore[arg-type]
    assert (again.scores, again.half_widths) == (whole.scores, whole.half_widths)


def test_a_match_is_not_resumed_with_probabilities_in_other_places(tmp_path: Path) -> None:
    """The same numbers at other sets, or at other actions, are another strategy."""
    old = hn.random_profile("kuhn_poker", seed=1)
    names, half = ["a", "b"], tmp_path / "half"
    hn.match("kuhn_poker", old, "uniform", games=100, names=names, checkpoint=half)
    first = old.strategies[0]
    others = [first.copy(), first.copy()]
    others[0][1:3] = first[2:0:-1]  # the actions of one set
    others[1][1:3], others[1][3:5] = first[3:5], first[1:3]  # two sets
    for other in others:
        new = hn.profile("kuhn_poker", [other, old.strategies[1]])
        with pytest.raises(hn.errors.MismatchError, match="is of a match in which a played otherwise"):
            hn.match("kuhn_poker", new, "uniform", games=200, names=names, resume=half)


@pytest.mark.parametrize("game", ["kuhn_poker", Delegating(hn.load("kuhn_poker").played().rules)])
def test_a_match_is_not_resumed_with_players_who_play_otherwise(game: Any, tmp_path: Path) -> None:
    """A file that was written anew has the name of the old one."""
    old, new = (hn.random_profile(game, seed=seed) for seed in (1, 2))
    names, half = ["a", "b"], tmp_path / "half"
    hn.match(game, old, "uniform", games=100, names=names, checkpoint=half)
    with pytest.raises(hn.errors.MismatchError, match="is of a match in which a played otherwise"):
        hn.match(game, new, "uniform", games=200, names=names, resume=half)
    again = hn.match(game, hn.Policy.of_profile(old), "uniform", games=200, names=names, resume=half)
    whole = hn.match(game, old, "uniform", games=200, names=names)
    assert (again.scores, again.half_widths) == (whole.scores, whole.half_widths)
