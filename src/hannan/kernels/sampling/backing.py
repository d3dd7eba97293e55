"""The best play below every set, by what walks that never learnt have summed up."""

from __future__ import annotations

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT


@kernel
def back_up_best(sets: int, row: Longs, learnt: Floats, worth: Floats) -> None:
    """Write what each sequence adds at its set if the best is played below, into the sequences' cells of `worth`.

    Regrets were added up while play stayed the same, so a set's best regret, its children's included, is what best play
    from there on adds. Sets come after their parents. `worth` is zero before.
    """
    for j in range(sets - 1, -1, -1):
        cell, count, best = row[j, S_FIRST] + row[j, S_COUNT], row[j, S_COUNT], 0.0
        for s in range(cell, cell + count):
            worth[s + count] += learnt[s]
            best = worth[s + count] if s == cell else max(best, worth[s + count])
        worth[row[j, S_PARENT]] += best


@kernel
def take_best(sets: int, row: Longs, worth: Floats, learnt: Floats) -> None:
    """Let the action of most worth be played at each set of which anything is known: where not all worths are 0."""
    for j in range(sets):
        first, count = row[j, S_FIRST], row[j, S_COUNT]
        best, known = first, False
        for s in range(first, first + count):
            known |= worth[s + 2 * count] != 0.0
            if worth[s + 2 * count] > worth[best + 2 * count]:
                best = s
        if known:
            for s in range(first, first + count):
                learnt[s] = 0.0
            learnt[best] = 1.0
