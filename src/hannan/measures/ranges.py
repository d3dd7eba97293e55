"""The range of payoffs that bounds depend on: from the tree, from the rules, or given by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hannan.arguments import each_number, shown
from hannan.errors import ParameterError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.measures.bounds import Range
from hannan.measures.means import Mean
from hannan.rules.bounds import slack


def payoff_range(game: PlayedGame, given: Range | None = None) -> tuple[Range, ...] | None:
    """Return the least and the most that each player can earn in a play; None if unknown.

    given: one range for all players, which overrides the game. Otherwise the range is exact for an expanded game, and
    comes from the rules' `bounds` for any other game.
    """
    if given is not None:
        return (given,) * game.players
    if isinstance(game, ExpandedGame):
        return tuple(zip(*(ends.tolist() for ends in game.payoff_range), strict=True))
    start = game.rules.start()
    bounds = game.rules.bounds(start) if game.rules.writes("bounds") else None
    if bounds is None:
        return None
    pairs = zip(bounds, game.rules.gains(start), strict=True)
    return tuple((float(low + gain), float(high + gain)) for (low, high), gain in pairs)


def given_range(bounds: Any) -> Range | None:
    """Return a range that is given as two numbers, or as a text LOW,HIGH; refuse any other value."""
    if bounds is None:
        return None
    try:
        ends = [float(part) for part in bounds.split(",")] if isinstance(bounds, str) else bounds
    except ValueError:
        ends = []
    each_number("bounds", ends)
    if len(ends) != 2 or ends[0] >= ends[1]:
        raise ParameterError(
            f"bounds={shown(bounds)} should be two numbers, LOW,HIGH: the least and the most that any player can earn"
        )
    return float(ends[0]), float(ends[1])


def check_range(mean: Mean, player: int, ranges: Sequence[Range] | None) -> None:
    """Refuse plays in which a player earned less or more than its range: bounds from this range would be false."""
    if ranges is None:
        return
    low, high = ranges[player]
    some = slack(low, high)
    if mean.least < low - some or mean.most > high + some:
        earned = mean.least if mean.least < low - some else mean.most
        raise outside(f"player {player}", earned, low, high)


def outside(who: str, earned: float, low: float, high: float) -> ParameterError:
    """Return the error for a play with earnings outside of the range."""
    return ParameterError(
        f"{who} earned {earned:g} in a play, but by the bounds, given or of the rules, it earns {low:g} to {high:g}: "
        "statements that depend on these bounds would be false. Correct the bounds"
    )
