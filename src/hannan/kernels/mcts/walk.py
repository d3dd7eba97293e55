"""The walk: Algorithm 1 of V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013), over any selection rule.

The rules of the game are asked only where a walk leaves the tree: its moves are then played from where the search
begins. A walk that cannot leave the tree for want of room, or because the rules fail, goes on there when it is called
again.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types

from hannan import turns
from hannan.arrays import Longs
from hannan.kernels import inlined, signed
from hannan.kernels.borrow import address, borrowed
from hannan.kernels.mcts import oos, rm
from hannan.kernels.mcts.records import (
    ADVICE_FAILED,
    CELLS,
    CHANCE,
    COLUMN,
    COLUMNS,
    END,
    EVALUATION,
    FIRST_P,
    FULL,
    GAIN,
    ITERATIONS,
    KEPT,
    KIND,
    LEFT,
    LENGTH,
    MORE_NODES,
    MOVES,
    NODE,
    NODES,
    NOT_CONSTANT_SUM,
    OOS,
    OTHER,
    OUTSIDE_BOUNDS,
    PENDING,
    PLAN,
    POLICY,
    REACH,
    ROOT,
    ROW,
    ROWS,
    SECOND_P,
    STATS,
    SUM,
    SUMMED,
    TREE,
    UNTIL,
    USED_CELLS,
    USED_STATS,
    VISITS,
    WALK,
    WHO,
    Plan,
    Tree,
    Walk,
)
from hannan.kernels.mcts.selecting import anything, choose, learn
from hannan.kernels.sampling.draws import draw
from hannan.kernels.signatures import FUNCTIONS, LONG, NUMBERS, TABLE, Book
from hannan.kernels.statuses import CHANGED, DONE, NO_MOVES, NOT_A_DISTRIBUTION, NOT_FINITE, TOO_DEEP, TOO_WIDE

MOST_GAIN = 1e150
SLACK = 1e-9

ADVICE = LONG(LONG, LONG, LONG, NUMBERS)
"""advise(what, player, count, out): write the probabilities of a player's actions, or the value of the leaf."""


@inlined
def _look(book: Book, walk: Walk) -> tuple[int, int, int, int, int]:
    """Ask who moves where the walk is, and how; return a status, the kind, rows, columns and the movers."""
    now, width = address(walk.state, walk.state.shape[1]), walk.code.shape[1]
    turned = book.turn(book.table, now)
    if turned == turns.END:
        return DONE, END, 0, 0, 0
    if turned in (turns.NO_MOVERS, turns.CHANCE):
        count = book.chance(book.table, now, address(walk.code, 0), address(walk.odds, 0))
        if count < 1 or count > width:
            return NO_MOVES if count < 1 else TOO_WIDE, END, 0, 0, 0
        whole = 0.0
        for k in range(count):
            whole += walk.odds[k]
            if not walk.odds[k] >= 0.0:
                return NOT_A_DISTRIBUTION, END, 0, 0, 0
        return DONE if abs(whole - 1.0) < 1e-9 else NOT_A_DISTRIBUTION, CHANCE, 1, count, 0
    rows, columns = 1, 1
    if turned & 1:
        rows = book.actions(book.table, now, 0, address(walk.code, 0))
    if turned & 2:
        columns = book.actions(book.table, now, 1, address(walk.code, width))
    if rows < 1 or columns < 1:
        return NO_MOVES, END, 0, 0, 0
    return TOO_WIDE if max(rows, columns) > width else DONE, MOVES, rows, columns, turned


@inlined
def _move(book: Book, walk: Walk, kind: int, who: int, row: int, column: int, columns: int) -> None:
    """Make a move whose codes were asked for last."""
    walk.trail[walk.now[LENGTH]] = row * columns + column
    walk.now[LENGTH] += 1
    walk.choice[0] = walk.code[0, column if kind == CHANCE else row]
    if who == 2:
        walk.choice[0] = walk.code[1, column]
    elif who == 3:
        walk.choice[1] = walk.code[1, column]
    book.move(book.table, address(walk.state, walk.state.shape[1]), address(walk.choice, 0))


@inlined
def _replay(book: Book, tree: Tree, walk: Walk, depth: int) -> bool:
    """Play the moves of the path from where the search begins; say whether the rules still have them."""
    size, width = walk.state.shape[1], walk.code.shape[1]
    for k in range(size):
        walk.state[1, k] = walk.state[0, k]
    walk.now[LENGTH] = 0
    now = address(walk.state, size)
    for d in range(depth):
        node = walk.step[d, NODE]
        kind, who = tree.node[node, KIND], tree.node[node, WHO]
        rows, columns = tree.node[node, ROWS], tree.node[node, COLUMNS]
        turned = book.turn(book.table, now)
        if turned != who and not (kind == CHANCE and turned == turns.CHANCE):
            return False
        if kind == CHANCE and book.chance(book.table, now, address(walk.code, 0), address(walk.odds, 0)) != columns:
            return False
        if who & 1 and book.actions(book.table, now, 0, address(walk.code, 0)) != rows:
            return False
        if who & 2 and book.actions(book.table, now, 1, address(walk.code, width)) != columns:
            return False
        _move(book, walk, kind, who, walk.step[d, ROW], walk.step[d, COLUMN], columns)
    return True


@inlined
def _enter(tree: Tree, walk: Walk, kind: int, rows: int, columns: int, who: int, gain: float, other: float) -> None:
    """Write down a new node after all others; it counts only once `NODES` does."""
    now, node, number = walk.now, tree.node, tree.number
    new, cells, stats = now[NODES], now[USED_CELLS], now[USED_STATS]
    node[new, KIND], node[new, ROWS], node[new, COLUMNS], node[new, WHO] = kind, rows, columns, who
    node[new, CELLS], node[new, STATS] = cells, stats
    node[new, LEFT] = rows * columns if kind == MOVES and rows * columns > 1 else 0
    number[new, VISITS], number[new, SUM], number[new, GAIN], number[new, OTHER] = 0.0, 0.0, gain, other
    for k in range(rows * columns):
        tree.cell[cells + k] = 0
    if kind == CHANCE:
        for k in range(columns):
            tree.stat[stats + k] = walk.odds[k]
    elif kind == MOVES:
        for k in range(_stats(kind, rows, columns)):
            tree.stat[stats + k] = 0.0


@inlined
def _stats(kind: int, rows: int, columns: int) -> int:
    """Return how many numbers the players of a node keep."""
    if kind == CHANCE:
        return columns
    return KEPT * ((rows if rows > 1 else 0) + (columns if columns > 1 else 0)) if kind == MOVES else 0


@inlined
def _gain(book: Book, walk: Walk) -> bool:
    """Ask what was gained on coming here; say whether these are numbers."""
    walk.here[0], walk.here[1] = 0.0, 0.0
    book.gains(book.table, address(walk.state, walk.state.shape[1]), address(walk.here, 0))
    return abs(walk.here[0]) <= MOST_GAIN and abs(walk.here[1]) <= MOST_GAIN


@inlined
def _scaled(plan: Plan, gain: float) -> float:
    return (gain - plan.low) * plan.scale


@inlined
def _play_out(
    book: Book, advise: Any, walk: Walk, plan: Plan, kind: int, rows: int, columns: int, who: int, gain: float,
    other: float,
) -> tuple[int, float]:  # fmt: skip
    """Play from a new leaf to the end, or ask what it is worth; return a status and the return to player 0, scaled."""
    if kind != END and plan.judge == EVALUATION:
        if advise(EVALUATION, 0, 1, address(walk.odds, 0)) != 0:
            return ADVICE_FAILED, 0.0
        u = _scaled(plan, gain + walk.odds[0])
        return (DONE if -SLACK <= u <= 1.0 + SLACK else OUTSIDE_BOUNDS), min(max(u, 0.0), 1.0)
    most = walk.trail.size - 1
    while kind != END:
        row, column = 0, 0
        if kind == CHANCE:
            column = draw(walk.random, walk.odds, 0, columns)
        elif plan.judge == POLICY:
            for p in range(2):
                if (who >> p) & 1:
                    size = rows if p == 0 else columns
                    if advise(POLICY, p, size, address(walk.odds, 0)) != 0:
                        return ADVICE_FAILED, 0.0
                    k = draw(walk.random, walk.odds, 0, size)
                    row, column = (k, column) if p == 0 else (row, k)
        else:
            row = anything(walk.random, rows) if rows > 1 else 0
            column = anything(walk.random, columns) if columns > 1 else 0
        if walk.now[LENGTH] >= most:
            return TOO_DEEP, 0.0
        _move(book, walk, kind, who, row, column, columns)
        if not _gain(book, walk):
            return NOT_FINITE, 0.0
        gain += walk.here[0]
        other += walk.here[1]
        status, kind, rows, columns, who = _look(book, walk)
        if status != DONE:
            return status, 0.0
    if walk.now[SUMMED] == 0:
        walk.now[SUMMED], walk.here[2] = 1, gain + other
    walk.here[3] = gain + other
    if abs(walk.here[3] - walk.here[2]) > SLACK * max(1.0, abs(gain), abs(other)):
        return NOT_CONSTANT_SUM, 0.0
    u = _scaled(plan, gain)
    return (DONE if -SLACK <= u <= 1.0 + SLACK else OUTSIDE_BOUNDS), min(max(u, 0.0), 1.0)


@inlined
def _leave(book: Book, advise: Any, tree: Tree, walk: Walk, plan: Plan, depth: int) -> tuple[int, float]:
    """Leave the tree after `depth` moves: judge the new leaf, and add it where there is room."""
    now = walk.now
    gain, other = 0.0, 0.0
    if depth > 0:
        parent = walk.step[depth - 1, NODE]
        gain, other = tree.number[parent, GAIN], tree.number[parent, OTHER]
    if not _replay(book, tree, walk, depth):
        return CHANGED, 0.0
    if not _gain(book, walk):
        return NOT_FINITE, 0.0
    gain += walk.here[0]
    other += walk.here[1]
    status, kind, rows, columns, who = _look(book, walk)
    if status != DONE:
        return status, 0.0
    if now[FULL] == 0:
        _enter(tree, walk, kind, rows, columns, who, gain, other)
    if depth == 0:
        u = 0.0
    else:
        status, u = _play_out(book, advise, walk, plan, kind, rows, columns, who, gain, other)
    if status != DONE or now[FULL] != 0:
        return status, u
    new = now[NODES]
    now[NODES] += 1
    now[USED_CELLS] += rows * columns
    now[USED_STATS] += _stats(kind, rows, columns)
    if depth > 0:
        cell = tree.node[parent, CELLS] + walk.step[depth - 1, ROW] * tree.node[parent, COLUMNS]
        tree.cell[cell + walk.step[depth - 1, COLUMN]] = new
        if tree.node[parent, LEFT] > 0:
            tree.node[parent, LEFT] -= 1
        tree.number[new, VISITS], tree.number[new, SUM] = 1.0, u
    return DONE, u


@inlined
def _untried(random: Any, tree: Tree, cells: int, count: int, left: int) -> int:
    """Draw one of the cells of a node that have no child yet."""
    skip = anything(random, left)
    for k in range(count):
        if tree.cell[cells + k] == 0:
            if skip == 0:
                return k
            skip -= 1
    return 0


@inlined
def _select(tree: Tree, walk: Walk, plan: Plan, d: int, node: int, reach: float, explorer: int) -> float:
    """Choose a cell of a node, into the path; return the explorer's reach after it."""
    row, column = 0, 0
    rows, columns, stats = tree.node[node, ROWS], tree.node[node, COLUMNS], tree.node[node, STATS]
    walk.probability[d, REACH] = reach
    if tree.node[node, KIND] == CHANCE:
        column = draw(walk.random, tree.stat, stats, columns)
    elif tree.node[node, LEFT] > 0 and walk.now[FULL] == 0:
        k = _untried(walk.random, tree, tree.node[node, CELLS], rows * columns, tree.node[node, LEFT])
        row, column = k // columns, k % columns
        walk.probability[d, FIRST_P], walk.probability[d, SECOND_P] = 1.0 / rows, 1.0 / columns
        reach /= rows if explorer == 0 else columns if explorer == 1 else 1
    else:
        visits = tree.number[node, VISITS]
        if rows > 1:
            gamma = plan.gamma if explorer != 1 else 0.0
            row, played = choose(walk.random, plan, tree.stat, stats, rows, visits, gamma)
            walk.probability[d, FIRST_P] = played
            reach *= played if explorer == 0 else 1.0
            stats += 3 * rows
        if columns > 1:
            gamma = plan.gamma if explorer != 0 else 0.0
            column, played = choose(walk.random, plan, tree.stat, stats, columns, visits, gamma)
            walk.probability[d, SECOND_P] = played
            reach *= played if explorer == 1 else 1.0
    walk.step[d, NODE], walk.step[d, ROW], walk.step[d, COLUMN] = node, row, column
    return reach


@inlined
def _return(tree: Tree, walk: Walk, plan: Plan, depth: int, u: float, reach: float, explorer: int) -> None:
    """Bring what a walk returned back along its path: visits, means, counts, and what the rule learns."""
    weight, tail = (2.0 * u - 1.0) / reach if explorer >= 0 else 0.0, 1.0
    for d in range(depth - 1, -1, -1):
        node, row, column = walk.step[d, NODE], walk.step[d, ROW], walk.step[d, COLUMN]
        tree.number[node, SUM] += u
        tree.number[node, VISITS] += 1.0
        if tree.node[node, KIND] == MOVES:
            first = tree.node[node, STATS]
            for p in range(2):
                size, taken = (tree.node[node, ROWS], row) if p == 0 else (tree.node[node, COLUMNS], column)
                if size == 1:
                    continue
                played = walk.probability[d, FIRST_P] if p == 0 else walk.probability[d, SECOND_P]
                tree.stat[first + size + taken] += 1.0
                if explorer >= 0:
                    total = rm.weigh(tree.stat, first, size)
                    if p == explorer:
                        signed_weight = weight if p == 0 else -weight
                        tail = oos.update(tree.stat, first, size, taken, signed_weight, tail, total)
                    else:
                        oos.average(tree.stat, first, size, walk.probability[d, REACH], total)
                elif played > 0.0:
                    learn(tree, plan, node, p, first, row, column, played, u)
                first += 3 * size
        if plan.mean:
            u = tree.number[node, SUM] / tree.number[node, VISITS]


def _search(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Longs, advise: Any,
    tree: Tree, walk: Walk, plan: Plan,
) -> Any:  # fmt: skip
    tree, walk = borrowed(tree), borrowed(walk)
    book = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    now, width = walk.now, walk.code.shape[1]
    while now[ITERATIONS] < now[UNTIL]:
        lacking = now[NODES] == tree.node.shape[0]
        lacking |= now[USED_CELLS] + width * width > tree.cell.size or now[USED_STATS] + 6 * width > tree.stat.size
        if lacking and now[FULL] == 0:
            return MORE_NODES
        explorer = now[ITERATIONS] % 2 if plan.rule == OOS else -1
        if now[NODES] == 0:
            status, u = _leave(book, advise, tree, walk, plan, 0)
            if status != DONE:
                return status
            continue
        d, node, u, reach = now[PENDING], now[ROOT], 0.0, 1.0
        if d > 0:  # the last call came as far as this, and left off for want of room
            node, reach = 0, walk.probability[d, REACH]
            now[PENDING] = 0
        else:
            while tree.node[node, KIND] != END:
                reach = _select(tree, walk, plan, d, node, reach, explorer)
                columns = tree.node[node, COLUMNS]
                node = tree.cell[tree.node[node, CELLS] + walk.step[d, ROW] * columns + walk.step[d, COLUMN]]
                d += 1
                if node == 0:
                    break
        if node == 0 and d > 0:
            walk.random[1] = walk.random[0]
            status, u = _leave(book, advise, tree, walk, plan, d)
            if status != DONE:
                walk.random[0] = walk.random[1]
                now[PENDING], walk.probability[d, REACH] = d, reach
                return status
        else:
            u = min(max(_scaled(plan, tree.number[node, GAIN]), 0.0), 1.0)
        _return(tree, walk, plan, d, u, reach, explorer)
        now[ITERATIONS] += 1
    return DONE


@cache
def walker() -> Any:
    """Return the compiled walk."""
    signature = LONG(*FUNCTIONS, TABLE, types.FunctionType(ADVICE), TREE, WALK, PLAN)
    return signed(_search, signature)


def _silent(what: Any, player: Any, count: Any, out: Any) -> Any:
    return -1


@cache
def no_advice() -> Any:
    """Return what stands in where nobody is asked about leaves."""
    return signed(_silent, ADVICE)
