"""The last digits: a nearly exact solution is moved onto the face on which it lies.

The sequences that are played, and those that are as good as their sets, decide which inequalities of a linear program
are equalities. Together these are a linear system. The given solution is exact up to the tolerances of a solver; the
nearest solution of the system is exact up to rounding. This includes singular systems of games with many equilibria:
the nearest solution is the limit of proximal steps, all with one factorisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.arrays import Bools, Floats
from hannan.forms.treeplex import Treeplex
from hannan.solvers.exact.interior import Point, constraints
from hannan.solvers.exact.restriction import restricted
from hannan.solvers.exact.systems import Systems

LOOSE = 1e-6
"""The weight of the proximal steps."""

STEPS, FINE = 30, 1e-15
"""The most proximal steps; and the residual at which they end."""

TRIES = 4
"""How many times sequences that would be negative are left out."""


def projected(payoffs: Any, plexes: Sequence[Treeplex], point: Point) -> tuple[Floats, Floats] | None:
    """Return the weights of sequences nearest to a point that make all played sequences equally good; None: none.

    `payoffs` are those of player 0, [sequences of 0, sequences of 1].
    """
    x, y = point.x, point.y
    played = [_open(plexes[0], x > point.r), _open(plexes[1], y > point.s)]
    for _ in range(TRIES):
        found = _solved(payoffs, plexes, played, (x, y), (point.u, point.v))
        if found is None:
            return None
        negative = [weights < 0.0 for weights in found]
        if not any(one.any() for one in negative):
            return found
        x, y = (np.maximum(weights, 0.0) for weights in found)
        played = [_open(plex, one & ~bad) for plex, one, bad in zip(plexes, played, negative, strict=True)]
    return x, y


def _open(plex: Treeplex, played: Bools) -> Bools:
    """Return which sequences are played after played sequences; at sets without a played action, all actions."""
    kept = played.copy()
    kept[0] = True
    for first, last in zip(plex.level_begin[:-1], plex.level_begin[1:], strict=True):
        begin, sizes = plex.begin[first:last], plex.sizes[first:last]
        inside = slice(begin[0], plex.begin[last])
        lacking = np.add.reduceat(kept[inside].astype(np.int64), begin - begin[0]) == 0
        kept[inside] |= np.repeat(lacking, sizes)
        kept[inside] &= np.repeat(kept[plex.parent[first:last]], sizes)
    return kept


def _solved(
    payoffs: Any,
    plexes: Sequence[Treeplex],
    played: Sequence[Bools],
    weights: tuple[Floats, Floats],
    values: tuple[Floats, Floats],
) -> tuple[Floats, Floats] | None:
    """Return the nearest weights that fulfil the equalities of the played sequences."""
    (in_x, in_y), (x, y) = played, weights
    smaller = [restricted(plex, one) for plex, one in zip(plexes, played, strict=True)]
    sets_x, sets_y = (np.concatenate(([True], one[plex.parent])) for plex, one in zip(plexes, played, strict=True))
    M = constraints(smaller, payoffs[in_x][:, in_y])
    MT = M.T.tocsr()
    rows, columns = M.shape
    systems = Systems(M, np.repeat([1.0, -1.0], [columns, rows]))
    try:
        systems.factor(np.zeros(rows + columns), LOOSE)
    except ArithmeticError:
        return None
    many_x, many_u = int(in_x.sum()), int(sets_x.sum())
    z, w = np.concatenate((x[in_x], values[1][sets_y])), np.concatenate((values[0][sets_x], y[in_y]))
    b, c = np.eye(1, rows)[0], np.eye(1, columns, many_x)[0]
    for _ in range(STEPS):
        lacking_b, lacking_c = b - M @ z, c - MT @ w
        if max(np.abs(lacking_b).max(), np.abs(lacking_c).max()) < FINE:
            break
        z = z + systems.solve_once(np.concatenate((np.zeros(columns), lacking_b)))[:columns]
        w = w + systems.solve_once(np.concatenate((lacking_c, np.zeros(rows))))[columns:]
    if not (np.isfinite(z).all() and np.isfinite(w).all()):
        return None
    new_x, new_y = np.zeros(len(x)), np.zeros(len(y))
    new_x[in_x], new_y[in_y] = z[:many_x], w[many_u:]
    return new_x, new_y
