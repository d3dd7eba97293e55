"""Addresses: read, written, and read again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hannan.addresses import parse, parse_place, value, write
from hannan.errors import ParameterError

GOOD: dict[str, tuple[str, dict[str, Any]]] = {
    "kuhn_poker": ("kuhn_poker", {}),
    " kuhn_poker ( players = 3 ) ": ("kuhn_poker", {"players": 3}),
    "kuhn_poker()": ("kuhn_poker", {}),
    "a(b=1,)": ("a", {"b": 1}),
    "a(b=-1.5e3, c=word, d='two, words)', e=None, f=TRUE, g=false)": (
        "a",
        {"b": -1500.0, "c": "word", "d": "two, words)", "e": None, "f": True, "g": False},
    ),
    "matrix_game(payoffs=[[1,-1],[-1,1]])": ("matrix_game", {"payoffs": [[1, -1], [-1, 1]]}),
    "a(b=(1,2),c={'x': [1, (2)]})": ("a", {"b": (1, 2), "c": {"x": [1, 2]}}),
    "mccfr-os(learner=rm+)": ("mccfr-os", {"learner": "rm+"}),
    "cfr+(averaging=last)": ("cfr+", {"averaging": "last"}),
    "vr-mccfr(learner='rm+',gamma=2.0)": ("vr-mccfr", {"learner": "rm+", "gamma": 2.0}),
    'a(b="it\'s")': ("a", {"b": "it's"}),
    "mccfr-os(memory_limit=1GB)": ("mccfr-os", {"memory_limit": "1GB"}),
    "a(b=near.strategy)": ("a", {"b": "near.strategy"}),
}


@pytest.mark.parametrize("address", GOOD)
def test_addresses_are_read(address: str) -> None:
    assert parse(address) == GOOD[address]


BAD = {
    "": "is not of the form",
    "a(": "is not of the form",
    "a(b=1": "is not of the form",
    "a(b=1))": "is not of the form",
    "a(b=[1)": "is not of the form",
    "a(b=1)c": "is not of the form",
    "a(b='x)": "is not of the form",
    "1a": "is not of the form",
    "a b": "is not of the form",
    "[[1,-1],[-1,1]]": "is not of the form",
    "a(1)": "parameters are given by name, as in a",
    "a(**b)": "parameters are given by name",
    "a(b==1)": "parameters are given by name",
    "a(,b=1)": "parameters are given by name",
    "a(b=1,b=2)": "b is given twice",
    "a(b=)": "the value of b is not a number, a word or a list",
    "a(b=1+1)": "the value of b is not",
    "a(b=f(x))": "the value of b is not",
    "a(b=[c])": "the value of b is not",
    "a(b=" + "9" * 5000 + ")": "the value of b is not",
    "a(b=" + "[" * 500 + "]" * 500 + ")": "the value of b is not",
}


@pytest.mark.parametrize("address", BAD, ids=lambda text: text[:20])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ParameterError) as refused:
        parse(address)
    assert BAD[address] in str(refused.value)


words = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda word: word not in ("true", "false", "none")
)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=8).filter(lambda text: text.lower() not in ("true", "false", "none"))
values = st.none() | st.booleans() | numbers | texts | st.lists(numbers | st.lists(numbers))


@given(words, st.dictionaries(words, values, max_size=4))
def test_what_is_written_is_read_again(name: str, parameters: dict[str, Any]) -> None:
    assert parse(write(name, parameters, {})) == (name, parameters)


def test_defaults_are_left_out() -> None:
    assert write("a", {"b": 1, "c": "x", "d": [1, 2]}, {"b": 1, "c": "y", "d": (1, 2)}) == "a(c=x)"
    assert write("a", {"b": 1}, {"b": 1}) == "a"


def test_values_on_their_own() -> None:
    assert (value("1e9"), value("none"), value(" rm+ "), value("'none'")) == (1e9, None, "rm+", "none")
    with pytest.raises(ValueError, match="neither"):
        value("1+1")


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("my.py:MyCFR", ("my.py:MyCFR", {})),
        (" a b/my.py:MyCFR ( power = 3 ) ", ("a b/my.py:MyCFR", {"power": 3})),
        ("C:\\x\\my.py:MyCFR(p='x.py:f(1)')", ("C:\\x\\my.py:MyCFR", {"p": "x.py:f(1)"})),
        ("package.module:MyCFR(a=1)", ("package.module:MyCFR", {"a": 1})),
        ("search(rule='my.py:Rule(a=1)',iterations=5)", None),
        ("dcfr(alpha=1)", None),
        ("my.py", None),
        ("my.py:", None),
        ("my.py:3", None),
        (":MyCFR", None),
    ],
)
def test_the_place_of_a_class(address: str, place: tuple[str, dict[str, Any]] | None) -> None:
    assert parse_place(address) == place
