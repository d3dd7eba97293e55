from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hannan.errors import ParameterError
from hannan.games.holdem.cards import COMBOS, FULL, Deck, group_of, hand_index, hand_text, parse_cards
from hannan.games.holdem.ranges import grid, parse_range, range_text

RANKS = "AKQJT98765432"


def hands(text: str) -> set[str]:
    """The groups of a range all of whose hands have weight 1; the range holds nothing else."""
    weights = parse_range(text)
    assert set(weights.tolist()) <= {0.0, 1.0}
    inside = [group_of(*COMBOS[place].tolist()) for place in np.flatnonzero(weights)]
    for group in set(inside):
        assert inside.count(group) == {"s": 4, "o": 12}.get(group[2:], 6)
    return set(inside)


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("AA", "AA"),
        ("AKs", "AKs"),
        ("KAs", "AKs"),
        ("AK", "AKs AKo"),
        ("ak", "AKs AKo"),
        ("TT+", "TT JJ QQ KK AA"),
        ("KJo+", "KJo KQo"),
        ("96s+", "96s 97s 98s"),
        ("JTs+", "JTs"),
        ("AQ+", "AQs AKs AQo AKo"),
        ("QQ-TT", "QQ JJ TT"),
        ("TT-QQ", "QQ JJ TT"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("T9s-76s", "T9s 98s 87s 76s"),
        ("T8o-97o", "T8o 97o"),
        ("A5s-A5s", "A5s"),
        (" AA , KK ,", "AA KK"),
        ("random,72o:0,A2:0,22+:0", " ".join(
            {a + b + s for a, b in itertools.combinations(RANKS, 2) for s in "so"} - {"72o", "A2s", "A2o"}
        )),
        ("", ""),
    ],
)  # fmt: skip
def test_groups(text: str, groups: str) -> None:
    assert hands(text) == set(groups.split())


def test_single_hands_weights_and_what_comes_later() -> None:
    weights = parse_range("AA:0.5,AhAd:1,AcAd:0,KhAd:.25,76s:1e-3")
    assert weights[hand_index(*parse_cards("AdAh"))] == 1
    assert weights[hand_index(*parse_cards("AcAd"))] == 0
    assert weights[hand_index(*parse_cards("AdKh"))] == 0.25
    assert weights.sum() == pytest.approx(4 * 0.5 + 1 + 0.25 + 0.004, abs=1e-12)
    assert (parse_range("100%") == 1).all()


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("AA,KX", 5, "'X' is no rank"),
        ("AA:1.5", 4, "the weight 1.5 is out of range; expected 0 to 1"),
        ("AA:nan", 4, "'n' is not a weight; expected a number from 0 to 1"),
        ("AA:-1", 4, "'-' is not a weight"),
        ("AA:", 4, "the end is not a weight"),
        ("AKs-QJo", 5, "both sides of a dash end alike"),
        ("AAs", 3, "a pair is neither suited nor offsuit"),
        ("KK,AhAh", 4, "'AhAh' is the same card twice"),
        ("AA,,KK", 4, "',' is no rank"),
        ("22+ 33", 5, "'3' does not continue an item"),
        ("A5s-K2s", 1, "a dash joins pairs"),
        ("AA-AK", 1, "a dash joins pairs"),
        ("AK-KK", 1, "a dash joins pairs"),
        ("QQ-AhKh", 4, "a dash joins groups"),
        ("A", 2, "the text ends; expected a rank"),
        ("AhK", 4, "the text ends; expected a suit"),
        ("50%", 2, "'0' is no rank"),
    ],
)
def test_a_wrong_range_is_refused_with_the_position(text: str, place: int, words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_range(text, "oop")
    assert str(caught.value).startswith(f"oop {text!r}: character {place}: {words}")


def test_compact_texts() -> None:
    for text in ("66+,A8s+,A5s-A4s,K9s+,AJo+,KQo", "QQ-22,AQs-A2s:0.5", "random", "random:0.5", "", "AA,AhKh"):
        assert range_text(parse_range(text)) == text


DECKS = st.builds(Deck, st.integers(1, 13), st.integers(2, 4))
WEIGHTS = st.sampled_from([0.0, 1.0, 0.5, 0.1 + 0.2, 1e-7, 1 / 3])


@settings(max_examples=60, deadline=None)
@given(
    deck=DECKS, seed=st.integers(0, 2**32), choices=st.lists(WEIGHTS, min_size=1, max_size=3), single=st.integers(0, 5)
)
def test_a_range_written_and_read_is_the_same(deck: Deck, seed: int, choices: list[float], single: int) -> None:
    random = np.random.default_rng(seed)
    of_group: dict[str, float] = {}
    weights = np.zeros(1326)
    for place in np.flatnonzero(deck.hands):
        group = group_of(*COMBOS[place].tolist())
        weights[place] = of_group.setdefault(group, float(random.choice(choices)))
    for place in random.choice(np.flatnonzero(deck.hands), single):
        weights[place] = random.random()
    text = range_text(weights, deck)
    np.testing.assert_array_equal(parse_range(text, deck=deck), weights)


def test_the_grid_has_pairs_on_the_diagonal_suited_hands_above_and_offsuit_hands_below() -> None:
    table = grid(parse_range("AA,KK:0.5,AKs:0.25,72o,AhQh,AcKd"))
    expected = np.zeros((13, 13))
    expected[0, 0], expected[1, 1], expected[0, 1] = 1, 0.5, 0.25
    expected[12, 7] = 1
    expected[0, 2], expected[1, 0] = 1 / 4, 1 / 12
    np.testing.assert_allclose(table, expected, atol=1e-15)
    values, weights = np.arange(1326.0), parse_range("AhAd:0.25,AhAs:0.75")
    mean = grid(values, weights)
    a, b = (hand_index(*parse_cards(text)) for text in ("AhAd", "AhAs"))
    assert mean[0, 0] == pytest.approx(0.25 * a + 0.75 * b, rel=1e-15)
    assert np.isnan(mean).sum() == 168
    assert grid(values, deck=Deck(3, 2)).shape == (3, 3)


def test_hands_outside_a_small_deck_have_no_weight() -> None:
    deck = Deck(4, 2)
    weights = parse_range("random", deck=deck)
    np.testing.assert_array_equal(weights, deck.hands.astype(float))
    assert {hand_text(tuple(pair)) for pair in COMBOS[parse_range("AKs", deck=deck) > 0].tolist()} == {"AcKc", "AdKd"}
    with pytest.raises(ParameterError, match="a deck of 1 suits has no hand 'AA'"):
        parse_range("AA", deck=Deck(4, 1))
    assert range_text(np.ones(1326), FULL) == "random"
