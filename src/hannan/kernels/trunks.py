"""Passes over the nodes of a trunk, each after its parent."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hannan.arrays import Floats, Ints
from hannan.kernels import kernel

Bytes = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]


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


@kernel
def narrow(parent: Ints, leaf: Bools, closed: Bools, gain: Floats, low: Floats, high: Floats) -> None:
    """Narrow the bounds of expanded nodes, all of whose children are there (`closed`), to what children can bring."""
    least, most = np.full(parent.size, np.inf), np.full(parent.size, -np.inf)
    for node in range(parent.size - 1, -1, -1):
        if closed[node]:
            low[node] = max(low[node], least[node])
            high[node] = min(high[node], most[node])
        if node > 0:
            above, here = parent[node], 0.0 if leaf[node] else gain[node]
            least[above] = min(least[above], here + low[node])
            most[above] = max(most[above], here + high[node])
