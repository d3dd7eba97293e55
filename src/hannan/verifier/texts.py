"""The texts of actions, observations, outcomes and groups in files: equal objects have equal texts."""

from __future__ import annotations

import dataclasses
import enum
import numbers
from typing import Any

import numpy as np


def text_of(thing: Any) -> str:
    """Return the text of an object that a box shows. Equal numbers have the same text, whatever their types."""
    if isinstance(thing, enum.Enum) and not isinstance(thing, numbers.Number | str | bytes | tuple | frozenset):
        return f"{type(thing).__qualname__}.{thing.name or text_of(thing.value)}"
    if isinstance(thing, numbers.Number | np.bool_):
        return _number(thing)
    for plain in (str, bytes):
        if isinstance(thing, plain):
            return plain.__repr__(thing)
    if isinstance(thing, tuple):
        parts = ", ".join(map(text_of, thing))
        return f"({parts},)" if len(thing) == 1 else f"({parts})"
    if isinstance(thing, frozenset):
        return f"frozenset({{{', '.join(sorted(map(text_of, thing)))}}})" if thing else "frozenset()"
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        compared = (field.name for field in dataclasses.fields(thing) if field.compare)
        parts = ", ".join(f"{name}={text_of(getattr(thing, name))}" for name in compared)
        return f"{type(thing).__qualname__}({parts})"
    return repr(thing).replace("\0", "\\x00").encode(errors="backslashreplace").decode()


def _number(thing: Any) -> str:
    """Return the text of a whole number as an int, of another real number as a float, of anything else by its repr."""
    real = thing.real if isinstance(thing, complex | np.complexfloating) and thing.imag == 0 else thing
    for kind in (int, float):
        try:
            if kind(real) == real:
                return repr(kind(real))
        except (TypeError, ValueError, OverflowError):
            pass
    return repr(real)
