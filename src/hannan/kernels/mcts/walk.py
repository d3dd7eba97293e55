"""The walk: Algorithm 1 of V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013), compiled for one selection rule.

A walk that cannot leave the tree for want of room, or because the rules fail, goes on there when it is called again.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import types

from hannan.arrays import Longs
from hannan.kernels import inlined, pointed, signed
from hannan.kernels.addresses import address
from hannan.kernels.lent import borrowed
from hannan.kernels.mcts import oos
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.leaves import ADVICE, leave, scaled
from hannan.kernels.mcts.random_play import drawn
from hannan.kernels.mcts.records import Ground, Played, SearchPlan, SearchTree, SearchWalk, ground_of
from hannan.kernels.mcts.selection import select, update
from hannan.kernels.sampling.draws import draw
from hannan.kernels.signatures import FUNCTIONS, LONG, OPTIONAL, TABLE, Book
from hannan.kernels.statuses import DONE


@inlined
def _untried(ground: Ground, cells: int, count: int, left: int) -> int:
    """Draw one of the cells of a node that have no child yet."""
    skip = drawn(ground.random, left)
    for k in range(count):
        if ground.cell[cells + k] == 0:
            if skip == 0:
                return k
            skip -= 1
    return 0


@inlined
def _plays(ground: Ground, plan: SearchPlan, here: int, visits: float) -> float:
    """Return how often a rule was told of a node: its visits, and the first visits of cells where these are apart."""
    if plan.first_visits == rec.PRINTED:
        cells = ground.node[here + rec.ROWS] * ground.node[here + rec.COLUMNS]
        return visits + (cells - ground.node[here + rec.LEFT])
    return visits


@inlined
def _choose(
    rule: int, ground: Ground, plan: SearchPlan, d: int, node: int, reach: float, explorer: int, full: bool
) -> tuple[int, float]:
    """Choose a cell of a node, into the path; return the child there and the explorer's reach after it."""
    here, path = node * rec.FIELDS, d * rec.STEPS
    row, column = 0, 0
    rows, columns, stats = ground.node[here + rec.ROWS], ground.node[here + rec.COLUMNS], ground.node[here + rec.STATS]
    cells, left = ground.node[here + rec.CELLS], ground.node[here + rec.LEFT]
    if rule == rec.OOS:
        ground.probability[path + rec.REACH] = reach
    if ground.node[here + rec.KIND] == rec.CHANCE:
        column = draw(ground.random, ground.stat, stats, columns)
    elif left > 0 and not full and plan.first_visits != rec.SELECTED:
        k = _untried(ground, cells, rows * columns, left)
        row, column = k // columns, k % columns
        ground.probability[path + rec.FIRST_P], ground.probability[path + rec.SECOND_P] = 1.0 / rows, 1.0 / columns
        reach /= rows if explorer == 0 else columns if explorer == 1 else 1
    else:
        visits = _plays(ground, plan, here, ground.number[node * rec.NUMBERS + rec.VISITS])
        if rows > 1:
            gamma = plan.gamma if explorer != 1 else 0.0
            row, played = select(rule, ground.random, ground.stat, stats, rows, visits, plan, gamma)
            ground.probability[path + rec.FIRST_P] = played
            reach *= played if explorer == 0 else 1.0
            stats += rec.KEPT * rows
        if columns > 1:
            gamma = plan.gamma if explorer != 0 else 0.0
            column, played = select(rule, ground.random, ground.stat, stats, columns, visits, plan, gamma)
            ground.probability[path + rec.SECOND_P] = played
            reach *= played if explorer == 1 else 1.0
    ground.step[path + rec.NODE], ground.step[path + rec.ROW], ground.step[path + rec.COLUMN] = node, row, column
    return ground.cell[cells + row * columns + column], reach


@inlined
def _learn(rule: int, ground: Ground, plan: SearchPlan, d: int, node: int, visits: float, u: float) -> None:
    """Let both players learn at a node of the path that has returned u."""
    here, path = node * rec.FIELDS, d * rec.STEPS
    rows, columns, cells = ground.node[here + rec.ROWS], ground.node[here + rec.COLUMNS], ground.node[here + rec.CELLS]
    row, column, first = ground.step[path + rec.ROW], ground.step[path + rec.COLUMN], ground.node[here + rec.STATS]
    if rows > 1:
        ground.stat[first + rows + row] += 1.0
        played = ground.probability[path + rec.FIRST_P]
        if played > 0.0:
            update(
                rule, ground, plan,
                Played(first, rows, row, cells + column, columns, False, u, u, played, visits),
            )  # fmt: skip
        first += rec.KEPT * rows
    if columns > 1:
        ground.stat[first + columns + column] += 1.0
        played = ground.probability[path + rec.SECOND_P]
        if played > 0.0:
            update(
                rule, ground, plan,
                Played(first, columns, column, cells + row * columns, 1, True, u, 1.0 - u, played, visits),
            )  # fmt: skip


@inlined
def _learn_in_turn(ground: Ground, d: int, node: int, explorer: int, weight: float, tail: float) -> float:
    """Let the explorer of online outcome sampling learn at a node, and add to the other's average; return its tail."""
    here, path = node * rec.FIELDS, d * rec.STEPS
    first = ground.node[here + rec.STATS]
    for p in range(2):
        size = ground.node[here + (rec.ROWS if p == 0 else rec.COLUMNS)]
        if size == 1:
            continue
        taken = ground.step[path + (rec.ROW if p == 0 else rec.COLUMN)]
        ground.stat[first + size + taken] += 1.0
        if p == explorer:
            tail = oos.update(ground.stat, first, size, taken, weight if p == 0 else -weight, tail)
        else:
            oos.average(ground.stat, first, size, ground.probability[path + rec.REACH])
        first += rec.KEPT * size
    return tail


@inlined
def _return(
    rule: int, ground: Ground, plan: SearchPlan, depth: int, u: float, last: float, reach: float, explorer: int,
    apart: bool,
) -> None:  # fmt: skip
    """Bring what a walk returned back along its path: visits, means, counts, and what the rule learns.

    `last` is the mean of the node that the path leads to; NaN where it has none. `apart`: the path ends with the first
    visit of a cell, which the mean of its node leaves out.
    """
    weight, tail = (2.0 * u - 1.0) / reach if rule == rec.OOS else 0.0, 1.0
    mean = last
    for d in range(depth - 1, -1, -1):
        path = d * rec.STEPS
        node = ground.step[path + rec.NODE]
        there, here = node * rec.NUMBERS, node * rec.FIELDS
        cell = ground.step[path + rec.ROW] * ground.node[here + rec.COLUMNS] + ground.step[path + rec.COLUMN]
        ground.mean[ground.node[here + rec.CELLS] + cell] = mean
        whole, visits = ground.number[there + rec.SUM], ground.number[there + rec.VISITS]
        moves = ground.node[here + rec.KIND] == rec.MOVES
        left_out = apart and moves and d == depth - 1
        if not left_out:
            whole, visits = whole + u, visits + 1.0
            ground.number[there + rec.SUM], ground.number[there + rec.VISITS] = whole, visits
        mean = whole / visits if visits > 0.0 else np.nan
        if moves:
            if rule == rec.OOS:
                tail = _learn_in_turn(ground, d, node, explorer, weight, tail)
            else:
                _learn(rule, ground, plan, d, node, _plays(ground, plan, here, visits), u)
        u = mean if plan.mean and not left_out else u


@inlined
def search_on(
    rule: int, book: Book, advise: Any, position: Any, tree: SearchTree, walk: SearchWalk, plan: SearchPlan
) -> int:
    """Make walks until there are as many as wanted; return a status."""
    now, ground = walk.now, ground_of(tree, walk)
    if now[rec.NODES] == 0:
        status, u = leave(book, advise, position, tree, walk, plan, 0, True)
        if status != DONE:
            return status
    iterations, until, full = now[rec.ITERATIONS], now[rec.UNTIL], now[rec.FULL] != 0
    while iterations < until:
        explorer = iterations % 2 if rule == rec.OOS else -1
        d, node, u, reach = now[rec.PENDING], 0, 0.0, 1.0
        selected = plan.first_visits == rec.SELECTED
        fresh = selected and ground.number[rec.VISITS] == 0.0  # whether this is the first visit of the node
        inside = d == 0
        if d > 0:  # the last call came as far as this, and left off
            reach = ground.probability[d * rec.STEPS + rec.REACH]
            fresh = selected and ground.probability[d * rec.STEPS + rec.FIRST_P] > 0.0
            now[rec.PENDING] = 0
        while True:
            while inside and ground.node[node * rec.FIELDS + rec.KIND] != rec.END:
                fresh = fresh and ground.node[node * rec.FIELDS + rec.KIND] == rec.MOVES
                node, reach = _choose(rule, ground, plan, d, node, reach, explorer, full)
                d += 1
                inside = node != 0
            if inside:
                u = min(max(scaled(plan, ground.number[node * rec.NUMBERS + rec.GAIN]), 0.0), 1.0)
                break
            walk.random[1] = walk.random[0]
            grows = not full and not fresh
            status, u = leave(book, advise, position, tree, walk, plan, d, grows)
            if status != DONE:
                walk.random[0] = walk.random[1]
                now[rec.PENDING], ground.probability[d * rec.STEPS + rec.REACH] = d, reach
                ground.probability[d * rec.STEPS + rec.FIRST_P] = 1.0 if fresh else 0.0
                now[rec.ITERATIONS] = iterations
                return status
            if not (grows and selected):
                break
            node, inside, fresh = now[rec.NODES] - 1, True, True  # the rule selects at the new node, too
        last = np.nan if node == 0 and full else u
        apart = plan.first_visits == rec.PRINTED and node == 0 and not full
        _return(rule, ground, plan, d, u, last, reach, explorer, apart)
        iterations += 1
    now[rec.ITERATIONS] = iterations
    return DONE


@cache
def walker(rule: int) -> Any:
    """Return the walk of a rule, compiled."""

    def search(
        start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Longs,
        advise: Any, position: Any, tree: SearchTree, walk: SearchWalk, plan: SearchPlan,
    ) -> Any:  # fmt: skip
        tree, walk = borrowed(tree), borrowed(walk)
        book = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
        return search_on(rule, book, advise, position, tree, walk, plan)

    functions = (types.FunctionType(ADVICE), types.FunctionType(OPTIONAL["position"]))
    return signed(search, LONG(*FUNCTIONS, TABLE, *functions, rec.TREE, rec.WALK, rec.PLAN))


def _silent(what: Any, player: Any, count: Any, out: Any) -> Any:
    return -1


@cache
def no_advice() -> Any:
    """Return the placeholder for searches without advice about leaves."""
    return pointed(_silent, ADVICE)
