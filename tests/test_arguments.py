"""Checks of parameters: what passes comes back as what is meant, what does not gets a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hannan import arguments
from hannan.errors import ParameterError

SIZES = {
    1: 1,
    "1": 1,
    "2e9": 2_000_000_000,
    "1GB": 10**9,
    "1gb": 10**9,
    "1 GB": 10**9,
    "1G": 10**9,
    "512MiB": 512 * 2**20,
    "1.5KiB": 1536,
    "0.5k": 500,
    "3Ti": 3 * 2**40,
    "7B": 7,
}


@pytest.mark.parametrize("text", SIZES)
def test_sizes(text: int | str) -> None:
    assert arguments.size("memory_limit", text) == SIZES[text]


@pytest.mark.parametrize(
    "text", ["", "GB", "1XB", "-1GB", "1.2.3k", "0.5", "1GBs", "nan", "inf", "1e999", "0", "1e30", 1.5, True, 0]
)
def test_what_is_no_size(text: Any) -> None:
    with pytest.raises(ParameterError, match="memory_limit="):
        arguments.size("memory_limit", text)


PASS: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = [
    (arguments.whole, (np.int64(3), 1, 5), 3),
    (arguments.count, (0,), 0),
    (arguments.number, (np.float32(0.5), 0.0, 1.0), 0.5),
    (arguments.positive, (2,), 2.0),
    (arguments.limit, (0,), 0.0),
    (arguments.fraction, (1,), 1.0),
    (arguments.between, (0.95,), 0.95),
    (arguments.truth, (False,), False),
    (arguments.choice, ("a", ("a", "b")), "a"),
]


@pytest.mark.parametrize(("check", "given", "meant"), PASS)
def test_what_passes_comes_back(check: Callable[..., Any], given: tuple[Any, ...], meant: Any) -> None:
    found = check("x", *given)
    assert found == meant
    assert type(found) is type(meant)


FAIL: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (arguments.whole, (True,), "x=True should be a whole number, 1 or more"),
    (arguments.whole, (1.0,), "x=1.0 should be a whole number"),
    (arguments.whole, (9, 1, 5), "x=9 is out of range; it may be 1 to 5"),
    (arguments.count, (-1,), "x=-1 should be a whole number, 0 or more"),
    (arguments.number, ("1",), "x='1' should be a number"),
    (arguments.number, (math.nan,), "x=nan should be a number"),
    (arguments.number, (2.0, 0.0, 1.0), "x=2.0 is out of range; it may be 0.0 to 1.0"),
    (arguments.positive, (0,), "x=0 should be a positive, finite number"),
    (arguments.limit, (-0.1,), "x=-0.1 should be a number, 0 or more"),
    (arguments.fraction, (0,), "x=0 should lie in (0, 1]"),
    (arguments.between, (1,), "x=1 should lie between 0 and 1"),
    (arguments.truth, (1,), "x=1 should be true or false"),
    (arguments.choice, ("alfa", ("alpha", "beta")), "x='alfa' is not known; did you mean 'alpha'?"),
    (arguments.choice, (["a"], ("a",)), "x=['a'] is not known"),
]


@pytest.mark.parametrize(("check", "given", "sentence"), FAIL)
def test_what_does_not_pass_gets_a_sentence(check: Callable[..., Any], given: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(ParameterError) as refused:
        check("x", *given)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("seed", [-(2**63), 2**63 - 1, np.int64(4)])
def test_seeds(seed: int) -> None:
    assert arguments.seed(seed) == seed


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1, 1.5, True, None])
def test_what_is_no_seed(seed: Any) -> None:
    with pytest.raises(ParameterError, match=r"seed=.* should be a whole number from -2\*\*63 to 2\*\*63 - 1"):
        arguments.seed(seed)


BIG = {"400 digits": 10**400, "5,000 digits": 10**5000, "minus 400 digits": -(10**400)}
"""Whole numbers that are no float; Python does not even write the longer one."""

NUMBERS: list[Callable[..., Any]] = [
    arguments.whole, arguments.count, arguments.number, arguments.positive, arguments.limit, arguments.fraction,
    arguments.between, arguments.size, arguments.truth,
]  # fmt: skip


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize("big", BIG.values(), ids=BIG)
def test_numbers_of_many_digits(check: Callable[..., Any], big: int) -> None:
    with pytest.raises(ParameterError, match=r"^x=") as refused:
        check("x", big)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("big", BIG.values(), ids=BIG)
def test_powers_seeds_lists_and_words_of_many_digits(big: int) -> None:
    for check in (
        lambda: arguments.powers(alpha=big),
        lambda: arguments.seed(big),
        lambda: arguments.choice("x", big, ("a",)),
        lambda: arguments.each_number("x", [big]),
        lambda: arguments.each_whole("x", [big], 0, 9),
    ):
        with pytest.raises(ParameterError) as refused:
            check()
        assert len(str(refused.value)) < 300


def test_a_value_that_cannot_be_written() -> None:
    class Mute:
        def __repr__(self) -> str:
            raise RuntimeError

    with pytest.raises(ParameterError, match="x=<Mute> should be a number"):
        arguments.number("x", Mute())
