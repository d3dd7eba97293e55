"""Plays of compiled rules by players who are tables of information sets, one hash table for all of them.

A seat's sequences begin at a number of their own, so one table tells players and seats apart. Chance and the players
draw from two streams, whose first states whoever called gives for each play.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from numba import types

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import inlined, signed
from hannan.kernels.borrow import address, borrowed
from hannan.kernels.sampling.draws import draw
from hannan.kernels.sets import S_COUNT, S_FIRST, place_of, place_of_size
from hannan.kernels.signatures import FLOATS, FUNCTIONS, LONGS, TABLE, Book
from hannan.kernels.statuses import (
    ACTIONS_DIFFER,
    DONE,
    NO_MOVES,
    NOT_A_DISTRIBUTION,
    TOO_DEEP,
    TOO_LARGE,
    TOO_WIDE,
    WRONG_TURN,
)
from hannan.turns import CHANCE, MOST_GAIN, NO_MOVERS

UNKNOWN = -1
"""The sequence of a seat that has come to a set that is in no table: from there on it plays uniformly."""


class Tables(NamedTuple):
    """What everybody does, and what histories are guessed to be worth."""

    row: Longs  # [sets, 4]  see `kernels.sets`
    buckets: Ints  # [a power of two]
    probability: Floats  # [sequences]
    children: Ints  # [histories + 1]  of history h they are children[h] … children[h + 1] - 1; empty: no guesses
    worth: Floats  # [histories, players]


class Room(NamedTuple):
    """Where a play is, and what the rules say there."""

    state: Longs  # [state size]
    codes: Longs  # [players, width], then spare places
    odds: Floats  # [players, width], then spare places; chance's in the first row
    first: Longs  # [players]  the first sequence of each mover's set, UNKNOWN where it is in no table
    size: Longs  # [players]  how many actions each mover has
    taken: Longs  # [players]  which of them it takes
    who: Longs  # [players]
    last: Longs  # [players]  the last sequence of each seat
    forgets: Longs  # [players]  the empty sequence of a seat whose player forgets, else UNKNOWN; see `Policy`
    choice: Longs  # [players]
    here: Floats  # [players]  gains


def _plays(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any,
    width: int, most_moves: int, tables: Tables, room: Room, empty: Any, forgets: Any, chances: Any, draws: Any,
    luck: Any, will: Any, earned: Any, corrected: Any,
) -> tuple[int, int]:  # fmt: skip
    """Make every play of a row of `chances`; return a status, and which play it is about.

    empty: the first sequence of each seat, [plays a row, players]; forgets: 1 where its player forgets. earned,
    corrected: what each seat gains in each play [rows, plays a row, players], and that less what the guesses make of
    luck.
    """
    rules = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    tables, room = borrowed(tables), borrowed(room)
    rows, many, players = earned.shape
    for b in range(rows):
        for g in range(many):
            luck[0], will[0] = chances[b, g], draws[b, g]
            for p in range(players):
                room.last[p] = empty[g, p]
                room.forgets[p] = empty[g, p] if forgets[g, p] else UNKNOWN
                earned[b, g, p] = corrected[b, g, p] = 0.0
            status = _play(width, most_moves, rules, tables, room, luck, will, earned, corrected, b, g)
            if status != DONE:
                return status, b * many + g
    return DONE, rows * many


@inlined
def _play(
    width: int, most_moves: int, rules: Book, tables: Tables, room: Room, luck: Any, will: Any, earned: Any,
    corrected: Any, b: int, g: int,
) -> int:  # fmt: skip
    players, h = room.last.size, 0 if tables.children.size > 0 else -1
    for k in range(room.state.size):
        room.state[k] = 0
    now = address(room.state, 0)
    rules.start(rules.table, now)
    for _ in range(most_moves):
        for p in range(players):
            room.here[p] = 0.0
        rules.gains(rules.table, now, address(room.here, 0))
        for p in range(players):
            earned[b, g, p] += room.here[p]
            if not abs(room.here[p]) <= MOST_GAIN:
                return TOO_LARGE
        turned = rules.turn(rules.table, now)
        if turned < CHANCE or turned >> players > 0:
            return WRONG_TURN
        if turned < 0 and turned != CHANCE:
            for p in range(players):
                corrected[b, g, p] += earned[b, g, p]
            return DONE
        if turned in (NO_MOVERS, CHANCE):
            status, movers = _let_chance(width, now, rules, room, luck)
        else:
            status, movers = _let_players(turned, width, now, rules, tables, room, will)
        if status != DONE:
            return status
        if h >= 0:
            h = _correct(h, movers, width, tables, room, corrected, b, g)
        rules.move(rules.table, now, address(room.choice, 0))
    return TOO_DEEP


@inlined
def _let_chance(width: int, now: Any, rules: Book, room: Room, luck: Any) -> tuple[int, int]:
    """Draw an outcome."""
    count = rules.chance(rules.table, now, address(room.codes, 0), address(room.odds, 0))
    if count > width:
        return TOO_WIDE, 1
    if count < 1:
        return NOT_A_DISTRIBUTION, 1
    whole = 0.0
    for k in range(count):
        whole += room.odds[k]
        if not room.odds[k] >= 0.0:
            return NOT_A_DISTRIBUTION, 1
    if not abs(whole - 1.0) < 1e-9:
        return NOT_A_DISTRIBUTION, 1
    k = draw(luck, room.odds, 0, count)
    room.size[0], room.taken[0], room.choice[0] = count, k, room.codes[k]
    return DONE, 1


@inlined
def _let_players(
    turned: int, width: int, now: Any, rules: Book, tables: Tables, room: Room, will: Any
) -> tuple[int, int]:
    """Let every mover draw an action from its table; return a status, and how many move."""
    movers = 0
    for p in range(room.last.size):
        if (turned >> p) & 1 == 0:
            continue
        size = rules.actions(rules.table, now, p, address(room.codes, movers * width))
        if size < 1 or size > width:
            return NO_MOVES if size < 1 else TOO_WIDE, movers
        first, before, place = UNKNOWN, room.last[p], UNKNOWN
        if room.forgets[p] != UNKNOWN:
            seen = rules.observe(rules.table, now, p)
            place, _ = place_of_size(room.forgets[p], seen, size, tables.row, tables.buckets)
        elif before != UNKNOWN:
            place, _ = place_of(before, rules.observe(rules.table, now, p), tables.row, tables.buckets)
        if place >= 0:
            first = tables.row[place, S_FIRST]
            if tables.row[place, S_COUNT] != size:
                return ACTIONS_DIFFER, movers
        for k in range(size):
            room.odds[movers * width + k] = tables.probability[first + k] if first != UNKNOWN else 1.0 / size
        room.who[movers], room.first[movers], room.size[movers] = p, first, size
        movers += 1
    for m in range(movers):
        k = draw(will, room.odds, m * width, room.size[m])
        room.taken[m], room.choice[m] = k, room.codes[m * width + k]
        room.last[room.who[m]] = UNKNOWN if room.first[m] == UNKNOWN else room.first[m] + k
    return DONE, movers


@inlined
def _correct(h: int, movers: int, width: int, tables: Tables, room: Room, corrected: Any, b: int, g: int) -> int:
    """Add what the move was expected to be worth less what the drawn one is worth; return the next history."""
    begin, end = tables.children[h], tables.children[h + 1]
    number = 0
    for m in range(movers):
        number = number * room.size[m] + room.taken[m]
    for p in range(corrected.shape[2]):
        mean = 0.0
        for child in range(begin, end):
            left, weight = child - begin, 1.0
            for m in range(movers - 1, -1, -1):
                weight *= room.odds[m * width + left % room.size[m]]
                left //= room.size[m]
            mean += weight * tables.worth[child, p]
        corrected[b, g, p] += mean - tables.worth[begin + number, p]
    return begin + number


@cache
def player() -> Any:
    """Return the compiled plays; compiled (or loaded from the cache) on first use."""
    table2, words2 = types.Array(types.int64, 2, "C"), types.Array(types.uint64, 2, "C")
    ints, words = types.Array(types.int32, 1, "C"), types.Array(types.uint64, 1, "C")
    floats2, floats3 = types.Array(types.float64, 2, "C"), types.Array(types.float64, 3, "C")
    tables = types.NamedTuple((table2, ints, FLOATS, ints, floats2), Tables)
    room = types.NamedTuple((LONGS, LONGS, FLOATS, *(LONGS,) * 7, FLOATS), Room)
    source = (*FUNCTIONS, TABLE, types.int64, types.int64, tables, room)
    return signed(_plays, (*source, table2, table2, words2, words2, words, words, floats3, floats3))
