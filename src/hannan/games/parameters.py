"""Checks that every game makes of its parameters."""

from __future__ import annotations

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
