"""Solving a pseudogame of perfect information by backward induction: pure strategies, ties to the first action.

With known bounds of children and known chance, this makes Algorithm 6.1 an incremental alpha–beta search, and with one
player A*.
"""

from __future__ import annotations

import numpy as np

from hannan.certificates.pseudogame import Pair, Pseudogame
from hannan.certificates.solution import Method
from hannan.certificates.trunk import CHOICE, NONE, Trunk
from hannan.errors import UnsuitableError
from hannan.kernels import trunks


def perfect(trunk: Trunk) -> bool:
    """Return whether players know the whole history at every move in the trunk."""
    nodes = trunk.nodes
    choices = np.flatnonzero(nodes.view("kind") == CHOICE)
    joint = (nodes.set[choices] != NONE).sum(axis=1) > 1
    return not joint.any() and sum(sets.rows.used for sets in trunk.sets) == len(choices)


class Induction(Method):
    """Backward induction: from the leaves up, the best action for the mover at each node."""

    name = "induction"

    def strategies(self, trunk: Trunk, game: Pseudogame, side: int) -> Pair:
        if not perfect(trunk):
            raise UnsuitableError("induction needs perfect information; take lp or cfr")
        nodes = trunk.nodes
        moves = nodes.view("set") != NONE
        mover = np.where(moves[:, 0], 0, np.where(moves[:, 1], 1, NONE)).astype(np.int8)
        value, best = game.nodes[side].copy(), np.full(nodes.used, NONE, np.int32)
        trunks.induce(nodes.view("parent").copy(), mover, value, best, np.full(nodes.used, np.nan))
        strategies = []
        for player in (0, 1):
            strategy = np.zeros(game.sequences[player])
            strategy[0] = 1.0
            here = np.flatnonzero(mover == player)
            strategy[nodes.sequence[best[here], player]] = 1.0
            strategies.append(strategy)
        return strategies[0], strategies[1]
