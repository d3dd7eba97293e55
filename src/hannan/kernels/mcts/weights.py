"""Playing by exponential weights of sums of rewards: what the rules share that do so."""

from __future__ import annotations

import math
from typing import Any

from hannan.kernels import inlined
from hannan.kernels.sampling.draws import uniform


@inlined
def draw(random: Any, stat: Any, first: int, size: int, gamma: float, eta: float) -> tuple[int, float]:
    """Draw an action; add the strategy without its exploration to the average."""
    most, total = stat[first], 0.0
    for k in range(first + 1, first + size):
        most = max(most, stat[k])
    for k in range(first, first + size):
        total += math.exp(eta * (stat[k] - most))
    inverse = 1.0 / total
    even, keep = gamma / size, 1.0 - gamma
    u, reached, taken, played = uniform(random), 0.0, -1, 0.0
    for k in range(size):
        own = math.exp(eta * (stat[first + k] - most)) * inverse
        stat[first + 2 * size + k] += own
        probability = even + keep * own
        here = (probability > 0.0) & ((taken < 0) | (u >= reached))  # no branch: it would be a coin's toss
        taken, played = k if here else taken, probability if here else played
        reached += probability
    return taken, played
