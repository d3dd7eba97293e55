"""The least and the most that player 0 can gain from a position on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hannan.arguments import shown
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.rules.plain import Rules
from hannan.rules.positions import state_after

Range = tuple[float, float]


def checked_bounds(bounds: Any) -> Range | None:
    """Return bounds as a pair, or refuse them; text is `LOW,HIGH`."""
    if bounds is None:
        return None
    parts = bounds.split(",") if isinstance(bounds, str) else bounds
    try:
        low, high = (float(part) for part in parts)
    except (TypeError, ValueError, OverflowError):
        low, high = math.nan, math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ParameterError(f"bounds={shown(bounds)} should be two numbers LOW,HIGH: the least and the most to gain")
    return low, high


def known_range(game: PlayedGame, moves: Sequence[Any]) -> Range:
    """Return the range by the rules' bounds, else by the tree of an expanded game; refuse a game without either."""
    bounds = told_range(game.rules, moves)
    if bounds is None and isinstance(game, ExpandedGame):
        bounds = expanded_range(game, moves)
    if bounds is None:
        raise UnsuitableError(
            f"search needs to know the least and the most that player 0 can gain in {game.address}: write bounds() "
            "into the rules, or give bounds=(low, high) (--bounds LOW,HIGH)"
        )
    return bounds


def told_range(rules: Rules, moves: Sequence[Any]) -> Range | None:
    """Return the range by the rules' bounds at a position, plus the gain of reaching it; None: the rules have none."""
    state = state_after(rules, moves)
    told = rules.bounds(state)
    if told is None:
        return None
    gain = float(rules.gains(state)[0])
    return told[0][0] + gain, told[0][1] + gain


def expanded_range(game: ExpandedGame, moves: Sequence[Any]) -> Range:
    """Return the range of all payoffs of an expanded game, minus what was gained before the position."""
    rules = game.rules
    before = sum(float(rules.gains(state_after(rules, moves[:k]))[0]) for k in range(len(moves)))
    lowest, highest = game.payoff_range
    return float(lowest[0]) - before, float(highest[0]) - before
