"""Room for the tree of a search: arrays that grow with it, up to a number of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hannan.arrays import longer
from hannan.errors import MismatchError
from hannan.kernels.mcts.records import (
    COLUMNS,
    FULL,
    ITERATIONS,
    NODES,
    PENDING,
    ROOT,
    ROWS,
    USED_CELLS,
    USED_STATS,
    Tree,
    Walk,
)
from hannan.rules.plain import MOST_MOVES
from hannan.treesearch.sound import check_tree

FIRST_NODES = 256
FACTOR = 1.5
MOST_CELLS = 2**31 - 1
"""Children are counted in 32 bits."""


class Growth:
    """The arrays of a search."""

    def __init__(self, state_size: int, width: int, most: int, seed: int) -> None:
        self.most = most
        """The most nodes; a walk that leaves a full tree is judged as any other, and no node is added."""
        first = min(FIRST_NODES, most)
        self.tree = Tree(np.zeros((first, 7), np.int32), np.zeros((first, 4)), np.zeros(1, np.int32), np.zeros(1))
        self.walk = Walk(
            now=np.zeros(10, np.int64),
            random=np.array([seed % 2**64, 0], np.uint64),
            state=np.zeros((2, state_size), np.int64),
            code=np.zeros((2, width), np.int64),
            odds=np.zeros(width),
            choice=np.zeros(2, np.int64),
            here=np.zeros(4),
            step=np.zeros((MOST_MOVES + 1, 3), np.int64),
            probability=np.zeros((MOST_MOVES + 2, 3)),
            trail=np.zeros(MOST_MOVES + 1, np.int64),
        )

    @property
    def nodes(self) -> int:
        """How many nodes the tree has."""
        return int(self.walk.now[NODES])

    @property
    def bytes(self) -> int:
        """Bytes of the nodes that there are, with their cells and numbers; not those of empty room."""
        now, tree = self.walk.now, self.tree
        each = tree.node.itemsize * tree.node.shape[1] + tree.number.itemsize * tree.number.shape[1]
        return int(now[NODES] * each + now[USED_CELLS] * tree.cell.itemsize + now[USED_STATS] * tree.stat.itemsize)

    def widen(self, width: int) -> None:
        """Make room for nodes of more moves."""
        walk = self.walk
        self.walk = walk._replace(code=np.zeros((2, width), np.int64), odds=np.zeros(width))

    def grow(self) -> None:
        """Make room for at least one more node, or mark the tree as full."""
        now, tree, width = self.walk.now, self.tree, self.walk.code.shape[1]
        cells, stats = int(now[USED_CELLS]) + width * width, int(now[USED_STATS]) + 6 * width
        if now[NODES] == self.most or cells > MOST_CELLS or stats > MOST_CELLS:
            now[FULL] = 1
            return
        node, number, cell, stat = tree
        if now[NODES] == len(node):
            size = min(int(FACTOR * len(node)) + 1, self.most)
            node, number = longer(node, size, 0), longer(number, size, 0)
        if cells > len(cell):
            cell = longer(cell, min(max(int(FACTOR * len(cell)), cells), MOST_CELLS))
        if stats > len(stat):
            stat = longer(stat, min(max(int(FACTOR * len(stat)), stats), MOST_CELLS))
        self.tree = Tree(node, number, cell, stat)

    def clear(self) -> None:
        """Forget the tree; random numbers and the count of iterations go on."""
        now = self.walk.now
        iterations = int(now[ITERATIONS])
        now[:] = 0
        now[ITERATIONS] = iterations

    def restore(self, state: Mapping[str, Any], compiled: bool) -> None:
        """Take over the arrays of a saved search; refuse what does not fit together."""
        now, walk = np.asarray(state["now"]), self.walk
        if now.shape != walk.now.shape or now.dtype != np.int64 or np.any(now < 0):
            raise MismatchError("the state is not that of a search")
        nodes, cells, stats, pending = (int(now[k]) for k in (NODES, USED_CELLS, USED_STATS, PENDING))
        shapes = {
            "node": ((nodes, 7), np.int32),
            "number": ((nodes, 4), np.float64),
            "cell": ((cells,), np.int32),
            "stat": ((stats,), np.float64),
            "random": ((2,), np.uint64),
            "sums": ((2,), np.float64),
            "before": ((1,), np.float64),
            "range": ((2,), np.float64),
            "step": ((pending, 3), np.int64),
            "probability": ((pending + 1, 3), np.float64),
        }
        for name, (shape, kind) in shapes.items():
            if name not in state or state[name].shape != shape or state[name].dtype != kind:
                raise MismatchError(f"the state holds another kind of {name}")
        if nodes > self.most or pending > MOST_MOVES or int(now[ROOT]) >= max(nodes, 1):
            raise MismatchError("the state points to what is not there")
        check_tree(state, walk.code.shape[1] if compiled else None)
        node, cell = state["node"], state["cell"]
        widest = int(node[:, [ROWS, COLUMNS]].max(initial=1))
        if widest > walk.code.shape[1]:
            self.widen(widest)
            walk = self.walk
        for name in ("now", "random"):
            getattr(walk, name)[:] = state[name]
        walk.here[2:], walk.step[:pending], walk.probability[: pending + 1] = (
            state[name] for name in ("sums", "step", "probability")
        )
        room = max(nodes, 1)
        self.tree = Tree(
            longer(node, room, 0),
            longer(state["number"], room, 0),
            longer(cell, cells + 1),
            longer(state["stat"], stats + 1),
        )
