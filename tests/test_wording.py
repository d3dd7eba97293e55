"""Sentences that people meet first: what is wrong, in words of the game and not of Python."""

from __future__ import annotations

import math
from typing import Any

import pytest

import hannan as hn
from hannan.cli.report import counted
from hannan.forms.outline import MOST_LISTED, outline, too_many, walk_size
from hannan.games import catalogue
from hannan.kernels.sampling.records import ALL
from hannan.rules.checks import check_rules
from hannan.strategies.seats import StrategyPlayer
from tests.plaingames import Coins


@pytest.mark.parametrize("name", ["gains", "actions", "chance"])
def test_an_answer_that_is_none_was_returned_and_not_raised(name: str) -> None:
    rules: Any = type("Silent", (Coins,), {name: lambda *_: None})()
    for use in (check_rules, hn.load):
        with pytest.raises(hn.errors.RulesError, match=rf"node r[:\w]*: {name}\(\) returned None; it should be a list"):
            use(rules)


def test_wrong_numbers_of_gains_are_counted() -> None:
    rules: Any = type("Short", (Coins,), {"gains": lambda *_: (0,)})()
    with pytest.raises(hn.errors.RulesError, match=r"gains\(\) returned 1 number for 2 players"):
        check_rules(rules)


def test_counted() -> None:
    told = [counted(1, "players"), counted(2, "players"), counted(1, "histories"), counted(1000, "histories")]
    assert told == ["1 player", "2 players", "1 history", "1,000 histories"]


def test_words_of_the_command_line(hannan: Any) -> None:
    for word in ("x", "1.5", "inf", "nan"):
        ran = hannan("solve", "kuhn_poker", "--seed", word)
        assert ran.code == 2
        assert f"--seed: {word!r} is not a whole number. hannan solve --help lists what there is." in ran.err
    ran = hannan("inspect", "kuhn_poker", "leduc_poker")
    assert ran.code == 2
    assert "There is no place for 'leduc_poker' here" in ran.err


def test_one_of_a_thing() -> None:
    locked = hn.lock("kuhn_poker", {0: {0: {"p": 1.0}}})
    assert locked.address == "kuhn_poker with 1 locked set"
    with pytest.raises(hn.errors.ParameterError, match="the game has 2 seats: name 2 players and not 1"):
        hn.match("kuhn_poker", "uniform", games=2)


def test_more_histories_than_a_float_counts() -> None:
    rules = catalogue.make("kuhn_poker", {})
    assert "has more than 1e308 histories (estimated)" in str(too_many(rules, math.inf, "why"))
    assert "has about 1.2e+03 histories (estimated)" in str(too_many(rules, 1234.0, "why"))


def test_a_list_is_taken_for_a_tuple() -> None:
    """Observations that came as JSON have lists; the player finds the same set."""

    class Pairs(Coins):
        def observe(self, state: Any, player: int) -> Any:
            return (state[player], (player, 0))

    policy = hn.Policy.of_profile(hn.profile(Pairs(), {0: {"*": [1, 0]}, 1: {"*": [0, 1]}}))
    player = StrategyPlayer(policy, 1)
    assert player.act(["h", [1, 0]], ["h", "t"]) == "t"
    player.reset()
    assert player.act(("h", (1, 0)), ["h", "t"]) == "t"


def test_large_menus_are_listed_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 cards: three hundred plays would list eighteen million of them."""
    rules, listed = catalogue.make("leduc_poker", {"ranks": 10_000}), [0]
    usual = rules.chance

    def chance(state: Any) -> Any:
        outcomes = usual(state)
        listed[0] += len(outcomes)
        return outcomes

    monkeypatch.setattr(rules, "chance", chance)
    assert outline(rules).histories > 1e12  # 20,000 · 19,999 deals, times 19,998 where the first round is over
    assert listed[0] <= MOST_LISTED + 3 * 20_000
    listed[0] = 0
    assert walk_size(rules, 0, ALL, False) > 3
    assert listed[0] <= MOST_LISTED + 3 * 20_000
