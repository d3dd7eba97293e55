"""The best play below every set, by what walks that never learnt have summed up."""

from __future__ import annotations

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT


@kernel
def back_up_best(sets: int, row: Longs, learnt: Floats) -> None:
    """Write what each sequence adds at its set if the best is played below, in place of the sums of the average.

    Regrets were added up while play stayed the same, so a set's best regret, its children's included, is what best play
    from there on adds. Sets come after their parents.
    """
    for j in range(sets):
        cell, count = row[j, S_FIRST] + row[j, S_COUNT], row[j, S_COUNT]
        for s in range(cell, cell + count):
            learnt[s + count] = learnt[s]
    for j in range(sets - 1, -1, -1):
        cell, count = row[j, S_FIRST] + 2 * row[j, S_COUNT], row[j, S_COUNT]
        best = learnt[cell]
        for s in range(cell + 1, cell + count):
            best = max(best, learnt[s])
        learnt[row[j, S_PARENT]] += best


@kernel
def take_best(sets: int, row: Longs, learnt: Floats) -> None:
    """Let the action of the largest sum be played at each set of which anything is known: where not all sums are 0."""
    for j in range(sets):
        first, count = row[j, S_FIRST], row[j, S_COUNT]
        best, known = first, False
        for s in range(first, first + count):
            known |= learnt[s + 2 * count] != 0.0
            if learnt[s + 2 * count] > learnt[best + 2 * count]:
                best = s
        if known:
            for s in range(first, first + count):
                learnt[s] = 0.0
            learnt[best] = 1.0
