"""Every check of a parameter: each returns the value that is meant, or raises a sentence that says what is allowed."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any

import numpy as np

from hannan.errors import ParameterError, nearest

WHOLE = int | np.integer
NUMBER = int | float | np.integer | np.floating

SEEDS = (-(2**63), 2**63 - 1)
"""The least and the largest seed."""

MOST = 2**31 - 1
"""The largest whole number where nobody says another."""

_SIZE = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-zA-Z]*)\s*")
_UNITS = {"": 1, "b": 1} | {
    f"{letter}{ending}": base**power
    for power, letter in enumerate("kmgt", 1)
    for ending, base in (("", 1000), ("b", 1000), ("i", 1024), ("ib", 1024))
}


def whole(name: str, value: Any, least: int = 1, most: int = MOST) -> int:
    """Return a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, WHOLE):
        raise ParameterError(f"{name}={value!r} should be a whole number, {least} or more")
    if not least <= value <= most:
        raise ParameterError(f"{name}={value} is out of range; it may be {least} to {most}")
    return int(value)


def count(name: str, value: Any) -> int:
    """Return a whole number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, WHOLE) or value < 0:
        raise ParameterError(f"{name}={value!r} should be a whole number, 0 or more")
    return int(value)


def seed(value: Any) -> int:
    """Return where random numbers begin."""
    least, most = SEEDS
    if isinstance(value, bool) or not isinstance(value, WHOLE) or not least <= value <= most:
        raise ParameterError(
            f"seed={value!r} should be a whole number from -2**63 to 2**63 - 1 ({least:,} to {most:,})"
        )
    return int(value)


def number(name: str, value: Any, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a finite number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, NUMBER) or not math.isfinite(value):
        raise ParameterError(f"{name}={value!r} should be a number")
    if not least <= value <= most:
        bounds = f"at least {least}" if most == math.inf else f"{least} to {most}"
        raise ParameterError(f"{name}={value} is out of range; it may be {bounds}")
    return float(value)


def positive(name: str, value: Any) -> float:
    """Return a finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, NUMBER) or not 0 < value < math.inf:
        raise ParameterError(f"{name}={value!r} should be a positive, finite number")
    return float(value)


def limit(name: str, value: Any) -> float:
    """Return a finite number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, NUMBER) or not 0 <= value < math.inf:
        raise ParameterError(f"{name}={value!r} should be a number, 0 or more")
    return float(value)


def fraction(name: str, value: Any) -> float:
    """Return a number in (0, 1]."""
    if isinstance(value, bool) or not isinstance(value, NUMBER) or not 0 < value <= 1:
        raise ParameterError(f"{name}={value!r} should lie in (0, 1]: above 0, and at most 1")
    return float(value)


def between(name: str, value: Any) -> float:
    """Return a number in (0, 1), such as a confidence."""
    if isinstance(value, bool) or not isinstance(value, NUMBER) or not 0 < value < 1:
        raise ParameterError(f"{name}={value!r} should lie between 0 and 1")
    return float(value)


def powers(**values: Any) -> list[float]:
    """Return powers of discounts and weights; an averaging power, gamma, may not be negative."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, NUMBER) or not abs(float(value)) <= 1e6:
            raise ParameterError(f"{name}={value!r} should be a finite number")
        if name == "gamma" and value < 0:
            raise ParameterError(f"gamma={value!r} should be 0 or more: later iterations do not weigh less")
    return [float(value) for value in values.values()]


def truth(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name}={value!r} should be true or false")
    return value


def choice(name: str, value: Any, known: Collection[str], whose: str = "") -> str:
    """Return a word that is among the known ones; `whose` says who knows them."""
    if not isinstance(value, str) or value not in known:
        raise ParameterError(
            f"{name}={value!r} is not known{f' to {whose}' if whose else ''}{nearest(str(value), known)}"
        )
    return value


def size(name: str, value: Any, most: int = 2**62) -> int:
    """Return a number of bytes, 1 or more: a whole number, or a text such as 1GB, 512MiB or 2e9."""
    if not isinstance(value, str):
        return whole(name, value, 1, most)
    wrong = ParameterError(f"{name}={value!r} should be a number of bytes, such as 1GB, 512MiB or 2e9")
    parts = _SIZE.fullmatch(value)
    if parts is None or parts[2].lower() not in _UNITS:
        raise wrong
    try:
        amount = float(parts[1]) * _UNITS[parts[2].lower()]
    except ValueError:
        raise wrong from None
    if not amount.is_integer():
        raise wrong
    return whole(name, int(amount), 1, most)


def each_whole(name: str, values: Any, least: int, most: int) -> None:
    """Refuse what is not a list of whole numbers from `least` to `most`."""
    for k, value in enumerate(_listed(name, values)):
        whole(f"{name}[{k}]", value, least, most)


def each_number(name: str, values: Any, least: float = -math.inf, most: float = math.inf) -> None:
    """Refuse what is not a list of finite numbers from `least` to `most`."""
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
