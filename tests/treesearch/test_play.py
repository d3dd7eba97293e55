"""A search that is driven by hand: limits of time, positions of a play, and rules that search in a match."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import ParameterError, PlayerError
from hannan.forms.loader import load
from hannan.rules.positions import moves
from hannan.rules.standing import Track
from hannan.treesearch import deadline
from tests.clock import Clock
from tests.treesearch.positions import Plainly, positions

DESCENDING = "goofspiel(cards=4,information=open,order=descending)"
RANDOM = "goofspiel(cards=3,information=open)"
QUESTION = 0.003
"""Seconds that slow rules take to make a move."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that the search reads, and that slow rules move."""
    clock = Clock()
    monkeypatch.setattr(deadline, "time", clock)
    return clock


class Slow(Plainly):
    """Rules that need `QUESTION` for each move."""

    clock: Clock | None = None

    def after(self, state: Any, move: Any) -> Any:
        if self.clock is not None:
            self.clock.now += QUESTION
        return self.rules.after(state, move)


def slow(clock: Clock) -> Slow:
    rules = Slow(load(DESCENDING).played().rules)
    rules.clock = clock
    return rules


@pytest.mark.parametrize("seconds", [0.001, 0.004, 0.05, 1.0])
def test_time_is_a_hard_limit_for_slow_rules(seconds: float, clock: Clock) -> None:
    """It is overshot by one question at most, although a walk asks up to four."""
    searcher = hn.Searcher(slow(clock), "rm")
    for _ in range(5):
        before = clock.now
        searcher.search(seconds)
        assert seconds <= clock.now - before < seconds + QUESTION + 1e-9
        assert searcher.plays(0).sum() == pytest.approx(1)  # uniform, where no walk was finished


@pytest.mark.parametrize("judge", ["rollout", "evaluation"])
def test_time_is_a_hard_limit_for_slow_judges(judge: str, clock: Clock) -> None:
    def slowly(state: Any, *player: int) -> Any:
        clock.now += QUESTION
        size = len(list(load(DESCENDING).played().rules.actions(state, player[0]))) if player else 1
        return [1 / size] * size if player else 0.0

    judging: dict[str, Any] = {judge: slowly}
    searcher = hn.Searcher(DESCENDING, "rm", **judging)
    for _ in range(5):
        before = clock.now
        searcher.search(0.05)
        assert clock.now - before < 0.05 + QUESTION + 1e-9
    assert searcher.iterations > 0


def test_a_walk_that_time_has_cut_off_goes_on_to_the_same_bits(clock: Clock) -> None:
    cut, whole = (hn.Searcher(slow(clock), "rm", seed=3) for _ in range(2))
    whole.run(400)
    while cut.iterations < 400:
        assert cut.search(0.05, iterations=400 - cut.iterations) < 400
    assert cut.strategy() == whole.strategy()
    assert cut.value == whole.value


@pytest.mark.usefixtures("clock")
def test_a_tree_does_not_grow_where_copying_it_takes_longer_than_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    game = "goofspiel(cards=5,information=open,order=descending)"
    free, held = hn.Searcher(game, "rm", seed=2), hn.Searcher(game, "rm", seed=2)
    free.search(1.0, iterations=2000)
    monkeypatch.setattr(held._growth, "_speed", 1.0)  # a byte per second
    assert held.search(1.0, iterations=2000) == 2000
    assert 0 < held.nodes <= 256 < free.nodes
    held.run(2000)
    assert held.nodes > 256
    whole = hn.Searcher(game, "rm", seed=2)
    whole.run(2000)
    assert whole.strategy() == free.strategy()


def test_a_search_needs_a_limit() -> None:
    searcher = hn.Searcher(DESCENDING)
    assert searcher.search(iterations=7) == 7 == searcher.iterations
    with pytest.raises(ParameterError, match="seconds or iterations"):
        searcher.search()
    with pytest.raises(ParameterError, match="seconds=0"):
        searcher.search(0)


@pytest.mark.parametrize("plain", [False, True])
def test_a_play_has_a_position_gains_and_an_end(plain: bool) -> None:
    rules = load(DESCENDING).played().rules
    searcher = hn.Searcher(Plainly(rules) if plain else DESCENDING, "rm", seed=1)
    state, earned = rules.start(), np.array(rules.gains(rules.start()), float)
    draw = np.random.default_rng(2)
    played: list[Any] = []
    while not searcher.over:
        searcher.search(iterations=50)
        legal = moves(rules, state)
        played.append(legal[draw.integers(len(legal))])
        state = rules.after(state, played[-1])
        earned += rules.gains(state)
        searcher.advance([played[-1]])
        assert searcher.position == tuple(played)
        assert searcher.gains == pytest.approx(earned.tolist(), abs=1e-12)
    assert rules.turn(state) == hn.END
    assert searcher.strategy() == ({}, {})
    assert searcher.path == ":".join(f"({a + 1},{b + 1})" for a, b in played)


def test_jumping_goes_anywhere_and_keeps_what_lies_ahead() -> None:
    searcher = hn.Searcher(DESCENDING, "rm", seed=1)
    searcher.run(5000)
    below = searcher.numbers(searcher.find("(1,2)") or 0)
    searcher.jump(((0, 1),))
    np.testing.assert_array_equal(searcher.numbers(0), below)
    searcher.jump([[2, 1], (0, 0)])
    assert (searcher.path, searcher.nodes, searcher.value) == ("(3,2):(1,1)", 0, None)
    searcher.jump("(3,2)")
    assert searcher.position == ((2, 1),)
    for wrong, sentence in (([(9, 9)], "not a legal move after"), (5, "not a position"), ("(9,9)", "cannot be played")):
        with pytest.raises(ParameterError, match=sentence):
            searcher.jump(wrong)  # type: ignore[arg-type]
    assert searcher.position == ((2, 1),)


@pytest.mark.parametrize("address", [RANDOM, "tic_tac_toe", "random_game(depth=3,branching=2,chance=3,seed=1)"])
def test_a_seat_infers_the_line_of_play_from_what_it_sees(address: str) -> None:
    """At every position, for everybody who moves there: what is inferred is the line that was played."""
    rules = load(address).played().rules
    seen = 0
    for line, state in positions(rules, 400):
        turn = rules.turn(state)
        for seat in () if turn == hn.CHANCE else turn if isinstance(turn, tuple) else (turn,):
            history, here = [], rules.start()
            for move in line:
                at = rules.turn(here)
                if at != hn.CHANCE and seat in (at if isinstance(at, tuple) else (at,)):
                    own = move[at.index(seat)] if isinstance(at, tuple) else move
                    history.append((rules.observe(here, seat), own))
                here = rules.after(here, move)
            assert Track(rules, seat).to(history, rules.observe(state, seat)) == tuple(line)
            seen += 1
    assert seen > 20


class Bot:
    """Searches from what it sees before each of its moves."""

    def __init__(self, game: Any) -> None:
        self.searcher = hn.Searcher(game, "rm", seed=5)
        self.positions: list[tuple[Any, ...]] = []

    def __call__(self, sight: hn.Sight) -> dict[str, float]:
        self.searcher.jump(sight.position)
        self.positions.append(sight.position)
        self.searcher.search(iterations=500)
        return self.searcher.strategy()[sight.seat]


@pytest.mark.parametrize("plain", [False, True])
def test_a_rule_in_a_match_searches_from_what_it_sees(plain: bool) -> None:
    """The search earns about 0.8 points per game; the 95 % interval of 60 games is narrower than that."""
    game = load(RANDOM)
    rules: Any = Plainly(game.played().rules) if plain else game
    bot = Bot(rules)
    result = hn.match(rules, bot, "uniform", games=60, seed=1)
    assert result.scores[0] > result.interval_half_widths[0]
    assert {len(position) for position in bot.positions} == {1, 3, 4}  # after each prize; the last needs no draw


def test_there_is_no_position_where_more_is_hidden() -> None:
    with pytest.raises(PlayerError, match=r"sight.position is for games .* cannot tell r:\S+ from r:\S+"):
        hn.match("kuhn_poker", lambda sight: sight.position, "uniform", games=2)


def test_a_player_by_address_searches_for_seconds() -> None:
    result = hn.match(RANDOM, "search(rule='rm',seconds=0.001)", "search(seconds=1,iterations=30)", games=2)
    assert result.games == 2
    with pytest.raises(ParameterError, match="seconds=-1"):
        hn.match(RANDOM, "search(seconds=-1)", "uniform", games=2)
