"""The texts of observations of plain-Python rules in files: equal observations have equal texts, in every process.

While a program runs, observations are compared by Python's equality. Texts replace them only in files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from numbers import Number
from typing import Any

import numpy as np

from hannan.errors import STRAY, ParameterError

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_ADVICE = "let observe() return numbers and words instead, or a tuple of them"


def canonical(observation: Hashable) -> str:
    """Return the text of an observation: the same for equal values, in every process."""
    return worded(observation)[0]


def spoken(text: str) -> str:
    """Return the text of an observation or action for display: a string without its quotes."""
    if text[:1] not in ("'", '"'):
        return text
    try:
        return str(ast.literal_eval(text))
    except (ValueError, SyntaxError):  # it starts with a quote but is not a string literal
        return text


def worded(observation: Hashable) -> tuple[str, bool]:
    """Return the text of an observation, and whether the text is the same in every process."""
    doubts: list[Any] = []
    text = _text(observation, doubts)
    return text, not doubts


def _text(value: Any, doubts: list[Any]) -> str:
    """Return the text of a value, the same for equal values of two types; add values without a reliable text to
    `doubts`."""
    if type(value) is int or type(value) is str:
        return repr(value)
    if isinstance(value, Number | np.bool_):
        return _number(value)
    if isinstance(value, str):
        return str.__repr__(value)
    if isinstance(value, bytes):
        return bytes.__repr__(value)
    if isinstance(value, tuple):
        inside = [_text(part, doubts) for part in value]
        return f"({inside[0]},)" if len(inside) == 1 else f"({', '.join(inside)})"
    if isinstance(value, frozenset):
        members = ", ".join(sorted(_text(part, doubts) for part in value))
        return f"frozenset({{{members}}})" if members else "frozenset()"
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name or _text(value.value, doubts)}"
    if is_dataclass(value) and not isinstance(value, type):
        compared = [field.name for field in fields(value) if field.compare]
        inside = [f"{name}={_text(getattr(value, name), doubts)}" for name in compared]
        return f"{type(value).__qualname__}({', '.join(inside)})"
    try:
        text = repr(value).replace("\0", "\\x00").encode(errors="backslashreplace").decode()
    except STRAY:
        text = ""
    speaks: Any = type(value).__repr__
    if not text or speaks is object.__repr__ or _ADDRESS.search(text):
        doubts.append(value)
    return text


def _number(value: Any) -> str:
    if isinstance(value, complex | np.complexfloating) and value.imag == 0:
        value = value.real
    for kind in (int, float):
        try:
            if value == (same := kind(value)):
                return repr(same)
        except (TypeError, ValueError, OverflowError):
            continue  # infinity has no int, and a complex number has no float
    return repr(value)


def hashed(thing: Any) -> Any:
    """Return a list as a tuple, nested lists too; return any other value unchanged."""
    try:
        return tuple(map(hashed, thing)) if isinstance(thing, list | tuple) else thing
    except RecursionError:  # the list contains itself
        return thing


def not_looked_up(observation: Hashable, error: BaseException) -> str:
    """Return the message that an observation cannot be hashed, and what observe() should return instead."""
    return f"observe() returned {described(observation)}, which cannot be looked up ({error}); {_ADVICE}"


def described(observation: Hashable, most: int = 80) -> str:
    """Return the repr of an observation for a message, cut after `most` characters."""
    try:
        text = repr(observation)
    except STRAY:
        text = object.__repr__(observation)
    return text if len(text) <= most else f"{text[:most]} …"


def unlasting(observation: Hashable) -> str:
    """Return the message that an observation cannot be written to a file, since its text differs between processes."""
    return (
        f"observation {described(observation)} cannot be saved: its repr() differs from one process to another; "
        f"{_ADVICE}"
    )


def ambiguous(one: Hashable, other: Hashable) -> str:
    """Return the message that two unequal observations have the same text, so that files cannot distinguish them."""
    return f"two unequal observations have the same text in files, {described(one)} and {described(other)}; {_ADVICE}"


def check_lasting(met: Mapping[Hashable, int]) -> None:
    """Refuse observations whose text differs between processes."""
    for observation in met:
        if not worded(observation)[1]:
            raise ParameterError(unlasting(observation))


def check_different(met: Mapping[Hashable, int], labels: Sequence[str]) -> None:
    """Refuse unequal observations that have the same text."""
    if len(set(labels)) == len(labels):
        return
    first: dict[str, int] = {}
    for code, text in enumerate(labels):
        if first.setdefault(text, code) != code:
            names = {number: seen for seen, number in met.items()}
            one, other = (names.get(number, text) for number in (first[text], code))
            raise ParameterError(ambiguous(one, other))
