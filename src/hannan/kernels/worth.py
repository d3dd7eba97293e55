"""What histories are worth, by the plays that went through them."""

from __future__ import annotations

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel


@kernel
def grow(trail: Longs, earned: Floats, child: Longs, many: Longs, visits: Floats, total: Floats, used: int) -> int:
    """Add plays to the histories that they went through; return how many histories have a number then.

    trail: [plays, moves, 2], the number of each move and of how many; earned: [plays, players]. The moves at a history
    get numbers when it is met for the second time, while there is room.
    """
    players = earned.shape[1]
    for g in range(trail.shape[0]):
        h = 0
        for step in range(trail.shape[1] + 1):
            visits[h] += 1.0
            for p in range(players):
                total[h, p] += earned[g, p]
            if step == trail.shape[1] or trail[g, step, 1] == 0:
                break
            number, count = trail[g, step, 0], trail[g, step, 1]
            if child[h] == 0:
                if visits[h] < 2.0 or used + count > child.size:
                    break
                child[h], many[h] = used, count
                used += count
            h = child[h] + number
    return used


@kernel
def average(used: int, child: Longs, many: Longs, visits: Floats, total: Floats, prior: float) -> None:
    """Turn sums into means, each drawn towards its parent's as by `prior` plays; children come after their parents."""
    players = total.shape[1]
    for p in range(players):
        total[0, p] /= max(visits[0], 1.0)
    for h in range(used):
        for c in range(child[h], child[h] + many[h]):
            for p in range(players):
                total[c, p] = (total[c, p] + prior * total[h, p]) / (visits[c] + prior)


@kernel
def widest(child: Longs, many: Longs, worth: Floats, most: Floats) -> None:
    """Write, for each history, how much all corrections from there on can come to at most: [histories, players]."""
    for h in range(child.size - 1, -1, -1):
        for p in range(worth.shape[1]):
            low, high, below = 0.0, 0.0, 0.0
            for c in range(child[h], child[h] + many[h]):
                low = worth[c, p] if c == child[h] else min(low, worth[c, p])
                high = worth[c, p] if c == child[h] else max(high, worth[c, p])
                below = max(below, most[c, p])
            most[h, p] = high - low + below
