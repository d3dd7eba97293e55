"""Bounds as a trunk keeps them: the intersections of several pairs of bounds."""

from __future__ import annotations

from collections.abc import Sequence

from hannan.rules.bounds import Bounds, slack


def zero_sum(bounds: Bounds) -> tuple[float, float]:
    """Return the bounds on player 0's gains that follow from the bounds of both players together."""
    low, high = bounds[0]
    if len(bounds) > 1:
        low, high = max(low, -bounds[1][1]), min(high, -bounds[1][0])
    return float(low), float(high)


def not_zero_sum(gains: Sequence[float], bounds: Bounds | None) -> str | None:
    """Return a sentence on why gains are not zero-sum for two players; None if nothing shows it."""
    if len(gains) != 2:
        return None
    words = None
    if abs(gains[0] + gains[1]) > slack(*gains):
        words = f"the players gain {list(gains)} here, which is not zero-sum"
    elif bounds is not None:
        low, high = zero_sum(bounds)
        if low > high + slack(low, high):
            words = f"the bounds {list(bounds)} of two players leave nothing that is zero-sum"
    return None if words is None else f"{words}; equilibrium='cce' certifies any game"


def worth(bounds: Bounds, utilities: int) -> list[tuple[float, float]]:
    """Return the bounds as a trunk keeps them: of player 0 if gains are zero-sum, else of each player."""
    return [zero_sum(bounds)] if utilities == 1 else [(float(low), float(high)) for low, high in bounds]


def meet(low: float, high: float, least: float, most: float) -> tuple[float, float] | None:
    """Return the intersection of two pairs of bounds, up to rounding; None if it is empty."""
    low, high = max(low, least), min(high, most)
    if low > high:
        if low > high + slack(low, high):
            return None
        low = high = (low + high) / 2
    return low, high
