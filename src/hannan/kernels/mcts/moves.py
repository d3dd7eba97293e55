"""The rules of the game, asked along one line of play; and new nodes, written down."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan import turns
from hannan.kernels import inlined
from hannan.kernels.addresses import address
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.records import SearchPlan, SearchTree, SearchWalk
from hannan.kernels.search.table import mix
from hannan.kernels.signatures import BESIDE, Book
from hannan.kernels.statuses import DONE, HIDDEN
from hannan.kernels.visit import ask_actions, ask_chance, ask_gains, ask_observation, ask_position, ask_turn


@inlined
def look(book: Book, walk: SearchWalk) -> tuple[int, int, int, int, int]:
    """Ask who moves where the walk is, and how; return a status, the kind, rows, columns and the movers."""
    now, width = address(walk.state, walk.state.shape[1]), walk.code.shape[1]
    status, turned = ask_turn(book, now, 2)
    if turned == turns.END or status != DONE:
        return status, rec.END, 0, 0, 0
    if turned == turns.NO_MOVERS:
        status, count, _ = ask_chance(book, now, width, address(walk.code, 0), address(walk.odds, 0))
        return status, rec.CHANCE, 1, count, 0
    rows, columns = 1, 1
    if turned & 1:
        status, rows = ask_actions(book, now, 0, width, address(walk.code, 0))
    if turned & 2 and status == DONE:
        status, columns = ask_actions(book, now, 1, width, address(walk.code, width))
    return status, rec.MOVES, rows, columns, turned


@inlined
def move(book: Book, walk: SearchWalk, kind: int, who: int, row: int, column: int, columns: int) -> None:
    """Make a move whose codes were asked for last."""
    walk.trail[walk.now[rec.LENGTH]] = row * columns + column
    walk.now[rec.LENGTH] += 1
    walk.choice[0] = walk.code[0, column if kind == rec.CHANCE else row]
    if who == 2:
        walk.choice[0] = walk.code[1, column]
    elif who == 3:
        walk.choice[1] = walk.code[1, column]
    book.move(book.table, address(walk.state, walk.state.shape[1]), address(walk.choice, 0))


@inlined
def replay(book: Book, tree: SearchTree, walk: SearchWalk, depth: int) -> None:
    """Play the moves of the path from where the search begins."""
    size, width = walk.state.shape[1], walk.code.shape[1]
    for k in range(size - BESIDE):
        walk.state[1, k] = walk.state[0, k]
    walk.now[rec.LENGTH] = 0
    now = address(walk.state, size)
    for d in range(depth):
        node = walk.step[d, rec.NODE]
        kind, who = tree.node[node, rec.KIND], tree.node[node, rec.WHO]
        if kind == rec.CHANCE:
            book.chance(book.table, now, address(walk.code, 0), address(walk.odds, 0))
        if who & 1:
            book.actions(book.table, now, 0, address(walk.code, 0))
        if who & 2:
            book.actions(book.table, now, 1, address(walk.code, width))
        move(book, walk, kind, who, walk.step[d, rec.ROW], walk.step[d, rec.COLUMN], tree.node[node, rec.COLUMNS])


@inlined
def gain_here(book: Book, walk: SearchWalk) -> int:
    """Ask what was gained on coming here; return a status."""
    status, _ = ask_gains(book, address(walk.state, walk.state.shape[1]), 2, address(walk.here, 0))
    return status


@inlined
def stats_of(kind: int, rows: int, columns: int) -> int:
    """Return how many numbers the players of a node keep."""
    if kind == rec.CHANCE:
        return columns
    return rec.KEPT * ((rows if rows > 1 else 0) + (columns if columns > 1 else 0)) if kind == rec.MOVES else 0


@inlined
def enter(
    tree: SearchTree, walk: SearchWalk, kind: int, rows: int, columns: int, who: int, gain: float, other: float
) -> None:
    """Write down a new node after all others; it counts only once `NODES` does."""
    now, node, number = walk.now, tree.node, tree.number
    new, cells, stats = now[rec.NODES], now[rec.USED_CELLS], now[rec.USED_STATS]
    node[new, rec.KIND], node[new, rec.ROWS], node[new, rec.COLUMNS], node[new, rec.WHO] = kind, rows, columns, who
    node[new, rec.CELLS], node[new, rec.STATS] = cells, stats
    node[new, rec.LEFT] = rows * columns if kind == rec.MOVES and rows * columns > 1 else 0
    number[new, rec.VISITS], number[new, rec.SUM], number[new, rec.GAIN], number[new, rec.OTHER] = 0.0, 0.0, gain, other
    for k in range(rows * columns):
        tree.cell[cells + k], tree.mean[cells + k] = 0, np.nan
    if kind == rec.CHANCE:
        for k in range(columns):
            tree.stat[stats + k] = walk.odds[k]
    elif kind == rec.MOVES:
        for k in range(stats_of(kind, rows, columns)):
            tree.stat[stats + k] = 0.0


@inlined
def meet(book: Book, position: Any, tree: SearchTree, walk: SearchWalk, plan: SearchPlan, who: int, depth: int) -> int:
    """Note what each player knows at a new node; return `HIDDEN` where a mover has met the same with another position.

    Only the sets met lately are remembered, and hashes may agree by chance: who is told so looks again.
    """
    if plan.apart == rec.NOT_APART:
        return DONE
    now, new = address(walk.state, walk.state.shape[1]), walk.now[rec.NODES]
    for p in range(2):
        known = p + 1
        if depth > 0:
            before = walk.step[depth - 1, rec.NODE]
            known = tree.known[before, p]
            if (tree.node[before, rec.WHO] >> p) & 1:
                known = mix(known, walk.step[depth - 1, rec.ROW if p == 0 else rec.COLUMN])
        if (who >> p) & 1:
            status, seen = ask_observation(book, now, p)
            if status != DONE:
                return status
            known = mix(known, seen)
        tree.known[new, p] = known
    if who == 0:
        return DONE
    words = walk.position.size
    if plan.apart == rec.BY_POSITION:
        status, words = ask_position(position, book, now, walk.position.size, address(walk.position, 0))
        if status != DONE:
            return status
    code, status = mix(0, words), DONE
    for k in range(words):
        code = mix(code, walk.position[k] if plan.apart == rec.BY_POSITION else walk.state[1, k])
    for p in range(2):
        if (who >> p) & 1:
            known = tree.known[new, p]
            place = known & (walk.met.shape[0] - 1)
            if walk.met[place, 0] != known:
                walk.met[place, 0], walk.met[place, 1] = known, code
            elif walk.met[place, 1] != code and walk.now[rec.TRUSTED] == 0:
                walk.now[rec.WHOSE], status = p, HIDDEN
    walk.now[rec.TRUSTED] = 0
    return status
