"""Moves from simplex to simplex over a grid on the mixed strategies, by integer labels.

Strategies are whole numbers over one denominator, so every move is exact. The grid around its start `v` is cut into
regions A(T): from v in the directions of T, where direction a of a player moves one unit of probability from action a
to the next one of the same player. A simplex in A(T) is a corner y and an order of T: its vertices are y, y and the
first direction, and so on.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel, owning
from hannan.kernels.paths.cells import pays

GOING, COMPLETE, EQUILIBRIUM = 0, 1, 2
"""How a number of moves ends: not yet, with all labels of a player, or with an equilibrium."""


@kernel
def label(cells: Floats, begin: Longs, vertex: Longs, grid: int, mixed: Floats, worth: Floats) -> tuple[int, float]:
    """Return the action in use that loses most compared with its player's best one, and its loss; -1 if none loses."""
    for a in range(vertex.size):
        mixed[a] = vertex[a] / grid
    pays(cells, begin, mixed, worth)
    chosen, most = -1, 0.0
    for p in range(begin.size - 1):
        best = worth[begin[p]]
        for a in range(begin[p] + 1, begin[p + 1]):
            best = max(best, worth[a])
        for a in range(begin[p], begin[p + 1]):
            if vertex[a] > 0 and best - worth[a] > most:
                chosen, most = a, best - worth[a]
    return chosen, most


@owning
def moves(
    cells: Floats,
    begin: Longs,
    owner: Longs,
    grid: int,
    corner: Longs,
    order: Longs,
    labels: Longs,
    steps: Longs,
    state: Longs,
    best: Longs,
    least: Floats,
    count: int,
) -> int:
    """Make at most `count` moves; everything but `cells`, `begin`, `owner` and `grid` is changed in place.

    corner: y, [actions]; order: the directions of T, the first state[0] places; labels: of the state[0] + 1 vertices,
    of which number state[1] is not known yet; state[2] counts moves; steps: how often each direction leads from v to
    y. best: the vertex with the least loss so far, which is least[0].
    """
    actions = corner.size
    vertex, mixed, worth = np.empty(actions, np.int64), np.empty(actions), np.empty(actions)
    for _ in range(count):
        size, new = state[0], state[1]
        state[2] += 1
        for a in range(actions):
            vertex[a] = corner[a]
        for k in range(new):
            _go(begin, owner, order[k], 1, vertex)
        found, loss = label(cells, begin, vertex, grid, mixed, worth)
        if loss < least[0]:
            least[0] = loss
            for a in range(actions):
                best[a] = vertex[a]
        if found < 0:
            return EQUILIBRIUM
        labels[new] = found
        away = -1  # the vertex to replace
        for k in range(size + 1):
            if k != new and labels[k] == found:
                away = k
        if away < 0:  # a label that is not in T
            mine = 0
            for k in range(size + 1):
                if owner[labels[k]] == owner[found]:
                    mine += 1
            if mine == begin[owner[found] + 1] - begin[owner[found]]:
                return COMPLETE
            order[size] = found
            steps[found] = 0
            state[0], state[1] = size + 1, size + 1
            continue
        while away == state[0] and steps[order[state[0] - 1]] == 0:  # the face lies where T has one direction less
            state[0] -= 1
            gone = order[state[0]]
            for k in range(state[0] + 1):
                if labels[k] == gone:
                    away = k
                    break
        _replace(begin, owner, corner, order, labels, steps, state, away)
    return GOING


@kernel
def _go(begin: Longs, owner: Longs, direction: int, unit: int, vertex: Longs) -> None:
    """Move a unit of probability from an action to the next one of its player."""
    p = owner[direction]
    after = direction + 1 if direction + 1 < begin[p + 1] else begin[p]
    vertex[direction] -= unit
    vertex[after] += unit


@kernel
def _replace(
    begin: Longs, owner: Longs, corner: Longs, order: Longs, labels: Longs, steps: Longs, state: Longs, away: int
) -> None:
    """Go to the simplex on the other side of the face without the vertex `away`."""
    size = state[0]
    if away == 0:
        first = order[0]
        _go(begin, owner, first, 1, corner)
        steps[first] += 1
        for k in range(size - 1):
            order[k] = order[k + 1]
        order[size - 1] = first
        for k in range(size):
            labels[k] = labels[k + 1]
        state[1] = size
    elif away == size:
        last = order[size - 1]
        _go(begin, owner, last, -1, corner)
        steps[last] -= 1
        for k in range(size - 1, 0, -1):
            order[k] = order[k - 1]
        order[0] = last
        for k in range(size, 0, -1):
            labels[k] = labels[k - 1]
        state[1] = 0
    else:
        order[away - 1], order[away] = order[away], order[away - 1]
        state[1] = away
