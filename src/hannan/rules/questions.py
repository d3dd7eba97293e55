"""Calls of rules, once or twice, and the comparison of their answers."""

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
    """Call a function of the rules; if it raises, name the path of play."""
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
    """Call a function of the rules twice, and refuse different answers."""
    first, second = ask(rules, path, name, question), ask(rules, path, name, question)
    if not (same or equal)(first, second):
        raise RulesError(f"{node_text(rules, path)}: {name}() answered {shown(first)}, then {shown(second)}")
    return first


def equal(first: Any, second: Any) -> bool:
    """Return whether two answers are equal; they may contain arrays."""
    try:
        return bool(first == second)
    except ValueError:  # arrays compare element by element
        return snapshot(first) == snapshot(second)


def written_alike(first: Any, second: Any) -> bool:
    """Return whether two lists of numbers are equal; here nan equals nan, which another check refuses."""
    return equal(first, second) or repr(first) == repr(second)


def alike(first: Any, second: Any) -> bool:
    """Return whether two states are equal; states without an own `__eq__` are compared by their pickles."""
    if equal(first, second):
        return True
    made = snapshot(first)
    return made is None or made == snapshot(second)


def snapshot(state: Any) -> bytes | None:
    """Return the pickle of a state, to compare with later; None if the state cannot be pickled."""
    try:
        return pickle.dumps(state)
    except STRAY:
        return None
