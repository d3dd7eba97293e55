"""The promises that rules make, one by one: a sentence for each way of breaking one."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Set
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.errors import STRAY, RulesError
from hannan.rules.box import Box
from hannan.rules.plain import CHANCE, END, MOST_GAIN, MOST_PLAYERS, Rules

UNORDERED = (Mapping, Set, str, bytes)
"""What has a length and is no list: keys of a dictionary would be taken for payoffs, members of a set in any order."""

LISTS = (list, tuple)
"""What most rules return: quicker to tell."""


def wrong_turn(turn: object, players: int) -> str | None:
    """Say what is wrong with what `Rules.turn` returned; None where nothing is."""
    if type(turn) is int and 0 <= turn < players:
        return None  # as nearly always
    who = turn if isinstance(turn, tuple) else (turn,)
    whole = all(isinstance(player, int | np.integer) and not isinstance(player, bool) for player in who)
    if whole and turn in (END, CHANCE):
        return None
    if not who or not whole or list(who) != sorted(set(who)) or not 0 <= who[0] <= who[-1] < players:
        return (
            f"turn() returned {shown(turn)}; it may be END, CHANCE, a player below {players}, or a tuple of such "
            "players, ascending"
        )
    return None


def wrong_gains(gains: Any, players: int) -> str | None:
    """Say what is wrong with what `Rules.gains` returned; None where nothing is."""
    try:
        if type(gains) not in LISTS and isinstance(gains, UNORDERED):
            raise TypeError
        if len(gains) != players:
            return f"gains() returned {len(gains)} numbers for {players} players"
        if not all(map(math.isfinite, gains)):
            return f"a gain is not a finite number: {list(gains)}"
        if any(gains) and max(map(abs, gains)) > MOST_GAIN:
            return f"a gain is larger than {MOST_GAIN:g}: {list(gains)}; measure it in larger units"
    except (TypeError, ValueError, OverflowError):
        return f"gains() returned {shown(gains)}; it should be a list of numbers, one for each player"
    return None


def wrong_chance(outcomes: Any) -> str | None:
    """Say what is wrong with what `Rules.chance` returned; None where nothing is."""
    try:
        if type(outcomes) not in LISTS and isinstance(outcomes, UNORDERED):
            raise TypeError
        weights = [weight for _, weight in outcomes]
        if not weights:
            return "chance is to move and has no outcome"
        if any(not weight >= 0 for weight in weights):
            return f"a probability is negative or not a number: {weights}"
        if abs(math.fsum([1.0 * weight for weight in weights]) - 1) > 1e-9:  # which a Decimal does not allow
            return f"probabilities sum to {math.fsum(weights):.12g}, not 1"
        if len({outcome for outcome, _ in outcomes}) < len(outcomes):
            return "an outcome of chance is listed twice"
    except (TypeError, ValueError, ArithmeticError):
        return (
            f"chance() returned {shown(outcomes)}; it should be a list of pairs (outcome, probability), with "
            "probabilities that can be multiplied by a float"
        )
    return None


def repeated_action(player: int, menu: tuple[Hashable, ...]) -> str | None:
    """Say that what `Rules.actions` returned holds an action twice; None where it does not."""
    if len(set(menu)) < len(menu):
        return f"an action of player {player} is listed twice: {list(menu)}"
    return None


def other_actions(
    rules: Rules, player: int, seen: Hashable, menu: tuple[Hashable, ...], known: tuple[Hashable, ...]
) -> str:
    """Say that the actions are not those that are known of the information set."""
    return (
        f"player {player} may do {list(menu)}, but {list(known)} at another history of the same information set "
        f"(observation {rules.observation_text(player, seen)!r}); observe() must tell them apart, or actions() must "
        "agree"
    )


def check_players(rules: Rules | Box) -> int:
    """Return the number of players, of rules or of a black box, or refuse it."""
    try:
        players = getattr(rules, "players", None)
    except STRAY as error:
        raise RulesError(f"{type(rules).__name__}.players raised {told(error)}") from error
    if isinstance(players, bool) or not isinstance(players, int) or not 1 <= players <= MOST_PLAYERS:
        raise RulesError(f"{type(rules).__name__}.players is {shown(players)}; it should be 1 to {MOST_PLAYERS}")
    return players


def told(error: BaseException) -> str:
    """Return an error's kind and, where it has any that can be had, its words."""
    try:
        words = str(error)
    except STRAY:
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
