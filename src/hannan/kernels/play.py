"""Plays of compiled rules by players who are tables of information sets, one hash table for all of them.

Chance and the players draw from two streams, whose first states whoever called gives for each play.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from numba import types

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, signed
from hannan.kernels.answers import wrong_turn
from hannan.kernels.borrow import address, borrowed
from hannan.kernels.signatures import FUNCTIONS, LONGS, TABLE, Book
from hannan.kernels.statuses import DONE, TOO_DEEP, TOO_LARGE, WRONG_TURN
from hannan.kernels.stepping import (
    ROOM,
    TABLES,
    UNKNOWN,
    Room,
    Tables,
    ask_players,
    draw_action,
    let_chance,
    list_odds,
    take,
)
from hannan.turns import CHANCE, MOST_GAIN, NO_MOVERS


class Guesses(NamedTuple):
    """What histories are guessed to be worth."""

    child: Longs  # [histories]  the first child; 0 where none is numbered; empty: no guesses
    worth: Floats  # [histories, players]


GUESSES = types.NamedTuple((LONGS, types.Array(types.float64, 2, "C")), Guesses)


def _plays(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any,
    width: int, most_moves: int, tables: Tables, guesses: Guesses, room: Room, empty: Any, forgets: Any, chances: Any,
    draws: Any, luck: Any, will: Any, earned: Any, corrected: Any, trail: Any,
) -> tuple[int, int]:  # fmt: skip
    """Make every play of a row of `chances`; return a status, and which play it is about.

    empty: the first sequence of each seat, [plays a row, players]; forgets: 1 where its player forgets. earned,
    corrected: what each seat gains in each play [rows, plays a row, players], and that less what the guesses make of
    luck. trail: [rows, plays a row, moves, 2], the number of each move and of how many; as many as there is room for.
    """
    rules = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    tables, guesses, room = borrowed(tables), borrowed(guesses), borrowed(room)
    rows, many, players = earned.shape
    for b in range(rows):
        for g in range(many):
            luck[0], will[0] = chances[b, g], draws[b, g]
            for p in range(players):
                room.last[p] = empty[g, p]
                room.forgets[p] = empty[g, p] if forgets[g, p] else UNKNOWN
                earned[b, g, p] = corrected[b, g, p] = 0.0
            status = _play(width, most_moves, rules, tables, guesses, room, luck, will, earned, corrected, trail, b, g)
            if status != DONE:
                return status, b * many + g
    return DONE, rows * many


@inlined
def _play(
    width: int, most_moves: int, rules: Book, tables: Tables, guesses: Guesses, room: Room, luck: Any, will: Any,
    earned: Any, corrected: Any, trail: Any, b: int, g: int,
) -> int:  # fmt: skip
    players, h = room.last.size, 0 if guesses.child.size > 0 else -1
    for k in range(room.state.size):
        room.state[k] = 0
    now = address(room.state, 0)
    rules.start(rules.table, now)
    for step in range(most_moves):
        for p in range(players):
            room.here[p] = 0.0
        rules.gains(rules.table, now, address(room.here, 0))
        for p in range(players):
            earned[b, g, p] += room.here[p]
            if not abs(room.here[p]) <= MOST_GAIN:
                return TOO_LARGE
        turned = rules.turn(rules.table, now)
        if wrong_turn(turned, players):
            return WRONG_TURN
        if turned < 0 and turned != CHANCE:
            for p in range(players):
                corrected[b, g, p] += earned[b, g, p]
            return DONE
        if turned in (NO_MOVERS, CHANCE):
            status, movers = let_chance(width, now, rules, room, luck)
        else:
            status, movers = ask_players(turned, width, now, rules, tables, room)
            if status == DONE:
                if h >= 0:
                    list_odds(movers, width, tables, room)
                for m in range(movers):
                    take(m, draw_action(m, tables, room, will), width, room)
        if status != DONE:
            return status
        if h >= 0:
            h = _correct(h, movers, width, guesses, room, corrected, b, g)
        if step < trail.shape[2]:
            number, count = 0, 1
            for m in range(movers):
                number, count = number * room.size[m] + room.taken[m], count * room.size[m]
            trail[b, g, step, 0], trail[b, g, step, 1] = number, count
        rules.move(rules.table, now, address(room.choice, 0))
    return TOO_DEEP


@inlined
def _correct(h: int, movers: int, width: int, guesses: Guesses, room: Room, corrected: Any, b: int, g: int) -> int:
    """Add what the move was expected to be worth less what the drawn one is worth; return the next history, or -1."""
    begin, number, count = guesses.child[h], 0, 1
    if begin <= 0:
        return -1
    for m in range(movers):
        number, count = number * room.size[m] + room.taken[m], count * room.size[m]
    for p in range(corrected.shape[2]):
        mean = 0.0
        for child in range(count):
            left, weight = child, 1.0
            for m in range(movers - 1, -1, -1):
                weight *= room.odds[m * width + left % room.size[m]]
                left //= room.size[m]
            mean += weight * guesses.worth[begin + child, p]
        corrected[b, g, p] += mean - guesses.worth[begin + number, p]
    return begin + number


@cache
def player() -> Any:
    """Return the compiled plays; compiled (or loaded from the cache) on first use."""
    table2, words2 = types.Array(types.int64, 2, "C"), types.Array(types.uint64, 2, "C")
    words, floats3 = types.Array(types.uint64, 1, "C"), types.Array(types.float64, 3, "C")
    source = (*FUNCTIONS, TABLE, types.int64, types.int64, TABLES, GUESSES, ROOM)
    trail = types.Array(types.int64, 4, "C")
    return signed(_plays, (*source, table2, table2, words2, words2, words, words, floats3, floats3, trail))
