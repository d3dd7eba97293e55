"""Bounds on what players can still gain: their form, and how the bounds of a child follow from those of its parent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from hannan.arguments import shown
from hannan.errors import RulesError

Bounds = Sequence[tuple[float, float]]
"""For each player, the least and the most that it can still gain."""

TOLERANCE = 1e-9
"""Tolerance for rounding errors, for numbers of magnitude 1."""


def slack(*numbers: float) -> float:
    """Return the tolerance for rounding errors of sums of numbers of these magnitudes."""
    return TOLERANCE * max((1.0, *map(abs, numbers)))


def wrong_bounds(bounds: Any, players: int) -> str | None:
    """Return a sentence about what is wrong with the value that `Rules.bounds` returned, or None if it is valid."""
    try:
        pairs = [(low, high) for low, high in bounds]
        if len(pairs) != players:
            return f"bounds() returned {len(pairs)} pairs for {players} players"
        if not all(math.isfinite(low) and math.isfinite(high) for low, high in pairs):
            return f"a bound is not a finite number: {pairs}"
    except (TypeError, ValueError, OverflowError):
        return f"bounds() returned {shown(bounds)}: expected a list of pairs (least, most), one for each player"
    for player, (low, high) in enumerate(pairs):
        if low > high:
            return f"bounds() says that player {player} gains at least {low:g} and at most {high:g} from here on"
    return None


def narrowed(
    parent: Bounds | None, child: Bounds | None, gained: Sequence[float], where: Callable[[], str] | None = None
) -> list[tuple[float, float]] | None:
    """Return the bounds of a child, intersected with its parent's bounds minus `gained`.

    gained: the gains on reaching the child. None means unknown bounds. An empty intersection is an error of the rules;
    `where` names the node in the message.
    """
    if parent is None:
        return None if child is None else [*child]
    left = [(low - gain, high - gain) for (low, high), gain in zip(parent, gained, strict=True)]
    if child is None:
        return left
    both = []
    for player, ((low, high), (least, most)) in enumerate(zip(left, child, strict=True)):
        lower, upper = max(low, least), min(high, most)
        if lower > upper + slack(lower, upper):
            raise RulesError(
                f"{'a node' if where is None else where()}: bounds() says that player {player} gains {least:g} to "
                f"{most:g} from here on, and by the bounds above it gains {low:g} to {high:g}; no number is in both"
            )
        if lower > upper:  # by rounding
            lower = upper = (lower + upper) / 2
        both.append((lower, upper))
    return both
