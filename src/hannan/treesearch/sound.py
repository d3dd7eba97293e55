"""Refuse a search, read from a file, in which a kernel would read or write out of bounds, or never end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hannan.errors import MismatchError
from hannan.kernels.mcts import records as tree
from hannan.kernels.search import records as rec
from hannan.kernels.search.records import Frames
from hannan.rules.plain import MOST_MOVES


def check_tree(state: Mapping[str, Any]) -> None:
    """Refuse a tree of a Monte Carlo search whose nodes, cells and numbers do not fit together."""
    node, cell, step = (state[name].astype(np.int64) for name in ("node", "cell", "step"))
    nodes = len(node)
    kind, rows, columns, who, left = (node[:, k] for k in (tree.KIND, tree.ROWS, tree.COLUMNS, tree.WHO, tree.LEFT))
    demand(_within(kind, tree.END, tree.MOVES) and _within(who, 0, 3))
    playing = kind != tree.END
    demand(_within(rows[playing], 1, len(cell)) and _within(columns[playing], 1, len(cell)))
    demand(not rows[~playing].any() and not columns[~playing].any() and not who[kind != tree.MOVES].any())
    demand(bool(np.all(rows[kind == tree.CHANCE] == 1)))
    moving = kind == tree.MOVES
    demand(bool(np.all((who > 0)[moving])))
    demand(bool(np.all(((rows == 1) | (who & 1 > 0))[moving] & ((columns == 1) | (who & 2 > 0))[moving])))
    sizes = rows * columns
    demand(np.array_equal(node[:, tree.CELLS], np.cumsum(sizes) - sizes) and int(sizes.sum()) == len(cell))
    kept = np.where(kind == tree.CHANCE, columns, 0)
    kept[moving] = tree.KEPT * (np.where(rows > 1, rows, 0) + np.where(columns > 1, columns, 0))[moving]
    demand(np.array_equal(node[:, tree.STATS], np.cumsum(kept) - kept) and int(kept.sum()) == len(state["stat"]))
    owner = np.repeat(np.arange(nodes), sizes)
    children = cell[cell != 0]
    demand(bool(np.all((cell == 0) | (cell > owner))) and _within(children, 1, nodes - 1))
    demand(len(np.unique(children)) == len(children))
    empty = np.bincount(owner[cell == 0], minlength=nodes)
    demand(bool(np.all((left >= 0) & (left <= empty))))
    demand(_shallow(nodes, owner[cell != 0], children))
    for name in ("number", "stat", "sums", "before", "range", "probability"):
        demand(bool(np.isfinite(state[name]).all()))
    demand(bool(np.all(state["number"][:, tree.VISITS] >= 0)))
    path = step[:, tree.NODE]
    demand(_within(path, 0, nodes - 1))
    demand(bool(np.all((step >= 0).all(axis=1))) and bool(np.all(step[:, tree.ROW] < rows[path])))
    demand(bool(np.all(step[:, tree.COLUMN] < columns[path])))
    reached = cell[node[path, tree.CELLS] + step[:, tree.ROW] * columns[path] + step[:, tree.COLUMN]]
    demand(np.array_equal(path[1:], reached[:-1]) and not path[:1].any())
    demand(not bool(np.isinf(state["mean"]).any()) and state["range"][1] > 0)


def _shallow(nodes: int, owner: Any, children: Any) -> bool:
    """Return whether no path of the tree is longer than the longest play."""
    above = np.zeros(nodes, np.int64)
    above[children] = owner
    level = np.arange(nodes)
    for _ in range(MOST_MOVES):
        level = above[level[level != 0]]
        if not len(level):
            return True
    return False


def check_frames(frames: Frames, used: int) -> None:
    """Refuse the path of an exact search in which a place or a number is out of range."""
    width, place, now = frames.x.shape[1], frames.place[:used], frames.now
    demand(-1 <= now[rec.DEPTH] < used and rec.ENTER <= now[rec.PHASE] <= rec.RETURN and 0 <= now[rec.WHO] <= 1)
    demand(bool(np.all(np.delete(now, rec.DEPTH) >= 0)))
    demand(
        _within(place[:, [rec.ROWS, rec.COLUMNS]], 0, width)
        and _within(place[:, [rec.ROW, rec.COLUMN]], 0, max(width, 1) - 1)
    )
    demand(_within(place[:, rec.KIND], 0, rec.MATRIX) and _within(place[:, [rec.MODE, rec.ASKED]], 0, rec.SECOND))
    demand(_within(place[:, rec.OUTER], -1, width) and _within(place[:, rec.INNER], 0, width))
    demand(_within(place[:, rec.CELL], 0, width * width) and _within(place[:, rec.WORDS], 0, frames.key.shape[1]))
    demand(_within(frames.stage[:used], 0, rec.SETTLED) and _within(frames.member[:used], 0, 1))
    for name in ("out", "number", "low", "high", "x", "y", "hope_x", "hope_y", "odds"):
        demand(not np.isnan(getattr(frames, name)).any())
    demand(bool(np.all(frames.odds[:used] >= 0)))


def _within(array: Any, low: int, high: int) -> bool:
    return bool(np.all((array >= low) & (array <= high)))


def demand(sound: bool) -> None:
    """Refuse the saved state unless `sound`."""
    if not sound:
        raise MismatchError("the state points to what is not there")
