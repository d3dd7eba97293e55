"""From the order in which a walk meets histories, depth first, to that of a `GameTree`, breadth first."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Shorts
from hannan.kernels import owning
from hannan.kernels.expansion.walk import GAINFUL, NODES, SLOTS


@owning
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
) -> None:
    """Bring a record into breadth-first order; the last eight arrays are those of `GameTree`."""
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
            code >>= 1
        if gainful < recorded_gain_node.size and recorded_gain_node[gainful] == recorded:
            k = next_gain[depth]
            next_gain[depth] += 1
            gain_node[k] = node
            for p in range(players):
                gain[k, p] = recorded_gain[gainful, p]
            gainful += 1
