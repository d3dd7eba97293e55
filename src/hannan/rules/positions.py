"""Positions named by the moves that lead to them, and a search for information sets with two positions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NoReturn

from hannan.arguments import shown, text
from hannan.errors import ParameterError, UnsuitableError, nearest
from hannan.rules.paths import moves_at
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules, movers

PLAYS = 6
"""The number of plays that are searched for hidden information before a search starts."""

QUICKLY, THOROUGHLY = 60, 200_000
"""The number of histories examined for each information set of a play, and for a set that the search met with two
positions."""


def moves(rules: Rules, state: Any) -> list[Any]:
    """List the moves at a state, in tree order."""
    turn = rules.turn(state)
    if turn == END:
        return []
    if turn == CHANCE:
        return [outcome for outcome, _ in rules.chance(state)]
    menus = [list(rules.actions(state, player)) for player in movers(turn)]
    return list(product(*menus)) if isinstance(turn, tuple) else menus[0]


def moves_of(rules: Rules, path: str) -> list[Any]:
    """Return the moves of a path such as `(3,1):$2:(1,4)`: names of moves, joined by colons, from the start of play."""
    state, moves = rules.start(), list[Any]()
    rest = path.strip().removeprefix("r:") if path.strip() != "r" else ""
    while rest:
        named = {name: move for move, name in moves_at(rules, state)}
        named |= {name[1:-1]: move for name, move in list(named.items()) if name[:1] == "(" and name[-1:] == ")"}
        fits = [name for name in named if rest == name or rest.startswith(f"{name}:")]
        if not fits:
            where = f"after {text_of(rules, moves)}" if moves else "at the start"
            word = rest.partition(":")[0]
            raise ParameterError(
                f"the path {shown(path)} cannot be played: {where}, {shown(word)} is not a legal move"
                + (nearest(word, named) if named else "; play is over there")
            )
        taken = max(fits, key=len)
        moves.append(named[taken])
        state = rules.after(state, named[taken])
        rest = rest[len(taken) + 1 :]
    return moves


def moves_on(rules: Rules, before: Sequence[Any], path: str) -> list[Any]:
    """Return the moves of a path that continues after the moves `before`."""
    text("path", path)
    whole = text_of(rules, before)
    return moves_of(rules, f"{whole}:{path.removeprefix('r:')}" if path else whole)[len(before) :]


def numbers_of(rules: Rules, history: Sequence[Any]) -> list[int]:
    """Return the number of each move of a history among the moves of its state."""
    state, numbers = rules.start(), list[int]()
    for move in history:
        numbers.append(moves(rules, state).index(move))
        state = rules.after(state, move)
    return numbers


def played_on(rules: Rules, history: Sequence[Any], numbers: Sequence[int]) -> list[Any]:
    """Return a history extended by the moves with the given numbers."""
    state, longer = state_after(rules, history), list(history)
    for number in numbers:
        longer.append(moves(rules, state)[number])
        state = rules.after(state, longer[-1])
    return longer


def state_after(rules: Rules, moves: Sequence[Any]) -> Any:
    """Return the state after moves from the start."""
    state = rules.start()
    for move in moves:
        state = rules.after(state, move)
    return state


def text_of(rules: Rules, moves: Sequence[Any]) -> str:
    """Return the text of a history as `GameTree.path_text` does: `r`, then its moves, joined by colons."""
    state, words = rules.start(), ["r"]
    for move in moves:
        turn = rules.turn(state)
        if turn == CHANCE:
            words.append(rules.action_text(CHANCE, move))
        else:
            who = movers(turn)
            named = [
                rules.action_text(p, action)
                for p, action in zip(who, move if isinstance(turn, tuple) else (move,), strict=True)
            ]
            words.append(f"({','.join(named)})" if isinstance(turn, tuple) else named[0])
        state = rules.after(state, move)
    return ":".join(words)


def refuse_hidden(rules: Rules, player: int, one: Sequence[Any], other: Sequence[Any], method: str) -> NoReturn:
    """Raise an error: a player cannot distinguish two positions, so the method does not fit. Name other methods."""
    sets = "; to search information sets, take rule is-oos or is-rm" if method == "search" else ""
    raise UnsuitableError(
        f"{method} is for games in which only the current joint move is hidden, and player {player} cannot tell "
        f"{text_of(rules, one)} from {text_of(rules, other)}. Take lp or pdcfr+, or if the game is too large to "
        f"expand, a sampling method such as mccfr-es{sets}; if the difference does not matter, let position() leave it "
        "out"
    )


def look_for_hidden(rules: Rules, method: str, moves: Sequence[Any] = ()) -> None:
    """Play a few times (`moves` first in every second play) and refuse an information set with a second position."""
    draw = random.Random(0)
    for k in range(PLAYS):
        for history, player in _play(rules, draw, list(moves) if k % 2 == 0 else []):
            other = second_history(rules, history, player, QUICKLY)
            if other is not None:
                refuse_hidden(rules, player, history, other, method)


def _play(rules: Rules, draw: random.Random, beginning: list[Any]) -> Iterator[tuple[list[Any], int]]:
    """Play at random after some moves; yield each history at which a player acts, with the player."""
    state, history = rules.start(), list[Any]()
    for _ in range(MOST_MOVES):
        turn = rules.turn(state)
        if turn == END:
            return
        for player in movers(turn):
            yield list(history), player
        if len(history) < len(beginning):
            move = beginning[len(history)]
        elif turn == CHANCE:
            move = draw.choice([outcome for outcome, weight in rules.chance(state) if weight > 0])
        else:
            chosen = tuple(draw.choice(list(rules.actions(state, player))) for player in movers(turn))
            move = chosen if isinstance(turn, tuple) else chosen[0]
        history.append(move)
        state = rules.after(state, move)


def second_history(rules: Rules, history: Sequence[Any], player: int, most: int) -> list[Any] | None:
    """Return another history of the same information set with another position, from the first `most` examined."""
    states = [rules.start()]
    for move in history:
        states.append(rules.after(states[-1], move))
    record: list[tuple[Any, Any]] = []  # the player's observation and action at each of its choices
    choices = []  # the number of the player's choices before each state
    for k, state in enumerate(states):
        choices.append(len(record))
        turn = rules.turn(state)
        if player in movers(turn):
            did = own_part(turn, history[k], player) if k < len(history) else None
            record.append((rules.observe(state, player), did))
    here, budget = rules.position(states[-1]), most
    for fork in reversed(range(len(history))):
        pending = [
            (states[fork], move, [*history[:fork], move], choices[fork + 1])
            for move in moves(rules, states[fork])
            if move != history[fork] and _same_choice(rules, states[fork], move, history[fork], player)
        ]
        while pending:
            before, move, path, made = pending.pop()
            budget -= 1
            if budget < 0:
                return None
            state = rules.after(before, move)
            turn = rules.turn(state)
            if turn == END:
                continue
            following = moves(rules, state)
            if player in movers(turn):
                if rules.observe(state, player) != record[made][0]:
                    continue
                if made == len(record) - 1:
                    if rules.position(state) != here:
                        return path
                    continue
                acted = record[made][1]
                made += 1
                following = [move for move in following if own_part(turn, move, player) == acted]
            pending += [(state, move, [*path, move], made) for move in following]
    return None


def own_part(turn: int | tuple[int, ...], move: Any, player: int) -> Any:
    """Return the action of one mover in a move."""
    return move[turn.index(player)] if isinstance(turn, tuple) else move


def _same_choice(rules: Rules, state: Any, move: Any, other: Any, player: int) -> bool:
    """Return whether a player takes the same action in two moves, or does not move."""
    turn = rules.turn(state)
    return player not in movers(turn) or own_part(turn, move, player) == own_part(turn, other, player)
