from __future__ import annotations

import itertools

import pytest

from hannan.errors import ParameterError
from hannan.games.holdem.cards import (
    COMBOS,
    Deck,
    card_text,
    cards_text,
    group_of,
    hand_index,
    hand_text,
    parse_cards,
)


def test_all_cards_and_their_texts() -> None:
    texts = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    assert [card_text(card) for card in range(52)] == texts
    assert parse_cards("".join(texts)) == tuple(range(52))
    assert parse_cards(" Td, 9d 6H,qC\t2s ") == parse_cards("Td9d6hQc2s") == (33, 29, 18, 40, 3)
    assert cards_text((33, 29)) == "Td9d"


def test_hands_are_ordered_by_the_lower_card_then_the_higher_one() -> None:
    pairs = list(itertools.combinations(range(52), 2))
    assert [tuple(pair) for pair in COMBOS.tolist()] == pairs
    assert [hand_index(a, b) for a, b in pairs] == [hand_index(b, a) for a, b in pairs] == list(range(1326))
    assert hand_text((45, 51)) == hand_text((51, 45)) == "AsKd"


def test_groups_of_hands() -> None:
    names = {text: group_of(*parse_cards(text)) for text in ("AsKs", "KdAs", "ThTc", "2c7d")}
    assert names == {"AsKs": "AKs", "KdAs": "AKo", "ThTc": "TT", "2c7d": "72o"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Td9x", "board 'Td9x': character 4: 'x' is no suit; expected c, d, h or s"),
        (
            "Td1d",
            "board 'Td1d': character 3: '1' is no rank; expected A, K, Q, J, T, 9, 8, 7, 6, 5, 4, 3 or 2; T is the ten",
        ),
        ("Td9", "board 'Td9': character 4: the text ends; expected a suit (c, d, h or s)"),
        ("Td9d Td", "board 'Td9d Td': character 6: the card Td occurs twice"),
    ],
)
def test_a_wrong_card_is_refused_with_its_position(text: str, sentence: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_cards(text)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(("ranks", "suits"), [(3, 2), (3, 4), (6, 3), (13, 4), (1, 1)])
def test_a_small_deck_has_the_highest_ranks_and_the_first_suits(ranks: int, suits: int) -> None:
    deck = Deck(ranks, suits)
    texts = {rank + suit for rank in "AKQJT98765432"[:ranks] for suit in "cdhs"[:suits]}
    assert {card_text(card) for card in deck.cards} == texts
    size = ranks * suits
    assert deck.hands.sum() == size * (size - 1) // 2


def test_a_card_outside_a_small_deck_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"character 1: '2' is no rank of this deck; expected A, K or Q$"):
        parse_cards("2c", deck=Deck(3, 2))
    with pytest.raises(ParameterError, match=r"character 2: 'h' is no suit of this deck; expected c or d$"):
        parse_cards("Ah", deck=Deck(3, 2))
    with pytest.raises(ParameterError, match="ranks=14"):
        Deck(14, 4)
