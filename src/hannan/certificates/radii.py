"""The radius ρ of each group of chance nodes: how far frequencies may be from the probabilities of chance.

The bound |p̂(S) − p(S)| ≤ ρ holds for all 2^|A| sets S of outcomes at once. So the value of any play after the chance
node differs by at most ρ·Δ, where Δ bounds the distance of the values after the outcomes. ρ need never be more than 1.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from hannan.arrays import Floats

Radius = Literal["anytime", "paper"]


def anytime(sizes: Any, samples: Any, indices: Any, failure: float) -> Floats:
    """Return ρ that holds for all groups at all times together, with probability 1 − `failure`.

    `sizes` are the numbers of outcomes |A|, `samples` the draws m, `indices` the numbers k = 1, 2, … in order of
    discovery: ρ = √((|A| ln 2 + ln m(m+1) + ln k(k+1) + ln 1/failure) / 2m). The k-th group gets a share 1/k(k+1) of
    the failure and its m-th sample a share 1/m(m+1) of that; these sum to 1. Hoeffding's inequality does the rest.
    """
    m, k = np.asarray(samples, np.float64), np.asarray(indices, np.float64)
    logs = np.asarray(sizes) * math.log(2) + np.log(m * (m + 1)) + np.log(k * (k + 1)) - math.log(failure)
    return np.sqrt(logs / (2 * m))


def paper(sizes: Any, samples: Any, playthroughs: int, groups: int, players: int) -> Floats:
    """Return equation 5.2, ρ = √((|A| ln 2 + ln(t²·C·n)) / 2m): at a fixed t it holds with probability 1 − 2/t²."""
    logs = np.asarray(sizes) * math.log(2) + math.log(float(playthroughs) ** 2 * groups * players)
    return np.sqrt(logs / (2 * np.asarray(samples, np.float64)))


def confidence_of(radius: Radius, confidence: float, playthroughs: int) -> float:
    """Return the confidence of a certificate: for `paper`, 1 − 2/t² after t playthroughs."""
    return confidence if radius == "anytime" else max(0.0, 1.0 - 2.0 / max(playthroughs, 1) ** 2)
