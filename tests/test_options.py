"""A declaration of options: its values, its refusals, the signature and the documentation that are made from it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack

import pytest

import hannan as hn
from hannan.arguments import SEED, Option, count, declared, settled
from hannan.errors import ParameterError, UnknownNameError
from hannan.options import declaring, type_text
from tests.options_page import PAGE, page


class Common(TypedDict, total=False):
    """Options that several functions share."""

    seed: Annotated[int, SEED]


class Own(TypedDict, total=False):
    """One option of each kind."""

    at: Annotated[str, Option("Where to begin.", "")]
    number: Annotated[int | None, Option("How many. Default: 3.", check=count, takers="counters")]
    word: Annotated[Literal["left", "right"] | None, Option("Which way.", "left", kept=True)]
    wide: Annotated[bool, Option("Whether it is wide.", True)]
    rule: Annotated[str | Callable[[int], int] | None, Option("A function, or its name.", python_only=True)]


class All(Own, Common, total=False):
    """All of them."""


@declaring(All)
def walk(game: Annotated[str, Option("The game.")], **options: Unpack[All]) -> All:
    """Walk about."""
    return settled("walk", All, options, "game")


def test_what_is_not_given_has_its_default() -> None:
    nothing = {"at": "", "number": None, "word": "left", "wide": True, "rule": None, "seed": 0}
    assert walk("g") == nothing
    assert walk("g", number=None, word=None, rule=None) == nothing  # None stands for the default
    assert walk("g", number=2, word="right", wide=False, seed=-1) == {
        **nothing, "number": 2, "word": "right", "wide": False, "seed": -1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"number": -1}, "number=-1 should be a whole number, 0 or more"),
        ({"number": True}, "number=True should be"),
        ({"word": "up"}, "word='up' is not known"),
        ({"word": 5}, "word=5 is not known"),
        ({"wide": 1}, "wide=1 should be true or false"),
        ({"wide": None}, "wide=None should be true or false"),
        ({"seed": 1.5}, "seed=1.5 should be"),
        ({"seed": None}, "seed=None should be"),
    ],
)
def test_wrong_values(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        walk("g", **given)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("wort", "walk has no option 'wort'; did you mean 'word'"),
        ("gam", "walk has no option 'gam'; did you mean 'game'"),
        ("from_", "walk has no option 'from_'; it is called 'at' now"),
        ("path", "walk has no option 'path'; it is called 'at' now"),
        ("lock", "walk has no option 'lock'; known are at, game"),  # and no locks
    ],
)
def test_unknown_names(name: str, sentence: str) -> None:
    wrong: Any = {name: 1}
    with pytest.raises(UnknownNameError, match=sentence):
        walk("g", **wrong)


def test_signature_and_documentation() -> None:
    seen = signature(walk).parameters
    assert [*seen] == ["game", "at", "number", "word", "wide", "rule", "seed"]
    assert {name: p.default for name, p in seen.items() if name != "game"} == walk("g")
    assert seen["number"].annotation == "int | None"
    assert walk.__doc__ is not None
    for option in walk.options.values():  # type: ignore[attr-defined]
        assert option.name in walk.__doc__
        assert option.meaning in walk.__doc__
    assert "word : left, right; default: left" in walk.__doc__
    assert "Taken by counters." in walk.__doc__


def test_types_in_words() -> None:
    said = {name: type_text(option) for name, option in declared(All).items()}
    assert said == {
        "at": "text", "number": "whole number", "word": "left, right", "wide": "true or false",
        "rule": "text, function", "seed": "whole number",
    }  # fmt: skip
    assert type_text(hn.solve.options["start"]).endswith("path")


def test_the_page_is_made_from_the_declarations() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.options_page writes the page anew"


@pytest.mark.parametrize(
    "call",
    [
        lambda **given: hn.search("biased_rps", **given),
        lambda **given: hn.Searcher("biased_rps", **given),
        lambda **given: hn.solve("biased_rps", "bi", **given),
    ],
)
def test_old_names_are_refused_with_the_new_one(call: Callable[..., Any]) -> None:
    for name in ("from_", "path"):
        with pytest.raises(UnknownNameError, match=f"'{name}'.*'at'"):
            call(**{name: "R"})


def test_locks_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "locks.json"
    file.write_text('{"0": {"J": {"p": 1}}}')
    by_file = hn.solve("kuhn_poker", "cfr", iterations=20, locks=file)
    assert by_file.values == hn.solve("kuhn_poker", "cfr", iterations=20, locks={0: {"J": {"p": 1}}}).values


def test_bounds_of_a_match_may_be_a_text() -> None:
    kinds = ("-2,2", (-2, 2))
    one, other = (hn.match("kuhn_poker", "uniform", "uniform", games=20, bounds=bounds) for bounds in kinds)
    assert one.half_widths == other.half_widths
    for wrong in ("2", "2,-2", "a,b", ""):
        with pytest.raises(ParameterError, match="should be two numbers, LOW,HIGH"):
            hn.match("kuhn_poker", "uniform", "uniform", games=20, bounds=wrong)
