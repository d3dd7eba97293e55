"""Backward induction over a game that is written out: every history once, children before parents."""

from __future__ import annotations

from hannan.arrays import Floats, Ints, Shorts
from hannan.kernels import kernel
from hannan.kernels.search.matrix import Scratch, solve


@kernel
def induce(
    children: Ints,  # [nodes + 1]  the arrays of a `GameTree`, as the next three
    turn: Shorts,
    slot_begin: Ints,
    slots: Ints,
    probability: Floats,
    begin: tuple[Ints, Ints],  # of each player: where the sequences of a set begin, [sets + 1]
    value: Floats,  # [nodes]  player 0's gain on reaching the node; its value is added
    strategies: tuple[Floats, Floats],  # [sequences]
    matrix: Floats,
    x: Floats,
    y: Floats,
    scratch: Scratch,
) -> None:
    """Add to each node's gain the value of what follows, and write what both players do there."""
    for node in range(turn.size - 1, -1, -1):
        first, last = children[node], children[node + 1]
        if first == last:
            continue
        if turn[node] == 0:
            for child in range(first, last):
                value[node] += probability[child] * value[child]
            continue
        slot = slot_begin[node]
        row_set, column_set = -1, -1
        if turn[node] & 1:
            row_set = slots[slot]
            slot += 1
        if turn[node] & 2:
            column_set = slots[slot]
        m = begin[0][row_set + 1] - begin[0][row_set] if row_set >= 0 else 1
        n = (last - first) // m
        for r in range(m):
            for c in range(n):
                matrix[r, c] = value[first + r * n + c]
        lower, upper = solve(matrix, m, n, x, y, scratch)
        value[node] += (lower + upper) / 2
        if row_set >= 0:
            for r in range(m):
                strategies[0][begin[0][row_set] + r] = x[r]
        if column_set >= 0:
            for c in range(n):
                strategies[1][begin[1][column_set] + c] = y[c]
