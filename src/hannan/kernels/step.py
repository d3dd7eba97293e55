"""One step of a play by players who are tables: what chance and every mover may do, and what they draw."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined
from hannan.kernels.addresses import address
from hannan.kernels.sampling.draws import draw, uniform
from hannan.kernels.sets import S_COUNT, S_FIRST, place_of, place_of_size
from hannan.kernels.signatures import FLOATS, LONGS, Book
from hannan.kernels.statuses import ACTIONS_DIFFER, DONE
from hannan.kernels.visit import ask_actions, ask_chance, ask_observation

UNKNOWN = -1
"""The sequence of a seat that has come to a set that is in no table: from there on it plays uniformly."""


class Tables(NamedTuple):
    """What everybody does. A seat's sequences begin at a number of their own: one table tells players apart."""

    row: Longs  # [sets, 4]  see `kernels.sets`
    buckets: Longs  # [a power of two]
    probability: Floats  # [sequences]


class StepScratch(NamedTuple):
    """Where a play is, and what the rules say there."""

    state: Longs  # [state size]
    codes: Longs  # [players, width]
    odds: Floats  # [players, width]; chance's in the first row
    first: Longs  # [players]  the first sequence of each mover's set, UNKNOWN where it is in no table
    size: Longs  # [players]  how many actions each mover has
    taken: Longs  # [players]  which of them it takes
    who: Longs  # [players]
    last: Longs  # [players]  the last sequence of each seat
    forgets: Longs  # [players]  the empty sequence of a seat whose player forgets, else UNKNOWN; see `Policy`
    choice: Longs  # [players]
    here: Floats  # [players]  gains


TABLES = types.NamedTuple((types.Array(types.int64, 2, "C"), LONGS, FLOATS), Tables)
ROOM = types.NamedTuple((LONGS, LONGS, FLOATS, *(LONGS,) * 7, FLOATS), StepScratch)


@inlined
def draw_even(random: Any, count: int) -> int:
    """Draw one of `count` equally probable moves; draw no random number if there is one."""
    return 0 if count == 1 else int(uniform(random) * count)


@inlined
def let_chance(width: int, now: Any, rules: Book, room: StepScratch, luck: Any) -> tuple[int, int]:
    """Draw an outcome; return a status, and how many choices were made: one."""
    status, count, even = ask_chance(rules, now, width, address(room.codes, 0), address(room.odds, 0))
    if status != DONE:
        return status, 1
    k = draw_even(luck, count) if even else draw(luck, room.odds, 0, count)
    room.size[0], room.taken[0], room.choice[0] = count, k, room.codes[k]
    return DONE, 1


@inlined
def ask_players(turned: int, width: int, now: Any, rules: Book, tables: Tables, room: StepScratch) -> tuple[int, int]:
    """Find every mover's actions and set; return a status, and how many move."""
    movers = 0
    for p in range(room.last.size):
        if (turned >> p) & 1 == 0:
            continue
        status, size = ask_actions(rules, now, p, width, address(room.codes, movers * width))
        first, before, place, seen = UNKNOWN, room.last[p], UNKNOWN, 0
        forgetful = room.forgets[p] != UNKNOWN
        if status == DONE and (forgetful or before != UNKNOWN):
            status, seen = ask_observation(rules, now, p)
        if status != DONE:
            return status, movers
        if forgetful:
            place, _ = place_of_size(room.forgets[p], seen, size, tables.row, tables.buckets)
        elif before != UNKNOWN:
            place, _ = place_of(before, seen, tables.row, tables.buckets)
        if place >= 0:
            first = tables.row[place, S_FIRST]
            if tables.row[place, S_COUNT] != size:
                return ACTIONS_DIFFER + p, movers
        room.who[movers], room.first[movers], room.size[movers] = p, first, size
        movers += 1
    return DONE, movers


@inlined
def list_odds(movers: int, width: int, tables: Tables, room: StepScratch) -> None:
    """Write the probabilities of every mover's actions."""
    for m in range(movers):
        first, size = room.first[m], room.size[m]
        even = 1.0 / size
        for k in range(size):
            room.odds[m * width + k] = tables.probability[first + k] if first != UNKNOWN else even


@inlined
def take(m: int, k: int, width: int, room: StepScratch) -> None:
    """Let a mover take its k-th action."""
    room.taken[m], room.choice[m] = k, room.codes[m * width + k]
    room.last[room.who[m]] = UNKNOWN if room.first[m] == UNKNOWN else room.first[m] + k


@inlined
def draw_action(m: int, tables: Tables, room: StepScratch, will: Any) -> int:
    """Draw a mover's action from its table."""
    if room.first[m] == UNKNOWN:
        return draw_even(will, room.size[m])
    return draw(will, tables.probability, room.first[m], room.size[m])
