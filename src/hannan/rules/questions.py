"""Asking rules a question, once or twice, and comparing the answers."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, TypeVar

from hannan.arguments import shown
from hannan.errors import STRAY, HannanError, RulesError
from hannan.rules.paths import node_text
from hannan.rules.plain import Rules
from hannan.rules.promises import raised

T = TypeVar("T")


def ask(rules: Rules, path: list[int], name: str, question: Callable[[], T]) -> T:
    """Ask rules, and name the path of play where they raise."""
    try:
        return question()
    except HannanError:
        raise
    except STRAY as error:
        raise RulesError(f"{node_text(rules, path)}: {raised(f'{name}()', error)}") from error


def twice(
    rules: Rules,
    path: list[int],
    name: str,
    question: Callable[[], T],
    same: Callable[[T, T], bool] | None = None,
) -> T:
    """Ask rules twice, and refuse answers that are not the same."""
    first, second = ask(rules, path, name, question), ask(rules, path, name, question)
    if not (same or equal)(first, second):
        raise RulesError(f"{node_text(rules, path)}: {name}() answered {shown(first)}, then {shown(second)}")
    return first


def equal(first: Any, second: Any) -> bool:
    """Compare two answers, arrays in them too."""
    try:
        return bool(first == second)
    except ValueError:  # arrays compare element by element
        return snapshot(first) == snapshot(second)


def written_alike(first: Any, second: Any) -> bool:
    """Compare lists of numbers; what is not a number is equal to itself here, and refused elsewhere."""
    return equal(first, second) or repr(first) == repr(second)


def alike(first: Any, second: Any) -> bool:
    """Compare states. Those that do not know when they are equal are compared by what they are made of."""
    if equal(first, second):
        return True
    made = snapshot(first)
    return made is None or made == snapshot(second)


def snapshot(state: Any) -> bytes | None:
    """Return what a state is made of, to compare with later; None where that cannot be told."""
    try:
        return pickle.dumps(state)
    except STRAY:
        return None
