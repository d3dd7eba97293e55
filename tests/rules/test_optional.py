"""Optional methods: sound ones pass, and every way of breaking their promises is named with the path of play."""

from __future__ import annotations

import math
from typing import Any

import pytest

from hannan.errors import RulesError
from hannan.rules.checks import check_rules
from hannan.rules.plain import CHANCE, END, Rules
from tests.plaingames import Coins


class Known(Coins):
    """The coins game with all that can be known of it.

    Player 0 gains 0.25 for calling "h" and 1 for a wrong guess; player 1 gains 1 for a right one. From the call on,
    only the coin matters, and what is still to be gained.
    """

    def bounds(self, state: Any) -> Any:
        return [((0, 1.25), (0, 1)), ((0, 1.25), (0, 1)), ((0, 1), (0, 1)), ((0, 0), (0, 0))][len(state)]

    def position(self, state: Any) -> Any:
        return len(state), state[:1] if len(state) < 3 else ()

    def chance_group(self, state: Any) -> Any:
        return "coin"

    def features(self, state: Any, player: int) -> Any:
        return (player, state[player] in "Hh")


def test_sound_methods_pass() -> None:
    checked = check_rules(Known())
    assert checked.optional == ("bounds", "position", "chance_group", "features")
    assert "; optional methods checked: bounds, position, chance_group, features" in str(checked)


def test_none_is_required() -> None:
    rules, state = Coins(), ("H", "h")
    assert check_rules(rules).optional == ()
    assert rules.bounds(state) is None
    assert rules.position(state) == state
    assert rules.chance_group(state) is None
    assert rules.features(state, 1) is None
    assert not rules.writes("bounds")
    assert Known().writes("bounds")


def at(place: tuple[str, ...], name: str, answer: Any) -> Rules:
    """Return the known game with another answer at one state."""
    usual = getattr(Known(), name)

    def method(self: Rules, state: Any, *more: Any) -> Any:
        return answer if state == place else usual(state, *more)

    made: Rules = type("Wrong", (Known,), {name: method})()
    return made


def everywhere(**written: Any) -> Rules:
    made: Rules = type("Wrong", (Known,), written)()
    return made


class Twice(Known):
    """The coin is tossed and, after "h", tossed again with other odds; both tosses claim to be alike."""

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return (CHANCE, CHANCE, END)[len(state)]

    def chance(self, state: Any) -> Any:
        return [("H", 0.5), ("T", 0.5)] if not state else [("H", 0.4), ("T", 0.6)]

    def bounds(self, state: Any) -> Any:
        return None

    def position(self, state: Any) -> Any:
        return state

    def gains(self, state: Any) -> Any:
        return 0.0, 0.0


BROKEN: dict[str, tuple[Rules, str]] = {
    "too little": (
        at(("T", "h"), "bounds", ((0, 0.5), (0, 1))),
        r"node r:T:h: bounds\(\) says that player 0 gains 0 to 0\.5 from here on; a later play gains 1",
    ),
    "too much": (
        at(("T", "t"), "bounds", ((0.5, 1), (0, 1))),
        r"node r:T:t: bounds\(\) says that player 0 gains 0\.5 to 1 .* gains 0",
    ),
    "the gain here does not count": (
        at(("H", "h", "t"), "bounds", ((1, 1), (0, 0))),
        r"node r:H:h:t: bounds\(\) says that player 0 gains 1 to 1 from here on; a later play gains 0",
    ),
    "upside down": (
        at(("H",), "bounds", ((2, 1), (0, 1))),
        r"node r:H: bounds\(\) says that player 0 gains at least 2 and at most 1",
    ),
    "infinite": (at(("H",), "bounds", ((0, math.inf), (0, 1))), "node r:H: a bound is not a finite number"),
    "one pair": (at(("H",), "bounds", ((0, 1),)), r"node r:H: bounds\(\) returned 1 pairs for 2 players"),
    "no pairs": (at(("H",), "bounds", 3), r"node r:H: bounds\(\) returned 3: expected a list of pairs"),
    "bounds raise": (everywhere(bounds=lambda _, state: 1 / len(state)), "node r: the rules raised ZeroDivisionError"),
    "other players move": (
        everywhere(position=lambda _, state: 0),
        r"node r:H: position\(\) returned 0 here and at another state with other movers",
    ),
    "other gains follow": (
        everywhere(position=lambda _, state: len(state)),
        r"node r:T:h: position\(\) returned 2 here and at node r:H:h, where play goes on in another way",
    ),
    "what follows differs further down": (
        everywhere(position=lambda _, state: 1 if len(state) == 1 else state),
        r"node r:T: position\(\) returned 1 here and at node r:H, where",
    ),
    "no key": (
        everywhere(position=lambda _, state: [state]),
        r"node r: position\(\) returned \[\(\)\], which cannot be",
    ),
    "another distribution": (
        Twice(),
        r"node r:H: chance_group\(\) says 'coin', but another node of this group has .* \[0\.5, 0\.5\]",
    ),
    "no features": (at(("H",), "features", None), r"node r:H: features\(\) returned None for player 0"),
    "words": (at(("H",), "features", ["one"]), r"node r:H: features\(\) returned \['one'\] for player 0"),
    "too many features": (
        at(("H", "t"), "features", [1, 2, 3]),
        r"node r:H:t: features\(\) returned 3 numbers for player 1, but 2 elsewhere",
    ),
    "not a number": (at(("H",), "features", [math.nan, 1]), "node r:H: a feature of player 0 is not a finite number"),
    "groups of fewer features": (
        everywhere(feature_groups=(("player", 1),)),
        r"node r:[HT]: feature_groups name 1 features, but features\(\) returned 2",
    ),
    "groups without names": (everywhere(feature_groups=(1, 1)), r"feature_groups is \(1, 1\); it should list pairs"),
    "empty groups": (everywhere(feature_groups=(("player", 0), ("seen", 2))), "it should list pairs of a name and"),
    "more than it knows": (
        everywhere(features=lambda _, state, player: (player, state[0] == "H")),
        r"node r:T:[ht]: features\(\) tells player 1 more than it knows: they differ in its information set",
    ),
}


@pytest.mark.parametrize("promise", BROKEN)
def test_broken_promises_are_named(promise: str) -> None:
    rules, sentence = BROKEN[promise]
    with pytest.raises(RulesError, match=sentence):
        check_rules(rules)


@pytest.mark.parametrize("promise", ["too little", "too much", "infinite", "too many features", "no key"])
def test_the_walk_alone_finds_them_too(promise: str) -> None:
    rules, sentence = BROKEN[promise]
    with pytest.raises(RulesError, match=sentence):
        check_rules(rules, plays=0)


def test_bounds_without_a_common_number() -> None:
    """The ends are not reached by a check of 4 histories; the bounds of parent and child contradict each other."""
    rules = at(("H",), "bounds", ((3, 4), (0, 1)))
    with pytest.raises(
        RulesError, match=r"node r:H: bounds\(\) says that player 0 gains 3 to 4 .* no number is in both"
    ):
        check_rules(rules, plays=0, most=4)


def test_part_of_a_game_is_checked_as_far_as_it_was_visited() -> None:
    assert not check_rules(Known(), most=9).complete
