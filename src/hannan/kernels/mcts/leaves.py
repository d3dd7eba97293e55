"""Where a walk leaves the tree: the new leaf is judged, by play to the end or by a function, and added.

The rules of the game are asked here alone: the moves of the path are played from where the search begins.
"""

from __future__ import annotations

from typing import Any

from hannan.kernels import inlined, kernel
from hannan.kernels.addresses import address
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.moves import enter, gain_here, look, meet, move, replay, stats_of
from hannan.kernels.mcts.random_play import drawn
from hannan.kernels.mcts.records import SearchPlan, SearchTree, SearchWalk
from hannan.kernels.sampling.draws import draw
from hannan.kernels.signatures import LONG, NUMBERS, Book
from hannan.kernels.statuses import ADVICE_FAILED, DONE, MORE_NODES, NOT_CONSTANT_SUM, OUTSIDE_BOUNDS, TOO_DEEP

SLACK = 1e-9

ADVICE = LONG(LONG, LONG, LONG, NUMBERS)
"""advise(what, player, count, out): write the probabilities of a player's actions, or the value of the leaf."""


@inlined
def scaled(plan: SearchPlan, gain: float) -> float:
    """Return a gain of player 0 as a part of the way from the least to the most."""
    return (gain - plan.low) * plan.scale


@inlined
def _play_out(
    book: Book, advise: Any, walk: SearchWalk, plan: SearchPlan, kind: int, rows: int, columns: int, who: int,
    gain: float, other: float,
) -> tuple[int, float]:  # fmt: skip
    """Play from a new leaf to the end, or ask what it is worth; return a status and the return to player 0, scaled."""
    if kind != rec.END and plan.judge == rec.EVALUATION:
        if advise(rec.EVALUATION, 0, 1, address(walk.odds, 0)) != 0:
            return ADVICE_FAILED, 0.0
        u = scaled(plan, gain + walk.odds[0])
        return (DONE if -SLACK <= u <= 1.0 + SLACK else OUTSIDE_BOUNDS), min(max(u, 0.0), 1.0)
    most = walk.trail.size - 1
    while kind != rec.END:
        row, column = 0, 0
        if kind == rec.CHANCE:
            column = draw(walk.random, walk.odds, 0, columns)
        elif plan.judge == rec.POLICY:
            for p in range(2):
                if (who >> p) & 1:
                    size = rows if p == 0 else columns
                    if advise(rec.POLICY, p, size, address(walk.odds, 0)) != 0:
                        return ADVICE_FAILED, 0.0
                    k = draw(walk.random, walk.odds, 0, size)
                    row, column = (k, column) if p == 0 else (row, k)
        else:
            row = drawn(walk.random, rows) if rows > 1 else 0
            column = drawn(walk.random, columns) if columns > 1 else 0
        if walk.now[rec.LENGTH] >= most:
            return TOO_DEEP, 0.0
        move(book, walk, kind, who, row, column, columns)
        status = gain_here(book, walk)
        if status != DONE:
            return status, 0.0
        gain += walk.here[0]
        other += walk.here[1]
        status, kind, rows, columns, who = look(book, walk)
        if status != DONE:
            return status, 0.0
    return judged_end(walk, plan, gain, other)


@inlined
def judged_end(walk: SearchWalk, plan: SearchPlan, gain: float, other: float) -> tuple[int, float]:
    """Return a status and what the end of play is worth to player 0, scaled; gains have the same sum at all ends."""
    if walk.now[rec.SUMMED] == 0:
        walk.now[rec.SUMMED], walk.here[2] = 1, gain + other
    walk.here[3] = gain + other
    if abs(walk.here[3] - walk.here[2]) > SLACK * max(1.0, abs(gain), abs(other)):
        return NOT_CONSTANT_SUM, 0.0
    u = scaled(plan, gain)
    return (DONE if -SLACK <= u <= 1.0 + SLACK else OUTSIDE_BOUNDS), min(max(u, 0.0), 1.0)


@inlined
def lacking(tree: SearchTree, walk: SearchWalk) -> bool:
    """Say whether the arrays may have no room for one more node."""
    now, width = walk.now, walk.code.shape[1]
    short = now[rec.NODES] == tree.node.shape[0] or now[rec.USED_CELLS] + width * width > tree.cell.size
    return short or now[rec.USED_STATS] + 6 * width > tree.stat.size


@inlined
def stand(
    book: Book, position: Any, tree: SearchTree, walk: SearchWalk, plan: SearchPlan, depth: int, grows: bool
) -> tuple[int, int, int, int, int, float, float]:
    """Play the path's first `depth` moves and write the node there down, not yet counted, if the tree `grows`.

    Returns a status, kind, rows, columns and movers, and what both have gained.
    """
    gain, other = 0.0, 0.0
    if depth > 0:
        parent = walk.step[depth - 1, rec.NODE]
        gain, other = tree.number[parent, rec.GAIN], tree.number[parent, rec.OTHER]
    replay(book, tree, walk, depth)
    status = gain_here(book, walk)
    if status != DONE:
        return status, rec.END, 0, 0, 0, 0.0, 0.0
    gain += walk.here[0]
    other += walk.here[1]
    status, kind, rows, columns, who = look(book, walk)
    if status == DONE and grows:
        enter(tree, walk, kind, rows, columns, who, gain, other)
        status = meet(book, position, tree, walk, plan, who, depth)
    return status, kind, rows, columns, who, gain, other


@inlined
def cell_of(tree: SearchTree, walk: SearchWalk, depth: int) -> int:
    """Return the cell that the path's last move leads to."""
    parent = walk.step[depth - 1, rec.NODE]
    row = tree.node[parent, rec.CELLS] + walk.step[depth - 1, rec.ROW] * tree.node[parent, rec.COLUMNS]
    cell: int = row + walk.step[depth - 1, rec.COLUMN]
    return cell


@inlined
def count(tree: SearchTree, walk: SearchWalk, kind: int, rows: int, columns: int, depth: int) -> int:
    """Let the node that was written down last count, as the child that the path leads to; return its number."""
    now = walk.now
    new = now[rec.NODES]
    now[rec.NODES] += 1
    now[rec.USED_CELLS] += rows * columns
    now[rec.USED_STATS] += stats_of(kind, rows, columns)
    if depth > 0:
        parent = walk.step[depth - 1, rec.NODE]
        tree.cell[cell_of(tree, walk, depth)] = new
        if tree.node[parent, rec.LEFT] > 0:
            tree.node[parent, rec.LEFT] -= 1
    return new


@kernel
def leave(
    book: Book, advise: Any, position: Any, tree: SearchTree, walk: SearchWalk, plan: SearchPlan, depth: int,
    grows: bool,
) -> tuple[int, float]:  # fmt: skip
    """Leave the tree after `depth` moves: judge the new leaf; add it if the tree `grows`.

    If the rule selects from the first visit on, a new leaf at which players move is added, and not judged.
    """
    if grows and lacking(tree, walk):
        return MORE_NODES, 0.0
    status, kind, rows, columns, who, gain, other = stand(book, position, tree, walk, plan, depth, grows)
    if status != DONE:
        return status, 0.0
    u, judged = 0.0, depth > 0
    if grows and plan.first_visits == rec.SELECTED and kind != rec.END:
        judged = False
    if judged:
        status, u = _play_out(book, advise, walk, plan, kind, rows, columns, who, gain, other)
    if status != DONE or not grows:
        return status, u
    new = count(tree, walk, kind, rows, columns, depth)
    if judged:
        tree.number[new, rec.VISITS], tree.number[new, rec.SUM] = 1.0, u
    elif depth > 0:
        before = tree.mean[cell_of(tree, walk, depth)]
        if before == before:  # the cell was played out at the first visit of its node
            tree.number[new, rec.VISITS], tree.number[new, rec.SUM] = 1.0, before
    return DONE, u
