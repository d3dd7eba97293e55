"""Bounds as a trunk keeps them: what several pairs of bounds leave together."""

from __future__ import annotations

from hannan.rules.bounds import Bounds, slack


def zero_sum(bounds: Bounds) -> tuple[float, float]:
    """Return the bounds on player 0's gains that the bounds of both players leave together."""
    low, high = bounds[0]
    if len(bounds) > 1:
        low, high = max(low, -bounds[1][1]), min(high, -bounds[1][0])
    return float(low), float(high)


def worth(bounds: Bounds, utilities: int) -> list[tuple[float, float]]:
    """Return the bounds as a trunk keeps them: of player 0 where gains are zero-sum, else of each player."""
    return [zero_sum(bounds)] if utilities == 1 else [(float(low), float(high)) for low, high in bounds]


def meet(low: float, high: float, least: float, most: float) -> tuple[float, float] | None:
    """Return what two pairs of bounds have in common, rounding forgiven; None where there is nothing."""
    low, high = max(low, least), min(high, most)
    if low > high:
        if low > high + slack(low, high):
            return None
        low = high = (low + high) / 2
    return low, high
