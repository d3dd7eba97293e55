"""Passes over the nodes of a trunk, each after its parent."""

from __future__ import annotations

from hannan.arrays import Floats, Ints
from hannan.kernels import kernel


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
