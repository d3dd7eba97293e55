"""The probability and the value of every history under a profile."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hannan.arrays import Floats, frozen
from hannan.measures.imagined import edges
from hannan.strategies.locks import unlocked
from hannan.strategies.profile import Profile


@dataclass(frozen=True, eq=False)
class Histories:
    """All histories of a game under a profile, in the order of its tree."""

    edge: Floats  # [nodes]  the probability of the move into the node; 0 at the root
    reach: Floats  # [nodes]  the probability that play comes to the node
    value: Floats  # [nodes, players]  what each player gains at the node and after it


def histories(profile: Profile) -> Histories:
    """Return the reach and the value of every history if all players follow a profile."""
    profile = unlocked(profile)
    tree = profile.game.tree
    edge, _, _ = edges(tree, dict(enumerate(profile.strategies)))
    levels = list(pairwise(tree.depth_begin.tolist()))
    reach = edge.copy()
    reach[0] = 1.0
    for low, high in levels[1:]:
        reach[low:high] *= reach[tree.parent[low:high]]
    value = np.zeros((tree.nodes, tree.players))
    value[tree.gain_node] = tree.gain
    for (up, low), (_, high) in reversed(list(pairwise(levels))):
        above = tree.parent[low:high] - up
        for player in range(tree.players):
            value[up:low, player] += np.bincount(above, edge[low:high] * value[low:high, player], minlength=low - up)
    for numbers in (edge, reach, value):
        frozen(numbers)
    return Histories(edge, reach, value)
