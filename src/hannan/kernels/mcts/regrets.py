"""Playing in proportion to positive regrets: what the rules share that match regrets."""

from __future__ import annotations

from typing import Any

from hannan.kernels import inlined
from hannan.kernels.sampling.draws import uniform


@inlined
def positive(regret: float) -> float:
    """Return a regret, or 0 where it is below."""
    return regret if regret > 0.0 else 0.0


@inlined
def weigh(stat: Any, first: int, size: int) -> tuple[float, float]:
    """Return the sum of all weights, and what is added to each regret: 1 where none is positive, else 0."""
    total = positive(stat[first]) + positive(stat[first + 1])
    for k in range(first + 2, first + size):
        total += positive(stat[k])
    even = 0.0 if total > 0.0 else 1.0
    return total + even * size, even


@inlined
def draw(random: Any, stat: Any, first: int, size: int, gamma: float, counted: float) -> tuple[int, float]:
    """Draw an action; add the strategy without its exploration, `counted` times, to the average.

    The draw compares sums of weights, so that nothing waits for a division; and there are two actions at least.
    """
    whole, more = weigh(stat, first, size)
    inverse = 1.0 / whole
    even, keep, average = gamma * whole / size, 1.0 - gamma, first + 2 * size
    sought = uniform(random) * whole
    one, two = positive(stat[first]) + more, positive(stat[first + 1]) + more
    stat[average] += counted * (one * inverse)
    stat[average + 1] += counted * (two * inverse)
    reached, weight = even + keep * one, even + keep * two
    here = (weight > 0.0) & ((sought >= reached) | (reached == 0.0))  # no branch: it would be a coin's toss
    taken, weight, reached = 1 if here else 0, weight if here else reached, reached + weight
    for k in range(2, size):
        own = positive(stat[first + k]) + more
        stat[average + k] += counted * (own * inverse)
        mine = even + keep * own
        here = (mine > 0.0) & ((sought >= reached) | (reached == 0.0))
        taken, weight = k if here else taken, mine if here else weight
        reached += mine
    return taken, weight * inverse
