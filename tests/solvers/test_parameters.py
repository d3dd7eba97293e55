"""What methods say of themselves: every parameter has a meaning, every word a parameter takes is listed."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from hannan.errors import DeviceError, ParameterError
from hannan.solvers import METHODS, method_class
from hannan.solvers.base import Solver
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import meanings, parameters


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_has_a_meaning(method: str) -> None:
    kind = method_class(method)
    assert {parameter.name for parameter in parameters(kind)} == set(kind.parameter_defaults())
    assert all(parameter.meaning for parameter in parameters(kind))


@pytest.mark.parametrize("method", METHODS)
def test_no_meaning_is_of_a_parameter_that_no_class_has(method: str) -> None:
    kind = method_class(method)
    named = {
        name
        for above in kind.__mro__
        if "__init__" in vars(above)
        for name in inspect.signature(vars(above)["__init__"]).parameters
    }
    assert set(meanings(kind)) <= named


def refusal(kind: type[Solver], given: dict[str, Any]) -> str:
    """Return why a method does not take its parameters; nothing where it does."""
    try:
        kind("kuhn_poker", **given)
    except (DeviceError, ParameterError) as error:  # there may be no card
        return str(error)
    return ""


@pytest.mark.parametrize("method", METHODS)
def test_choices_are_what_the_method_takes(method: str) -> None:
    """Every listed word is taken, or refused for another reason than that it is not known; other words are not."""
    kind = method_class(method)
    needed = {"horizon": 5} if method == "hs-dcfr" else {}
    for parameter in parameters(kind):
        for word in parameter.choices or ():
            assert "is not known" not in refusal(kind, {**needed, parameter.name: word})
        if parameter.choices is not None:
            sentence = refusal(kind, {**needed, parameter.name: "no such word"})
            assert f"{parameter.name}='no such word' is not known" in sentence


def test_sentences_of_a_guarantee() -> None:
    full = Guarantee("A", "B", "O(1/T)", "but")
    assert str(full) == "A in two-player zero-sum games, B elsewhere, O(1/T); but"
    assert (full.promise(opposed=True), full.promise(opposed=False)) == ("A, O(1/T); but", "B, O(1/T); but")
    little = Guarantee("A")
    assert str(little) == "A in two-player zero-sum games"
    assert little.promise(opposed=False) is None


@pytest.mark.parametrize("method", METHODS)
def test_every_method_promises_something_where_interests_are_opposed(method: str) -> None:
    guarantee = method_class(method).guarantee
    assert guarantee.promise(opposed=True)
    assert guarantee.zero_sum in str(guarantee)
