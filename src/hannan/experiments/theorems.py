"""Both sides of the inequalities of the certificates paper, written as it prints them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.pseudogame import Pseudogame
from hannan.certificates.radii import paper
from hannan.certificates.trunk import Trunk


def uncertainty_bound(trunk: Trunk, T: int) -> float:
    """Return 2C√(2TM) + N, Theorem 5.5's bound on the cumulative uncertainty for rewards in [0, 1], radius `paper`.

    M is the largest |A| ln 2 + ln(2T²Cn) of the chance nodes; a group of chance nodes counts once.
    """
    groups, C = trunk.groups, trunk.unknown
    sizes = groups.view("size")[~groups.view("known")]
    M = float(sizes.max()) * math.log(2) + math.log(2.0 * T**2 * C * trunk.players) if C else 0.0
    return 2 * C * math.sqrt(2 * T * M) + trunk.nodes.used


def uncertainty(game: Pseudogame, plan: Sequence[Floats]) -> float:
    """Return Δ̂(σ), how far apart the two games value a profile, from the payoffs of pairs of sequences."""
    reaches = []
    for (parent, first, size), strategy in zip(game.sets, plan, strict=True):
        reach = np.ones(len(strategy))
        for above, begin, many in zip(parent, first, size, strict=True):
            reach[begin : begin + many] = reach[above] * strategy[begin : begin + many]
        reaches.append(reach)
    lower, upper = (payoff @ (reaches[0][game.entries[0]] * reaches[1][game.entries[1]]) for payoff in game.payoffs)
    return float(upper - lower)


def failure(odds: Sequence[float], t: int, scale: float = 1.0) -> float:
    """Return the exact probability that equation 5.2 fails for one chance node after t draws, one player.

    It fails if the frequency of any set of outcomes is off by more than `scale` times ρ.
    """
    rho = scale * float(paper([len(odds)], [t], t, 1, 1)[0])
    last = len(odds) - 1
    sets = [list(chosen) for many in range(1, last + 1) for chosen in combinations(range(last + 1), many)]
    total = 0.0
    for counts in product(range(t + 1), repeat=last):
        if sum(counts) > t:
            continue
        drawn = np.array([*counts, t - sum(counts)])
        if any(abs(drawn[chosen].sum() / t - sum(odds[k] for k in chosen)) > rho for chosen in sets):
            total += math.exp(
                math.lgamma(t + 1) + sum(n * math.log(p) - math.lgamma(n + 1) for n, p in zip(drawn, odds, strict=True))
            )
    return total
