"""Online outcome sampling for joint moves: regret matching on importance-weighted samples.

V. Lisý, M. Lanctot, M. Bowling (2015), Online Monte Carlo counterfactual regret minimization. The players explore in
turn. The other player's draws are on policy and cancel, so that only the explorer's own probabilities weigh.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.mcts import rm


@inlined
def update(stat: Floats, first: int, size: int, taken: int, weight: float, tail: float, total: float) -> float:
    """Add the explorer's sampled regrets; return its probability of playing on from here as it did.

    `weight` is the return over the probability of the explorer's draws, `tail` that of its play after this node.
    """
    own = rm.share(stat, first, taken, size, total)
    for k in range(size):
        stat[first + k] -= weight * tail * own
    stat[first + taken] += weight * tail
    return tail * own


@inlined
def average(stat: Floats, first: int, size: int, reach: float, total: float) -> None:
    """Add what the player who does not explore would do, over the probability with which the other came here."""
    for k in range(size):
        stat[first + 2 * size + k] += rm.share(stat, first, k, size, total) / reach
