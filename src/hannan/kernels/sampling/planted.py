"""Laying the sets of a policy out as the tables of walks, in one pass."""

from __future__ import annotations

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN


@kernel
def lay_out(
    players: int, parent: Longs, observation: Longs, base: Longs, size: Longs, probability: Floats, row: Longs,
    learnt: Floats, target: Floats, goes: Longs,
) -> None:  # fmt: skip
    """Write the rows of all sets, uniform play into `learnt`, and then the probabilities into `target`.

    The arrays from parent to probability are those of `Policy`. goes: [sequences], the cell by which each sequence is
    known; written here. Sets come after their parents.
    """
    for p in range(players):
        goes[p] = p
    first = players + 1
    for j in range(size.size):
        count, begin = size[j], base[j]
        row[j, S_PARENT], row[j, S_SEEN] = goes[parent[j]], observation[j]
        row[j, S_FIRST], row[j, S_COUNT] = first, count
        even = 1.0 / count
        for k in range(count):
            learnt[first + k] = even
            target[first + k] = probability[begin + k]
            goes[begin + k] = first + 2 * count + k
        first += 1 + 3 * count
