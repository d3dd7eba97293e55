"""Many searches of small games, each from an empty tree: what experiments repeat.

Player 0's frequencies are measured against a best response in the whole game, which is written down once a game.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import kernel, signed
from hannan.kernels.addresses import address
from hannan.kernels.lent import borrowed
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.leaves import ADVICE
from hannan.kernels.mcts.records import SearchPlan, SearchTree, SearchWalk
from hannan.kernels.mcts.walk import search_on
from hannan.kernels.mcts.whole_tree import build
from hannan.kernels.search.matrix import Scratch, solve
from hannan.kernels.signatures import FLOATS, FUNCTIONS, LONG, LONGS, OPTIONAL, Book
from hannan.kernels.statuses import DONE


class Desk(NamedTuple):
    """Room to measure one game."""

    match: Ints  # [nodes]  the search's node at each node of the whole tree + 1, or 0
    worth: Floats  # [nodes]
    payoff: Floats  # [side, side]
    play: Floats  # [2, side]
    scratch: Scratch


@kernel
def equilibrium(whole: SearchTree, nodes: int, gamma: float, desk: Desk) -> float:
    """Solve the game in which every action has probability gamma / K at least; write player 0's play as counts.

    Returns the value to player 0. Where both must explore, a matrix of mixtures is solved at each node.
    """
    worth, A, x, y = desk.worth, desk.payoff, desk.play[0], desk.play[1]
    keep = 1.0 - gamma
    for node in range(nodes - 1, -1, -1):
        m, n = whole.node[node, rec.ROWS], whole.node[node, rec.COLUMNS]
        cells, kind, first = whole.node[node, rec.CELLS], whole.node[node, rec.KIND], whole.node[node, rec.STATS]
        if kind == rec.END:
            worth[node] = whole.number[node, rec.GAIN]
            continue
        if kind == rec.CHANCE:
            worth[node] = 0.0
            for k in range(n):
                worth[node] += whole.stat[first + k] * worth[whole.cell[cells + k]]
            continue
        for r in range(m):
            mean = 0.0
            for c in range(n):
                mean += worth[whole.cell[cells + r * n + c]] / n
            for c in range(n):
                A[r, c] = keep * worth[whole.cell[cells + r * n + c]] + gamma * mean
        for c in range(n):
            mean = 0.0
            for r in range(m):
                mean += A[r, c] / m
            for r in range(m):
                A[r, c] = keep * A[r, c] + gamma * mean
        lower, upper = solve(A, m, n, x, y, desk.scratch)
        worth[node] = (lower + upper) / 2.0
        for r in range(m if m > 1 else 0):
            whole.stat[first + rec.COUNT * m + r] = gamma / m + keep * x[r]
    return worth[0]


@kernel
def guarantee(whole: SearchTree, nodes: int, tree: SearchTree, searched: int, desk: Desk) -> float:
    """Return what player 0's frequencies in a tree earn against a best response; play is uniform where it has none."""
    match, worth = desk.match, desk.worth
    match[:nodes] = 0
    match[0] = 1 if searched > 0 else 0
    for node in range(nodes):
        own = match[node] - 1
        size = whole.node[node, rec.ROWS] * whole.node[node, rec.COLUMNS]
        for k in range(size if own >= 0 else 0):
            child = tree.cell[tree.node[own, rec.CELLS] + k]
            match[whole.cell[whole.node[node, rec.CELLS] + k]] = child + 1 if child > 0 else 0
    for node in range(nodes - 1, -1, -1):
        own, kind = match[node] - 1, whole.node[node, rec.KIND]
        m, n, cells = whole.node[node, rec.ROWS], whole.node[node, rec.COLUMNS], whole.node[node, rec.CELLS]
        if kind == rec.END:
            worth[node] = whole.number[node, rec.GAIN]
            continue
        if kind == rec.CHANCE:
            worth[node] = 0.0
            for k in range(n):
                worth[node] += whole.stat[whole.node[node, rec.STATS] + k] * worth[whole.cell[cells + k]]
            continue
        total, first = 0.0, 0
        if own >= 0 and m > 1:
            first = tree.node[own, rec.STATS] + rec.COUNT * m
            for r in range(m):
                total += tree.stat[first + r]
        least = np.inf
        for c in range(n):
            earned = 0.0
            for r in range(m):
                share = tree.stat[first + r] / total if total > 0.0 else 1.0 / m
                earned += share * worth[whole.cell[cells + r * n + c]]
            least = min(least, earned)
        worth[node] = least
    return worth[0]


@cache
def searcher_of_many(rule: int) -> Any:
    """Return the compiled loop over games, searches of each, and points at which they are measured."""

    def many(
        start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, advise: Any,
        position: Any, tables: Longs, seeds: Any, points: Longs, whole: SearchTree, tree: SearchTree,
        walk: SearchWalk, plan: SearchPlan, desk: Desk, values: Floats, floors: Floats, shortfalls: Floats,
    ) -> Any:  # fmt: skip
        whole, tree, walk = borrowed(whole), borrowed(tree), borrowed(walk)
        for game in range(tables.shape[0]):
            table = address(tables, game * tables.shape[1])
            book = Book(start, turn, actions, chance, move, observe, gains, table)
            walk.state[:] = 0
            start(table, address(walk.state, 0))
            walk.now[:] = 0
            status = build(book, position, whole, walk, plan)
            if status != DONE:
                return status
            nodes = walk.now[rec.NODES]
            value = equilibrium(whole, nodes, 0.0, desk)
            equilibrium(whole, nodes, plan.gamma, desk)
            values[game] = value
            floors[game] = value - guarantee(whole, nodes, whole, nodes, desk)
            for search in range(seeds.shape[1]):
                walk.now[:] = 0
                walk.random[0] = seeds[game, search]
                for k in range(points.size):
                    walk.now[rec.UNTIL] = points[k]
                    status = search_on(rule, book, advise, position, tree, walk, plan)
                    if status != DONE:
                        return status
                    earned = guarantee(whole, nodes, tree, walk.now[rec.NODES], desk)
                    shortfalls[game, search, k] = value - earned
        return DONE

    functions = (types.FunctionType(ADVICE), types.FunctionType(OPTIONAL["position"]))
    floats2, longs2 = (types.Array(kind, 2, "C") for kind in (types.float64, types.int64))
    scratch = types.NamedTuple((floats2, floats2, longs2), Scratch)
    desk = types.NamedTuple((types.Array(types.int32, 1, "C"), FLOATS, floats2, floats2, scratch), Desk)
    seeds = types.Array(types.uint64, 2, "C")
    outs = (FLOATS, FLOATS, types.Array(types.float64, 3, "C"))
    return signed(
        many, LONG(*FUNCTIONS, *functions, longs2, seeds, LONGS, rec.TREE, rec.TREE, rec.WALK, rec.PLAN, desk, *outs)
    )
