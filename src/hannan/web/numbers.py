"""Numbers as JSON holds them, and as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

DIGITS = 4
UNKNOWN = "—"


def finite(number: Any) -> float | None:
    """Return a float; None for None, and for NaN and infinities, which JSON does not have."""
    if number is None:
        return None
    value = float(number)
    return value if math.isfinite(value) else None


def finites(numbers: Iterable[Any] | None) -> list[float | None] | None:
    """Return floats, each as `finite` does; None for None."""
    return None if numbers is None else [finite(number) for number in numbers]


def number_text(number: Any) -> str:
    """Write a utility, a regret or another number: four digits."""
    value = finite(number)
    if value is None:
        return UNKNOWN
    if value.is_integer() and abs(value) < 1e9:
        return f"{value:,.0f}".replace("-0", "0") if value == 0 else f"{value:,.0f}"
    return f"{value:.{DIGITS}g}"


def numbers_text(numbers: Iterable[Any] | None) -> list[str]:
    """Write several numbers."""
    return [] if numbers is None else [number_text(number) for number in numbers]


def percent_text(share: Any) -> str:
    """Write a probability in percent: three digits, and never 0 or 100 for a number that is only near it."""
    value = finite(share)
    if value is None:
        return UNKNOWN
    if value in (0.0, 1.0):
        return f"{100 * value:.0f} %"
    if 0 < value < 0.0005:
        return "<0.1 %"
    if 0.9995 < value < 1:
        return ">99.9 %"
    return f"{100 * value:.1f} %" if value < 0.9995 else f"{100 * value:.4g} %"


def signed_percent_text(share: Any) -> str:
    """Write a difference of probabilities in percent, with its sign."""
    value = finite(share)
    return UNKNOWN if value is None else f"{100 * value:+.1f} %"


def fact_text(fact: Any) -> str:
    """Write any fact of a record."""
    if fact is None:
        return UNKNOWN
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    if isinstance(fact, int):
        return f"{fact:,}"
    if isinstance(fact, float):
        return f"{fact:.6g}" if math.isfinite(fact) else UNKNOWN
    if isinstance(fact, list | tuple):
        return ", ".join(map(fact_text, fact))
    if isinstance(fact, Mapping):
        return ", ".join(f"{name} {fact_text(value)}" for name, value in fact.items())
    return str(fact)


def plain(value: Any) -> Any:
    """Return a record for JSON: NaN and infinities become None, tuples and arrays lists, and other objects texts."""
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return finite(value)
    return plain(value.tolist()) if hasattr(value, "tolist") else str(value)
