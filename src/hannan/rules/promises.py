"""Checks of the answers of rules, one per promise; each returns a sentence if the promise is broken."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Hashable, Mapping, Set
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.errors import STRAY, ChanceError, RulesError
from hannan.rules.bounds import wrong_bounds
from hannan.rules.box import Box
from hannan.rules.plain import (
    CHANCE,
    END,
    MOST_GAIN,
    MOST_JOINT,
    MOST_MOVES,
    MOST_PLAYERS,
    Rules,
    movers,
)
from hannan.turns import UNSEEN

ENDLESS = f"play has not ended after {MOST_MOVES} moves"

UNORDERED = (Mapping, Set, str, bytes)
"""Types with a length that are refused as lists: a dictionary would give keys as payoffs, and a set has no order."""

LISTS = (list, tuple)
"""The types that most rules return; checking for them first is faster."""


def wrong_turn(turn: object, players: int) -> str | None:
    """Return a sentence about what is wrong with the value that `Rules.turn` returned, or None if it is valid."""
    if type(turn) is int and 0 <= turn < players:
        return None  # the usual case
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
    """Return a sentence about what is wrong with the value that `Rules.gains` returned, or None if it is valid."""
    try:
        if type(gains) not in LISTS and isinstance(gains, UNORDERED):
            raise TypeError
        if len(gains) != players:
            numbers, each = ("" if count == 1 else "s" for count in (len(gains), players))
            return f"gains() returned {len(gains)} number{numbers} for {players} player{each}"
        if not all(map(math.isfinite, gains)):
            return f"a gain is not a finite number: {list(gains)}"
        if any(gains) and max(map(abs, gains)) > MOST_GAIN:
            return f"a gain is larger than {MOST_GAIN:g}: {list(gains)}; measure it in larger units"
    except (TypeError, ValueError, OverflowError):
        return f"gains() returned {shown(gains)}; it should be a list of numbers, one for each player"
    return None


def wrong_chance(outcomes: Any) -> str | None:
    """Return a sentence about what is wrong with the value that `Rules.chance` returned, or None if it is valid."""
    try:
        if type(outcomes) not in LISTS and isinstance(outcomes, UNORDERED):
            raise TypeError
        weights = [weight for _, weight in outcomes]
        if not weights:
            return "chance is to move and has no outcome"
        if any(not weight >= 0 for weight in weights):
            return f"a probability is negative or not a number: {weights}"
        if abs(math.fsum([1.0 * weight for weight in weights]) - 1) > 1e-9:  # a Decimal raises TypeError here
            return f"probabilities sum to {math.fsum(weights):.12g}, not 1"
        if len({outcome for outcome, _ in outcomes}) < len(outcomes):
            return "an outcome of chance is listed twice"
    except (TypeError, ValueError, ArithmeticError):
        return (
            f"chance() returned {shown(outcomes)}; it should be a list of pairs (outcome, probability), with "
            "probabilities that can be multiplied by a float"
        )
    return None


def wrong_similar(similar: Any) -> str | None:
    """Return a sentence about what is wrong with the family that a chance node states, or None if it is valid."""
    try:
        name, apart = similar
        hash(name)
        sound = not isinstance(apart, bool | str) and 0.0 <= float(apart) <= 1.0
    except (TypeError, ValueError, OverflowError):
        sound = False
    if sound:
        return None
    return f"similar is {shown(similar)}; it should be None, or a name and a number from 0 to 1: ('deal', 0.04)"


def wrong_menu(player: int, menu: Collection[Hashable] | None) -> str | None:
    """Return a sentence about what is wrong with the value that `Rules.actions` returned, or None if it is valid."""
    if menu is None:
        return "actions() returned None; it should be a list of actions"
    if not menu:
        return f"player {player} is to move and has no action"
    if len(menu) > MOST_JOINT:
        return f"player {player} has {len(menu):,} actions; at most {MOST_JOINT:,} can be numbered"
    if len(set(menu)) < len(menu):
        return f"an action of player {player} is listed twice: {list(menu)}"
    return None


def too_many_joint(count: int) -> str | None:
    """Return a sentence if there are more joint moves than can be numbered, or None."""
    return f"there are {count:,} joint moves; at most {MOST_JOINT:,} can be numbered" if count > MOST_JOINT else None


def counted(count: int, width: int) -> int:
    """Return the number of moves that compiled rules list, 0 if it is negative; refuse more than `width`."""
    if count > width:
        raise BrokenPromiseError(
            f"there are {count} moves of one player or of chance, and the rules announced {width=}"
        )
    return max(int(count), 0)


def observed(player: int, seen: int) -> int:
    """Return the observation of a player of compiled rules; refuse the reserved number `UNSEEN`."""
    if seen == UNSEEN:
        raise BrokenPromiseError(f"observe() returned {UNSEEN} for player {player}, which is reserved; return another")
    return int(seen)


def other_actions(player: int, menu: Collection[Hashable], observation: str) -> str:
    """Return the message that the actions differ from those at another history of the information set."""
    return (
        f"player {player} may do {list(menu)} here, and something else at another history of the same information set "
        f"(observation {observation!r}); observations must tell them apart, or actions must agree"
    )


def broken(rules: Rules, state: Any) -> tuple[type[RulesError], str] | None:
    """Check all that walks call at a state; return an error class and a sentence for the first broken promise."""
    try:
        turn = rules.turn(state)
        sentence = wrong_turn(turn, rules.players) or wrong_gains(rules.gains(state), rules.players)
        if sentence is None and turn != END:
            if turn == CHANCE and (wrong := wrong_chance(rules.chance(state))) is not None:
                return ChanceError, wrong
            sentence = _wrong_moves(rules, state, movers(turn))
            if sentence is None and (bounds := rules.bounds(state)) is not None:
                sentence = wrong_bounds(bounds, rules.players)
            rules.position(state)
    except STRAY as error:
        sentence = raised("the rules", error)
    return None if sentence is None else (RulesError, sentence)


def _wrong_moves(rules: Rules, state: Any, who: tuple[int, ...]) -> str | None:
    """Return a sentence about what is wrong with the actions and observations of the movers, or None."""
    many = 1
    for player in who:
        menu = tuple(rules.actions(state, player))
        rules.observe(state, player)
        if (sentence := wrong_menu(player, menu)) is not None:
            return sentence
        many *= len(menu)
    return too_many_joint(many)


def check_players(rules: Rules | Box) -> int:
    """Return the number of players of rules or of a black box; refuse an invalid number."""
    try:
        players = getattr(rules, "players", None)
    except STRAY as error:
        raise RulesError(f"{type(rules).__name__}.players raised {told(error)}") from error
    if isinstance(players, bool) or not isinstance(players, int) or not 1 <= players <= MOST_PLAYERS:
        raise RulesError(f"{type(rules).__name__}.players is {shown(players)}; it should be 1 to {MOST_PLAYERS}")
    return players


def refuse(sentence: str | None, kind: type[RulesError] = RulesError) -> None:
    """Raise an error if there is a sentence; the caller adds the path of play."""
    if sentence is not None:
        raise kind(sentence)


class BrokenPromiseError(Exception):
    """A promise that compiled rules, called as ordinary Python, break; the caller adds the path of play."""


def raised(name: str, error: BaseException) -> str:
    """Return the message that a call raised an error, or the sentence of a broken promise."""
    return str(error) if isinstance(error, BrokenPromiseError) else f"{name} raised {told(error)}"


def told(error: BaseException) -> str:
    """Return the class of an error, and its message if it has one."""
    try:
        words = str(error)
    except STRAY:
        words = ""
    if isinstance(error, RecursionError):
        words = f"{words} (there is a limit of {sys.getrecursionlimit()} calls, see sys.setrecursionlimit)"
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
