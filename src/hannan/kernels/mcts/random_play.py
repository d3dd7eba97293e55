"""Every action alike: the rule `random`, which learns nothing, and what others explore by."""

from __future__ import annotations

from typing import Any

from hannan.kernels import inlined
from hannan.kernels.mcts.records import Ground, Played, SearchPlan
from hannan.kernels.sampling.draws import uniform


@inlined
def drawn(random: Any, size: int) -> int:
    """Draw a number below `size`, all equally likely."""
    return min(int(uniform(random) * size), size - 1)


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Draw any action."""
    for k in range(first + 2 * size, first + 3 * size):
        stat[k] += 1.0 / size
    return drawn(random, size), 1.0 / size


@inlined
def update(ground: Ground, plan: SearchPlan, at: Played) -> None:
    """Learn nothing."""
