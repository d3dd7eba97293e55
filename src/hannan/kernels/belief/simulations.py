"""Simulated plays from a belief: what each action at hand is worth against fixed others.

V. Lisý, M. Bowling (2017), Equilibrium approximation quality of current no-limit poker bots: look at one choice, then
go on by default. F. Timbers and others (2022), Approximate exploitability: learning a best response: a tree of own
sets below it, grown by one set in each play and searched by upper confidence bounds (P. Auer, N. Cesa-Bianchi,
P. Fischer 2002); below the tree, the default goes on.
"""

from __future__ import annotations

from functools import cache
from math import log, sqrt
from typing import Any

import numpy as np
from numba import types

from hannan.kernels import inlined, signed
from hannan.kernels.addresses import address
from hannan.kernels.belief import records as rec
from hannan.kernels.belief.records import Aim, Cloud, ResponseTree
from hannan.kernels.lent import borrowed
from hannan.kernels.sampling.draws import uniform
from hannan.kernels.sets import S_COUNT, S_FIRST, enter, place_of
from hannan.kernels.signatures import FUNCTIONS, TABLE, Book
from hannan.kernels.statuses import DONE, TOO_DEEP
from hannan.kernels.step import ROOM, TABLES, StepScratch, Tables, ask_players, draw_action, let_chance, take
from hannan.kernels.visit import ask_gains, ask_observation, ask_turn
from hannan.turns import END, NO_MOVERS

OUTSIDE = -1


def _simulate(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any,
    aim: Aim, tables: Tables, room: StepScratch, cloud: Cloud, tree: ResponseTree, size: int, random: Any,
) -> int:  # fmt: skip
    """Make plays from the belief; the first `size` cells of the tree then tell of the actions at hand."""
    rules = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    tables, room, cloud, tree = borrowed(tables), borrowed(room), borrowed(cloud), borrowed(tree)
    tree.buckets[:] = -1
    sets, cells, low, high = 1, size, np.inf, -np.inf
    tree.row[0, S_FIRST], tree.row[0, S_COUNT] = 0, size
    tree.visits[:size] = 0
    tree.total[:size] = 0.0
    for s in range(aim.simulations):
        i, reached, u = 0, cloud.weight[0], uniform(random)
        while reached <= u and i < cloud.many[0] - 1:
            i += 1
            reached += cloud.weight[i]
        for k in range(room.state.size):
            room.state[k] = cloud.state[i, k]
        for p in range(room.last.size):
            room.last[p] = cloud.last[i, p]
        status, sets, cells, gained = _play(s, aim, sets, cells, high - low, rules, tables, room, tree, random)
        if status != DONE:
            return status
        low, high = min(low, gained), max(high, gained)
    return DONE


@inlined
def _play(
    s: int, aim: Aim, sets: int, cells: int, span: float, rules: Book, tables: Tables, room: StepScratch,
    tree: ResponseTree, random: Any,
) -> tuple[int, int, int, float]:  # fmt: skip
    """Make one play and add what it gained; return a status, how many sets and cells there are, and the gain."""
    here, gained, own, node = address(room.state, 0), 0.0, 0, 0
    grown = False
    for step in range(aim.most_moves):
        if step > 0:
            status, _ = ask_gains(rules, here, room.here.size, address(room.here, 0))
            if status != DONE:
                return status, sets, cells, gained
            gained += room.here[aim.seat]
        status, turned = ask_turn(rules, here, room.last.size)
        if status != DONE:
            return status, sets, cells, gained
        if turned == END:
            for j in range(own):
                tree.visits[tree.trail[j]] += 1
                tree.total[tree.trail[j]] += gained - tree.before[j]
            return DONE, sets, cells, gained
        if turned == NO_MOVERS:
            status, _ = let_chance(aim.width, here, rules, room, random)
            if status != DONE:
                return status, sets, cells, gained
        else:
            status, movers = ask_players(turned, aim.width, here, rules, tables, room)
            if status != DONE:
                return status, sets, cells, gained
            for m in range(movers):
                if room.who[m] != aim.seat or node == OUTSIDE:
                    take(m, draw_action(m, tables, room, random), aim.width, room)
                    continue
                size = room.size[m]
                if step > 0:
                    status, node, sets, cells, grown = _find(aim, sets, cells, grown, size, own, here, rules, tree)
                    if status != DONE:
                        return status, sets, cells, gained
                if node == OUTSIDE:
                    take(m, draw_action(m, tables, room, random), aim.width, room)
                    continue
                first = tree.row[node, S_FIRST]
                if grown:
                    k = draw_action(m, tables, room, random)
                else:
                    k = s % size if aim.ahead == 1 else _upper(first, size, aim.c * span, tree)
                tree.trail[own], tree.before[own] = first + k, gained
                own += 1
                if grown or aim.ahead == 1:
                    node = OUTSIDE
                take(m, k, aim.width, room)
        rules.move(rules.table, here, address(room.choice, 0))
    return TOO_DEEP, sets, cells, gained


@inlined
def _find(
    aim: Aim, sets: int, cells: int, grown: bool, size: int, own: int, here: Any, rules: Book, tree: ResponseTree
) -> tuple[int, int, int, int, bool]:
    """Return a status, the set of the player, entered where it is new, and how many sets and cells there are."""
    before = 1 + tree.trail[own - 1]
    status, seen = ask_observation(rules, here, aim.seat)
    node, spot = place_of(before, seen, tree.row, tree.buckets)
    if node >= 0 and tree.row[node, S_COUNT] == size:
        return status, node, sets, cells, grown
    if node >= 0 or sets == tree.row.shape[0] or cells + size > tree.visits.size or own == tree.trail.size:
        return status, OUTSIDE, sets, cells, grown
    enter(sets, spot, before, seen, cells, size, tree.row, tree.buckets)
    for k in range(cells, cells + size):
        tree.visits[k], tree.total[k] = 0, 0.0
    return status, sets, sets + 1, cells + size, True


@inlined
def _upper(first: int, size: int, scale: float, tree: ResponseTree) -> int:
    """Return the action with the highest upper confidence bound; one that was never taken comes first."""
    whole = 0
    for k in range(first, first + size):
        if tree.visits[k] == 0:
            return k - first
        whole += tree.visits[k]
    best, most, logarithm = 0, -np.inf, log(float(whole))
    for k in range(size):
        times = float(tree.visits[first + k])
        bound = tree.total[first + k] / times + scale * sqrt(logarithm / times)
        if bound > most:
            best, most = k, bound
    return best


@cache
def simulator() -> Any:
    """Return the compiled function; compiled (or loaded from the cache) on first use."""
    words = types.Array(types.uint64, 1, "C")
    return signed(_simulate, (*FUNCTIONS, TABLE, rec.AIM, TABLES, ROOM, rec.CLOUD, rec.TREE, types.int64, words))
