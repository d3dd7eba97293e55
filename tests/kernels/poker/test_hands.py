"""Strengths of hands against the published class counts and against a reference that looks at sorted cards."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from hannan.errors import ParameterError
from hannan.games.holdem.cards import COMBOS, Deck, parse_cards
from hannan.games.holdem.evaluation import (
    class_name,
    five_card_counts,
    hand_strengths,
    seven_card_counts,
    strengths,
    three_card_class_name,
    three_card_strengths,
)

LOW = ("high card", "pair", "two pair", "three of a kind", "straight", "flush")
ORDER = (*LOW, "full house", "four of a kind", "straight flush")
THREE_ORDER = ("high card", "pair", "flush", "straight", "three of a kind", "straight flush")


def run_top(ranks: list[int]) -> int | None:
    """The top rank if all ranks (ascending, different) are in a row; an ace may be low."""
    if ranks[-1] - ranks[0] == len(ranks) - 1:
        return ranks[-1]
    if ranks[-1] == 12 and ranks[:-1] == list(range(len(ranks) - 1)):
        return len(ranks) - 2
    return None


def plain(cards: tuple[int, ...]) -> tuple[Any, ...]:
    """The class of exactly five cards, then what decides between equals."""
    ranks = sorted(card // 4 for card in cards)
    suited = len({card % 4 for card in cards}) == 1
    counted = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape = tuple(count for count, _ in counted)
    top = run_top(ranks) if shape == (1, 1, 1, 1, 1) else None
    if top is not None:
        return ORDER.index("straight flush" if suited else "straight"), top
    if suited:
        name = "flush"
    else:
        name = {
            (4, 1): "four of a kind",
            (3, 2): "full house",
            (3, 1, 1): "three of a kind",
            (2, 2, 1): "two pair",
            (2, 1, 1, 1): "pair",
        }.get(shape, "high card")
    return (ORDER.index(name), *(rank for _, rank in counted))


def best(cards: tuple[int, ...]) -> tuple[Any, ...]:
    return max(map(plain, itertools.combinations(cards, 5)))


def same_order(numbers: list[int], keys: list[tuple[Any, ...]]) -> bool:
    """Whether numbers and keys sort alike, ties included: equal keys have one number, and numbers rise with keys."""
    of_key: dict[tuple[Any, ...], int] = {}
    if any(of_key.setdefault(key, number) != number for number, key in zip(numbers, keys, strict=True)):
        return False
    ordered = [of_key[key] for key in sorted(of_key)]
    return all(a < b for a, b in itertools.pairwise(ordered))


def random_hands(count: int, size: int, deck: Deck, seed: int) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    return np.array([random.choice(deck.cards, size, replace=False) for _ in range(count)])


def test_classes_of_all_five_card_hands() -> None:
    # the counts are in every textbook: 13·12·… choices, 2,598,960 in all
    counts, different = five_card_counts()
    assert list(counts.items()) == list(
        zip(ORDER, (1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40), strict=True)
    )
    assert different == 7462


@pytest.mark.slow
def test_classes_of_all_seven_card_hands() -> None:
    counts = seven_card_counts()
    known = (23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584)
    assert list(counts.items()) == list(zip(ORDER, known, strict=True))
    assert sum(counts.values()) == 133_784_560


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("deck", [Deck(), Deck(6, 2), Deck(4, 4), Deck(13, 2), Deck(5, 3)])
def test_random_hands_rank_as_in_the_reference(size: int, deck: Deck) -> None:
    rows = random_hands(1200, size, deck, seed=size)
    keys = [best(tuple(row)) for row in rows.tolist()]
    numbers = hand_strengths(rows).tolist()
    assert same_order(numbers, keys)
    assert [class_name(number) for number in numbers] == [ORDER[key[0]] for key in keys]


def test_all_three_card_hands_rank_as_in_the_reference() -> None:
    rows = list(itertools.combinations(range(52), 3))

    def key(cards: tuple[int, ...]) -> tuple[int, ...]:
        ranks = sorted(card // 4 for card in cards)
        suited = len({card % 4 for card in cards}) == 1
        counted = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
        top = run_top(ranks) if len(set(ranks)) == 3 else None
        if top is not None:
            return THREE_ORDER.index("straight flush" if suited else "straight"), top
        name = {1: "three of a kind", 2: "pair", 3: "flush" if suited else "high card"}[len(counted)]
        return (THREE_ORDER.index(name), *(rank for _, rank in counted))

    numbers = three_card_strengths(np.array(rows)).tolist()
    assert same_order(numbers, [key(row) for row in rows])
    # A. Gilpin and T. Sandholm, the table of hands of Rhode Island hold'em
    known = {
        "straight flush": 48,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "high card": 16440,
    }
    assert Counter(map(three_card_class_name, numbers)) == known


def test_strengths_on_a_board_are_those_of_seven_cards_and_blocked_hands_are_marked() -> None:
    board = parse_cards("Td9d6hQc2s")
    found = strengths(board, COMBOS)
    free = ~np.isin(COMBOS, board).any(axis=1)
    assert (found[~free] == -1).all()
    rows = np.column_stack([COMBOS[free], np.tile(board, (free.sum(), 1))])
    np.testing.assert_array_equal(found[free], hand_strengths(rows))


def test_with_fewer_than_five_cards_equal_ranks_alone_count() -> None:
    def of(board: str, hand: str) -> int:
        return int(strengths(parse_cards(board), np.array([parse_cards(hand)]))[0])

    assert of("Ac", "AdAh") > of("Ac", "AdKh") > of("Ac", "KdQh") > of("Kc", "QdJh")
    assert of("AcKc", "QcJc") == of("AcKc", "QdJh")
    assert of("AcKc", "AdKh") > of("AcKc", "AdQh")


def test_hands_of_another_size_are_refused() -> None:
    with pytest.raises(ParameterError, match="a hand has 4 cards; expected 5, 6 or 7"):
        hand_strengths(np.array([[0, 1, 2, 3]]))
    with pytest.raises(ParameterError, match="expected 3"):
        three_card_strengths(np.array([[0, 1]]))
    with pytest.raises(ParameterError, match="shape"):
        hand_strengths(np.array([0, 1, 2, 3, 4]))
