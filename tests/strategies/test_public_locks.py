"""Locks on public trees: the answers of the expanded game with the same locks, files, and sentences for wrong locks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.game import ExpandedGame, PublicGame
from hannan.forms.loader import load
from hannan.games.holdem.rules import HoldemRules
from hannan.games.holdem.spot import make_spot
from hannan.strategies.public_locks import LockedPublicGame
from tests.public_games import Kuhn, Leduc

SPOT: dict[str, Any] = {
    "board": "AcKdQc", "oop": "AK,AQ,99", "ip": "KQ,JT,99", "pot": 10, "stack": 20, "bets": "a", "ranks": 6, "suits": 2,
}  # fmt: skip
"""A flop with two cards to come, of a deck of 12 cards: mirrored deals are told apart where somebody is locked."""

METHODS = ("cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "pcfr+", "pdcfr+", "cfr-hedge")


def kuhn() -> PublicGame:
    game = load(Kuhn())
    assert isinstance(game, PublicGame)
    return game


@pytest.mark.parametrize("method", METHODS)
def test_locked_gaps_equal_those_of_the_expanded_game(method: str) -> None:
    """The jack never bluffs, and the king always calls: the sequence form with these sets folded away says the same."""
    locks = {0: {"J": {"p": 1.0}}, 1: {"K b": {"b": 1.0}}}
    ours = hn.solve(kuhn(), method, iterations=30, locks=locks, precision="float64")
    plain = hn.lock(ExpandedGame(Kuhn()), {0: {"J": {"p": 1.0}}, 1: {"K b": {"b": 1.0}}})
    theirs = hn.solve(plain, method, iterations=30)
    assert ours.nash_conv == pytest.approx(theirs.nash_conv, abs=1e-9)  # the same sums in another order
    assert ours.values == pytest.approx(theirs.values, abs=1e-9)


def test_locked_values_are_those_of_a_linear_program() -> None:
    """Hands by range: two kinds of hands may not bet, one bets half of the time."""
    rules = HoldemRules(make_spot(**SPOT))
    ours = hn.solve(rules, "pcfr+", gap=1e-4, precision="float64", locks={0: {"AK,99": {"x": 1}, "AQ": [0.5, 0.5]}})
    exact: dict[str | int, Any] = {name: {"x": 1.0} for name in rules.types(0)}
    exact |= {name: [0.5, 0.5] for name in rules.types(0) if {name[0], name[2]} == {"A", "Q"}}
    value = hn.solve(hn.lock(ExpandedGame(rules), {0: exact}), "lp").values[0]
    low, high = ours.findings["value_bounds"]
    assert low - 1e-9 <= value <= high + 1e-9
    assert high - low < 1.1e-4


def test_a_locked_strategy_does_what_it_must_and_is_for_the_game_without_locks() -> None:
    result = hn.solve(HoldemRules(make_spot(**SPOT)), iterations=20, locks={1: {"* x": {"x": 0.25, "a20": 0.75}}})
    strategy: Any = result.strategy
    assert not isinstance(strategy.game, LockedPublicGame)
    actions, rows = strategy.table("x")
    assert actions == ("x", "a20")
    for row in rows.values():
        assert row == pytest.approx([0.25, 0.75], abs=1e-7)
    assert hn.evaluate(strategy).nash_conv >= result.nash_conv - 1e-9  # without locks there is more to gain


def test_locks_survive_files(tmp_path: Path) -> None:
    locks, kept = {0: {"0a": {"c": 1.0}}}, tmp_path / "kept.checkpoint"
    game = load(Leduc())
    hn.solve(game, "dcfr", iterations=5, locks=locks, checkpoint=kept)
    resumed: Any = hn.solve(game, resume=kept, iterations=12).strategy
    whole: Any = hn.solve(game, "dcfr", iterations=12, locks=locks).strategy
    assert np.array_equal(resumed.probability, whole.probability)
    hn.save(whole, tmp_path / "a.strategy")
    read: Any = hn.read(tmp_path / "a.strategy", game)
    assert np.array_equal(read.probability, whole.probability)


@pytest.mark.parametrize(
    ("locks", "sentence"),
    [
        ({2: {"J": {"p": 1}}}, "a lock is for player 2; .* has 0 to 1"),
        ({0: {"": {"p": 1}}}, "it should say which types, then the public play"),
        ({0: {"J p": {"p": 1}}}, "player 1 acts after 'p'"),
        ({0: {"J p p": {"p": 1}}}, "no player acts after 'p p'"),
        ({0: {"J z": {"p": 1}}}, "'z' is not possible at this place"),
        ({0: {"X": {"p": 1}}}, "player 0 has no type 'X'"),
        ({0: {"J": {"z": 1}}}, "the action 'z' does not exist there"),
        ({0: {"J": {"p": 0.5}}}, "expected 2 probabilities that sum to 1"),
        ({0: {"J": "p"}}, "expected 2 probabilities that sum to 1"),
        ({0: 3}, "locks should be"),
    ],
)
def test_wrong_locks_are_refused(locks: Any, sentence: str) -> None:
    with pytest.raises(hn.HannanError, match=sentence):
        hn.lock(kuhn(), locks)


def test_methods_that_play_refuse_locks_on_public_trees() -> None:
    with pytest.raises(hn.HannanError, match="has no rules of its own"):
        hn.solve(hn.lock(kuhn(), {0: {"J": {"p": 1}}}), "mccfr-es", iterations=10)
    with pytest.raises(hn.HannanError, match="lock the expanded game"):
        hn.solve(hn.lock(kuhn(), {0: {"J": {"p": 1}}}), "lp")


def test_a_strategy_moves_to_other_ranges_with_the_same_betting() -> None:
    first: Any = hn.solve(HoldemRules(make_spot(**SPOT)), iterations=30).strategy
    wider = load(HoldemRules(make_spot(**{**SPOT, "oop": "AK,AQ,99,TT"})))
    moved = first.moved(wider)
    assert moved.at(0, "AdKc") == pytest.approx(first.at(0, "AdKc"))
    assert moved.at(0, "TdTc") == pytest.approx({"x": 0.5, "a20": 0.5})
    other = load(HoldemRules(make_spot(**{**SPOT, "bets": "50%,a"})))
    with pytest.raises(hn.HannanError, match="has other public play"):
        first.moved(other)
