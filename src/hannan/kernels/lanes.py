"""Several plays at a time, each on a lane of its own: while one waits for its set, the others go on.

A table of sets is larger than the caches, so a look at it waits for memory: for the bucket, then for the row, then for
what is played there. A stage does one of these for all lanes and asks for the memory of the next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.borrow import address, fetch
from hannan.kernels.sampling.draws import GOLDEN, pick, unit
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN, bucket_of
from hannan.kernels.signatures import FLOATS, LONGS, Book
from hannan.kernels.statuses import ACTIONS_DIFFER, DONE, NO_MOVES, TOO_WIDE
from hannan.kernels.stepping import UNKNOWN, Room, Tables, ask_chance

LINE = 8
"""Probabilities in a line of memory."""
NEVER = 2.0
"""A threshold that no draw reaches."""

GUARD = 8
"""Places after the state and the codes of each lane that nobody should touch."""


class Lanes(NamedTuple):
    """Where plays are."""

    state: Longs  # [lanes, state size + GUARD]
    codes: Longs  # [lanes, players · width + GUARD]
    last: Longs  # [lanes, players]  the last sequence of each seat
    forgets: Longs  # [lanes, players]  the empty sequence of a seat whose player forgets, else UNKNOWN; see `Policy`
    who: Longs  # [lanes, players]  the movers, as the next five
    size: Longs  # [lanes, players]  how many actions each has
    before: Longs  # [lanes, players]  the key of its set: the last sequence, UNKNOWN where it knows nothing
    seen: Longs  # [lanes, players]  and the observation
    place: Longs  # [lanes, players]  its bucket, then the number of its set, then the set's first sequence
    movers: Longs  # [lanes]  how many
    history: Longs  # [lanes]  the number of the history, -1 where it has none
    moves: Longs  # [lanes]  how many there were
    going: Longs  # [lanes]  the lanes whose plays have not ended
    luck: Any  # [lanes] uint64: chance's random numbers
    will: Any  # [lanes] uint64: the players'


_LONGS2, _WORDS = types.Array(types.int64, 2, "C"), types.Array(types.uint64, 1, "C")
LANES = types.NamedTuple((*(_LONGS2,) * 9, *(LONGS,) * 4, _WORDS, _WORDS), Lanes)


class Fast(NamedTuple):
    """What everybody does, for draws: in place of probabilities, sums of those up to each action."""

    row: Longs  # [sets, 4]  see `kernels.sets`
    buckets: Ints  # [a power of two]
    threshold: Floats  # [sequences]  NEVER from the last action on that is ever played


FAST = types.NamedTuple((_LONGS2, types.Array(types.int32, 1, "C"), FLOATS), Fast)


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
    z = random[w] + GOLDEN
    random[w] = z
    return unit(z)


@inlined
def let_chance_at(w: int, width: int, now: Any, rules: Book, room: Room, lanes: Lanes) -> int:
    """Draw an outcome on a lane; return a status. The move is left in `room`."""
    status, count, even = ask_chance(width, now, rules, room)
    k = 0
    if status == DONE and count > 1:
        u = next_unit(lanes.luck, w)
        k = int(u * count) if even else pick(u, room.odds, 0, count, 0.0, 1.0)
    room.size[0], room.taken[0], room.choice[0] = count, k, room.codes[k]
    return status


@inlined
def ask_players_at(w: int, turned: int, width: int, now: Any, rules: Book, tables: Fast, lanes: Lanes) -> int:
    """Write down every mover's actions and the key of its set, and ask for the bucket; return a status."""
    movers, players, mask = 0, lanes.last.shape[1], tables.buckets.size - 1
    for p in range(players):
        if (turned >> p) & 1 == 0:
            continue
        size = rules.actions(rules.table, now, p, address(lanes.codes, w * lanes.codes.shape[1] + movers * width))
        if size < 1 or size > width:
            return NO_MOVES if size < 1 else TOO_WIDE
        before = lanes.last[w, p] if lanes.forgets[w, p] == UNKNOWN else lanes.forgets[w, p]
        if before != UNKNOWN:
            seen = rules.observe(rules.table, now, p)
            spot = bucket_of(before, seen, mask)
            fetch(tables.buckets, spot)
            lanes.seen[w, movers], lanes.place[w, movers] = seen, spot
        lanes.who[w, movers], lanes.size[w, movers], lanes.before[w, movers] = p, size, before
        movers += 1
    lanes.movers[w] = movers
    return DONE


@inlined
def look_up(going: int, tables: Fast, lanes: Lanes) -> int:
    """Find the sets of all movers, and ask for what they play there; return a status."""
    row, buckets = tables.row, tables.buckets
    mask = buckets.size - 1
    for i in range(going):
        w = lanes.going[i]
        for m in range(lanes.movers[w]):
            if lanes.before[w, m] != UNKNOWN:
                place = buckets[lanes.place[w, m]]
                fetch(row, max(place, 0) * row.shape[1])
    for i in range(going):
        w = lanes.going[i]
        for m in range(lanes.movers[w]):
            before, seen, size, spot = lanes.before[w, m], lanes.seen[w, m], lanes.size[w, m], lanes.place[w, m]
            lanes.place[w, m] = UNKNOWN
            if before == UNKNOWN:
                continue
            forgetful = lanes.forgets[w, lanes.who[w, m]] != UNKNOWN
            place = buckets[spot]
            while place >= 0 and (
                row[place, S_PARENT] != before
                or row[place, S_SEEN] != seen
                or (forgetful and row[place, S_COUNT] != size)
            ):
                spot = (spot + 1) & mask
                place = buckets[spot]
            if place >= 0:
                if row[place, S_COUNT] != size:
                    return ACTIONS_DIFFER
                first = row[place, S_FIRST]
                lanes.place[w, m] = first
                for s in range(first, first + size, LINE):
                    fetch(tables.threshold, s)
    return DONE


@inlined
def draw_at(w: int, m: int, tables: Fast, lanes: Lanes) -> int:
    """Draw a mover's action."""
    size, first = lanes.size[w, m], lanes.place[w, m]
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
def take_at(w: int, m: int, k: int, width: int, room: Room, lanes: Lanes) -> None:
    """Let a mover take its k-th action; the move is left in `room`."""
    first = lanes.place[w, m]
    room.taken[m], room.size[m] = k, lanes.size[w, m]
    room.choice[m] = lanes.codes[w, m * width + k]
    lanes.last[w, lanes.who[w, m]] = UNKNOWN if first == UNKNOWN else first + k


@inlined
def list_odds_at(w: int, width: int, tables: Tables, room: Room, lanes: Lanes) -> None:
    """Write the probabilities of every mover's actions."""
    for m in range(lanes.movers[w]):
        first, size = lanes.place[w, m], lanes.size[w, m]
        even = 1.0 / size
        for k in range(size):
            room.odds[m * width + k] = tables.probability[first + k] if first != UNKNOWN else even
