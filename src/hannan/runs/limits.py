"""When a run stops."""

from __future__ import annotations

from dataclasses import dataclass

from hannan import arguments


@dataclass(frozen=True)
class Limits:
    """When to stop: at the first that is reached. All count from the start of the work, also where it is resumed."""

    gap: float | None = None
    iterations: int | None = None
    seconds: float | None = None


DEFAULT = Limits(gap=1e-4, iterations=100_000)
"""Where a run stops that was given no limit."""


def limits(gap: float | None = None, iterations: int | None = None, seconds: float | None = None) -> Limits:
    """Check the three limits; return the defaults where there is none."""
    for name, number in (("gap", gap), ("seconds", seconds)):
        if number is not None:
            arguments.limit(name, number)
    if gap is None and iterations is None and seconds is None:
        return DEFAULT
    return Limits(gap, None if iterations is None else arguments.count("iterations", iterations), seconds)
