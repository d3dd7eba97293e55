from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hannan.errors import ParameterError, SizeError
from hannan.games.holdem.actions import CALL, CHECK, FOLD, Action, Kind
from hannan.games.holdem.betting import UNLIMITED, Betting, Line, Menu
from hannan.games.holdem.sizes import parse_sizes
from hannan.games.holdem.spot_files import read_spot
from hannan.games.holdem.tree_text import tree_lines
from hannan.turns import CHANCE, END

SPOTS = Path(__file__).parent / "spots"


def no_limit(bets: str = "50%", raises: str = "", donks: str | None = None, streets: int = 1, **more: Any) -> Betting:
    menu = Menu(parse_sizes(bets), parse_sizes(raises, raises=True), None if donks is None else parse_sizes(donks))
    names = ("flop", "turn", "river")[-streets:]
    return replace(Betting(pot=100, stack=1000, streets=names, menus=((menu, menu),) * streets), **more)


def play(betting: Betting, text: str) -> Line:
    """The line after the actions of a text, '/' being a card."""
    line = betting.opening()
    for word in text.split():
        if word == "/":
            line = betting.deal(line)
        else:
            line = betting.after(line, next(action for action in betting.actions(line) if action.text == word))
    return line


def menu(betting: Betting, text: str) -> str:
    return " ".join(action.text for action in betting.actions(play(betting, text)))


@pytest.mark.parametrize("name", ["river_range", "turn_basic", "flop_small"])
def test_trees_equal_the_published_ones_line_by_line(name: str) -> None:
    betting = read_spot(SPOTS / f"{name}.toml").betting
    assert list(tree_lines(betting)) == (SPOTS / f"{name}.tree").read_text().splitlines()


@pytest.mark.parametrize("name", ["river_range", "turn_basic", "flop_small"])
def test_counts_are_those_of_the_published_trees(name: str) -> None:
    counts = read_spot(SPOTS / f"{name}.toml").betting.counts()
    lines = [line.split("\t") for line in (SPOTS / f"{name}.tree").read_text().splitlines()]
    acting = Counter((line[0].count("/"), line[1]) for line in lines)
    choices = Counter[tuple[int, str]]()
    for line in lines:
        choices[line[0].count("/"), line[1]] += line[2].count(",") + 1
    folds = Counter(line[0].count("/") for line in lines if line[1] == "END" and line[0].endswith("f"))
    for street, count in enumerate(counts):
        assert count.decisions == (acting[street, "P0"], acting[street, "P1"])
        assert count.choices == (choices[street, "P0"], choices[street, "P1"])
        assert count.folds == folds[street]
        assert count.showdowns == acting[street, "END"] - folds[street]


def test_an_all_in_that_is_called_leaves_only_cards() -> None:
    betting = no_limit("a", streets=3)
    line = play(betting, "a1000 c")
    assert betting.turn(line) == CHANCE
    assert betting.showdown(line)
    line = betting.deal(line)
    assert (betting.turn(line), line.street) == (CHANCE, 1)
    assert betting.actions(line) == ()
    line = betting.deal(line)
    assert (betting.turn(line), line.street, line.chips) == (END, 2, (1000, 1000))
    with pytest.raises(ParameterError, match="no card is dealt here"):
        betting.deal(line)


def test_donk_sizes_are_for_oop_after_calling_the_last_bet_of_the_street_before() -> None:
    betting = no_limit("50%", "3x", donks="20%", streets=3)
    assert menu(betting, "") == "x b50"
    assert menu(betting, "x b50 c /") == "x b40"
    assert menu(betting, "x b50 c / x") == "x b100"
    assert menu(betting, "b50 c /") == "x b100"
    assert menu(betting, "b50 r150 c /") == "x b80"
    assert menu(betting, "x b50 r150 c /") == "x b200"
    assert menu(betting, "x b50 c / x x /") == "x b100"
    assert menu(no_limit("50%", donks="", streets=2), "x b50 c /") == "x"


def test_all_in_is_added_forced_and_sizes_are_merged() -> None:
    assert menu(no_limit("50%", add_allin=10), "") == "x b50 a1000"
    assert menu(no_limit("50%", add_allin=9.9), "") == "x b50"
    # 50 + 100 raised to 100 + 5 * 200: the whole stack of 1000 is 950 above the bet
    assert menu(no_limit("50%", "3x", add_allin=4.75), "b50") == "f c r150 a1000"
    assert menu(no_limit("50%", "3x", add_allin=4.74), "b50") == "f c r150"
    # after a called bet of 400 the pot is 900 and 600 are left
    assert menu(no_limit("400%", force_allin=0.67), "") == "x a1000"
    assert menu(no_limit("400%", force_allin=0.66), "") == "x b400"
    # 200 / 150 = 1.33, 150 / 140 = 1.07: 40% is close to 50%, 50% is not close to 100%
    assert menu(no_limit("40%,50%,100%", merging=0.1), "") == "x b50 b100"
    assert menu(no_limit("40%,50%,100%", merging=0.0), "") == "x b40 b50 b100"
    assert menu(no_limit("40%,50%,100%", merging=0.5), "") == "x b100"


def test_raises_are_at_least_the_bet_again_and_at_most_all_in() -> None:
    assert menu(no_limit("100%", "1.1x"), "b100") == "f c r200"
    assert menu(no_limit("100%", "1.1x"), "b100 r200") == "f c r300"
    assert menu(no_limit("600%", "1.1x"), "b600") == "f c a1000"
    assert menu(no_limit("2000%"), "") == "x a1000"
    assert menu(no_limit("a", "3x"), "a1000") == "f c"
    assert menu(no_limit("50%", "10c2r"), "b50 r100 r150") == "f c"
    assert menu(no_limit("1%", "10c"), "b1 r11 r21") == "f c r31"


@pytest.mark.parametrize("most_raises", [0, 1, 3])
def test_fixed_limit_offers_one_bet_and_a_number_of_raises(most_raises: int) -> None:
    betting = Betting(pot=0, stack=UNLIMITED, streets=("a", "b"), limits=(10, 20), most_raises=most_raises, ante=5)
    assert betting.opening().chips == (5, 5)
    line, bets = betting.opening(), 0
    while len(betting.actions(line)) == 3 or bets == 0:
        assert betting.actions(line)[-1] == Action(Kind.RAISE if bets else Kind.BET, 10 * (bets + 1))
        line = betting.after(line, betting.actions(line)[-1])
        bets += 1
    assert bets == most_raises + 1
    line = betting.deal(betting.after(line, CALL))
    assert line.chips == (5 + 10 * bets, 5 + 10 * bets)
    assert betting.actions(line) == (CHECK, Action(Kind.BET, 20))


def test_a_round_of_fixed_limit_has_as_many_ends_as_a_count_by_hand() -> None:
    # After k bets (1 to 4) in a row, by either opener: a fold and a call each. Calls and check-check go on.
    counts = Betting(pot=0, stack=UNLIMITED, streets=("a", "b"), limits=(1, 1), most_raises=3, ante=1).counts()
    assert (counts[0].folds, counts[0].deals, counts[0].showdowns) == (8, 9, 0)
    assert (counts[1].folds, counts[1].showdowns) == (9 * 8, 9 * 9)
    assert counts[0].decisions == (5, 5)


def test_blinds_count_as_a_bet_and_the_big_blind_may_still_raise() -> None:
    betting = Betting(
        pot=0, stack=UNLIMITED, streets=("preflop", "flop"), limits=(2, 2), most_raises=3, blinds=(2, 1), first=(1, 0)
    )
    assert betting.turn(betting.opening()) == 1
    assert menu(betting, "") == "f c r4"
    assert (menu(betting, "c"), play(betting, "c").actor) == ("x r4", 0)
    assert play(betting, "c x").actor == CHANCE
    assert play(betting, "c r4 c").actor == CHANCE
    assert menu(betting, "r4 r6 r8") == "f c"
    assert play(betting, "f").chips == (2, 1)
    assert play(betting, "r4 c /").actor == 0
    assert menu(betting, "r4 c /") == "x b2"


def test_a_short_stack_is_all_in_in_fixed_limit() -> None:
    betting = Betting(pot=10, stack=15, streets=("turn", "river"), limits=(10, 10))
    assert menu(betting, "b10") == "f c a15"
    assert menu(betting, "b10 a15") == "f c"
    assert play(betting, "b10 a15 c /").actor == END


def test_an_action_that_is_not_offered_is_refused() -> None:
    betting = no_limit("50%")
    with pytest.raises(ParameterError, match="action 'f' is not possible here; expected x, b50"):
        betting.after(betting.opening(), FOLD)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pot": -1}, "should be 0 or more"),
        ({"pot": 0}, "pot=0 should be 1 or more"),
        ({"stack": 0}, "stack=0 leaves nothing to bet"),
        ({"stack": 2**40}, "is too large"),
        ({"streets": ()}, "streets is empty"),
        ({"streets": ("turn", "river")}, "menus has 1 places for 2 streets"),
        ({"menus": ()}, "neither sizes nor limits"),
        ({"limits": (2,)}, "either sizes .* or limits"),
        ({"blinds": (2, 1)}, "blinds are for fixed limit"),
        ({"menus": (), "limits": (0,)}, "should be 1 or more on every street"),
    ],
)
def test_rules_that_make_no_sense_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        replace(no_limit(), **changes)


@pytest.mark.slow
def test_a_tree_that_is_too_large_is_refused_before_it_is_built() -> None:
    sizes = ",".join(f"{percent}%" for percent in range(10, 100, 5))
    with pytest.raises(SizeError, match="more than 2,000,000 nodes"):
        next(tree_lines(no_limit(sizes, sizes, streets=3, stack=100_000)))
