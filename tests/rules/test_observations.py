"""Texts of observations: the same for equal values, in every process; what has none to rely on is known."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import namedtuple
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest

import hannan as hn
from hannan.rules.observations import canonical, check_different, check_lasting, worded


class Suit(Enum):
    CLUBS = "c"
    HEARTS = "h"


class Rank(IntEnum):
    JACK = 11


class Word(StrEnum):
    BET = "bet"


class Sides(Flag):
    LEFT = 1
    RIGHT = 2


class Point(NamedTuple):
    x: int
    y: int


Untyped = namedtuple("Untyped", "x y")


@dataclass(frozen=True)
class Hand:
    cards: tuple[Any, ...]
    note: str = field(default="", compare=False)


class Bare:
    """Has the text that every object has: its address."""


class Named:
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Silent:
    def __repr__(self) -> str:
        raise ValueError


EQUAL: tuple[tuple[Any, ...], ...] = (
    (1, True, 1.0, np.int64(1), np.int8(1), np.float32(1), np.True_, Fraction(1), Decimal(1), 1 + 0j),
    (0, False, -0.0, np.False_, np.float64(0)),
    (0.5, np.float32(0.5), Fraction(1, 2), Decimal("0.5")),
    (2**70, float(2**70), np.float64(2**70)),
    (float("inf"), np.float32("inf")),
    (11, Rank.JACK),
    ("bet", Word.BET, np.str_("bet")),
    (b"x", np.bytes_(b"x")),
    ((1, ("a", 2)), (True, ("a", np.int64(2))), (1.0, ("a", 2.0))),
    (Point(1, 2), (1, 2), Untyped(1, np.int16(2))),
    (frozenset({1, "a", (2,)}), frozenset({(2.0,), True, "a"})),
    (Hand((1, 2)), Hand((True, np.int64(2)), note="another")),
)

DIFFERENT: tuple[Any, ...] = (
    None, (), 1, -1, 1.5, 0.1, np.float32(0.1), "1", "None", "", b"1", (1,), ((1,),), (1, 2), ("1", 2), "(1, 2)",
    ("a, b",), ("a", "b"), frozenset(), frozenset({1}), frozenset({1, 2}), frozenset({(1, 2)}), Suit.CLUBS,
    Suit.HEARTS, Sides.LEFT, Sides.LEFT | Sides.RIGHT, Hand((1,)), Hand((1, 2)), float("inf"), 1j,
)  # fmt: skip


@pytest.mark.parametrize("values", EQUAL, ids=lambda values: canonical(values[0]))
def test_equal_values_have_one_text(values: tuple[Any, ...]) -> None:
    assert len(set(values)) == 1  # equal, and of one hash
    assert len({canonical(value) for value in values}) == 1
    assert all(worded(value)[1] for value in values)


def test_different_values_have_different_texts() -> None:
    for one, other in combinations(DIFFERENT, 2):
        assert hash(one) != hash(other) or one != other
        assert canonical(one) != canonical(other)


def test_numbers_and_words_are_written_as_python_writes_them() -> None:
    for plain in (3, 1.5, "x\0y", b"z", None, (), (1,), (2, ("p", "b")), frozenset({1})):
        assert canonical(plain) == repr(plain)


def test_texts_are_the_same_in_another_process() -> None:
    """Words have another hash there, so sets of them another order."""
    value = (frozenset({"x", "y", "zz", (1, "w")}), 1.0, True)
    code = f"from hannan.rules.observations import canonical; print(canonical({value!r}))"
    for seed in ("1", "7"):
        made = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert made.stdout.strip() == canonical(value)


@pytest.mark.parametrize("value", [Bare(), (1, Bare()), frozenset({Bare()}), Hand((Bare(),)), Named(""), Silent(), len,
                                   test_numbers_and_words_are_written_as_python_writes_them])  # fmt: skip
def test_what_has_no_lasting_text_is_refused(value: Any) -> None:
    if value is len:
        assert worded(value) == ("<built-in function len>", True)
        return
    assert not worded(value)[1]
    with pytest.raises(
        hn.errors.ParameterError, match=r"observation .* cannot be saved.* let observe\(\) return numbers"
    ):
        check_lasting({1: 0, value: 1})


def test_one_text_for_two_observations_is_refused() -> None:
    one, other = Named("card"), Named("card")
    check_different({one: 0, 3: 1}, ["card", "3"])
    with pytest.raises(
        hn.errors.ParameterError, match="two unequal observations have the same text in files, card and"
    ):
        check_different({one: 0, 3: 1, other: 2}, ["card", "3", "card"])


def test_texts_can_be_written_to_a_file() -> None:
    text = canonical(Named("a\0b\ud800"))
    assert "\0" not in text
    assert text.encode()
