"""Public rules as plain rules: the same trees and values as the built-in games."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from itertools import product

import pytest

import hannan as hn
from hannan.errors import RulesError
from hannan.forms.expansion import expand
from hannan.forms.game import ExpandedGame
from hannan.rules.checks import check_rules
from hannan.rules.public import Cards, Private, PublicRules
from hannan.turns import CHANCE, END
from tests.games.checks import assert_same_tree, tree_of
from tests.public_games import Kuhn, Leduc, LiarsDice

PAIRS = {
    "kuhn_poker": Kuhn(),
    "leduc_poker": Leduc(),
    "leduc_poker(ranks=4)": Leduc(4),
    "liars_dice(faces=2)": LiarsDice(2),
    "liars_dice(faces=3)": LiarsDice(3),
}
"""Built-in games, and the same games as public rules."""

VALUE = 1e-9
"""Absolute: the linear programs end within about 1e-12, gains are at most 13."""


@pytest.mark.parametrize("address", PAIRS)
def test_trees_are_those_of_the_built_in_games(address: str) -> None:
    assert_same_tree(expand(PAIRS[address]), tree_of(address))


@pytest.mark.parametrize("address", [a for a in PAIRS if a != "leduc_poker(ranks=4)"])
def test_values_are_those_of_the_built_in_games(address: str) -> None:
    ours, known = (hn.solve(game, method="lp") for game in (ExpandedGame(PAIRS[address]), hn.load(address)))
    assert ours.values == pytest.approx(known.values, abs=VALUE)


@pytest.mark.parametrize("address", ["kuhn_poker", "leduc_poker", "liars_dice(faces=2)"])
def test_promises_are_kept(address: str) -> None:
    check_rules(PAIRS[address], most=3_000, plays=20)


class Weighted(Kuhn):
    """Kuhn poker with weights; player 1 also holds a pair of cards at times."""

    def __init__(self, first: Sequence[float], second: Sequence[float]) -> None:
        self.given = first, second

    def types(self, player: int) -> Sequence[str]:
        return ["J", "Q", "K", "QK"][: 3 + player]

    def cards(self, player: int) -> Sequence[Cards]:
        return [(0,), (1,), (2,), (1, 2)][: 3 + player]

    def weights(self, player: int) -> Sequence[float]:
        return self.given[player]

    def strengths(self, board: tuple[object, ...], player: int) -> Sequence[int]:
        return [0, 1, 2, 3][: 3 + player]


def test_odds_are_products_of_weights() -> None:
    rules = Weighted([1.0, 0.5, 0.0], [0.25, 1.0, 2.0, 4.0])
    cards = rules.cards(0), rules.cards(1)
    weight = {
        (i, j): rules.weights(0)[i] * rules.weights(1)[j]
        for i, j in product(range(3), range(4))
        if not {*cards[0][i]} & {*cards[1][j]} and rules.weights(0)[i]
    }
    found = {}
    for first, p in rules.chance(rules.start()):
        middle = rules.after(rules.start(), first)
        assert rules.turn(middle) == CHANCE
        for second, q in rules.chance(middle):
            assert isinstance(first, Private)
            assert isinstance(second, Private)
            found[first.place, second.place] = p * q
            state = rules.after(middle, second)
            assert [rules.observe(state, p) for p in (0, 1)] == [
                (rules.types(0)[first.place],),
                (rules.types(1)[second.place],),
            ]
    assert found == pytest.approx({pair: w / sum(weight.values()) for pair, w in weight.items()}, abs=1e-15)


@pytest.mark.parametrize("weights", [([0.0] * 3, [1.0] * 4), ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0])])
def test_games_without_a_deal_are_refused(weights: tuple[list[float], list[float]]) -> None:
    with pytest.raises(RulesError, match="Weighted: no deal is possible: all types have a card in common, or weight 0"):
        Weighted(*weights).chance(Weighted(*weights).start())


def test_observations_hold_what_was_said_since_the_last_choice() -> None:
    """Leduc: a call, a raise, a call, then the card on the table."""
    rules = Leduc()
    state = rules.after(rules.after(rules.start(), Private(0, 5)), Private(1, 0))
    assert (rules.observe(state, 0), rules.observe(state, 1)) == (("2b",), ("0a",))
    state = rules.after(state, "c")
    assert rules.observe(state, 1) == ("0a", "c")
    assert rules.observation_text(1, ("0a", "c")) == "0a c"
    state = rules.after(state, "r")
    assert rules.observe(state, 0) == ("r",)
    state = rules.after(state, "c")
    assert rules.turn(state) == CHANCE
    assert [card for card, _ in rules.chance(state)] == [1, 2, 3, 4]
    state = rules.after(state, 2)
    assert rules.observe(state, 0) == ("1a",)
    assert rules.observe(state, 1) == ("c", "1a")


def test_names() -> None:
    rules = Leduc()
    assert rules.action_text(CHANCE, Private(1, 3)) == "1b"
    assert rules.action_text(CHANCE, 3) == "1b"
    assert rules.action_text(0, "r") == "r"


def test_gains_come_at_the_end_alone() -> None:
    rules = Kuhn()
    state = rules.after(rules.after(rules.start(), Private(0, 2)), Private(1, 1))
    for action in "pbb":
        assert tuple(rules.gains(state)) == (0.0, 0.0)
        state = rules.after(state, action)
    assert rules.turn(state) == END
    assert tuple(rules.gains(state)) == (2.0, -2.0)


def test_what_need_not_be_written() -> None:
    rules = LiarsDice(2)
    assert rules.weights(0) == [1.0, 1.0]
    assert rules.cards(1) == [(), ()]
    assert rules.outcomes(()) == []
    assert rules.outcome_cards("card") == ()
    assert rules.mirrors(()) == []
    assert rules.dealt(rules.opening(), "card") == rules.opening()
    assert rules.outcome_text("card") == "card"
    with pytest.raises(TypeError, match="strengths"):
        PublicRules.strengths(rules, (), 0)


def test_they_go_through_pickle() -> None:
    made = pickle.loads(pickle.dumps(Leduc(4)))
    assert_same_tree(expand(made), expand(Leduc(4)))
