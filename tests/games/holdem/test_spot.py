from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hannan.errors import FileError, HannanError, ParameterError, UnknownNameError
from hannan.games.holdem.cards import COMBOS, Deck, hand_text
from hannan.games.holdem.sizes import parse_sizes
from hannan.games.holdem.spot import SIZE_NAMES, Spot, changed, make_spot
from hannan.games.holdem.spot_files import parse_spot, read_spot, spot_text, write_spot

SPOTS = Path(__file__).parent / "spots"
ALL = ["river_range", "turn_basic", "flop_small", "flop_texasbench"]
BASE: dict[str, Any] = {"board": "Td9d6hQc2s", "oop": "AA,KK", "ip": "QQ-22", "pot": 200, "stack": 900, "bets": "60%"}


def spot(**changes: Any) -> Spot:
    return make_spot(**BASE | changes)


@pytest.mark.parametrize("name", ALL[:3])
def test_hands_of_the_published_spots(name: str) -> None:
    found, known = read_spot(SPOTS / f"{name}.toml"), json.loads((SPOTS / f"{name}.json").read_text())
    for player in (0, 1):
        assert [hand_text(tuple(COMBOS[place])) for place in found.hands(player)] == known[f"hands_{player}"]
    # their weights: how much of the opponent's range is left beside each hand
    cards = [COMBOS[found.hands(player)] for player in (0, 1)]
    meets = (cards[0][:, None, :, None] != cards[1][None, :, None, :]).all(axis=(2, 3))
    np.testing.assert_array_equal(meets.sum(axis=1), known["weights_0"])
    np.testing.assert_array_equal(meets.sum(axis=0), known["weights_1"])


def test_the_largest_of_the_published_spots() -> None:
    found = read_spot(SPOTS / "flop_texasbench.toml")
    assert [len(found.hands(player)) for player in (0, 1)] == [225, 310]  # published beside the file
    flop, turn, _ = found.betting.menus
    assert flop[0] == flop[1] == turn[0]
    assert turn[1].bets == parse_sizes("100%")
    assert turn[1].raises == parse_sizes("50%")


@pytest.mark.parametrize("name", ALL)
def test_spots_written_and_read_are_the_same(name: str, tmp_path: Path) -> None:
    first = read_spot(SPOTS / f"{name}.toml")
    write_spot(first, tmp_path / "spot.toml")
    again = read_spot(tmp_path / "spot.toml")
    assert again == first
    assert hash(again) == hash(first)
    assert again.betting == first.betting


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.dictionaries(
        st.sampled_from([n for n in SIZE_NAMES if not n.endswith("raises")]), st.sampled_from(["50%", "e,a", ""])
    ),
    rake=st.floats(0, 1, exclude_max=True),
    cap=st.none() | st.floats(0, 1e9),
    pot=st.integers(1, 10**6),
    merging=st.floats(0, 10),
)
def test_any_spot_written_and_read_is_the_same(
    sizes: dict[str, str], rake: float, cap: float | None, pot: int, merging: float
) -> None:
    first = spot(**sizes | {"river_ip_bets": "a"}, rake=rake, rake_cap=cap, pot=pot, merging=merging, raises="2x")
    assert parse_spot(spot_text(first)) == first


def test_the_most_specific_sizes_count() -> None:
    found = spot(
        board="Td9d6h", bets="10%", ip_bets="20%", turn_bets="30%", turn_ip_bets="40%", river_donks="50%", donks="60%"
    )
    bets = [[menu.bets[0].amount for menu in pair] for pair in found.betting.menus]
    assert bets == [[0.1, 0.2], [0.3, 0.4], [0.1, 0.2]]
    assert [pair[0].donks for pair in found.betting.menus] == [None, parse_sizes("60%"), parse_sizes("50%")]
    assert all(pair[1].donks is None for pair in found.betting.menus)


def test_fixed_limit_and_small_decks() -> None:
    found = spot(
        board="AcKcQc", bets="", limit="10,20,20", most_raises=2, stack=None, oop="random", ip="random", deck=Deck(4, 3)
    )
    assert (found.betting.limits, found.betting.most_raises) == ((10, 20, 20), 2)
    assert len(found.hands(0)) == 9 * 8 // 2
    assert parse_spot(spot_text(found)) == found
    assert spot(bets="", limit=10).betting.limits == (10,)


def test_a_spot_with_changes() -> None:
    found = changed(spot(), oop="QQ", river_ip_bets="a")
    assert (found.oop, found.ip, found.sizes) == ("QQ", "QQ-22", (("river_ip_bets", "a"),))
    with pytest.raises(UnknownNameError, match="did you mean 'stack'"):
        changed(spot(), stck=3)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"board": "Td9d"}, "board 'Td9d' has 2 cards; expected 3, 4 or 5"),
        ({"board": "Td9d6hQc2s3s"}, "has 6 cards; expected 3, 4 or 5"),
        ({"board": "Td9dTd"}, "character 5: the card Td occurs twice"),
        ({"board": 7}, "board=7 should be text"),
        ({"oop": ""}, "oop's range has no hand left after the board 'Td9d6hQc2s'"),
        ({"board": "AsAhAd", "oop": "AA"}, "oop's range has no hand left after the board 'AsAhAd'"),
        ({"ip": "AA:0"}, "ip's range has no hand left"),
        ({"oop": "AsKs", "ip": "AsAh,KsKh"}, "the ranges cannot meet"),
        ({"ip": "QQ-2X"}, "ip 'QQ-2X': character 5: 'X' is no rank"),
        ({"pot": -5}, "pot=-5 is out of range"),
        ({"pot": float("nan")}, "pot=nan should be a number"),
        ({"pot": 7.5}, "pot=7.5 should be a whole number of chips"),
        ({"stack": 0}, "stack=0 is out of range"),
        ({"stack": None}, "stack is missing"),
        ({"stack": True}, "stack=True should be a number"),
        ({"rake": 1.5}, "rake=1.5 is out of range"),
        ({"rake": 1}, "rake=1 is out of range; it should be below 1, or there is nothing to win"),
        ({"rake_cap": -1}, "rake_cap=-1"),
        ({"merging": float("inf")}, "merging=inf"),
        ({"bets": "60"}, "bets '60': character 3: a number needs a unit"),
        ({"bets": ""}, "leave no action but to check"),
        ({"bets": "", "raises": "3x"}, "raises='3x' without bets: there is nothing to raise"),
        ({"river_bets": "", "river_raises": "3x"}, "raises a bet, but there are no bets on the river"),
        ({"flop_bets": "zz"}, "flop_bets 'zz': character 1"),
        ({"river_ip_donks": "50%"}, "holdem has no parameter 'river_ip_donks'"),
        ({"preflop_bets": "50%"}, "holdem has no parameter 'preflop_bets'"),
        ({"limit": "10"}, "bets is for no-limit"),
        ({"limit": "10,20", "bets": ""}, "limit='10,20' has 2 numbers; expected 1, or one for each of river"),
        ({"limit": "x", "bets": ""}, "limit='x' should be whole numbers of chips"),
        ({"deck": Deck(4, 2), "board": "AcKcQc"}, "has 8 cards; the board and two hands need 9"),
        ({"deck": 3}, "deck=3 should be a Deck"),
    ],
)  # fmt: skip
def test_a_wrong_spot_is_refused_with_a_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(HannanError) as caught:
        spot(**changes)
    assert words in str(caught.value)


def test_a_missing_parameter_is_named() -> None:
    with pytest.raises(ParameterError, match="ip is missing"):
        make_spot(board="Td9d6h", oop="AA", pot=10)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("board = ", FileError, "this is not TOML"),
        ('[preflop]\nbets = "50%"', UnknownNameError, "street [preflop] does not exist"),
        ('[turn]\nbet = "50%"', UnknownNameError, "'bet' in [turn] does not exist; did you mean 'bets'?"),
        ('[turn.op]\nbets = "50%"', UnknownNameError, "[turn.op] does not exist; did you mean 'oop'?"),
        ('[turn.ip]\ndonks = "50%"', UnknownNameError, "'donks' in [turn.ip] does not exist"),
        ("[turn]\nbets = 3", ParameterError, "turn_bets=3 should be text"),
        ("stak = 3", UnknownNameError, "holdem has no parameter 'stak'; did you mean 'stack'?"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(text: str, error: type[HannanError], words: str, tmp_path: Path) -> None:
    path = tmp_path / "spot.toml"
    path.write_text(text)
    with pytest.raises(error) as caught:
        read_spot(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)


def test_files_that_are_no_text_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"pot = 3 # \xff")
    with pytest.raises(FileError, match="byte 11 is not UTF-8 text"):
        read_spot(tmp_path / "bytes")
    with pytest.raises(FileError, match="there is no file"):
        read_spot(tmp_path / "nothing")
    (tmp_path / "long").write_bytes(b"#" * 1_000_001)
    with pytest.raises(FileError, match="longer than 1,000,000 bytes"):
        read_spot(tmp_path / "long")


def test_keywords_override_the_file() -> None:
    assert read_spot(SPOTS / "river_range.toml", pot=300).pot == 300
