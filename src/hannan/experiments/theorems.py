"""The right-hand sides of theorems, written as the certificates paper prints them."""

from __future__ import annotations

import math

from hannan.certificates.trunk import Trunk


def uncertainty_bound(trunk: Trunk, T: int) -> float:
    """Return 2C√(2TM) + N, Theorem 5.5's bound on the cumulative uncertainty for rewards in [0, 1], radius `paper`.

    M is the largest |A| ln 2 + ln(2T²Cn) of the chance nodes, a group of which counts once.
    """
    groups, C = trunk.groups, trunk.unknown
    sizes = groups.view("size")[~groups.view("known")]
    M = float(sizes.max()) * math.log(2) + math.log(2.0 * T**2 * C * trunk.players) if C else 0.0
    return 2 * C * math.sqrt(2 * T * M) + trunk.nodes.used
