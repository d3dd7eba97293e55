"""The arrays of a search tree, which grow with it up to a given number of nodes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hannan.arrays import longer
from hannan.errors import MismatchError
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.records import SearchPlan, SearchTree, SearchWalk
from hannan.rules.plain import MOST_MOVES
from hannan.rules.source import fenced, states
from hannan.treesearch.sound import check_tree

FIRST_NODES = 256
FACTOR = 1.5
SPEED, MEASURED = 1e9, 2**20
"""Bytes allocated per second when the tree grows, until measured; growth by more than `MEASURED` bytes is measured."""
MOST_CELLS = 2**31 - 1
"""Children are counted in 32 bits."""

SETS = 65_536
"""The number of information sets remembered with their position, to notice hidden information."""


class Growth:
    """The arrays of a search."""

    def __init__(self, state_size: int, width: int, most: int, seed: int) -> None:
        self.most = most
        """The most nodes. If the tree is full, a walk that leaves it is judged as usual, and no node is added."""
        self.left: Callable[[], float] | None = None
        """Returns the seconds left for a search; None: no time limit."""
        self._speed, self._held = SPEED, False
        first = min(FIRST_NODES, most)
        self.tree = empty_tree(first, 1, 1)
        self.walk = SearchWalk(
            now=np.zeros(rec.NOW, np.int64),
            random=np.array([seed % 2**64, 0], np.uint64),
            state=states(2, state_size),
            code=fenced((2, width), np.int64),
            odds=fenced(width),
            choice=fenced(2, np.int64),
            here=fenced(4),
            step=np.zeros((MOST_MOVES + 1, 3), np.int64),
            probability=np.zeros((MOST_MOVES + 2, 3)),
            trail=np.zeros(MOST_MOVES + 1, np.int64),
            position=fenced(state_size, np.int64),
            met=np.zeros((SETS, 2), np.int64),
        )

    @property
    def nodes(self) -> int:
        """How many nodes the tree has."""
        return int(self.walk.now[rec.NODES])

    @property
    def bytes(self) -> int:
        """Bytes of the existing nodes with their cells and numbers, without unused room."""
        now, tree = self.walk.now, self.tree
        each = sum(part.itemsize * part.shape[1] for part in (tree.node, tree.number, tree.known))
        cells = now[rec.USED_CELLS] * (tree.cell.itemsize + tree.mean.itemsize)
        return int(now[rec.NODES] * each + cells + now[rec.USED_STATS] * tree.stat.itemsize)

    def widen(self, width: int) -> None:
        """Make room for nodes of more moves."""
        walk = self.walk
        self.walk = walk._replace(code=fenced((2, width), np.int64), odds=fenced(width))

    def told(self, plan: SearchPlan) -> SearchPlan:
        """Return a plan in which the weights of a user's rule have room: the array of the odds of chance."""
        return plan._replace(weights=self.walk.odds.ctypes.data)

    def grow(self) -> None:
        """Make room for at least one more node, or mark the tree as full; until `release`, if only time is short."""
        now, tree, width = self.walk.now, self.tree, self.walk.code.shape[1]
        cells, stats = int(now[rec.USED_CELLS]) + width * width, int(now[rec.USED_STATS]) + 6 * width
        if now[rec.NODES] == self.most or cells > MOST_CELLS or stats > MOST_CELLS:
            now[rec.FULL] = 1
            return
        sizes: dict[str, int] = {}
        if now[rec.NODES] == len(tree.node):
            sizes |= dict.fromkeys(("node", "number", "known"), min(int(FACTOR * len(tree.node)) + 1, self.most))
        if cells > len(tree.cell):
            size = min(max(int(FACTOR * len(tree.cell)), cells), MOST_CELLS)
            sizes |= {"cell": size, "mean": size}
        if stats > len(tree.stat):
            sizes["stat"] = min(max(int(FACTOR * len(tree.stat)), stats), MOST_CELLS)
        new = sum(size * getattr(tree, name)[:1].nbytes for name, size in sizes.items())
        if self.left is not None and self.nodes > 0 and new > self._speed * self.left():
            now[rec.FULL], self._held = 1, True
            return
        began = time.perf_counter()
        grown = {name: longer(getattr(tree, name), size, 0) for name, size in sizes.items()}
        self.tree = tree._replace(**grown)
        if new > MEASURED:
            self._speed = new / max(time.perf_counter() - began, 1e-9)

    def release(self) -> None:
        """Let the tree grow again if it was marked as full for lack of time."""
        if self._held:
            self.walk.now[rec.FULL], self._held = 0, False

    def clear(self) -> None:
        """Delete the tree; the random numbers and the count of iterations go on."""
        now = self.walk.now
        iterations = int(now[rec.ITERATIONS])
        now[:] = 0
        now[rec.ITERATIONS] = iterations

    def keep(self, root: int) -> None:
        """Keep the nodes from `root` down and free all others; `root` becomes the first node."""
        from hannan.kernels.mcts.whole_tree import below, move_over

        now = self.walk.now
        number, order = np.zeros(self.nodes, np.int32), np.zeros(self.nodes, np.int32)
        nodes, cells, stats = below(root, self.tree, number, order)
        kept = empty_tree(nodes, cells + 1, stats + 1)
        move_over(nodes, self.tree, number, order, kept)
        self.tree = kept
        now[rec.NODES], now[rec.USED_CELLS], now[rec.USED_STATS] = nodes, cells, stats
        now[rec.FULL] = now[rec.PENDING] = 0

    def state(self) -> dict[str, Any]:
        """Return copies of the used parts of the arrays, for `restore`."""
        walk, now, parts = self.walk, self.walk.now, self.tree._asdict()
        pending = int(now[rec.PENDING])
        used = {"cell": int(now[rec.USED_CELLS]), "mean": int(now[rec.USED_CELLS]), "stat": int(now[rec.USED_STATS])}
        return {name: part[: used.get(name, self.nodes)].copy() for name, part in parts.items()} | {
            "now": now.copy(),
            "random": walk.random.copy(),
            "sums": walk.here[2:].copy(),
            "step": walk.step[:pending].copy(),
            "probability": walk.probability[: pending + 1].copy(),
        }

    def written(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the arrays that the rules write into, and those of states."""
        walk = self.walk
        return (walk.code, walk.odds, walk.choice, walk.here, walk.position), (walk.state,)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the arrays of a saved search; refuse arrays that do not fit together."""
        now, walk = np.asarray(state["now"]), self.walk
        if now.shape != walk.now.shape or now.dtype != np.int64 or np.any(now < 0):
            raise MismatchError("the state is not that of a search")
        nodes, cells, stats, pending = (int(now[k]) for k in (rec.NODES, rec.USED_CELLS, rec.USED_STATS, rec.PENDING))
        shapes = {
            "node": ((nodes, rec.FIELDS), np.int32),
            "number": ((nodes, rec.NUMBERS), np.float64),
            "known": ((nodes, 2), np.int64),
            "cell": ((cells,), np.int32),
            "mean": ((cells,), np.float64),
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
        if nodes > self.most or pending > MOST_MOVES:
            raise MismatchError("the state points to what is not there")
        check_tree(state)
        for name in ("now", "random"):
            getattr(walk, name)[:] = state[name]
        walk.here[2:], walk.step[:pending], walk.probability[: pending + 1] = (
            state[name] for name in ("sums", "step", "probability")
        )
        room = max(nodes, 1)
        self.tree = SearchTree(
            longer(state["node"], room, 0),
            longer(state["number"], room, 0),
            longer(state["cell"], cells + 1),
            longer(state["mean"], cells + 1),
            longer(state["stat"], stats + 1),
            longer(state["known"], room, 0),
        )


def empty_tree(nodes: int, cells: int, stats: int) -> SearchTree:
    """Return an empty tree with room for this many nodes, cells and numbers."""
    return SearchTree(
        np.zeros((nodes, rec.FIELDS), np.int32), np.zeros((nodes, rec.NUMBERS)), np.zeros(cells, np.int32),
        np.zeros(cells), np.zeros(stats), np.zeros((nodes, 2), np.int64),
    )  # fmt: skip
