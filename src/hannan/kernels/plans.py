"""Optimal plans of a small two-player zero-sum game: the sequence-form linear program as one dense tableau.

D. Koller, N. Megiddo, B. von Stengel (1996), Efficient computation of equilibria for extensive two-person games. Player
0 maximises the value of the game to it, and each choice of player 1 leaves at least the value uⱼ of its set j: a slack
w ≥ 0. If x begins as a pure plan, and every uⱼ as the value of a best response to it, the simplex needs no first phase.
Then one action of each set of player 0 and the slacks of all actions but the best of player 1 are basic; u is free, and
is left out.
"""

from __future__ import annotations

from typing import NamedTuple

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import kernel
from hannan.kernels.simplex import climb


class Decisions(NamedTuple):
    """The sets and sequences of one player; see `Treeplex`."""

    begin: Ints  # [sets + 1]
    parent: Ints  # [sets]


class PlanTableau(NamedTuple):
    """Zeros, for m rows and n columns; see `hannan.solvers.exact.small`."""

    plan: Floats  # [sequences of player 0, n + 1]  each sequence by columns, and its constant
    worth: Floats  # [sequences of player 1, n + 1]  what player 0 gains at each sequence, in the same way
    tableau: Floats  # [m + 1, n + 1]
    label: Longs  # [2, the larger of m and n]  of rows and columns: a sequence, those of player 1 after player 0's


@kernel
def optimal(payoffs: Floats, first: Decisions, second: Decisions, room: PlanTableau, x: Floats, y: Floats) -> float:
    """Write optimal plans into x and y, zeros when given, and return the value of the game to player 0.

    payoffs: to player 0, [its sequences, those of player 1]; the largest is near 1.
    """
    X, G, T, label = room
    sequences, theirs = payoffs.shape
    m, n = T.shape[0] - 1, T.shape[1] - 1
    column, row = 0, 0
    X[0, n] = 1.0
    for j in range(first.parent.size):
        chosen = first.begin[j]
        for c in range(n + 1):
            X[chosen, c] = X[first.parent[j], c]
        for s in range(chosen + 1, first.begin[j + 1]):
            X[s, column], label[1, column] = 1.0, s
            X[chosen, column] = -1.0
            column += 1
        for c in range(n):
            T[row, c] = -X[chosen, c]
        T[row, n], label[0, row] = X[chosen, n], chosen
        row += 1
    for r in range(sequences):
        for s in range(theirs):
            if payoffs[r, s] != 0.0:
                for c in range(n + 1):
                    G[s, c] += payoffs[r, s] * X[r, c]
    for j in range(second.parent.size - 1, -1, -1):
        best = second.begin[j]
        for s in range(best + 1, second.begin[j + 1]):
            if G[s, n] < G[best, n]:
                best = s
        for s in range(second.begin[j], second.begin[j + 1]):
            if s != best:
                for c in range(n):
                    T[row, c] = G[best, c] - G[s, c]
                T[row, column], T[row, n], label[0, row] = -1.0, G[s, n] - G[best, n], sequences + s
                row += 1
        for c in range(n + 1):
            G[second.parent[j], c] += G[best, c]
        G[second.parent[j], column] -= 1.0
        label[1, column] = sequences + best
        column += 1
    for c in range(n):
        T[m, c] = -G[0, c]
    T[m, n] = G[0, n]
    climb(T, None, m, n, label)
    x[0], y[0] = 1.0, 1.0
    for i in range(m):
        if label[0, i] < sequences:
            x[label[0, i]] = max(T[i, n], 0.0)
    for j in range(n):
        if label[1, j] >= sequences:
            y[label[1, j] - sequences] = max(T[m, j], 0.0)
    value: float = T[m, n]
    return value
