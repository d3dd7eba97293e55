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
from hannan.kernels.signatures import FLOATS, FUNCTIONS, LONG, TABLE

# status codes
DONE, TOO_MANY, TOO_DEEP, ACTIONS_DIFFER, NOT_A_DISTRIBUTION, NOT_FINITE, NO_MOVES = range(7)

# rows of `counts`
NODES, SLOTS, GAINFUL = range(3)

# entries of `kinds`
ENDS, CHANCES, DECISIONS, JOINTS, SERIAL_EXTRA = range(5)


@kernel
def _longer(array: Longs) -> Longs:
    copy = np.empty(2 * array.size, array.dtype)
    copy[: array.size] = array
    return copy


@kernel
def _slot(sequence: int, observation: int, mask: int) -> int:
    mixed = sequence * -7046029254386353131 + observation * -4417276706812531889
    mixed ^= mixed >> 29
    mixed *= -4658895280553007687
    mixed ^= mixed >> 32
    return mixed & mask


@kernel
def _rehash(sets: int, capacity: int, set_parent: Longs, set_observation: Longs) -> Longs:
    buckets = np.full(capacity, -1, np.int64)
    mask = capacity - 1
    for j in range(sets):
        place = _slot(set_parent[j], set_observation[j], mask)
        while buckets[place] >= 0:
            place = (place + 1) & mask
        buckets[place] = j
    return buckets


def _walk(
    start: Any,
    turn: Any,
    actions: Any,
    chance: Any,
    move: Any,
    observe: Any,
    gains: Any,
    table: Longs,
    state_size: int,
    width: int,
    players: int,
    most_nodes: int,
    most_depth: int,
    offsets: Longs,  # [3, most_depth + 2]  first place of each depth in the arrays below; empty when counting
    parent: Ints,  # [nodes]
    children: Ints,  # [nodes + 1]
    turns: Shorts,  # [nodes]
    slot_begin: Ints,  # [nodes + 1]
    slots: Ints,  # [slots]  information sets, in order of discovery
    probability: Floats,  # [nodes]
    gain_node: Ints,  # [gainful]
    gain: Floats,  # [gainful, players]
) -> Any:
    writing = parent.size > 0
    counts = np.zeros((3, most_depth + 2), np.int64)
    kinds = np.zeros(5, np.int64)
    span = np.zeros((2, players + 1))  # lowest and highest utility of each player; last column: of their sum
    span[0, :] = np.inf
    span[1, :] = -np.inf

    # information sets and sequences in order of discovery; sequence p is player p's empty one
    set_player = np.empty(64, np.int64)
    set_parent = np.empty(64, np.int64)
    set_observation = np.empty(64, np.int64)
    set_base = np.empty(64, np.int64)
    set_size = np.empty(64, np.int64)
    set_node = np.empty(64, np.int64)
    sequence_action = np.empty(256, np.int64)
    buckets = np.full(256, -1, np.int64)
    sets = 0
    sequences = players

    # the path: one row a depth
    rows = 32
    state = np.zeros((rows, state_size), np.int64)
    last = np.zeros((rows, players), np.int64)
    total = np.zeros((rows, players))
    cursor = np.zeros(rows, np.int64)
    fan = np.zeros(rows, np.int64)
    place = np.zeros(rows, np.int64)
    who = np.zeros(rows, np.int64)
    size = np.zeros((rows, players), np.int64)
    set_here = np.zeros((rows, players), np.int64)
    codes = np.zeros((rows, players, width), np.int64)
    weight = np.zeros((rows, width))
    choice = np.zeros(players, np.int64)
    here = np.zeros(players)

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

        here[:] = 0.0
        gains(table, state[depth], here)
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

        code = turn(table, state[depth])
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
            count = chance(table, state[depth], codes[depth, 0], weight[depth])
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
                count = actions(table, state[depth], p, codes[depth, actor])
                if count < 1:
                    status = NO_MOVES
                    break
                if actor > 0:
                    kinds[SERIAL_EXTRA] += fan[depth]
                fan[depth] *= count
                size[depth, actor] = count
                seen = observe(table, state[depth], p)
                before = last[depth, p]
                mask = buckets.size - 1
                spot = _slot(before, seen, mask)
                j = buckets[spot]
                while j >= 0 and (set_parent[j] != before or set_observation[j] != seen):
                    spot = (spot + 1) & mask
                    j = buckets[spot]
                if j < 0:
                    if sets == set_player.size:
                        set_player = _longer(set_player)
                        set_parent = _longer(set_parent)
                        set_observation = _longer(set_observation)
                        set_base = _longer(set_base)
                        set_size = _longer(set_size)
                        set_node = _longer(set_node)
                    while sequences + count > sequence_action.size:
                        sequence_action = _longer(sequence_action)
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
                    if 2 * sets > buckets.size:
                        buckets = _rehash(sets, 2 * buckets.size, set_parent, set_observation)
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
        if depth + 2 > rows:
            grown = 2 * rows
            state_ = np.zeros((grown, state_size), np.int64)
            state_[:rows] = state
            state = state_
            last_ = np.zeros((grown, players), np.int64)
            last_[:rows] = last
            last = last_
            total_ = np.zeros((grown, players))
            total_[:rows] = total
            total = total_
            size_ = np.zeros((grown, players), np.int64)
            size_[:rows] = size
            size = size_
            here_ = np.zeros((grown, players), np.int64)
            here_[:rows] = set_here
            set_here = here_
            codes_ = np.zeros((grown, players, width), np.int64)
            codes_[:rows] = codes
            codes = codes_
            weight_ = np.zeros((grown, width))
            weight_[:rows] = weight
            weight = weight_
            cursor = _longer(cursor)
            fan = _longer(fan)
            place = _longer(place)
            who = _longer(who)
            rows = grown
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
        set_player[:sets].copy(),
        set_parent[:sets].copy(),
        set_observation[:sets].copy(),
        set_base[:sets].copy(),
        set_size[:sets].copy(),
        set_node[:sets].copy(),
        sequence_action[:sequences].copy(),
    )


@cache
def walker() -> Any:
    """Return the compiled walk; compiled (or loaded from the cache) on the first call."""
    ints = types.Array(types.int32, 1, "C")
    shorts = types.Array(types.int16, 1, "C")
    matrix = types.Array(types.int64, 2, "C")
    table = types.Array(types.float64, 2, "C")
    signature = (
        *FUNCTIONS, TABLE, LONG, LONG, LONG, LONG, LONG,
        matrix, ints, ints, shorts, ints, ints, FLOATS, ints, table,
    )  # fmt: skip
    return njit(signature, cache=True, error_model="numpy", nogil=True)(_walk)
