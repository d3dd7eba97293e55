"""The walk over every history of compiled rules, depth first, with two uses: counting and writing.

Nodes are written straight to their breadth-first place: among the nodes of one depth, depth-first order and
breadth-first order agree, so a counter for each depth is all that is needed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import njit, types

from hannan.arrays import Floats, Ints, Longs, Shorts
from hannan.kernels import kernel
from hannan.kernels.borrow import borrowed
from hannan.kernels.signatures import FLOATS, FUNCTIONS, LONG, LONGS, TABLE

# status codes; after TABLES_FULL the walk is to be made again with larger tables
DONE, TOO_MANY, TOO_DEEP, ACTIONS_DIFFER, NOT_A_DISTRIBUTION, NOT_FINITE, NO_MOVES, TABLES_FULL = range(8)

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
    offsets: Longs,  # [3, most_depth + 2]  first place of each depth in the arrays below; empty when counting
    parent: Ints,  # [nodes]
    children: Ints,  # [nodes + 1]
    turns: Shorts,  # [nodes]
    slot_begin: Ints,  # [nodes + 1]
    slots: Ints,  # [slots]  information sets, in order of discovery
    probability: Floats,  # [nodes]
    gain_node: Ints,  # [gainful]
    gain: Floats,  # [gainful, players]
    buckets: Ints,  # [a power of two]  -1 where free; a table of sets by parent sequence and observation
    set_player: Longs,  # [room for sets], in order of discovery, as the next five
    set_parent: Longs,  # the player's last sequence; sequence p is player p's empty one
    set_observation: Longs,
    set_base: Longs,  # the first of the set's sequences
    set_size: Longs,
    set_node: Longs,  # the first history, breadth first, in the set
    sequence_action: Longs,  # [room for sequences]
    state: Longs,  # [most_depth + 2, state_size]  the path: one row a depth, in this and the next two
    codes: Longs,  # [most_depth + 2, players, width]
    weight: Floats,  # [most_depth + 2, width]
    choice: Longs,  # [players]
    here: Floats,  # [players]
) -> Any:
    table, state, codes, weight = borrowed(table), borrowed(state), borrowed(codes), borrowed(weight)
    choice, here = borrowed(choice), borrowed(here)
    writing = parent.size > 0
    rows, state_size = state.shape
    most_depth = rows - 2
    counts = np.zeros((3, most_depth + 2), np.int64)
    kinds = np.zeros(5, np.int64)
    span = np.zeros((2, players + 1))  # lowest and highest utility of each player; last column: of their sum
    span[0, :] = np.inf
    span[1, :] = -np.inf

    sets = 0
    sequences = players

    mask = buckets.size - 1
    last = np.zeros((rows, players), np.int64)
    total = np.zeros((rows, players))
    cursor = np.zeros(rows, np.int64)
    fan = np.zeros(rows, np.int64)
    place = np.zeros(rows, np.int64)
    who = np.zeros(rows, np.int64)
    size = np.zeros((rows, players), np.int64)
    set_here = np.zeros((rows, players), np.int64)

    status = DONE
    nodes = 0
    edge = 1.0
    depth = 0
    start(table, state[0])
    for p in range(players):
        last[0, p] = p

    while True:
        # enter the node whose state is state[depth]
        if nodes >= most_nodes:
            status = TOO_MANY
            break
        if depth >= most_depth:
            status = TOO_DEEP
            break
        nodes += 1
        node = counts[NODES, depth]
        counts[NODES, depth] += 1
        if writing:
            node += offsets[NODES, depth]
            if depth > 0:
                parent[node] = place[depth - 1]
            else:
                parent[node] = -1
            children[node] = offsets[NODES, depth + 1] + counts[NODES, depth + 1]
            probability[node] = edge
            slot_begin[node] = offsets[SLOTS, depth] + counts[SLOTS, depth]
        place[depth] = node

        now = state[depth]
        for p in range(players):
            here[p] = 0.0
        gains(table, now, here)
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
            if writing:
                k = offsets[GAINFUL, depth] + counts[GAINFUL, depth]
                gain_node[k] = node
                for p in range(players):
                    gain[k, p] = here[p]
            counts[GAINFUL, depth] += 1

        code = turn(table, now)
        who[depth] = code
        cursor[depth] = 0
        if writing:
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
            count = chance(table, now, codes[depth, 0], weight[depth])
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
                count = actions(table, now, p, codes[depth, actor])
                if count < 1:
                    status = NO_MOVES
                    break
                if actor > 0:
                    kinds[SERIAL_EXTRA] += fan[depth]
                fan[depth] *= count
                size[depth, actor] = count
                seen = observe(table, now, p)
                before = last[depth, p]
                spot = _slot(before, seen, mask)
                j = buckets[spot]
                while j >= 0 and (set_parent[j] != before or set_observation[j] != seen):
                    spot = (spot + 1) & mask
                    j = buckets[spot]
                if j < 0:
                    if sets == set_player.size or sequences + count > sequence_action.size:
                        status = TABLES_FULL
                        break
                    j = sets
                    sets += 1
                    buckets[spot] = j
                    set_player[j] = p
                    set_parent[j] = before
                    set_observation[j] = seen
                    set_base[j] = sequences
                    set_size[j] = count
                    set_node[j] = node
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
                    set_node[j] = min(set_node[j], node)
                set_here[depth, actor] = j
                if writing:
                    slots[offsets[SLOTS, depth] + counts[SLOTS, depth]] = j
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
            edge = weight[depth, child]
        else:
            edge = 1.0
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
        move(table, state[depth + 1], choice)
        depth += 1

    return (
        status,
        cursor[: max(depth, 0)] - 1,  # the path to the node where the walk stopped, as numbers of children
        counts,
        kinds,
        span,
        sets,
        sequences,
    )


@cache
def walker() -> Any:
    """Return the compiled walk; compiled (or loaded from the cache) on the first call."""
    ints = types.Array(types.int32, 1, "C")
    shorts = types.Array(types.int16, 1, "C")
    matrix = types.Array(types.int64, 2, "C")
    table = types.Array(types.float64, 2, "C")
    cube = types.Array(types.int64, 3, "C")
    signature = (
        *FUNCTIONS, TABLE, LONG, LONG,
        matrix, ints, ints, shorts, ints, ints, FLOATS, ints, table,
        ints, LONGS, LONGS, LONGS, LONGS, LONGS, LONGS, LONGS,
        matrix, cube, table, LONGS, FLOATS,
    )  # fmt: skip
    return njit(signature, cache=True, error_model="numpy", nogil=True)(_walk)
