"""Hold'em games in the catalogue: addresses, files, defaults, and sentences for what is wrong."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.errors import HannanError, ParameterError, TrustError, UnknownNameError
from hannan.forms.game import Game
from hannan.forms.trust import named_game
from hannan.games import catalogue
from hannan.games.holdem.entry import holdem
from hannan.games.holdem.rules import HoldemRules
from hannan.games.holdem.spot import SIZE_NAMES, make_spot
from hannan.games.holdem.spot_files import read_spot
from hannan.rules.public import PublicRules
from tests.fuzz.sentences import sentence

SPOTS = Path(__file__).parent / "spots"
FILE = SPOTS / "turn_basic.toml"
RIVER: dict[str, Any] = {
    "board": "Td9d6hQc2s", "oop": "66+,AJo+", "ip": "QQ-22", "pot": 200, "stack": 900, "bets": "60%,a",
    "raises": "2.5x",
}  # fmt: skip


@pytest.mark.parametrize("name", catalogue.PUBLIC)
def test_entries_are_described(name: str) -> None:
    entry = catalogue.entry(name)
    assert list(entry.parameters) == list(entry.defaults)
    assert all(entry.parameters.values())
    assert entry.name == name
    assert entry.summary
    assert entry.source
    rules = catalogue.make(name, entry.defaults)
    assert isinstance(rules, PublicRules)
    assert rules.name == name


def test_the_default_is_a_spot_on_the_river() -> None:
    assert holdem().spot == make_spot(**RIVER)


def test_sizes_that_are_given_stand_alone() -> None:
    """Neither the default bets nor the default raises are added to them."""
    assert holdem(river_bets="50%").spot == make_spot(
        **{key: value for key, value in RIVER.items() if key not in ("bets", "raises")}, river_bets="50%"
    )
    assert holdem(bets="50%").spot.raises == ""
    assert holdem(limit=20).spot.stack is None
    assert holdem(pot=100).spot.raises == "2.5x"


ADDRESSES = [
    "holdem",
    "holdem(board='2c3d4h',oop=AA,ip='KK,QQ:0.5',pot=10,stack=30,bets='50%')",
    "holdem(board=Td9d6hQc,bets='60%,e,a',raises='2.5x',rake=0.05,rake_cap=3,force_allin=0.15,merging=0.1)",
    "holdem(bets=a,river_ip_bets='33%',donks='50%')",
    "holdem(limit='20',most_raises=2)",
    "holdem(board=Tc9c8cJdQd,oop='AA,KK',ip='AK,AJ',ranks=7,suits=2)",
    f"holdem(file={str(FILE)!r},stack=300,turn_bets='50%')",
    "rhode_island(ranks=3,suits=2,most_raises=1)",
    "flop_holdem(ranks=4,suits=2,bet=50)",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_come_back_the_same(address: str) -> None:
    first = hn.load(address)
    again = hn.load(first.address)
    assert again.address == first.address == catalogue.canonical(address)
    assert again.parameters == first.parameters
    name, parameters = catalogue.parse(address)
    one, other = catalogue.make(name, parameters), catalogue.make(name, first.parameters)
    if isinstance(one, HoldemRules) and isinstance(other, HoldemRules):
        assert one.spot == other.spot
    else:
        assert one.name == other.name == name


@pytest.mark.parametrize("name", SIZE_NAMES)
def test_every_name_of_a_size_is_a_parameter(name: str) -> None:
    given = {name: "40%", "bets": "60%"}
    assert dict(holdem(**given).spot.sizes) == {name: "40%"}


def test_files_are_read_and_parameters_override_them() -> None:
    assert holdem(file=str(FILE)).spot == read_spot(FILE)
    assert holdem(file=str(FILE), stack=300).spot == read_spot(FILE, stack=300)


def test_a_file_that_names_such_a_game_needs_consent() -> None:
    """Without consent no other file is read; the parameters of a spot name nothing."""
    with pytest.raises(TrustError, match="reads another file"):
        named_game("strategy", f"holdem(file={str(FILE)!r})", trust=False)
    assert named_game("strategy", f"holdem(file={str(FILE)!r})", trust=True) == f"holdem(file={str(FILE)!r})"
    assert isinstance(named_game("strategy", "holdem(pot=100)", trust=False), Game)


WRONG = {
    "holdem(board=Td9d6hQcTd)": "board 'Td9d6hQcTd': character 9: the card Td occurs twice",
    "holdem(board=Td9d)": "board 'Td9d' has 2 cards; expected 3, 4 or 5",
    "holdem(oop='')": "oop",
    "holdem(oop=QcTd)": "oop's range has no hand left after the board 'Td9d6hQc2s'",
    "holdem(oop=AsKs,ip=AsQs)": "the ranges cannot meet: every hand of oop shares a card with every hand of ip",
    "holdem(stack=0)": "stack=0",
    "holdem(pot=0)": "pot=0",
    "holdem(bets='')": "leave no action but to check",
    "holdem(raises='2x')": "without bets: there is nothing to raise",
    "holdem(bets='60')": "bets '60'",
    "holdem(bets=[1])": "bets=",
    "holdem(rake=2)": "rake=2",
    "holdem(limit='x')": "limit='x' should be whole numbers",
    "holdem(limit=20,bets=a)": "bets is for no-limit",
    "holdem(file=3)": "file=3",
    "rhode_island(ranks=3,suits=1)": "a deck of 3 ranks and 1 suits has 3 cards; 4 are needed",
    "rhode_island(ranks=14)": "ranks=14",
    "rhode_island(ante=0)": "ante=0",
    "rhode_island(most_raises=-1)": "most_raises=-1",
    "rhode_island(later_bet=1.5)": "later_bet=1.5",
    "flop_holdem(ranks=6,suits=1)": "a deck of 6 ranks and 1 suits has 6 cards; 7 are needed",
    "flop_holdem(small_blind=100)": "small_blind=100 should be less than big_blind=100",
    "flop_holdem(bet=0)": "bet=0",
}


@pytest.mark.parametrize("address", WRONG)
def test_what_is_wrong_is_said(address: str) -> None:
    with pytest.raises(ParameterError) as error:
        hn.load(address)
    assert str(error.value).startswith(f"{address.partition('(')[0]}: ")
    assert WRONG[address] in str(error.value)


def test_names_that_are_mistyped() -> None:
    with pytest.raises(UnknownNameError, match=r"holdem has no parameter 'turn_bet'.*turn_bets"):
        hn.load("holdem(turn_bet='50%')")


@pytest.mark.parametrize("number", range(200))
def test_files_that_are_broken_are_answered_or_refused(number: int, tmp_path: Path) -> None:
    draw = random.Random(number)
    text = bytearray((SPOTS / "river_range.toml").read_bytes())
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(text))
        text[place : place + draw.randint(0, 3)] = draw.choice(
            [b"", b"\x00", b"'", b'"', b"[", b"=", b"9" * 30, b"-", b"%", b"\xff", b"nan", b"\n", b"a"]
        )
    path = tmp_path / "spot.toml"
    path.write_bytes(text)
    try:
        holdem(file=str(path))
    except HannanError as error:
        told = error
    else:
        return
    assert sentence(told) == "refused"
    assert str(told).startswith(str(path))
