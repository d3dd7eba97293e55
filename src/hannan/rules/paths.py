"""Moves of a state in tree order, and the texts of paths of play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from random import Random
from typing import Any

from hannan.rules.plain import CHANCE, END, Rules, movers


def menus_at(rules: Rules, state: Any) -> list[tuple[int, list[Any]]]:
    """List the movers of a state with their actions; CHANCE with its outcomes; an empty list at the end of play."""
    turn = rules.turn(state)
    if turn == CHANCE:
        return [(CHANCE, [outcome for outcome, _ in rules.chance(state)])]
    return [] if turn == END else [(player, list(rules.actions(state, player))) for player in movers(turn)]


def move_at(rules: Rules, state: Any, number: int) -> tuple[Any, str]:
    """Return one move at a state with its name, by its number in tree order: the last mover's actions vary fastest."""
    return numbered(rules, menus_at(rules, state), rules.turn(state), number)


def moves_at(rules: Rules, state: Any) -> list[tuple[Any, str]]:
    """List every move at a state (an outcome, an action, or a tuple of actions) with its name, in tree order."""
    menus, turn = menus_at(rules, state), rules.turn(state)
    count = prod(len(menu) for _, menu in menus) if menus else 0
    return [numbered(rules, menus, turn, number) for number in range(count)]


def random_play(
    rules: Rules, draw: Random, choose: Callable[[Any, int, list[Any]], int]
) -> Iterator[tuple[Any, int | tuple[int, ...]]]:
    """Play once, and yield each state with its turn, from the start to the end of play.

    Chance moves by its probabilities; `choose` returns the place of a player's action, given the state, the player and
    its actions.
    """
    state: Any = rules.start()
    while (turn := rules.turn(state)) != END:
        yield state, turn
        if turn == CHANCE:
            outcomes = rules.chance(state)
            (move,) = draw.choices([outcome for outcome, _ in outcomes], [weight for _, weight in outcomes])
        else:
            menus = ((player, list(rules.actions(state, player))) for player in movers(turn))
            taken = [menu[choose(state, player, menu)] for player, menu in menus]
            move = tuple(taken) if isinstance(turn, tuple) else taken[0]
        state = rules.after(state, move)
    yield state, turn


def numbered(
    rules: Rules, menus: list[tuple[int, list[Any]]], turn: int | tuple[int, ...], number: int
) -> tuple[Any, str]:
    """Return one move of the given menus with its name, by its number in tree order; see `move_at`."""
    actions, words = [], []
    for player, menu in reversed(menus):
        number, k = divmod(number, len(menu))
        actions.append(menu[k])
        words.append(rules.action_text(player, menu[k]))
    if number:
        raise IndexError("the number of the move is too large")
    if isinstance(turn, tuple):
        return tuple(reversed(actions)), f"({','.join(reversed(words))})"
    return actions[0], words[0]


def state_at(rules: Rules, path: Sequence[int]) -> Any:
    """Return the state after a path, given by the numbers of the children."""
    state = rules.start()
    for step in path:
        state = rules.after(state, move_at(rules, state, step)[0])
    return state


def path_text(rules: Rules, path: Sequence[int]) -> str:
    """Return the text of a path, given by the numbers of the children."""
    state, words = rules.start(), ["r"]
    for step in path:
        move, text = move_at(rules, state, step)
        state = rules.after(state, move)
        words.append(text)
    return ":".join(words)


def node_text(rules: Rules, path: Sequence[int]) -> str:
    """Return the text of a history for an error, cut after 12 moves; by numbers if the rules cannot be played again."""
    try:
        text = path_text(rules, path[:12])
    except (Exception, SystemExit):
        text = ":".join(["r", *map(str, path[:12])])
    return f"node {text} …" if len(path) > 12 else f"node {text}"
