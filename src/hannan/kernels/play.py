"""Plays of compiled rules by players who are tables of information sets, one hash table for all of them.

Chance and the players draw from two streams, whose first states the caller gives for each play.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from numba import types

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, signed
from hannan.kernels.addresses import address
from hannan.kernels.lanes import (
    FAST,
    GUARD,
    HISTORY,
    LANES,
    MOVERS,
    MOVES,
    Fast,
    Lanes,
    ask_players_at,
    draw_at,
    lane_at,
    let_chance_at,
    list_odds_at,
    look_up,
    take_at,
)
from hannan.kernels.lent import borrowed
from hannan.kernels.signatures import FUNCTIONS, LONGS, TABLE, Book
from hannan.kernels.statuses import DONE, TOO_DEEP
from hannan.kernels.step import ROOM, TABLES, UNKNOWN, StepScratch, Tables
from hannan.kernels.visit import ask_gains, ask_turn
from hannan.turns import END


class Guesses(NamedTuple):
    """What histories are guessed to be worth."""

    child: Longs  # [histories]  the first child; 0 where none is numbered; empty: no guesses
    worth: Floats  # [histories, players]


GUESSES = types.NamedTuple((LONGS, types.Array(types.float64, 2, "C")), Guesses)


def _plays(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any,
    width: int, most_moves: int, abreast: int, begin: int, tables: Tables, fast: Fast, guesses: Guesses,
    room: StepScratch, lanes: Lanes, empty: Any, forgets: Any, chances: Any, draws: Any, earned: Any, corrected: Any,
    trail: Any,
) -> tuple[int, int]:  # fmt: skip
    """Make every play from the play `begin` on, `abreast` at a time; the k-th of every row has the k-th seating.

    Return a status, and the first play that was not made; it, or a play abreast of it, is what the status is
    about. Every play has its own random numbers, so how many are abreast shows nowhere else.

    empty: the first sequence of each seat, [plays a row, players]; forgets: 1 where its player forgets. earned,
    corrected: what each seat gains in each play [plays, players], and that less what the guesses make of luck.
    trail: [plays, moves, 2], the number of each move and of how many; as many as there is room for.
    """
    rules = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    tables, fast, guesses = borrowed(tables), borrowed(fast), borrowed(guesses)
    room, lanes = borrowed(room), borrowed(lanes)
    empty, forgets = borrowed((empty, forgets))
    chances, draws = borrowed((chances, draws))
    earned, corrected, trail = borrowed((earned, corrected, trail))
    plays = earned.shape[0]
    for first in range(begin, plays, abreast):
        going = min(abreast, plays - first)
        for w in range(going):
            _begin(w, first + w, rules, guesses, lanes, empty, forgets, chances, draws, earned, corrected)
        while going > 0:
            going, status = _step(most_moves, going, first, width, rules, tables, fast, guesses, room, lanes, earned,
                                  corrected, trail)  # fmt: skip
            if status != DONE:
                return status, first
    return DONE, plays


@inlined
def _begin(
    w: int, play: int, rules: Book, guesses: Guesses, lanes: Lanes, empty: Any, forgets: Any, chances: Any, draws: Any,
    earned: Any, corrected: Any,
) -> None:  # fmt: skip
    """Put a play on a lane."""
    g = play % empty.shape[0]
    lane = lane_at(w, lanes)
    lanes.luck[w], lanes.will[w] = chances[play], draws[play]
    for p in range(empty.shape[1]):
        lanes.last[w, p] = empty[g, p]
        lanes.forgets[w, p] = empty[g, p] if forgets[g, p] else UNKNOWN
        earned[play, p] = corrected[play, p] = 0.0
    for k in range(lanes.state.shape[1] - GUARD):
        lanes.state[w, k] = 0
    rules.start(rules.table, address(lanes.state, w * lanes.state.shape[1]))
    lane[HISTORY], lane[MOVES], lanes.going[w] = 0 if guesses.child.size > 0 else -1, 0, w


@inlined
def _step(
    most_moves: int, going: int, first: int, width: int, rules: Book, tables: Tables, fast: Fast, guesses: Guesses,
    room: StepScratch, lanes: Lanes, earned: Any, corrected: Any, trail: Any,
) -> tuple[int, int]:  # fmt: skip
    """Let each lane go on to its next choice, and make it; return how many plays have not ended, and a status."""
    kept = 0
    for i in range(going):
        w = lanes.going[i]
        turned, status = _come(w, first + w, most_moves, width, rules, guesses, room, lanes, earned, corrected, trail)
        if status != DONE:
            return going, status
        if turned > 0:
            lanes.going[kept] = w
            kept += 1
            now = address(lanes.state, w * lanes.state.shape[1])
            status = ask_players_at(w, turned, width, now, rules, fast, lanes)
            if status != DONE:
                return going, status
    status = look_up(kept, fast, lanes)
    if status != DONE:
        return going, status
    for i in range(kept):
        w = lanes.going[i]
        lane = lane_at(w, lanes)
        if lane[HISTORY] >= 0:
            list_odds_at(w, width, tables, room, lanes)
        for m in range(lane[MOVERS]):
            take_at(w, m, draw_at(w, m, fast, lanes), width, room, lanes)
        _move(w, first + w, lane[MOVERS], width, rules, guesses, room, lanes, corrected, trail)
    return kept, DONE


@inlined
def _come(
    w: int, play: int, most_moves: int, width: int, rules: Book, guesses: Guesses, room: StepScratch, lanes: Lanes,
    earned: Any, corrected: Any, trail: Any,
) -> tuple[int, int]:  # fmt: skip
    """Let chance move until players do (return who) or the play ends (return END); and a status."""
    players, now, lane = lanes.last.shape[1], address(lanes.state, w * lanes.state.shape[1]), lane_at(w, lanes)
    while lane[MOVES] < most_moves:
        status, gainful = ask_gains(rules, now, players, address(room.here, 0))
        if status != DONE:
            return END, status
        if gainful:
            for p in range(players):
                earned[play, p] += room.here[p]
        status, turned = ask_turn(rules, now, players)
        if turned > 0 or status != DONE:
            return turned, status
        if turned == END:
            for p in range(players):
                corrected[play, p] += earned[play, p]
            return END, DONE
        status = let_chance_at(w, width, now, rules, room, lanes)
        if status != DONE:
            return END, status
        _move(w, play, 1, width, rules, guesses, room, lanes, corrected, trail)
    return END, TOO_DEEP


@inlined
def _move(
    w: int, play: int, movers: int, width: int, rules: Book, guesses: Guesses, room: StepScratch, lanes: Lanes,
    corrected: Any, trail: Any,
) -> None:  # fmt: skip
    """Make the move that is in `room`."""
    lane = lane_at(w, lanes)
    if lane[HISTORY] >= 0:
        lane[HISTORY] = _correct(lane[HISTORY], movers, width, guesses, room, corrected, play)
    step = lane[MOVES]
    if step < trail.shape[1]:
        number, count = 0, 1
        for m in range(movers):
            number, count = number * room.size[m] + room.taken[m], count * room.size[m]
        trail[play, step, 0], trail[play, step, 1] = number, count
    lane[MOVES] = step + 1
    rules.move(rules.table, address(lanes.state, w * lanes.state.shape[1]), address(room.choice, 0))


@inlined
def _correct(h: int, movers: int, width: int, guesses: Guesses, room: StepScratch, corrected: Any, play: int) -> int:
    """Add what the move was expected to be worth less what the drawn one is worth; return the next history, or -1."""
    begin, number, count = guesses.child[h], 0, 1
    if begin <= 0:
        return -1
    for m in range(movers):
        number, count = number * room.size[m] + room.taken[m], count * room.size[m]
    for p in range(corrected.shape[1]):
        mean = 0.0
        for child in range(count):
            left, weight = child, 1.0
            for m in range(movers - 1, -1, -1):
                weight *= room.odds[m * width + left % room.size[m]]
                left //= room.size[m]
            mean += weight * guesses.worth[begin + child, p]
        corrected[play, p] += mean - guesses.worth[begin + number, p]
    return begin + number


@cache
def player() -> Any:
    """Return the compiled plays; compiled (or loaded from the cache) on first use."""
    table2, words = types.Array(types.int64, 2, "C"), types.Array(types.uint64, 1, "C")
    floats2, trail = types.Array(types.float64, 2, "C"), types.Array(types.int64, 3, "C")
    source = (*FUNCTIONS, TABLE, *(types.int64,) * 4, TABLES, FAST, GUESSES, ROOM, LANES)
    return signed(_plays, (*source, table2, table2, words, words, floats2, floats2, trail))
