"""What a profile earns and what best responses would earn, in one call.

A call from Python takes longer for each array that it passes. So `measure` takes a single array with everything in it:
the arrays of a `Flat`, the strategies, and room for the results.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Ints
from hannan.kernels import kernel, shared
from hannan.kernels.fullwidth.passes import respond, spread, sum_rows
from hannan.kernels.fullwidth.records import Flat

PLAYERS, SETS, SEQUENCES, ENTRIES, HEAD = range(5)
"""The first words, whole numbers: the players, sets and sequences of all players, and entries of `Flat`."""

BLOCK = 128
"""Products that are added up before their sum is added to the value: rounding stays small in large games."""


@shared
def appraise(flat: Flat, reach: Floats, worth: Floats, best: Ints, found: Floats) -> None:
    """Write the value of each player and then that of each player's best response into `found`, [2 · players].

    reach: of all sequences. `worth`, [sequences], and `best`, [sets], are scratch.
    """
    players = found.size // 2
    for p in range(players):
        begin, end = flat.sequence_begin[p], flat.sequence_begin[p + 1]
        sum_rows(begin, end, flat.row_begin, None, flat.other, flat.payoff, 1.0, reach, worth)
        earned = 0.0
        for low in range(begin, end, BLOCK):
            some = 0.0
            for s in range(low, min(low + BLOCK, end)):
                some += worth[s] * reach[s]
            earned += some
        found[p] = earned
        found[players + p] = respond(flat, p, worth, best)


@kernel
def measure(words: Floats) -> float:
    """Return the NashConv of the strategies in `words`, and write values and best values into its last numbers.

    After the `HEAD` come the arrays of a `Flat` in their order, each from the beginning of a word; then the strategies,
    reaches and gradients, [sequences] each; then the choices, values and best values.
    """
    long, short = words.view(np.int64), words.view(np.int32)
    players, sets, sequences, entries = long[PLAYERS], long[SETS], long[SEQUENCES], long[ENTRIES]
    half, others = (sets + 1) // 2, (players - 1) * entries
    set_begin = HEAD + players + 1
    first = set_begin + players + 1
    row_begin = first + 3 * half
    other = row_begin + sequences + 1
    payoff = other + (others + 1) // 2
    strategy = payoff + entries
    reach, worth, best = strategy + sequences, strategy + 2 * sequences, strategy + 3 * sequences
    values = best + half
    flat = Flat(
        long[HEAD:set_begin],
        long[set_begin:first],
        short[2 * first : 2 * first + sets],
        short[2 * (first + half) : 2 * (first + half) + sets],
        short[2 * (first + 2 * half) : 2 * (first + 2 * half) + sets],
        long[row_begin:other],
        short[2 * other : 2 * other + others].reshape((players - 1, entries)),
        words[payoff:strategy],
    )
    strategies, reaches, gradients = words[strategy:reach], words[reach:worth], words[worth:best]
    choices = short[2 * best : 2 * best + sets]
    for p in range(players):
        spread(flat, p, strategies, reaches)
    found = words[values : values + 2 * players]
    appraise(flat, reaches, gradients, choices, found)
    total = 0.0
    for p in range(players):
        total += max(found[players + p] - found[p], 0.0)
    return total
