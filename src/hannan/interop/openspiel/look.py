"""A look at a history of an OpenSpiel game, with few calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from hannan.errors import ChanceError
from hannan.rules.plain import END, NO_MOVERS
from hannan.rules.promises import wrong_chance, wrong_gains
from hannan.rules.visitor import Look, Visitor

TERMINAL_PLAYER, CHANCE_PLAYER = -4, -1
"""OpenSpiel's player numbers for the end of play and for chance."""

Remember = Callable[[Any, int, Sequence[int]], None]
"""Called for the actions of each new information set, with a state, a player and its actions."""


def simultaneous_movers(state: Any, players: int) -> tuple[int, ...]:
    """Return the players with at least one action at a node at which all move at once."""
    return tuple(player for player in range(players) if state.legal_actions(player))


def apply_joint(state: Any, players: int, moves: Sequence[int]) -> None:
    """Apply the moves of the players with at least one action at a node at which all move at once."""
    joint = [0] * players
    for player, action in zip(simultaneous_movers(state, players), moves, strict=True):
        joint[player] = action
    state.apply_actions(joint)


def look(visitor: Visitor, remember: Remember, node: int, state: Any, last: tuple[int, ...]) -> Look:
    """Like `Visitor.look`, with the same answer but without checking again what OpenSpiel's types guarantee."""
    player = int(state.current_player())
    if player >= 0:
        menu = tuple(state.legal_actions())
        number = _set(visitor, remember, node, state, player, last[player], menu)
        base, head, tail, child = visitor.met[number][3], last[:player], last[player + 1 :], state.child
        below = [(child(action), (*head, base + k, *tail), 1.0) for k, action in enumerate(menu)]
        return Look(None, (), 1 << player, [number], below)
    if player == TERMINAL_PLAYER:
        gains = tuple(state.returns())
        if gains not in visitor.finals:
            if (wrong := wrong_gains(gains, visitor.players)) is not None:
                visitor.fail(node, wrong)
            visitor.ended(gains)
        return Look(gains if any(gains) else None, gains, END, [], [])
    if player == CHANCE_PLAYER:
        outcomes = state.chance_outcomes()
        if (wrong := wrong_chance(outcomes)) is not None:
            visitor.fail(node, wrong, ChanceError)
        child = state.child
        return Look(None, (), NO_MOVERS, [], [(child(outcome), last, weight) for outcome, weight in outcomes])
    return _joint(visitor, remember, node, state, last)


def _set(
    visitor: Visitor, remember: Remember, node: int, state: Any, player: int, before: int, menu: tuple[int, ...]
) -> int:
    number = visitor.sets.get((before, state.information_state_string(player)))
    if number is None or visitor.menus[number] != menu:
        number = visitor.information_set(node, state, player, before, menu)
        remember(state, player, menu)
    elif node < visitor.first[number]:
        visitor.first[number] = node
    return number


def _joint(visitor: Visitor, remember: Remember, node: int, state: Any, last: tuple[int, ...]) -> Look:
    who = simultaneous_movers(state, visitor.players)
    if not who:
        visitor.fail(node, "all players move at once, but no player has an action")
    menus, bases, slots, mask, children = [], [], [], 0, 1
    for player in who:
        menu = tuple(state.legal_actions(player))
        number = _set(visitor, remember, node, state, player, last[player], menu)
        slots.append(number)
        menus.append(menu)
        bases.append(visitor.met[number][3])
        mask |= 1 << player
        if len(menus) > 1:
            visitor.serial_extra += children
        children *= len(menu)
    below = []
    for numbers in product(*(range(len(menu)) for menu in menus)):
        following, joint = list(last), [0] * visitor.players
        for player, base, menu, k in zip(who, bases, menus, numbers, strict=True):
            following[player], joint[player] = base + k, menu[k]
        after = state.clone()
        after.apply_actions(joint)
        below.append((after, tuple(following), 1.0))
    return Look(None, (), mask, slots, below)
