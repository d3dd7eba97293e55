"""Flops: classes, lists, files and draws."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from hannan.errors import HannanError
from hannan.games.holdem.cards import FULL, Deck, parse_cards
from hannan.games.holdem.flops import chosen_flops, flop_classes, symmetric
from hannan.games.holdem.spot import Spot, changed

SPOT = Spot(board="Td9d6h", oop="AA,AKs", ip="QQ", pot=10, stack=20, bets="a")


def test_there_are_1755_classes_of_22100_flops() -> None:
    classes = flop_classes(FULL)
    assert len(classes) == 1755
    assert sum(classes.values()) == 22_100
    assert {classes[flop] for flop in ("AsKsQs", "AsAhAd", "AsKsQh", "AsKhQd", "AsAhKs", "AsAhKd")} == {4, 12, 24}


def test_classes_of_a_small_deck_cover_every_flop_once() -> None:
    deck = Deck(3, 2)
    assert sum(flop_classes(deck).values()) == len(list(combinations(deck.cards, 3)))


def test_a_range_with_suits_of_its_own_has_no_classes() -> None:
    assert symmetric(SPOT)
    lopsided = changed(SPOT, oop="AhKh")
    assert not symmetric(lopsided)
    assert len(chosen_flops("all", lopsided)) == 22_100


def test_flops_are_listed_read_and_drawn(tmp_path: Path) -> None:
    assert chosen_flops("Td9d6h, AsKd2c", SPOT) == {"Td9d6h": 1, "AsKd2c": 1}
    file = tmp_path / "flops.txt"
    file.write_text("# a subset\nTd9d6h 12\nAsKd2c:4 # rainbow\n\nQh7h2d\n")
    assert chosen_flops(str(file), SPOT) == {"Td9d6h": 12, "AsKd2c": 4, "Qh7h2d": 1}
    drawn = chosen_flops("30", SPOT, seed=1)
    assert len(drawn) == 30
    assert drawn == chosen_flops("30", SPOT, seed=1) != chosen_flops("30", SPOT, seed=2)
    assert all(len(parse_cards(flop)) == 3 for flop in drawn)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Td9d", "'Td9d' has 2 cards; a flop has 3"),
        ("Td9d6x", "'x' is no suit"),
        ("0", "out of range; it may be 1 to 1755"),
        ("  ", "should be flops such as"),
    ],
)
def test_what_is_no_flop_gets_a_sentence(text: str, said: str) -> None:
    with pytest.raises(HannanError, match=said):
        chosen_flops(text, SPOT)


def test_a_file_without_a_flop_gets_a_sentence(tmp_path: Path) -> None:
    for content, said in ((b"", "has no flop"), (b"\xff", "not UTF-8"), (b"Td9d6h AsKd", "line 1: 'AsKd' has 2 cards")):
        file = tmp_path / "flops.txt"
        file.write_bytes(content)
        with pytest.raises(HannanError, match=said):
            chosen_flops(str(file), SPOT)
