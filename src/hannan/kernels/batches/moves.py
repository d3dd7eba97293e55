"""One step of all traversals, second half: moves are made; and at the end, values go back up."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import types

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel, signed
from hannan.kernels.addresses import address
from hannan.kernels.batches import records as rec
from hannan.kernels.batches.records import BatchScratch, Nodes, Rows, nodes_type, room_type, rows_type
from hannan.kernels.lent import borrowed
from hannan.kernels.sampling.draws import FIRST_FACTOR, S27, S30, S31, SECOND_FACTOR, draw, uniform
from hannan.kernels.signatures import BOOK, LONGS, TABLE

SAMPLED, BASELINE = range(2)
"""What an action of the traverser is worth: what its branch came to, or that corrected by a guess."""


@inlined
def mixed(z: Any) -> Any:
    """Mix 64 bits."""
    z = (z ^ (z >> S30)) * FIRST_FACTOR
    z = (z ^ (z >> S27)) * SECOND_FACTOR
    return z ^ (z >> S31)


@kernel
def children_of(traverser: int, most: int, nodes: Nodes, rows: Rows, low: int, high: int) -> int:
    """Return how many children nodes low … high-1 will have; the traverser (-1: none) takes `most` actions."""
    total = 0
    for n in range(low, high):
        if nodes.turn[n] != rec.ENDED:
            total += 1
            if traverser >= 0 and (nodes.turn[n] >> traverser) & 1:
                total += min(most, rows.size[_row_of(nodes, n, traverser)]) - 1
    return total


@inlined
def _row_of(nodes: Nodes, n: int, player: int) -> int:
    """Return the row of one of the movers at a node."""
    row = nodes.row[n]
    for p in range(player):
        row += (nodes.turn[n] >> p) & 1
    return row


def _expand(
    move: Any, table: Any, shape: Longs, nodes: Nodes, rows: Rows, room: BatchScratch, traverser: int, most: int,
    low: int, high: int,
) -> int:  # fmt: skip
    """Make the moves at nodes low … high-1: `most` of the traverser's actions, drawn uniformly; one of each other's.

    Return where the nodes end now.
    """
    nodes, rows, room = borrowed(nodes), borrowed(rows), borrowed(room)
    end, flat = high, rows.policy.reshape(-1)
    for n in range(low, high):
        if nodes.turn[n] == rec.ENDED:
            nodes.many[n] = 0
            continue
        room.random[0] = nodes.key[n]
        mine, movers, row = -1, 0, nodes.row[n]
        for p in range(shape[rec.PLAYERS]):
            if (nodes.turn[n] >> p) & 1 == 0:
                continue
            if p == traverser:
                mine = movers
            else:
                room.taken[movers] = draw(room.random, flat, (row + movers) * shape[rec.WIDTH], rows.size[row + movers])
            movers += 1
        count = 1 if mine < 0 else _choose(shape, rows, room, row + mine, most)
        nodes.first[n], nodes.many[n] = end, count
        for k in range(count):
            _move(move, table, shape, nodes, rows, room, n, end + k, mine, movers, k, count)
        end += count
    return end


@inlined
def _choose(shape: Longs, rows: Rows, room: BatchScratch, row: int, most: int) -> int:
    """Draw which actions the traverser takes, in ascending order; return how many."""
    size, first = rows.size[row], shape[rec.PLAYERS]
    for k in range(size):
        room.taken[first + k] = k
    if most >= size:
        return size
    for k in range(most):
        other = k + np.int64(uniform(room.random) * (size - k))
        room.taken[first + k], room.taken[first + other] = room.taken[first + other], room.taken[first + k]
    for k in range(1, most):  # ascending
        place, j = room.taken[first + k], k
        while j > 0 and room.taken[first + j - 1] > place:
            room.taken[first + j] = room.taken[first + j - 1]
            j -= 1
        room.taken[first + j] = place
    return most


@inlined
def _move(
    move: Any, table: Any, shape: Longs, nodes: Nodes, rows: Rows, room: BatchScratch, n: int, child: int, mine: int,
    movers: int, k: int, count: int,
) -> None:  # fmt: skip
    """Make one child."""
    players, steps = shape[rec.PLAYERS], shape[rec.STEPS]
    for word in range(shape[rec.STATE]):
        nodes.state[child, word] = nodes.state[n, word]
    if mine >= 0:
        room.taken[mine] = room.taken[players + k]
    nodes.parent[child] = n
    nodes.place[child] = room.taken[max(mine, 0)]
    nodes.key[child] = room.random[0] if count == 1 else mixed(room.random[0] + np.uint64(k + 1) * SECOND_FACTOR)
    for p in range(players):
        nodes.gain[child, p] = 0.0
        nodes.made[child, p] = nodes.made[n, p]
        for j in range(steps):
            nodes.trail[child, p, j, 0], nodes.trail[child, p, j, 1] = nodes.trail[n, p, j, 0], nodes.trail[n, p, j, 1]
    for m in range(movers):
        row = nodes.row[n] + m
        room.choice[m] = rows.code[row, room.taken[m]]
        if steps > 0:
            _remember(steps, nodes, child, rows.player[row], rows.seen[row], rows.head[row, room.taken[m]])
    move(address(table, 0), address(nodes.state, child * shape[rec.STATE]), address(room.choice, 0))


@inlined
def _remember(steps: int, nodes: Nodes, child: int, p: int, seen: int, head: int) -> None:
    """Add a choice to what a player remembers; forget the first one if the memory is full."""
    at = nodes.made[child, p]
    if at >= steps - 1:
        for j in range(steps - 2):
            nodes.trail[child, p, j, 0] = nodes.trail[child, p, j + 1, 0]
            nodes.trail[child, p, j, 1] = nodes.trail[child, p, j + 1, 1]
        at = steps - 2
    if at >= 0:
        nodes.trail[child, p, at, 0], nodes.trail[child, p, at, 1] = seen, head
    nodes.made[child, p] += 1


@kernel
def go_back(traverser: int, mode: int, players: int, nodes: Nodes, rows: Rows, total: int) -> None:
    """Set what each node is worth to each player, last ones first, and the regrets in the traverser's rows.

    An action that was not taken is worth its guess; one that was taken counts once for each time that it might have
    been left out.
    """
    for n in range(total - 1, -1, -1):
        begin, count = nodes.first[n], nodes.many[n]
        if nodes.turn[n] == rec.ENDED:
            for p in range(players):
                nodes.value[n, p] = 0.0
        elif traverser < 0 or (nodes.turn[n] >> traverser) & 1 == 0:
            for p in range(players):
                nodes.value[n, p] = nodes.gain[begin, p] + nodes.value[begin, p]
            if mode == BASELINE and traverser >= 0:
                _correct(traverser, nodes, rows, n, begin)
        else:
            row = _row_of(nodes, n, traverser)
            _regrets(traverser, mode, nodes, rows, n, row, begin, count)


@inlined
def _correct(traverser: int, nodes: Nodes, rows: Rows, n: int, begin: int) -> None:
    """Correct what another player's drawn action came to by what its actions are guessed to be worth (one mover)."""
    row = nodes.row[n]
    if nodes.turn[n] & (nodes.turn[n] - 1):
        return
    mean = 0.0
    for k in range(rows.size[row]):
        mean += rows.policy[row, k] * rows.guess[row, k]
    nodes.value[n, traverser] += mean - rows.guess[row, nodes.place[begin]]


@inlined
def _regrets(traverser: int, mode: int, nodes: Nodes, rows: Rows, n: int, row: int, begin: int, count: int) -> None:
    size = rows.size[row]
    often = size / count
    for k in range(size):
        rows.regret[row, k] = rows.guess[row, k] if mode != SAMPLED else 0.0
    for child in range(begin, begin + count):
        k = nodes.place[child]
        came = nodes.gain[child, traverser] + nodes.value[child, traverser]
        rows.regret[row, k] += often * (came - rows.regret[row, k])
    mean = 0.0
    for k in range(size):
        mean += rows.policy[row, k] * rows.regret[row, k]
    for k in range(size):
        rows.regret[row, k] -= mean
    nodes.value[n, traverser] = mean


@kernel
def match_regrets(values: Floats, rows: Rows, chosen: Longs) -> None:
    """Set policies of chosen rows by regret matching; where no value is positive, by the largest ones alike."""
    for i in range(chosen.size):
        row = chosen[i]
        size = rows.size[row]
        total, best = 0.0, -np.inf
        for k in range(size):
            value = values[i, rows.head[row, k]]
            total += max(value, 0.0)
            best = max(best, value)
        if total > 0.0:
            for k in range(size):
                rows.policy[row, k] = max(values[i, rows.head[row, k]], 0.0) / total
            continue
        many = 0
        for k in range(size):
            many += values[i, rows.head[row, k]] == best
        for k in range(size):
            rows.policy[row, k] = (values[i, rows.head[row, k]] == best) / many


@kernel
def by_head(source: Floats, rows: Rows, chosen: Longs, out: Any) -> None:
    """Write numbers of chosen rows, in the order of their menus, to the places of their heads; others stay."""
    for i in range(chosen.size):
        row = chosen[i]
        for k in range(rows.size[row]):
            out[i, rows.head[row, k]] = source[row, k]


@kernel
def by_menu(source: Any, rows: Rows, chosen: Longs, out: Floats) -> None:
    """Write numbers by head, one line for each chosen row, in the order of the rows' menus."""
    for i in range(chosen.size):
        row = chosen[i]
        for k in range(rows.size[row]):
            out[row, k] = source[i, rows.head[row, k]]


@cache
def expander() -> Any:
    """Return the compiled second half; compiled (or loaded from the cache) on first use."""
    move = types.FunctionType(BOOK["move"])
    return signed(_expand, (move, TABLE, LONGS, nodes_type(), rows_type(), room_type(), *(types.int64,) * 4))
