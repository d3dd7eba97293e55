"""Histories by name: every move at a state, and the texts of paths of play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hannan.rules.plain import CHANCE, END, Rules, movers


def moves_at(rules: Rules, state: Any) -> list[tuple[Any, str]]:
    """List every move at a state (an outcome, an action, or a tuple of actions) with its name, in tree order."""
    turn = rules.turn(state)
    if turn == END:
        return []
    if turn == CHANCE:
        return [(outcome, rules.action_text(CHANCE, outcome)) for outcome, _ in rules.chance(state)]
    moves: list[tuple[Any, str]] = [((), "")]
    for player in movers(turn):
        moves = [
            (
                (*joint, action),
                f"{text},{rules.action_text(player, action)}" if text else rules.action_text(player, action),
            )
            for joint, text in moves
            for action in rules.actions(state, player)
        ]
    if isinstance(turn, tuple):
        return [(joint, f"({text})") for joint, text in moves]
    return [(joint[0], text) for joint, text in moves]


def path_text(rules: Rules, path: Sequence[int]) -> str:
    """Name the history that is reached by taking these numbers of children."""
    state, words = rules.start(), ["r"]
    for step in path:
        move, text = moves_at(rules, state)[step]
        state = rules.after(state, move)
        words.append(text)
    return ":".join(words)


def node_text(rules: Rules, path: Sequence[int]) -> str:
    """Name a history for an error, cut where it is long; by numbers of moves if the rules cannot be played again."""
    try:
        text = path_text(rules, path[:12])
    except Exception:
        text = ":".join(["r", *map(str, path[:12])])
    return f"node {text} …" if len(path) > 12 else f"node {text}"
