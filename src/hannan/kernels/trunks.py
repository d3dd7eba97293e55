"""Passes over the nodes of a trunk, each after its parent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import inlined, kernel

Bytes = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]

LEAF, END, CHANCE, CHOICE = range(4)
"""Kinds of node: not expanded, end of play, chance moves, players move."""


class Nodes(NamedTuple):
    """What kernels read and write of a trunk (`hannan.certificates.trunk.Trunk` says what the columns mean)."""

    parent: Ints  # [room]
    move: Ints
    kind: Bytes
    first: Ints
    many: Ints
    late: Ints
    sibling: Ints
    group: Ints
    slot: Ints
    gain: Floats  # [room, utilities]
    low: Floats
    high: Floats
    least: Floats
    most: Floats
    set: Ints  # [room, seats]
    sequence: Ints
    size: Ints  # [room of groups]
    rank: Ints  # the number of a group among those whose odds are not known
    samples: Longs
    open: Bools
    known: Bools
    begin: Ints  # the first slot of a group whose outcomes are listed
    owner: Ints  # [room of slots]  the group
    outcome: Ints
    counts: Longs
    odds: Floats


@kernel
def spread(parent: Ints, probability: Floats, reach: Floats) -> None:
    """Write the product of chance's probabilities on the way to each node."""
    reach[0] = 1.0
    for node in range(1, parent.size):
        reach[node] = reach[parent[node]] * probability[node]


@kernel
def gather(parent: Ints, share: Floats, out: Floats) -> None:
    """Add the share of each node to its parent's."""
    for node in range(1, parent.size):
        out[parent[node]] += share[node]


@kernel
def induce(parent: Ints, mover: Bytes, value: Floats, best: Ints, most: Floats) -> None:
    """Add to the value of each node what comes after it: at chance (mover -1) all children, else the mover's best.

    `best` gets the best child, ties going to the first one; `most` is scratch, NaN at first.
    """
    for node in range(parent.size - 1, -1, -1):
        if mover[node] >= 0:
            value[node] += most[node]
        above = parent[node]
        if above < 0:
            continue
        if mover[above] < 0:
            value[above] += value[node]
        else:
            worth = value[node]
            better = worth >= most[above] if mover[above] == 0 else worth <= most[above]
            if best[above] < 0 or better:
                most[above] = worth
                best[above] = node


@inlined
def narrow_one(nodes: Nodes, node: int) -> bool:
    """Narrow the bounds of one node to what its children bring, where all are there; say whether they changed."""
    if nodes.kind[node] < CHANCE or nodes.first[node] < 0:
        return False
    first, last = nodes.first[node], nodes.first[node] + nodes.many[node]
    changed = False
    for u in range(nodes.low.shape[1]):
        least, most = np.inf, -np.inf
        for child in range(first, last):
            here = 0.0 if nodes.kind[child] == LEAF else nodes.gain[child, u]
            least, most = min(least, here + nodes.least[child, u]), max(most, here + nodes.most[child, u])
        least, most = max(nodes.low[node, u], least), min(nodes.high[node, u], most)
        if least != nodes.least[node, u] or most != nodes.most[node, u]:
            nodes.least[node, u], nodes.most[node, u] = least, most
            changed = True
    return changed


@inlined
def lift_from(nodes: Nodes, node: int, top: int) -> None:
    """Narrow bounds from a node up to the root; from `top` on only while something changes."""
    below = True
    while node >= 0:
        changed = narrow_one(nodes, node)
        if not changed and not below:
            return
        if node == top:
            below = False
        node = nodes.parent[node]


@kernel
def narrow(nodes: Nodes, used: int) -> None:
    """Work out all narrowed bounds from those that were told."""
    for node in range(used - 1, -1, -1):
        for u in range(nodes.low.shape[1]):
            nodes.least[node, u], nodes.most[node, u] = nodes.low[node, u], nodes.high[node, u]
        narrow_one(nodes, node)
