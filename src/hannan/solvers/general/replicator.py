"""Replicator dynamics of a two-player game in normal form: shares grow by their payoff above the average.

P. D. Taylor and L. B. Jonker (1978), Evolutionary stable strategies and game dynamics. Solved by the classical
Runge–Kutta method, in logarithms, so that shares stay positive and sum to 1.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats


def replicator(payoffs: Floats, start: tuple[Floats, Floats], time: float, steps: int) -> tuple[Floats, Floats]:
    """Return the shares of both players' plans over time, [steps + 1, plans] each.

    `payoffs` is [2, plans of player 0, plans of player 1]; the shares of `start` are positive.
    """
    size = time / steps
    logs = [np.log(part) for part in start]
    paths = [[_shares(part)] for part in logs]
    for _ in range(steps):
        first = _growth(payoffs, logs)
        second = _growth(payoffs, [a + size / 2 * b for a, b in zip(logs, first, strict=True)])
        third = _growth(payoffs, [a + size / 2 * b for a, b in zip(logs, second, strict=True)])
        fourth = _growth(payoffs, [a + size * b for a, b in zip(logs, third, strict=True)])
        for p in range(2):
            logs[p] = logs[p] + size / 6 * (first[p] + 2 * second[p] + 2 * third[p] + fourth[p])
            logs[p] -= logs[p].max()
            paths[p].append(_shares(logs[p]))
    return np.array(paths[0]), np.array(paths[1])


def _shares(logs: Floats) -> Floats:
    weights = np.exp(logs - logs.max())
    shares: Floats = weights / weights.sum()
    return shares


def _growth(payoffs: Floats, logs: list[Floats]) -> list[Floats]:
    """Return the growth rate of the logarithm of each share, up to a constant that all shares have in common."""
    x, y = (_shares(part) for part in logs)
    return [payoffs[0] @ y, x @ payoffs[1]]
