"""The whole tree of a game, written down before the first walk: depth first, each node once."""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types

from hannan.arrays import Ints, Longs
from hannan.kernels import kernel, signed
from hannan.kernels.addresses import address
from hannan.kernels.lent import borrowed
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.leaves import count, judged_end, lacking, stand
from hannan.kernels.mcts.moves import stats_of
from hannan.kernels.mcts.records import SearchPlan, SearchTree, SearchWalk
from hannan.kernels.signatures import FUNCTIONS, LONG, OPTIONAL, TABLE, Book
from hannan.kernels.statuses import DONE, MORE_NODES, TOO_DEEP


@kernel
def build(book: Book, position: Any, tree: SearchTree, walk: SearchWalk, plan: SearchPlan) -> int:
    """Add every node; `PENDING` moves of the path lead to the node whose next cell is looked at.

    A call that ends for want of room goes on where it was. Nothing is left to try at any node: the rule alone selects.
    """
    now, depth = walk.now, walk.now[rec.PENDING]
    while True:
        if lacking(tree, walk):
            now[rec.PENDING] = depth
            return MORE_NODES
        status, kind, rows, columns, _, gain, other = stand(book, position, tree, walk, plan, depth, True)
        if status == DONE and kind == rec.END:
            status, _ = judged_end(walk, plan, gain, other)
        if status == DONE and depth + 1 >= walk.step.shape[0]:
            status = TOO_DEEP
        if status != DONE:
            now[rec.PENDING] = depth
            return status
        new = count(tree, walk, kind, rows, columns, depth)
        tree.node[new, rec.LEFT] = 0
        if kind != rec.END:
            walk.step[depth, rec.NODE], walk.step[depth, rec.ROW], walk.step[depth, rec.COLUMN] = new, 0, 0
            depth += 1
            continue
        while depth > 0:  # back to the last node with a cell that was not looked at
            at = walk.step[depth - 1, rec.NODE]
            cell = walk.step[depth - 1, rec.ROW] * tree.node[at, rec.COLUMNS] + walk.step[depth - 1, rec.COLUMN] + 1
            if cell < tree.node[at, rec.ROWS] * tree.node[at, rec.COLUMNS]:
                walk.step[depth - 1, rec.ROW] = cell // tree.node[at, rec.COLUMNS]
                walk.step[depth - 1, rec.COLUMN] = cell % tree.node[at, rec.COLUMNS]
                break
            depth -= 1
        if depth == 0:
            now[rec.PENDING] = 0
            return DONE


@cache
def builder() -> Any:
    """Return the compiled function that writes a whole tree down."""

    def whole(
        start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Longs,
        position: Any, tree: SearchTree, walk: SearchWalk, plan: SearchPlan,
    ) -> Any:  # fmt: skip
        tree, walk = borrowed(tree), borrowed(walk)
        book = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
        return build(book, position, tree, walk, plan)

    return signed(
        whole, LONG(*FUNCTIONS, TABLE, types.FunctionType(OPTIONAL["position"]), rec.TREE, rec.WALK, rec.PLAN)
    )


@kernel
def below(root: int, tree: SearchTree, number: Ints, order: Ints) -> tuple[int, int, int]:
    """Number the nodes of a subtree: `number[node]` + 1, and `order` the other way round.

    Returns how many nodes, cells and numbers of players there are.
    """
    order[0], number[root], reached, cells, stats, place = root, 1, 1, 0, 0, 0
    while place < reached:
        node = order[place]
        size = tree.node[node, rec.ROWS] * tree.node[node, rec.COLUMNS]
        for k in range(tree.node[node, rec.CELLS], tree.node[node, rec.CELLS] + size):
            child = tree.cell[k]
            if child > 0:
                order[reached] = child
                reached += 1
                number[child] = reached
        cells += size
        stats += stats_of(tree.node[node, rec.KIND], tree.node[node, rec.ROWS], tree.node[node, rec.COLUMNS])
        place += 1
    return reached, cells, stats


@kernel
def move_over(nodes: int, tree: SearchTree, number: Ints, order: Ints, new: SearchTree) -> None:
    """Copy the numbered nodes into a tree of their own."""
    cells, stats = 0, 0
    for place in range(nodes):
        node = order[place]
        for k in range(tree.node.shape[1]):
            new.node[place, k] = tree.node[node, k]
        for k in range(tree.number.shape[1]):
            new.number[place, k] = tree.number[node, k]
        for k in range(tree.known.shape[1]):
            new.known[place, k] = tree.known[node, k]
        size = tree.node[node, rec.ROWS] * tree.node[node, rec.COLUMNS]
        kept = stats_of(tree.node[node, rec.KIND], tree.node[node, rec.ROWS], tree.node[node, rec.COLUMNS])
        for k in range(size):
            child = tree.cell[tree.node[node, rec.CELLS] + k]
            new.cell[cells + k] = number[child] - 1 if child > 0 else 0
            new.mean[cells + k] = tree.mean[tree.node[node, rec.CELLS] + k]
        for k in range(kept):
            new.stat[stats + k] = tree.stat[tree.node[node, rec.STATS] + k]
        new.node[place, rec.CELLS], new.node[place, rec.STATS] = cells, stats
        cells += size
        stats += kept
