"""What observations of plain-Python rules are called in files: a text that equal ones share, in every process.

While a program runs, observations are compared as Python compares them, by equality. A text stands for one only where
it is written down and read again.
"""

from __future__ import annotations

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


def tupled(thing: Any) -> Any:
    """Return what can be looked up in place of lists, also of lists of lists: tuples."""
    return tuple(map(tupled, thing)) if isinstance(thing, list) else thing


def canonical(observation: Hashable) -> str:
    """Return the text of an observation: the same for equal values, in every process."""
    return worded(observation)[0]


def worded(observation: Hashable) -> tuple[str, bool]:
    """Return the text of an observation, and whether it can be relied on in another process."""
    doubts: list[Any] = []
    text = _text(observation, doubts)
    return text, not doubts


def _text(value: Any, doubts: list[Any]) -> str:
    """Return the text of a value; what has none to rely on joins `doubts`. Equal values of two types share one text."""
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
            continue  # there is no such number: of infinity no whole one, of a complex number no real one
    return repr(value)


def not_looked_up(observation: Hashable, error: BaseException) -> str:
    """Say that what observe() returned cannot be told apart from other observations, and what to return instead."""
    return f"observe() returned {described(observation)}, which cannot be looked up ({error}); {_ADVICE}"


def described(observation: Hashable, most: int = 80) -> str:
    """Name an observation in a sentence."""
    try:
        text = repr(observation)
    except STRAY:
        text = object.__repr__(observation)
    return text if len(text) <= most else f"{text[:most]} …"


def unlasting(observation: Hashable) -> str:
    """Say why an observation cannot be written to a file: its text means nothing in another process."""
    return (
        f"observation {described(observation)} cannot be saved: what repr() says of it differs from one process to "
        f"another; {_ADVICE}"
    )


def ambiguous(one: Hashable, other: Hashable) -> str:
    """Say why neither of two observations can be written to a file or read from one."""
    return (
        f"two observations that are not equal have one text in files, {described(one)} and {described(other)}; "
        f"{_ADVICE}"
    )


def check_lasting(met: Mapping[Hashable, int]) -> None:
    """Refuse observations whose text means nothing in another process."""
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
