"""Kinds of options that several commands take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import Parameter, Token


def _whole(kind: Any, tokens: Sequence[Token]) -> int:
    """Read a whole number, also as 1e6; cyclopts itself would round 1.5."""
    try:
        return int(tokens[0].value)  # a float would round what is above 2**53
    except ValueError:
        number = float(tokens[0].value)
    if not number.is_integer():
        raise ValueError("this is not a whole number")
    return int(number)


Whole = Annotated[int, Parameter(converter=_whole)]
Trusted = Annotated[
    bool,
    Parameter(
        name="--trust", negative="", help="Run code, start programs and open files that FILE names (docs/trust.md)."
    ),
]
Json = Annotated[bool, Parameter(name="--json", negative="", help="One JSON object on standard output, nothing else.")]
