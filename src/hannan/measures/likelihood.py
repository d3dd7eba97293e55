"""How well quantal response explains observed choices: the λ of the principal branch with the largest likelihood.

R. D. McKelvey, T. R. Palfrey (1995), Quantal response equilibria for normal form games, section 4. The standard error
comes from the expected (Fisher) information: with N_g choices observed at choice g, it is
Σ_g N_g Σ_a p_a (d log p_a / dλ)².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hannan.arrays import Floats
from hannan.interrupts import go_on
from hannan.solvers.general.branch import Stand, System, at_rate, between

HALVINGS = 60
"""Halvings of an interval of λ: more would not change a float."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The most likely λ of a branch."""

    rate: float
    """λ times the spread of payoffs."""
    logs: Floats
    log_likelihood: float
    standard_error: float | None
    """The standard error of `rate`. None: the choices do not depend on λ there, or the branch turns there."""
    at_end: bool
    """Whether the likelihood still grows at the end of the branch, where the search stopped."""


def log_likelihood(logs: Floats, counts: Floats) -> float:
    """Return the logarithm of the probability of the observed choices, in their order."""
    seen = counts > 0
    return float(counts[seen] @ logs[seen])


def fit(system: System, stands: Sequence[Stand], counts: Floats) -> Fit:
    """Return the point of a branch that makes the observed choices most likely.

    stands: the branch, from its beginning. counts: how often each action was chosen. The likelihood has a maximum
    between two stands if its derivative changes from plus to minus there; the best of all maxima is returned.
    """
    best = max(stands, key=lambda stand: log_likelihood(stand.logs, counts))
    rate, logs, most = best.rate, best.logs, log_likelihood(best.logs, counts)
    for one, other in pairwise(stands):
        if _slope(one, counts) > 0 > _slope(other, counts) and not other.turned:
            found = _peak(system, one, other, counts)
            if found is not None and log_likelihood(found[1], counts) > most:
                rate, logs, most = *found, log_likelihood(found[1], counts)
    last = stands[-1]
    at_end = rate == last.rate and _slope(last, counts) > 0
    return Fit(rate, logs, most, standard_error(system, logs, rate, counts), at_end)


def standard_error(system: System, logs: Floats, rate: float, counts: Floats) -> float | None:
    """Return the standard error of λ times the spread of payoffs, by the Fisher information; None if that is 0."""
    found = at_rate(system, logs, rate)
    if found is None:
        return None
    logs, slope = found
    sizes = np.diff(system.choices.begin)
    observed = np.repeat(np.add.reduceat(counts, system.choices.begin[:-1]), sizes)
    information = float(observed @ (np.exp(logs) * slope**2))
    return information**-0.5 if information > 0 and np.isfinite(information) else None


def _slope(stand: Stand, counts: Floats) -> float:
    """Return the derivative of the log-likelihood along the branch."""
    return float(counts @ stand.tangent[:-1])


def _peak(system: System, one: Stand, other: Stand, counts: Floats) -> tuple[float, Floats] | None:
    """Return the point between two stands at which the derivative by λ is 0, found by halving."""
    upward = 1.0 if other.rate > one.rate else -1.0
    low, high, found = one, other, None
    for _ in range(HALVINGS):
        go_on()
        rate = low.rate + (high.rate - low.rate) / 2
        if rate in (low.rate, high.rate):
            break
        there = between(system, low, high, rate)
        if there is None:
            break
        found = rate, there[0]
        middle = Stand(rate, there[0], np.append(there[1], 1.0) * upward)
        if _slope(middle, counts) > 0:
            low = middle
        else:
            high = middle
    return found
