"""The walk over every history of compiled rules, depth first; it counts and, where it is given room, takes notes.

The walk owns nothing: when a table or the notes are full it returns, and goes on from there when it is called again
with more room. At each history it

1. asks whether there is room for whatever the history may bring;
2. enters it: adds up gains, then counts an end of play, lists the outcomes of chance, or finds the movers' sets;
3. climbs to the nearest history with a child left, and moves on to that child.

Two kinds of notes can be taken: every history (`Record`, for a `GameTree`), and what is gained with the sequences that
lead there (`Gained`, for a sequence form). A walk may begin at any history whose row of the path is given (`now.base`),
and it may stop above a depth (`now.ceiling`): so threads share subtrees. In the first walk each has a table of its own,
and `tables` adds them up; the second walk only reads the sets.

Among the nodes of one depth, depth-first order and breadth-first order agree, so a counter for each depth is all that
is needed to tell which history of a set comes first, breadth first (`MetTable.first`).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import from_dtype, types

from hannan.arrays import Floats, Ints, Longs, Shorts
from hannan.kernels import inlined, signed, statuses
from hannan.kernels.addresses import address
from hannan.kernels.lent import borrowed
from hannan.kernels.sets import S_COUNT, S_FIRST, enter, place_of
from hannan.kernels.signatures import BESIDE, FLOATS, FUNCTIONS, LONG, LONGS, TABLE, Book
from hannan.kernels.visit import ask_actions, ask_chance, ask_gains, ask_observation, ask_turn
from hannan.turns import END, MOST_JOINT, NO_MOVERS

# rows of `Tally.counts`
NODES, SLOTS, GAINFUL = range(3)
# entries of `Tally.kinds`
ENDS, CHANCES, DECISIONS, JOINTS, SERIAL_EXTRA = range(5)

NOW = np.dtype(
    [(name, np.int64) for name in ("visited", "depth", "sets", "sequences", "slots", "gainful", "gained")]
    + [(name, np.int64) for name in ("base", "ceiling", "skip")]
    + [("edge", float)]
)
"""Where a walk is: how much of everything it has seen, and chance's probability of the edge into the next node.

`base` is the depth at which it began, `ceiling` the depth that it does not enter; `skip` asks to go on behind the next
history.
"""

STEP = np.dtype([(name, np.int64) for name in ["cursor", "children", "node", "turn"]])
"""A history on the path: its next child, how many it has, its number in the record, and what the rules' turn said."""


DEPTH_BITS = 44
"""`MetTable.first` is a depth, shifted by this many bits, and the number of earlier histories of that depth."""

NEVER = 2**15 - 1
"""`MetTable.shallow` of a sequence after which no player gains."""


class Tally(NamedTuple):
    """What a walk counts."""

    now: Any  # [1] of NOW
    counts: Longs  # [3, longest play + 2]  nodes, slots and gainful nodes of each depth
    kinds: Longs  # [5]
    span: Floats  # [2, players + 1]  lowest and highest utility of each player; last column: of their sum


class MetTable(NamedTuple):
    """The information sets met so far, in the order in which they were met."""

    row: Longs  # [room for sets, 4]  see `kernels.sets`; sequence p is player p's empty one
    buckets: Longs  # [a power of two]
    player: Longs  # [room for sets]
    action: Longs  # [room for sequences]  the code of each sequence's last action
    first: Longs  # [room for sets]  the first history, breadth first, in the set: see DEPTH_BITS
    shallow: Shorts  # [room for sequences]  the least depth at which a player gains while it is a player's last


class Path(NamedTuple):
    """The histories from the root to where the walk is: one row a depth."""

    step: Any  # [longest play + 2] of STEP
    state: Longs  # [longest play + 2, state size + BESIDE]
    codes: Longs  # [longest play + 2, players, width]  of outcomes, or of each mover's actions
    weight: Floats  # [longest play + 2, width]
    total: Floats  # [longest play + 2, players]  utility so far
    last: Longs  # [longest play + 2, players]  the last sequence of each player
    place: Longs  # [longest play + 2, players]  the set of each mover
    choice: Longs  # [players]
    here: Floats  # [players]  gains
    reach: Floats  # [longest play + 2]  chance's probability of the history


class Record(NamedTuple):
    """Every node in depth-first order; empty where nothing is recorded."""

    depth: Shorts  # [room for nodes], as the next three
    parent: Ints
    turn: Shorts
    probability: Floats
    slots: Ints  # [room for slots]
    gain_node: Ints  # [room for gainful nodes]
    gain: Floats  # [room for gainful nodes, players]


class Gained(NamedTuple):
    """What is gained, in depth-first order; empty where that is not noted."""

    sequences: Ints  # [room, players]  everybody's last sequence
    depth: Shorts  # [room]
    gain: Floats  # [room, players]  weighted by chance's probability


def _walk(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any,
    most_nodes: int, tally: Tally, sets: MetTable, path: Path, record: Record, gained: Gained,
) -> int:  # fmt: skip
    """Visit histories until all, or `most_nodes`, were visited or a table is full; return how it ended."""
    rules = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    tally, sets, path = borrowed(tally), borrowed(sets), borrowed(path)
    record, gained = borrowed(record), borrowed(gained)
    now = tally.now[0]
    if now.visited == 0 and now.base == 0:
        start(rules.table, address(path.state, 0))
        path.reach[0] = 1.0
        for p in range(path.last.shape[1]):
            path.last[0, p] = p
    if now.skip:
        now.skip = 0
        if not _go_on(rules, tally, sets, path):
            return statuses.DONE
    while True:
        status = _room(most_nodes, tally, sets, path, record, gained)
        if status == statuses.DONE:
            status = _enter(rules, tally, sets, path, record, gained)
        if status != statuses.DONE or not _go_on(rules, tally, sets, path):
            return status


@inlined
def _room(most_nodes: int, tally: Tally, sets: MetTable, path: Path, record: Record, gained: Gained) -> int:
    """Return which table may be too full for the next history."""
    now, players, width = tally.now[0], path.codes.shape[1], path.codes.shape[2]
    if now.visited >= most_nodes:
        return statuses.TOO_MANY
    if now.depth == now.ceiling:
        return statuses.FRONTIER
    if gained.depth.size > 0 and now.gained == gained.depth.size:
        return statuses.MORE_GAINS
    if now.sets + players > sets.player.size or now.sequences + players * width > sets.action.size:
        return statuses.MORE_SETS
    if record.parent.size > 0 and (
        now.visited == record.parent.size
        or now.slots + players > record.slots.size
        or now.gainful == record.gain_node.size
    ):
        return statuses.MORE_HISTORIES
    return statuses.TOO_DEEP if now.depth >= path.step.size - 2 else statuses.DONE


@inlined
def _enter(rules: Book, tally: Tally, sets: MetTable, path: Path, record: Record, gained: Gained) -> int:
    """Count the history whose state is on the path, ask the rules about it, and record it."""
    now, recording = tally.now[0], record.parent.size > 0
    depth, node = now.depth, now.visited
    now.visited += 1
    tally.counts[NODES, depth] += 1
    step = path.step[depth]
    step.node, step.cursor, step.children = node, 0, 0
    if recording:
        record.depth[node] = depth
        record.parent[node] = path.step[depth - 1].node if depth > 0 else -1
        record.probability[node] = now.edge
    status = _gain(rules, tally, sets, path, record, gained)
    if status != statuses.DONE:
        return status
    state, players = address(path.state, depth * path.state.shape[1]), path.last.shape[1]
    status, step.turn = ask_turn(rules, state, players)
    if status != statuses.DONE:
        return status
    if recording:
        record.turn[node] = step.turn
    if step.turn == END:
        _end(tally, path)
        return statuses.DONE
    if step.turn == NO_MOVERS:
        tally.kinds[CHANCES] += 1
        codes, width = path.codes, path.codes.shape[2]
        out = address(codes, depth * players * width)
        status, step.children, _ = ask_chance(rules, state, width, out, address(path.weight, depth * width))
        return status
    tally.kinds[DECISIONS] += 1
    return _find_sets(rules, tally, sets, path, record)


@inlined
def _gain(rules: Book, tally: Tally, sets: MetTable, path: Path, record: Record, gained: Gained) -> int:
    """Add what everybody gains here to what they had, and note it; return a status."""
    now, here, total = tally.now[0], path.here, path.total
    depth, players = now.depth, here.size
    status, gainful = ask_gains(rules, address(path.state, depth * path.state.shape[1]), players, address(here, 0))
    if status != statuses.DONE:
        return status
    for p in range(players):
        total[depth, p] = here[p]
        if depth > 0:
            total[depth, p] += total[depth - 1, p]
    if gainful:
        if record.parent.size > 0:
            record.gain_node[now.gainful] = now.visited - 1
            for p in range(players):
                record.gain[now.gainful, p] = here[p]
        if gained.depth.size > 0:
            gained.depth[now.gained] = depth
            for p in range(players):
                gained.sequences[now.gained, p] = path.last[depth, p]
                gained.gain[now.gained, p] = here[p] * path.reach[depth]
            now.gained += 1
        for p in range(players):
            if depth < sets.shallow[path.last[depth, p]]:
                sets.shallow[path.last[depth, p]] = depth
        now.gainful += 1
        tally.counts[GAINFUL, depth] += 1
    return statuses.DONE


@inlined
def _end(tally: Tally, path: Path) -> None:
    """Count an end of play, and widen the span of utilities to what everybody has there."""
    depth, span, total = tally.now[0].depth, tally.span, path.total
    players, both = total.shape[1], 0.0
    tally.kinds[ENDS] += 1
    for p in range(players):
        both += total[depth, p]
        span[0, p] = min(span[0, p], total[depth, p])
        span[1, p] = max(span[1, p], total[depth, p])
    span[0, players] = min(span[0, players], both)
    span[1, players] = max(span[1, players], both)


@inlined
def _find_sets(rules: Book, tally: Tally, sets: MetTable, path: Path, record: Record) -> int:
    """Find the information set of every mover, and count the joint moves."""
    now, codes, width = tally.now[0], path.codes, path.codes.shape[2]
    depth, players = now.depth, path.codes.shape[1]
    state, step = address(path.state, depth * path.state.shape[1]), path.step[depth]
    children, actor = 1, 0
    for p in range(players):
        if (step.turn >> p) & 1 == 0:
            continue
        status, count = ask_actions(rules, state, p, width, address(codes, (depth * players + actor) * width))
        seen = 0
        if status == statuses.DONE:
            status, seen = ask_observation(rules, state, p)
        if status != statuses.DONE:
            return status
        if actor > 0:
            tally.kinds[SERIAL_EXTRA] += children
        children *= count
        if children > MOST_JOINT:
            return statuses.BROKEN
        place = _set_at(p, path.last[depth, p], seen, count, codes[depth, actor], now, sets)
        if place < 0:
            return statuses.ACTIONS_DIFFER + p
        sets.first[place] = min(sets.first[place], (depth << DEPTH_BITS) + tally.counts[NODES, depth] - 1)
        path.place[depth, actor] = place
        if record.parent.size > 0:
            record.slots[now.slots] = place
        now.slots += 1
        tally.counts[SLOTS, depth] += 1
        actor += 1
    step.children = children
    if actor > 1:
        tally.kinds[JOINTS] += 1
    return statuses.DONE


@inlined
def _set_at(player: int, before: int, seen: int, count: int, codes: Longs, now: Any, sets: MetTable) -> int:
    """Return the number of a player's set, a new one where it is met first; -1 where it is known with other actions."""
    row, action = sets.row, sets.action
    place, spot = place_of(before, seen, row, sets.buckets)
    if place < 0:
        place, first = now.sets, now.sequences
        enter(place, spot, before, seen, first, count, row, sets.buckets)
        sets.player[place] = player
        sets.first[place] = NEVER << DEPTH_BITS
        for k in range(count):
            action[first + k] = codes[k]
            sets.shallow[first + k] = NEVER
        now.sets += 1
        now.sequences += count
        return place
    if row[place, S_COUNT] != count:
        return -1
    for k in range(count):
        if action[row[place, S_FIRST] + k] != codes[k]:
            return -1
    return place


@inlined
def _go_on(rules: Book, tally: Tally, sets: MetTable, path: Path) -> bool:
    """Climb to the nearest history with a child left, and move on to that child; False where all were visited."""
    now, state, last = tally.now[0], path.state, path.last
    depth = now.depth
    if now.depth == now.ceiling:
        depth -= 1  # that history was not entered
    while depth >= now.base and path.step[depth].cursor == path.step[depth].children:
        depth -= 1
    now.depth = depth + 1
    if depth < now.base:
        return False
    step = path.step[depth]
    child = step.cursor
    step.cursor = child + 1
    for k in range(state.shape[1] - BESIDE):
        state[depth + 1, k] = state[depth, k]
    for p in range(last.shape[1]):
        last[depth + 1, p] = last[depth, p]
    if step.turn == 0:
        path.choice[0] = path.codes[depth, 0, child]
        now.edge = path.weight[depth, child]
    else:
        now.edge = 1.0
        _choose(child, depth, step.turn, sets.row, path)
    path.reach[depth + 1] = path.reach[depth] * now.edge
    rules.move(rules.table, address(state, (depth + 1) * state.shape[1]), address(path.choice, 0))
    return True


@inlined
def _choose(child: int, depth: int, turn: int, row: Longs, path: Path) -> None:
    """Write the joint move with a number, and the sequences it leads to; the last mover's action varies fastest."""
    players, actor = path.last.shape[1], 0
    for p in range(players):
        actor += (turn >> p) & 1
    for p in range(players - 1, -1, -1):
        if (turn >> p) & 1:
            actor -= 1
            place = path.place[depth, actor]
            k = child % row[place, S_COUNT]
            child //= row[place, S_COUNT]
            path.choice[actor] = path.codes[depth, actor, k]
            path.last[depth + 1, p] = row[place, S_FIRST] + k


@cache
def walker() -> Any:
    """Return the compiled walk; compiled (or loaded from the cache) on the first call."""
    ints, shorts = types.Array(types.int32, 1, "C"), types.Array(types.int16, 1, "C")
    matrix, cube = types.Array(types.int64, 2, "C"), types.Array(types.int64, 3, "C")
    floats = types.Array(types.float64, 2, "C")
    now, step = (types.Array(from_dtype(kind), 1, "C") for kind in (NOW, STEP))
    signature = (
        *FUNCTIONS, TABLE, LONG,
        types.NamedTuple((now, matrix, LONGS, floats), Tally),
        types.NamedTuple((matrix, LONGS, LONGS, LONGS, LONGS, shorts), MetTable),
        types.NamedTuple((step, matrix, cube, floats, floats, matrix, matrix, LONGS, FLOATS, FLOATS), Path),
        types.NamedTuple((shorts, ints, shorts, FLOATS, ints, ints, floats), Record),
        types.NamedTuple((types.Array(types.int32, 2, "C"), shorts, floats), Gained),
    )  # fmt: skip
    return signed(_walk, signature)
