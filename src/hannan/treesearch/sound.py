"""Refusing a search, read from a file, in which a kernel would read or write what is not there, or never end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hannan.errors import MismatchError
from hannan.kernels.mcts import records as tree
from hannan.kernels.search import records as rec
from hannan.kernels.search.records import Frames
from hannan.kernels.signatures import BESIDE
from hannan.rules.plain import CHANCE as CHANCE_MOVES
from hannan.rules.plain import END as PLAY_ENDS
from hannan.rules.plain import MOST_MOVES, Rules, movers


def check_tree(state: Mapping[str, Any]) -> None:
    """Refuse a tree of a Monte Carlo search whose nodes, cells and numbers do not fit together."""
    node, cell, step = (state[name].astype(np.int64) for name in ("node", "cell", "step"))
    nodes = len(node)
    kind, rows, columns, who, left = (node[:, k] for k in (tree.KIND, tree.ROWS, tree.COLUMNS, tree.WHO, tree.LEFT))
    _demand(_within(kind, tree.END, tree.MOVES) and _within(who, 0, 3))
    playing = kind != tree.END
    _demand(_within(rows[playing], 1, len(cell)) and _within(columns[playing], 1, len(cell)))
    _demand(not rows[~playing].any() and not columns[~playing].any() and not who[kind != tree.MOVES].any())
    _demand(bool(np.all(rows[kind == tree.CHANCE] == 1)))
    moving = kind == tree.MOVES
    _demand(bool(np.all((who > 0)[moving])))
    _demand(bool(np.all(((rows == 1) | (who & 1 > 0))[moving] & ((columns == 1) | (who & 2 > 0))[moving])))
    sizes = rows * columns
    _demand(np.array_equal(node[:, tree.CELLS], np.cumsum(sizes) - sizes) and int(sizes.sum()) == len(cell))
    kept = np.where(kind == tree.CHANCE, columns, 0)
    kept[moving] = tree.KEPT * (np.where(rows > 1, rows, 0) + np.where(columns > 1, columns, 0))[moving]
    _demand(np.array_equal(node[:, tree.STATS], np.cumsum(kept) - kept) and int(kept.sum()) == len(state["stat"]))
    owner = np.repeat(np.arange(nodes), sizes)
    children = cell[cell != 0]
    _demand(bool(np.all((cell == 0) | (cell > owner))) and _within(children, 1, nodes - 1))
    _demand(len(np.unique(children)) == len(children))
    empty = np.bincount(owner[cell == 0], minlength=nodes)
    _demand(bool(np.all((left >= 0) & (left <= empty))))
    _demand(_shallow(nodes, owner[cell != 0], children))
    for name in ("number", "stat", "sums", "before", "range", "probability"):
        _demand(bool(np.isfinite(state[name]).all()))
    _demand(bool(np.all(state["number"][:, tree.VISITS] >= 0)))
    path = step[:, tree.NODE]
    _demand(_within(path, 0, nodes - 1))
    _demand(bool(np.all((step >= 0).all(axis=1))) and bool(np.all(step[:, tree.ROW] < rows[path])))
    _demand(bool(np.all(step[:, tree.COLUMN] < columns[path])))
    reached = cell[node[path, tree.CELLS] + step[:, tree.ROW] * columns[path] + step[:, tree.COLUMN]]
    _demand(np.array_equal(path[1:], reached[:-1]) and not path[:1].any())
    _demand(not bool(np.isinf(state["mean"]).any()) and state["range"][1] > 0)


def _shallow(nodes: int, owner: Any, children: Any) -> bool:
    """Say whether no line of the tree is longer than a play may be."""
    above = np.zeros(nodes, np.int64)
    above[children] = owner
    level = np.arange(nodes)
    for _ in range(MOST_MOVES):
        level = above[level[level != 0]]
        if not len(level):
            return True
    return False


def check_frames(frames: Frames, used: int) -> None:
    """Refuse the path of an exact search in which a place or a number makes no sense."""
    width, place, now = frames.x.shape[1], frames.place[:used], frames.now
    _demand(-1 <= now[rec.DEPTH] < used and rec.ENTER <= now[rec.PHASE] <= rec.RETURN and 0 <= now[rec.WHO] <= 1)
    _demand(bool(np.all(np.delete(now, rec.DEPTH) >= 0)))
    _demand(
        _within(place[:, [rec.ROWS, rec.COLUMNS]], 0, width)
        and _within(place[:, [rec.ROW, rec.COLUMN]], 0, max(width, 1) - 1)
    )
    _demand(_within(place[:, rec.KIND], 0, rec.MATRIX) and _within(place[:, [rec.MODE, rec.ASKED]], 0, rec.SECOND))
    _demand(_within(place[:, rec.OUTER], -1, width) and _within(place[:, rec.INNER], 0, width))
    _demand(_within(place[:, rec.CELL], 0, width * width) and _within(place[:, rec.WORDS], 0, frames.key.shape[1]))
    _demand(_within(frames.stage[:used], 0, rec.SETTLED) and _within(frames.member[:used], 0, 1))
    for name in ("out", "number", "low", "high", "x", "y", "hope_x", "hope_y", "odds"):
        _demand(not np.isnan(getattr(frames, name)).any())
    _demand(bool(np.all(frames.odds[:used] >= 0)))


def check_path(frames: Frames, rules: Rules, start: Any) -> None:
    """Refuse states and moves on the path of a compiled search that are not those of the rules: play them again."""
    state, depth = start, int(frames.now[rec.DEPTH])
    for d in range(depth + 1):
        place = frames.place[d]
        filled = d < depth or frames.now[rec.PHASE] != rec.ENTER
        if filled or d == 0:
            _demand(tuple(frames.state[d].tolist()) == (*state, *(0,) * BESIDE))
        if not filled:
            return
        turn = rules.turn(state)
        if turn == PLAY_ENDS:
            _demand(d == depth and place[rec.KIND] not in (rec.CHANCE, rec.MATRIX))
            return
        menus = _menus(rules, state, turn)
        _demand(place[rec.KIND] == (rec.CHANCE if turn == CHANCE_MOVES else rec.MATRIX))
        move = []
        for row in range(2):
            size = int(place[(rec.ROWS, rec.COLUMNS)[row if turn != CHANCE_MOVES else 1 - row]])
            menu, codes = menus.get(row), frames.code[d, row, :size].tolist()
            _demand(size == 1 if menu is None else sorted(codes) == sorted(menu))
            if turn != CHANCE_MOVES:
                _demand((frames.info[d, 2 + row] != 0) == (menu is not None))
            if menu is not None and d < depth:
                k = int(place[rec.COLUMN if turn == CHANCE_MOVES else (rec.ROW, rec.COLUMN)[row]])
                _demand(k < size)
                move.append(codes[k])
        if d < depth:
            state = rules.after(state, tuple(move) if isinstance(turn, tuple) else move[0])


def _menus(rules: Rules, state: Any, turn: int | tuple[int, ...]) -> dict[int, list[Any]]:
    """Return the codes of each mover's actions, or of the outcomes of chance in row 0."""
    if turn == CHANCE_MOVES:
        return {0: [outcome for outcome, _ in rules.chance(state)]}
    return {player: list(rules.actions(state, player)) for player in movers(turn)}


def _within(array: Any, low: int, high: int) -> bool:
    return bool(np.all((array >= low) & (array <= high)))


def _demand(sound: bool) -> None:
    if not sound:
        raise MismatchError("the state points to what is not there")
