"""How play comes to information sets: one walk over the histories, level by level."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Shorts
from hannan.kernels import owning


@owning
def sets(
    players: int,
    children: Ints,
    turn: Shorts,
    slot_begin: Ints,
    slots: Ints,
    probability: Floats,
    gain_node: Ints,
    gain: Floats,
    depth_begin: Ints,
    set_begin: Longs,
    first: Ints,
    size: Ints,
    strategy: Floats,
    reach: Floats,
    gained: Floats,
) -> None:
    """Write, for each set, the probability that chance and the others lead there, and what its player has by then.

    `reach` and `gained` are [sets], players end to end as in `passes.Flat`, zeros when given; `gained` is weighted by
    `reach`. Gains on the histories of the set itself count.
    """
    widest = 0
    for depth in range(depth_begin.size - 1):
        widest = max(widest, depth_begin[depth + 1] - depth_begin[depth])
    others = np.ones((widest, players))  # chance's and the other players' probability of the history
    others_below = np.ones((widest, players))
    earned = np.zeros((widest, players))
    earned_below = np.zeros((widest, players))
    mover = np.empty(players, np.int64)
    place = np.empty(players, np.int64)
    entry = 0
    for depth in range(depth_begin.size - 1):
        begin, end = depth_begin[depth], depth_begin[depth + 1]
        for node in range(begin, end):
            here = node - begin
            if entry < gain_node.size and gain_node[entry] == node:
                for p in range(players):
                    earned[here, p] += gain[entry, p]
                entry += 1
            movers = 0
            if turn[node] > 0:
                for p in range(players):
                    if (turn[node] >> p) & 1:
                        j = set_begin[p] + slots[slot_begin[node] + movers]
                        reach[j] += others[here, p]
                        gained[j] += others[here, p] * earned[here, p]
                        mover[movers] = p
                        place[movers] = j
                        movers += 1
            for child in range(children[node], children[node + 1]):
                below = child - end
                for p in range(players):
                    others_below[below, p] = others[here, p] * probability[child]
                    earned_below[below, p] = earned[here, p]
                rest = child - children[node]
                for k in range(movers - 1, -1, -1):
                    j = place[k]
                    taken = strategy[first[j] + rest % size[j]]
                    rest //= size[j]
                    for p in range(players):
                        if p != mover[k]:
                            others_below[below, p] *= taken
        others, others_below = others_below, others
        earned, earned_below = earned_below, earned
