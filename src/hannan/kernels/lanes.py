"""Several plays at a time, each on a lane of its own: while one waits for its set, the others go on.

A table of sets is larger than the caches, so a look at it waits for memory: for the bucket, then for the row, then for
what is played there. A stage does one step for all lanes and asks for the memory of the next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.addresses import address, fetch
from hannan.kernels.sampling.draws import GOLDEN, pick, unit
from hannan.kernels.sets import (
    S_COUNT,
    S_FIRST,
    S_PARENT,
    S_SEEN,
    SET_ROW,
    home_of,
    likely_place,
    mixed,
    place_of,
    place_of_size,
)
from hannan.kernels.signatures import FLOATS, LONGS, Book
from hannan.kernels.statuses import ACTIONS_DIFFER, DONE
from hannan.kernels.step import UNKNOWN, StepScratch, Tables
from hannan.kernels.visit import ask_actions, ask_chance, ask_observation

LINE = 8
"""Probabilities in a line of memory."""
NEVER = 2.0
"""A threshold that no draw reaches."""

GUARD = 8
"""Guard places after the state and the codes of each lane; no code should write them."""


# columns of a mover: its seat, how many actions it has, the key of its set (the last sequence, UNKNOWN where it knows
# nothing, and the observation), the likely row of the set, then its first sequence, and whether the mover forgets;
# eight fill a line
WHO, SIZE, BEFORE, SEEN, PLACE, FORGETFUL = range(6)
MOVER_ROW = 8
# columns of a lane: how many move, the number of the history or -1 where it has none, how many moves there were
MOVERS, HISTORY, MOVES, LANE_ROW = range(4)


class Lanes(NamedTuple):
    """Where plays are."""

    state: Longs  # [lanes, state size + GUARD]
    codes: Longs  # [lanes, players · width + GUARD]
    last: Longs  # [lanes, players]  the last sequence of each seat
    forgets: Longs  # [lanes, players]  the empty sequence of a seat whose player forgets, else UNKNOWN; see `Policy`
    mover: Longs  # [lanes, players, MOVER_ROW]
    lane: Longs  # [lanes, LANE_ROW]
    going: Longs  # [lanes]  the lanes whose plays have not ended
    luck: Any  # [lanes] uint64: chance's random numbers
    will: Any  # [lanes] uint64: the players'


_LONGS2, _LONGS3 = (types.Array(types.int64, dimensions, "C") for dimensions in (2, 3))
_WORDS = types.Array(types.uint64, 1, "C")
LANES = types.NamedTuple((*(_LONGS2,) * 4, _LONGS3, _LONGS2, LONGS, _WORDS, _WORDS), Lanes)


@inlined
def lane_at(w: int, lanes: Lanes) -> Any:
    """Return the row of a lane."""
    return address(lanes.lane, w * LANE_ROW)


@inlined
def mover_at(w: int, m: int, lanes: Lanes) -> Any:
    """Return the row of a mover on a lane."""
    return address(lanes.mover, (w * lanes.last.shape[1] + m) * MOVER_ROW)


class Fast(NamedTuple):
    """The strategies of all players, for draws: sums of the probabilities up to each action."""

    row: Longs  # [sets, 4]  see `kernels.sets`
    buckets: Longs  # [a power of two]
    threshold: Floats  # [sequences]  NEVER from the last action on that is ever played


FAST = types.NamedTuple((_LONGS2, LONGS, FLOATS), Fast)


@kernel
def add_up(row: Longs, probability: Floats, threshold: Floats) -> None:
    """Write the thresholds of all sets. What they draw is what `draws.pick` draws from the probabilities."""
    for j in range(row.shape[0]):
        first, count, last, reached = row[j, S_FIRST], row[j, S_COUNT], row[j, S_FIRST], 0.0
        for s in range(first, first + count):
            if probability[s] != 0.0:
                last = s
        for s in range(first, first + count):
            reached += probability[s]
            threshold[s] = reached if s < last else NEVER


@inlined
def next_unit(random: Any, w: int) -> float:
    """Return a number in [0, 1) and advance the state of a lane."""
    state = address(random, w)
    z = state[0] + GOLDEN
    state[0] = z
    return unit(z)


@inlined
def let_chance_at(w: int, width: int, now: Any, rules: Book, room: StepScratch, lanes: Lanes) -> int:
    """Draw an outcome on a lane; return a status. The move is left in `room`."""
    status, count, even = ask_chance(rules, now, width, address(room.codes, 0), address(room.odds, 0))
    k = 0
    if status == DONE and count > 1:
        u = next_unit(lanes.luck, w)
        k = int(u * count) if even else pick(u, room.odds, 0, count, 0.0, 1.0)
    room.size[0], room.taken[0], room.choice[0] = count, k, address(room.codes, 0)[k]
    return status


@inlined
def ask_players_at(w: int, turned: int, width: int, now: Any, rules: Book, tables: Fast, lanes: Lanes) -> int:
    """Write down every mover's actions and the key of its set, and ask for the bucket; return a status."""
    movers, players, mask = 0, lanes.last.shape[1], tables.buckets.size - 1
    last, forgets = address(lanes.last, w * players), address(lanes.forgets, w * players)
    for p in range(players):
        if (turned >> p) & 1 == 0:
            continue
        codes = address(lanes.codes, w * lanes.codes.shape[1] + movers * width)
        status, size = ask_actions(rules, now, p, width, codes, w == 0)  # every play would take a tenth longer
        if status != DONE:
            return status
        mine, forgetful = mover_at(w, movers, lanes), forgets[p] != UNKNOWN
        before = forgets[p] if forgetful else last[p]
        if before != UNKNOWN:
            status, seen = ask_observation(rules, now, p)
            if status != DONE:
                return status
            fetch(tables.buckets, home_of(before, mask))
            fetch(tables.buckets, mixed(before, seen) & mask)
            mine[SEEN] = seen
        mine[WHO], mine[SIZE], mine[BEFORE], mine[FORGETFUL] = p, size, before, forgetful
        movers += 1
    lane_at(w, lanes)[MOVERS] = movers
    return DONE


@inlined
def look_up(going: int, tables: Fast, lanes: Lanes) -> int:
    """Find the sets of all movers, and ask for what they play there; return a status."""
    row, buckets = tables.row, tables.buckets
    for i in range(going):
        w = lanes.going[i]
        for m in range(lane_at(w, lanes)[MOVERS]):
            mine = mover_at(w, m, lanes)
            if mine[BEFORE] != UNKNOWN:
                mine[PLACE] = likely_place(mine[BEFORE], mine[SEEN], buckets)
                fetch(row, mine[PLACE] * SET_ROW)
    for i in range(going):
        w = lanes.going[i]
        for m in range(lane_at(w, lanes)[MOVERS]):
            mine = mover_at(w, m, lanes)
            before, seen, size, place = mine[BEFORE], mine[SEEN], mine[SIZE], mine[PLACE]
            mine[PLACE] = UNKNOWN
            if before == UNKNOWN or place < 0:
                continue
            if mine[FORGETFUL] != 0:
                place, _ = place_of_size(before, seen, size, row, buckets)
            elif row[place, S_PARENT] != before or row[place, S_SEEN] != seen:
                place, _ = place_of(before, seen, row, buckets)
            if place >= 0:
                if row[place, S_COUNT] != size:
                    return ACTIONS_DIFFER + mine[WHO]
                first = row[place, S_FIRST]
                mine[PLACE] = first
                for s in range(first, first + size, LINE):
                    fetch(tables.threshold, s)
    return DONE


@inlined
def draw_at(w: int, m: int, tables: Fast, lanes: Lanes) -> int:
    """Draw a mover's action."""
    mine = mover_at(w, m, lanes)
    size, first = mine[SIZE], mine[PLACE]
    if size == 1:
        return 0
    u = next_unit(lanes.will, w)
    if first == UNKNOWN:
        return int(u * size)
    k = 0
    for s in range(np.uint64(first), np.uint64(first + size - 1)):
        k += u >= tables.threshold[s]
    return k


@inlined
def take_at(w: int, m: int, k: int, width: int, room: StepScratch, lanes: Lanes) -> None:
    """Let a mover take its k-th action; the move is left in `room`."""
    mine = mover_at(w, m, lanes)
    first = mine[PLACE]
    room.taken[m], room.size[m] = k, mine[SIZE]
    room.choice[m] = address(lanes.codes, w * lanes.codes.shape[1] + m * width)[k]
    address(lanes.last, w * lanes.last.shape[1])[mine[WHO]] = UNKNOWN if first == UNKNOWN else first + k


@inlined
def list_odds_at(w: int, width: int, tables: Tables, room: StepScratch, lanes: Lanes) -> None:
    """Write the probabilities of every mover's actions."""
    for m in range(lane_at(w, lanes)[MOVERS]):
        mine = mover_at(w, m, lanes)
        first, size = mine[PLACE], mine[SIZE]
        even = 1.0 / size
        for k in range(size):
            room.odds[m * width + k] = tables.probability[first + k] if first != UNKNOWN else even
