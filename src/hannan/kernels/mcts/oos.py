"""Online outcome sampling for joint moves: regret matching on importance-weighted samples.

V. Lisý, M. Lanctot, M. Bowling (2015), Online Monte Carlo counterfactual regret minimization. The players explore in
turn. The other player's draws are on policy and cancel, so that only the explorer's own probabilities weigh.
"""

from __future__ import annotations

from typing import Any

from hannan.kernels import inlined
from hannan.kernels.mcts import regrets
from hannan.kernels.mcts.records import SearchPlan


@inlined
def select(
    random: Any, stat: Any, first: int, size: int, visits: float, plan: SearchPlan, gamma: float
) -> tuple[int, float]:
    """Draw an action in proportion to positive regrets; `gamma` is 0 for who does not explore."""
    return regrets.draw(random, stat, first, size, gamma, 0.0)


@inlined
def update(stat: Any, first: int, size: int, taken: int, weight: float, tail: float) -> float:
    """Add the explorer's sampled regrets; return its probability of playing on from here as it did.

    `weight` is the return over the probability of the explorer's draws, `tail` that of its play after this node.
    """
    whole, more = regrets.weigh(stat, first, size)
    own = (regrets.positive(stat[first + taken]) + more) / whole
    for k in range(size):
        stat[first + k] -= weight * tail * own
    stat[first + taken] += weight * tail
    return tail * own


@inlined
def average(stat: Any, first: int, size: int, reach: float) -> None:
    """Add what the player who does not explore would do, over the probability with which the other came here."""
    whole, more = regrets.weigh(stat, first, size)
    for k in range(size):
        stat[first + 2 * size + k] += (regrets.positive(stat[first + k]) + more) / whole / reach
