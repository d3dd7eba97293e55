"""Checks that every game makes of its parameters."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from hannan.errors import ParameterError, nearest


def whole(name: str, value: Any, least: int, most: int) -> None:
    """Refuse what is not an integer between `least` and `most`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(f"{name}={value!r} should be a whole number")
    if not least <= value <= most:
        raise ParameterError(f"{name}={value} is out of range; it may be {least} to {most}")


def truth(name: str, value: Any) -> None:
    """Refuse what is not True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name}={value!r} should be true or false")


def choice(name: str, value: Any, known: Collection[str]) -> None:
    """Refuse a word that is not among the known ones."""
    if value not in known:
        raise ParameterError(f"{name}={value!r} is not known{nearest(str(value), known)}")


def number(name: str, value: Any, least: float = -math.inf, most: float = math.inf) -> None:
    """Refuse what is not a finite number between `least` and `most`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ParameterError(f"{name}={value!r} should be a number")
    if not least <= value <= most:
        bounds = f"at least {least}" if most == math.inf else f"{least} to {most}"
        raise ParameterError(f"{name}={value} is out of range; it may be {bounds}")


def each_whole(name: str, values: Any, least: int, most: int) -> None:
    """Refuse what is not a list of integers between `least` and `most`."""
    for k, value in enumerate(_listed(name, values)):
        whole(f"{name}[{k}]", value, least, most)


def each_number(name: str, values: Any, least: float = -math.inf, most: float = math.inf) -> None:
    """Refuse what is not a list of finite numbers between `least` and `most`."""
    for k, value in enumerate(_listed(name, values)):
        number(f"{name}[{k}]", value, least, most)


def _listed(name: str, values: Any) -> list[Any]:
    if not isinstance(values, list | tuple):
        raise ParameterError(f"{name}={values!r} should be a list, such as [1,2]")
    return list(values)


def fits(codes: int) -> None:
    """Refuse parameters at which an observation, a 64-bit integer, could take more than `2**62` values."""
    if codes > 2**62:
        raise ParameterError("these parameters are too large together: an observation does not fit into 64 bits")
