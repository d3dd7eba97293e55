"""Rules of hold'em, Rhode Island hold'em and flop hold'em, against brute force on small decks."""

from __future__ import annotations

import json
import pickle
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.expansion import expand
from hannan.forms.game import ExpandedGame
from hannan.games import catalogue
from hannan.games.holdem.dealt import DealtRules
from hannan.games.holdem.entry import holdem
from hannan.games.holdem.rules import HoldemRules
from hannan.rules.checks import check_rules
from hannan.rules.public import Fold, PublicRules, Showdown
from hannan.turns import CHANCE, END
from tests.games.checks import assert_same_tree
from tests.games.holdem.reference import best_five, best_three, random_play

SPOTS = Path(__file__).parent / "spots"

ALL = "AA,KK,QQ,JJ,TT,AK,AQ,AJ,AT,KQ,KJ,KT,QJ,QT,JT"
SMALL: dict[str, Any] = {"ranks": 5, "suits": 2, "oop": ALL, "ip": ALL, "pot": 20, "stack": 35}
TURN = SMALL | {"board": "AcKdQcTc", "bets": "50%", "raises": "a"}

GAMES: dict[str, dict[str, Any]] = {
    "holdem river": SMALL | {"board": "AcKdQcTcTd", "bets": "50%,a", "raises": "2.5x"},
    "holdem turn": TURN | {"oop": "AA,KK:0.5,AQ,JTs:0.25", "ip": "AK,QJ:0.75,TT"},
    "holdem raked": TURN | {"oop": "AA,KK,JT", "ip": "AK,QJ,TT", "rake": 0.05},
    "holdem capped": TURN | {"oop": "AA,KK,JT", "ip": "AK,QJ,TT", "rake": 0.1, "rake_cap": 3},
    "holdem limit": SMALL | {"board": "AcKdQcTc", "oop": "AK,JT", "ip": "AQ,KJ", "limit": "4,8", "most_raises": 1},
    "holdem flop": SMALL | {"board": "AcKdQc", "oop": "AK,JT", "ip": "AQ", "bets": "a", "raises": ""},
    "rhode_island ranks": {"ranks": 5, "suits": 1, "most_raises": 0},
    "rhode_island suits": {"ranks": 2, "suits": 2, "most_raises": 1, "ante": 3, "first_bet": 4, "later_bet": 8},
    "flop_holdem": {"ranks": 7, "suits": 1, "most_raises": 1},
    "flop_holdem suits": {"ranks": 4, "suits": 2, "most_raises": 0, "bet": 60},
}
JUDGES = {"holdem": best_five, "rhode_island": best_three, "flop_holdem": best_five}

TOLERANCE = 1e-9
"""Absolute: sums over at most 10^5 ends of gains of at most 500 chips, in doubles."""


def made(name: str) -> DealtRules:
    parameters = {key: value for key, value in GAMES[name].items() if not (key == "stack" and "limit" in GAMES[name])}
    rules = catalogue.make(name.split()[0], parameters)
    assert isinstance(rules, DealtRules)
    return rules


@pytest.mark.parametrize("name", GAMES)
def test_random_play_is_worth_what_enumeration_says(name: str) -> None:
    rules = made(name)
    game = ExpandedGame(rules)
    known = random_play(rules, rules.table, JUDGES[name.split()[0]], list(rules.deck.cards))
    found = hn.evaluate(game, hn.uniform(game)).values
    assert found == pytest.approx(known, abs=TOLERANCE)
    assert (sum(found) < -0.5) == (rules.rake > 0)  # the house has its share, and nobody else
    if not rules.rake:
        assert game.tree.total == 0


@pytest.mark.parametrize("name", GAMES)
def test_promises_are_kept(name: str) -> None:
    """Among them: probabilities sum to one after every history, and gains stay within the bounds."""
    assert "bounds" in check_rules(made(name), most=5_000, plays=20).optional


@pytest.mark.parametrize("name", GAMES)
def test_bounds_are_reached_at_the_root(name: str) -> None:
    """The bounds are no less than what an end gives, and at most one bet more: the first blind counts as a bet."""
    rules = made(name)
    tree = expand(rules)
    ((least, most), _) = rules.bounds(rules.start())
    assert least <= tree.gain.min() <= tree.gain.max() <= most
    slack = rules.betting.limits[0] if any(rules.betting.blinds) else 0
    assert tree.gain.min() <= least + slack


def test_all_in_is_dealt_to_the_end() -> None:
    rules = made("holdem flop")
    bet, call = rules.options(rules.opening())[-1], 1
    line = rules.following(rules.opening(), bet)
    line = rules.following(line, rules.options(line)[call])
    turns = []
    while rules.mover(line) != END:
        turns.append(rules.mover(line))
        line = rules.dealt(line, 0)
    assert turns == [CHANCE, CHANCE]
    assert rules.ending(line) == Showdown((45.0, 45.0), (-45.0, -45.0), (0.0, 0.0))


def test_folds_rake_the_pot_without_the_uncalled_bet() -> None:
    """A pot of 20, a bet of 10 that is not called: 5 % of 20 are taken, and the winner gains 10 - 1."""
    rules = made("holdem raked")
    line = rules.following(rules.opening(), rules.options(rules.opening())[1])
    assert rules.ending(rules.following(line, rules.options(line)[0])) == Fold((9.0, -10.0))


def test_equities_of_a_published_spot() -> None:
    rules = holdem(file=str(SPOTS / "river_range.toml"))
    strong = [np.asarray(rules.strengths((), p)) for p in (0, 1)]
    cards = [np.array(rules.cards(p)) for p in (0, 1)]
    meets = (cards[0][:, None, :, None] != cards[1][None, :, None, :]).all(axis=(2, 3))
    wins = np.sign(strong[0][:, None] - strong[1][None, :]) / 2 + 0.5
    known = json.loads((SPOTS / "river_range.json").read_text())
    equity = (wins * meets).sum(axis=1) / meets.sum(axis=1)
    np.testing.assert_allclose(equity, known["equity_0"], atol=1e-6)  # published in 32-bit floats


@pytest.mark.slow
def test_value_of_the_game_is_that_of_another_linear_program() -> None:
    """Published: 92.77361884370 chips out of a pot of 200 go to OOP, who has paid 100 of it."""
    game = ExpandedGame(holdem(file=str(SPOTS / "river_range.toml")))
    assert hn.solve(game, method="lp").values[0] == pytest.approx(92.77361884370 - 100, abs=1e-8)


MIRRORED: dict[str, tuple[dict[str, Any], int]] = {
    "monotone flop": ({"board": "Td9d6d"}, 5),
    "two suits on the flop": ({"board": "Td9d6h"}, 1),
    "two and two": ({"board": "Td9d6h5h"}, 1),
    "a pair": ({"board": "TdTh6d6h"}, 3),
    "four suits": ({"board": "TdTh6c6s"}, 3),
    "a range that knows suits": ({"board": "Td9d6h", "oop": "66+,AcJh"}, 0),
    "weights that know suits": ({"board": "Td9d6d", "oop": "66+,AcKc:0.5,AhKh:0.5,AsKs:0.4"}, 1),
    "rhode_island": ({"ranks": 4, "suits": 3}, 5),
    "flop_holdem": ({"ranks": 3, "suits": 3}, 5),
}
"""By hand: permutations of suits that are alike, less the identity. Suits with equal ranks on the board are alike."""


@pytest.mark.parametrize("name", MIRRORED)
def test_mirrors_are_symmetries(name: str) -> None:
    parameters, count = MIRRORED[name]
    rules = catalogue.make(name if name in catalogue.PUBLIC else "holdem", parameters)
    assert isinstance(rules, DealtRules)
    assert len(rules.mirrors(())) == count
    deals = len(rules.betting.streets) - 1
    for board in islice(_boards(rules, (), deals), 40):
        assert_mirrored(rules, board)


def _boards(rules: DealtRules, board: tuple[Any, ...], more: int) -> Any:
    """Yield some boards with all their cards dealt."""
    if not more:
        yield board
        return
    for outcome, _ in rules.outcomes(board)[::7]:
        yield from _boards(rules, (*board, outcome), more - 1)


def assert_mirrored(rules: DealtRules, board: tuple[Any, ...]) -> None:
    """What a mirror maps onto each other is alike: weights, cards, outcomes and strengths."""
    for mirror in rules.mirrors(()):
        image = tuple(mirror.outcomes[outcome] for outcome in board)
        assert {outcome for outcome, _ in rules.outcomes(())} == {*mirror.outcomes} == {*mirror.outcomes.values()}
        for player in (0, 1):
            types = mirror.types[player]
            assert sorted(types) == list(range(len(rules.types(player))))
            weights = rules.weights(player)
            assert [weights[j] for j in types] == list(weights)
            here, there = (_ranked(rules, cards, player) for cards in (board, image))
            assert [there[j] for j in types] == here
    for depth in range(len(board) + 1):
        kept = [m for m in rules.mirrors(()) if all(m.outcomes[outcome] == outcome for outcome in board[:depth])]
        assert list(rules.mirrors(board[:depth])) == kept


def _ranked(rules: DealtRules, board: tuple[Any, ...], player: int) -> list[int]:
    """Return the strengths, -1 for types that are gone."""
    gone = {card for outcome in board for card in rules.outcome_cards(outcome)}
    strengths = np.asarray(rules.strengths(board, player)).tolist()
    return [-1 if gone & {*hand} else s for hand, s in zip(rules.cards(player), strengths, strict=True)]


def test_no_mirror_is_missed() -> None:
    """Every permutation of suits is tried on texts."""
    rules = holdem(board="TdTh6d6h", oop="QQ+,AcKc:0.5,AsKs:0.5", ip="AhKd:0.25,AdKh:0.25,JJ")
    count = 0
    for order in permutations("cdhs"):
        table = str.maketrans("cdhs", "".join(order))
        same = True
        for player in (0, 1):
            weight = {
                frozenset({t[:2], t[2:]}): w for t, w in zip(rules.types(player), rules.weights(player), strict=True)
            }
            moved = {frozenset(card.translate(table) for card in hand): w for hand, w in weight.items()}
            same &= weight == moved
        count += same and {"Td".translate(table), "Th".translate(table)} == {"Td", "Th"}
    assert len(rules.mirrors(())) == count - 1 == 3


def test_strengths_are_kept_for_a_limited_number_of_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.games.holdem.dealt.MOST_BOARDS", 2)
    rules = made("holdem turn")
    for outcome, _ in rules.outcomes(()):
        first = np.asarray(rules.strengths((outcome,), 0))
        assert len(rules._strengths) <= 2
        np.testing.assert_array_equal(first, rules.strengths((outcome,), 0))


def test_rhode_island_has_the_published_size() -> None:
    """A. Gilpin and T. Sandholm (2007): a linear program of 91,224,226 rows.

    That is the number of sequences of both players without those that end in a fold; with three bets per round alone.
    """
    rules = catalogue.make("rhode_island", {})
    assert isinstance(rules, DealtRules)
    counts, boards, sequences = rules.betting.counts(), 1, 2  # two empty sequences
    assert [count.folds for count in counts] == [6, 42, 294]
    for street, count in enumerate(counts):
        sequences += 52 * boards * (sum(count.choices) - count.folds)
        boards *= 51 - street
    assert sequences == 91_224_226


def test_flop_holdem_starts_with_blinds() -> None:
    rules = catalogue.make("flop_holdem", {})
    assert isinstance(rules, DealtRules)
    line = rules.opening()
    assert (line.chips, line.actor) == ((100, 50), 1)
    assert len(rules.types(0)) == 1326
    assert [rules.option_text(option) for option in rules.options(line)] == ["f", "c", "r200"]
    assert rules.ending(rules.following(line, rules.options(line)[0])) == Fold((50.0, -50.0))
    assert len(rules.outcomes(())) == 22_100
    flop, odds = rules.outcomes(())[0]
    assert flop == (0, 1, 2)
    assert odds == pytest.approx(1 / 17_296, rel=1e-15)
    assert rules.outcome_text((51, 0, 1)) == "As2c2d"


def test_what_people_see() -> None:
    rules = holdem()
    state = rules.start()
    for _ in (0, 1):
        state = rules.after(state, rules.chance(state)[0][0])
    assert rules.observe(state, 0) == (rules.types(0)[0],)
    state = rules.after(state, rules.actions(state, 0)[1])
    assert rules.observe(state, 1) == (rules.types(1)[0], "b120")
    hand = rules.types(1)[0]
    assert rules.board_text(state, 1) == f"you hold {hand}; on the table Td9d6hQc2s; pot 320, 120 to call, 900 left"
    assert [rules.action_help(1, action) for action in rules.options(state.line)][:2] == ["Fold", "Call"]
    small = catalogue.make("rhode_island", {"ranks": 2})
    assert isinstance(small, PublicRules)
    state = small.after(
        small.after(small.start(), small.chance(small.start())[0][0]), small.chance(small.start())[1][0]
    )
    assert small.board_text(state, 0) == "you hold Kc; on the table no cards; pot 10, 0 to call"


def test_types_stand_in_the_order_of_the_spot() -> None:
    rules = holdem()
    assert isinstance(rules, HoldemRules)
    for player in (0, 1):
        assert len(rules.types(player)) == len(rules.spot.hands(player)) == len(set(rules.types(player)))
    assert "AsKd" in rules.types(0)


@pytest.mark.parametrize("name", ["holdem turn", "rhode_island suits", "flop_holdem"])
def test_they_go_through_pickle(name: str) -> None:
    rules = made(name)
    copied = pickle.loads(pickle.dumps(rules))
    assert_same_tree(expand(copied), expand(rules))


def test_a_deck_that_a_river_uses_up_has_nothing_to_deal() -> None:
    rules = holdem(ranks=3, suits=3, board="QcKdAhQhAd", oop="random", ip="random", pot=10, stack=2, bets="a")
    assert rules.outcomes(()) == []
    assert isinstance(rules.mirrors(()), list)
