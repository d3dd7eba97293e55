"""What a profile earns and what best responses would earn, in one call over a few flat arrays.

`plan` holds whole numbers one after another: the number of players and of payoff entries; for each player its number of
sets and of sequences, and where its parts begin in `plan`; then these parts (`begin` and `parent` of its treeplex), and
the sequence of each player in every entry. A call with few arguments is what makes small games quick.
"""

from __future__ import annotations

import numpy as np

from hannan.kernels import kernel

HEAD, EACH = 2, 5
"""Numbers before those of the players, and numbers of each: sets, sequences, begin, parent, first strategy."""


@kernel
def measure(plan: np.ndarray, payoff: np.ndarray, strategy: np.ndarray, scratch: np.ndarray) -> None:
    """Write values and best values into the first numbers of `scratch`, [2 · players]; the rest is modified in place.

    payoff: [players, entries]. strategy: the strategies of all players, one after another.
    """
    players, entries = plan[0], plan[1]
    size = strategy.size
    reach, gradient = 2 * players, 2 * players + size
    for k in range(2 * players):
        scratch[k] = 0.0
    for p in range(players):
        row = HEAD + EACH * p
        sets, begin, parent, first = plan[row], plan[row + 2], plan[row + 3], plan[row + 4]
        scratch[reach + first] = 1.0
        for j in range(sets):
            above = scratch[reach + first + plan[parent + j]]
            for s in range(plan[begin + j], plan[begin + j + 1]):
                scratch[reach + first + s] = above * strategy[first + s]
        for s in range(plan[row + 1]):
            scratch[gradient + first + s] = 0.0
    sequence = HEAD + EACH * players
    for e in range(entries):
        for p in range(players):
            others = payoff[p, e]
            for q in range(players):
                if q != p:
                    others *= scratch[reach + plan[HEAD + EACH * q + 4] + plan[sequence + q * entries + e]]
            own = plan[HEAD + EACH * p + 4] + plan[sequence + p * entries + e]
            scratch[gradient + own] += others
            scratch[p] += others * scratch[reach + own]
    for p in range(players):
        row = HEAD + EACH * p
        begin, parent, first = plan[row + 2], plan[row + 3], plan[row + 4]
        for j in range(plan[row] - 1, -1, -1):
            best = -np.inf
            for s in range(plan[begin + j], plan[begin + j + 1]):
                best = max(best, scratch[gradient + first + s])
            scratch[gradient + first + plan[parent + j]] += best
        scratch[players + p] = scratch[gradient + first]
