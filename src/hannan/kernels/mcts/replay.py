"""Playing a tree that was read from a file once more: do its nodes have the movers and moves that the rules have?"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types

from hannan.arrays import Longs
from hannan.kernels import signed
from hannan.kernels.addresses import address
from hannan.kernels.lent import borrowed
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.moves import look, move
from hannan.kernels.mcts.records import SearchTree, SearchWalk
from hannan.kernels.signatures import BESIDE, FUNCTIONS, LONG, TABLE, Book
from hannan.kernels.statuses import CHANGED, DONE


def _check(
    start: Any, turn: Any, actions: Any, chance: Any, move_: Any, observe: Any, gains: Any, table: Longs,
    tree: SearchTree, walk: SearchWalk, states: Longs, path: Longs,
) -> Any:  # fmt: skip
    """Visit every node, depth first; states: [depths, size], path: the node and the next cell at each depth."""
    book = Book(start, turn, actions, chance, move_, observe, gains, address(table, 0))
    tree, walk = borrowed(tree), borrowed(walk)
    size, d = walk.state.shape[1] - BESIDE, 0
    for k in range(size):
        states[0, k] = walk.state[0, k]
    path[0, 0], path[0, 1] = 0, 0
    while d >= 0:
        node, k = path[d, 0], path[d, 1]
        cells, columns = tree.node[node, rec.CELLS], tree.node[node, rec.COLUMNS]
        many = tree.node[node, rec.ROWS] * columns
        if k > 0:
            while k < many and tree.cell[cells + k] == 0:
                k += 1
            if k >= many:
                d -= 1
                continue
        for s in range(size):
            walk.state[1, s] = states[d, s]
        status, kind, rows, wide, who = look(book, walk)
        if status != DONE:
            return status
        if kind != tree.node[node, rec.KIND] or rows != tree.node[node, rec.ROWS] or wide != columns:
            return CHANGED
        if who != tree.node[node, rec.WHO]:
            return CHANGED
        while k < many and tree.cell[cells + k] == 0:
            k += 1
        if kind == rec.END or k >= many:
            d -= 1
            continue
        path[d, 1] = k + 1
        walk.now[rec.LENGTH] = d
        move(book, walk, kind, who, k // columns, k % columns, columns)
        d += 1
        for s in range(size):
            states[d, s] = walk.state[1, s]
        path[d, 0], path[d, 1] = tree.cell[cells + k], 0
    return DONE


@cache
def checker() -> Any:
    """Return the compiled function; compiled (or loaded from the cache) on first use."""
    table = types.Array(types.int64, 2, "C")
    return signed(_check, LONG(*FUNCTIONS, TABLE, rec.TREE, rec.WALK, table, table))
