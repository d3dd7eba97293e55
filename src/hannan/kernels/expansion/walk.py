"""The walk over every history of compiled rules, depth first; it counts and, where it is given room, records.

The walk owns nothing: when a table or the record is full it returns, and goes on from there when it is called again
with more room. Among the nodes of one depth, depth-first order and breadth-first order agree, so a counter for each
depth is all that `breadth_first` needs to put the record into the order of a `GameTree`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import types

from hannan.arrays import Floats, Ints, Longs, Shorts
from hannan.kernels import kernel, signed
from hannan.kernels.borrow import address
from hannan.kernels.signatures import FLOATS, FUNCTIONS, LONG, LONGS, TABLE
from hannan.turns import CHANCE, NO_MOVERS

# status codes; after the last three the walk can go on
(
    DONE,
    TOO_DEEP,
    ACTIONS_DIFFER,
    NOT_A_DISTRIBUTION,
    NOT_FINITE,
    NO_MOVES,
    TOO_WIDE,
    TOO_MANY,
    TABLES_FULL,
    RECORD_FULL,
) = range(10)

# entries of `now`: where the walk is
VISITED, DEPTH, SETS, SEQUENCES, SLOT, GAIN = range(6)

# rows of `counts`
NODES, SLOTS, GAINFUL = range(3)

# entries of `kinds`
ENDS, CHANCES, DECISIONS, JOINTS, SERIAL_EXTRA = range(5)


@kernel
def _slot(sequence: int, observation: int, mask: int) -> int:
    mixed = sequence * -7046029254386353131 + observation * -4417276706812531889
    mixed ^= mixed >> 29
    mixed *= -4658895280553007687
    mixed ^= mixed >> 32
    return mixed & mask


def _walk(
    start: Any,
    turn: Any,
    actions: Any,
    chance: Any,
    move: Any,
    observe: Any,
    gains: Any,
    table: Longs,
    players: int,
    most_nodes: int,
    now: Longs,  # [6]
    edge: Floats,  # [1]  chance's probability of the edge into the next node
    counts: Longs,  # [3, most_depth + 2]  nodes, slots and gainful nodes of each depth
    kinds: Longs,  # [5]
    span: Floats,  # [2, players + 1]  lowest and highest utility of each player; last column: of their sum
    buckets: Ints,  # [a power of two]  -1 where free; a table of sets by parent sequence and observation
    set_player: Longs,  # [room for sets], in order of discovery, as the next four
    set_parent: Longs,  # the player's last sequence; sequence p is player p's empty one
    set_observation: Longs,
    set_base: Longs,  # the first of the set's sequences
    set_size: Longs,
    sequence_action: Longs,  # [room for sequences]
    state: Longs,  # [most_depth + 2, state_size]  the path: one row a depth, as the next three
    codes: Longs,  # [most_depth + 2, players, width]
    weight: Floats,  # [most_depth + 2, width]
    total: Floats,  # [most_depth + 2, players]  utility so far
    path: Longs,  # [4, most_depth + 2]  next child, number of children, node, movers
    seats: Longs,  # [3, most_depth + 2, players]  last sequence; number of actions and set of each mover
    choice: Longs,  # [players]
    here: Floats,  # [players]
    depth_of: Shorts,  # [room for nodes], as the next three; empty where nothing is recorded
    parent: Ints,
    turns: Shorts,
    probability: Floats,
    slots: Ints,  # [room for slots]
    gain_node: Ints,  # [room for gainful nodes]
    gain: Floats,  # [room for gainful nodes, players]
) -> Any:
    constants, chosen, gained = address(table, 0), address(choice, 0), address(here, 0)
    cursor, fan, place, who = path[0], path[1], path[2], path[3]
    last, size, set_here = seats[0], seats[1], seats[2]
    recording = parent.size > 0
    rows, state_size = state.shape
    most_depth = rows - 2
    width = codes.shape[2]
    mask = buckets.size - 1
    nodes, depth, sets, sequences = now[VISITED], now[DEPTH], now[SETS], now[SEQUENCES]
    slot, gains_seen = now[SLOT], now[GAIN]
    if nodes == 0:
        start(constants, address(state, 0))
        sequences = players
        for p in range(players):
            last[0, p] = p

    status = DONE

    while True:
        # enter the node whose state is state[depth]
        if nodes >= most_nodes:
            status = TOO_MANY
            break
        if sets + players > set_player.size or sequences + players * width > sequence_action.size:
            status = TABLES_FULL
            break
        if recording and (nodes == parent.size or slot + players > slots.size or gains_seen == gain_node.size):
            status = RECORD_FULL
            break
        if depth >= most_depth:
            status = TOO_DEEP
            break
        node = nodes
        nodes += 1
        counts[NODES, depth] += 1
        place[depth] = node
        if recording:
            depth_of[node] = depth
            parent[node] = place[depth - 1] if depth > 0 else -1
            probability[node] = edge[0]

        current = address(state, depth * state_size)
        for p in range(players):
            here[p] = 0.0
        gains(constants, current, gained)
        gainful = False
        for p in range(players):
            if not np.isfinite(here[p]):
                status = NOT_FINITE
            if here[p] != 0.0:
                gainful = True
            total[depth, p] = here[p]
            if depth > 0:
                total[depth, p] += total[depth - 1, p]
        if status != DONE:
            break
        if gainful:
            if recording:
                gain_node[gains_seen] = node
                for p in range(players):
                    gain[gains_seen, p] = here[p]
            gains_seen += 1
            counts[GAINFUL, depth] += 1

        code = turn(constants, current)
        if code == CHANCE:
            code = NO_MOVERS
        who[depth] = code
        cursor[depth] = 0
        if recording:
            turns[node] = code
        if code < 0:
            fan[depth] = 0
            kinds[ENDS] += 1
            both = 0.0
            for p in range(players):
                both += total[depth, p]
                span[0, p] = min(span[0, p], total[depth, p])
                span[1, p] = max(span[1, p], total[depth, p])
            span[0, players] = min(span[0, players], both)
            span[1, players] = max(span[1, players], both)
        elif code == 0:
            kinds[CHANCES] += 1
            count = chance(constants, current, address(codes, depth * players * width), address(weight, depth * width))
            if count > width:
                status = TOO_WIDE
                break
            fan[depth] = count
            mass = 0.0
            for k in range(count):
                mass += weight[depth, k]
                if not weight[depth, k] >= 0.0:
                    status = NOT_A_DISTRIBUTION
            if not abs(mass - 1.0) < 1e-9:
                status = NOT_A_DISTRIBUTION
            if status != DONE:
                break
        else:
            kinds[DECISIONS] += 1
            fan[depth] = 1
            actor = 0
            for p in range(players):
                if (code >> p) & 1 == 0:
                    continue
                count = actions(constants, current, p, address(codes, (depth * players + actor) * width))
                if count < 1 or count > width:
                    status = NO_MOVES if count < 1 else TOO_WIDE
                    break
                if actor > 0:
                    kinds[SERIAL_EXTRA] += fan[depth]
                fan[depth] *= count
                size[depth, actor] = count
                seen = observe(constants, current, p)
                before = last[depth, p]
                spot = _slot(before, seen, mask)
                j = buckets[spot]
                while j >= 0 and (set_parent[j] != before or set_observation[j] != seen):
                    spot = (spot + 1) & mask
                    j = buckets[spot]
                if j < 0:
                    j = sets
                    sets += 1
                    buckets[spot] = j
                    set_player[j] = p
                    set_parent[j] = before
                    set_observation[j] = seen
                    set_base[j] = sequences
                    set_size[j] = count
                    for k in range(count):
                        sequence_action[sequences + k] = codes[depth, actor, k]
                    sequences += count
                else:
                    same = set_size[j] == count
                    if same:
                        for k in range(count):
                            if sequence_action[set_base[j] + k] != codes[depth, actor, k]:
                                same = False
                    if not same:
                        status = ACTIONS_DIFFER
                        break
                set_here[depth, actor] = j
                if recording:
                    slots[slot] = j
                slot += 1
                counts[SLOTS, depth] += 1
                actor += 1
            if status != DONE:
                break
            if actor > 1:
                kinds[JOINTS] += 1

        # climb to the nearest node with a child left, and step into that child
        while depth >= 0 and cursor[depth] == fan[depth]:
            depth -= 1
        if depth < 0:
            break
        child = cursor[depth]
        cursor[depth] += 1
        for k in range(state_size):
            state[depth + 1, k] = state[depth, k]
        for p in range(players):
            last[depth + 1, p] = last[depth, p]
        if who[depth] == 0:
            choice[0] = codes[depth, 0, child]
            edge[0] = weight[depth, child]
        else:
            edge[0] = 1.0
            rest = child
            actor = 0
            for p in range(players):
                actor += (who[depth] >> p) & 1
            for p in range(players - 1, -1, -1):
                if (who[depth] >> p) & 1:
                    actor -= 1
                    k = rest % size[depth, actor]
                    rest //= size[depth, actor]
                    choice[actor] = codes[depth, actor, k]
                    last[depth + 1, p] = set_base[set_here[depth, actor]] + k
        move(constants, address(state, (depth + 1) * state_size), chosen)
        depth += 1

    now[VISITED], now[DEPTH], now[SETS], now[SEQUENCES], now[SLOT], now[GAIN] = (
        nodes, depth, sets, sequences, slot, gains_seen,
    )  # fmt: skip
    return status


@kernel
def rehash(sets: int, set_parent: Longs, set_observation: Longs, buckets: Ints) -> None:
    """Enter the sets found so far into an empty table."""
    mask = buckets.size - 1
    for j in range(sets):
        spot = _slot(set_parent[j], set_observation[j], mask)
        while buckets[spot] >= 0:
            spot = (spot + 1) & mask
        buckets[spot] = j


@kernel
def breadth_first(
    offsets: Longs,  # [3, depths]  where the nodes, slots and gainful nodes of each depth begin
    depth_of: Shorts,
    recorded_parent: Ints,
    recorded_turn: Shorts,
    recorded_probability: Floats,
    recorded_slots: Ints,
    recorded_gain_node: Ints,
    recorded_gain: Floats,
    parent: Ints,
    children: Ints,
    turn: Shorts,
    slot_begin: Ints,
    slots: Ints,
    probability: Floats,
    gain_node: Ints,
    gain: Floats,
    set_node: Longs,  # [sets]  the first node of each; comes filled with a large number
) -> None:
    """Bring a record into breadth-first order; the last eight arrays but one are those of `GameTree`."""
    nodes, players = parent.size, recorded_gain.shape[1]
    next_node, next_slot, next_gain = offsets[NODES].copy(), offsets[SLOTS].copy(), offsets[GAINFUL].copy()
    place = np.empty(nodes, np.int32)
    slot = 0
    gainful = 0
    for recorded in range(nodes):
        depth = depth_of[recorded]
        node = next_node[depth]
        next_node[depth] += 1
        place[recorded] = node
        parent[node] = place[recorded_parent[recorded]] if recorded > 0 else -1
        children[node] = next_node[depth + 1]
        probability[node] = recorded_probability[recorded]
        code = recorded_turn[recorded]
        turn[node] = code
        slot_begin[node] = next_slot[depth]
        while code > 0:
            if code & 1:
                j = recorded_slots[slot]
                slot += 1
                slots[next_slot[depth]] = j
                next_slot[depth] += 1
                set_node[j] = min(set_node[j], node)
            code >>= 1
        if gainful < recorded_gain_node.size and recorded_gain_node[gainful] == recorded:
            k = next_gain[depth]
            next_gain[depth] += 1
            gain_node[k] = node
            for p in range(players):
                gain[k, p] = recorded_gain[gainful, p]
            gainful += 1


@cache
def walker() -> Any:
    """Return the compiled walk; compiled (or loaded from the cache) on the first call."""
    ints, shorts = types.Array(types.int32, 1, "C"), types.Array(types.int16, 1, "C")
    matrix, cube = types.Array(types.int64, 2, "C"), types.Array(types.int64, 3, "C")
    floats = types.Array(types.float64, 2, "C")
    signature = (
        *FUNCTIONS, TABLE, LONG, LONG, LONGS, FLOATS, matrix, LONGS, floats,
        ints, LONGS, LONGS, LONGS, LONGS, LONGS, LONGS,
        matrix, cube, floats, floats, matrix, cube, LONGS, FLOATS,
        shorts, ints, shorts, FLOATS, ints, ints, floats,
    )  # fmt: skip
    return signed(_walk, signature)
