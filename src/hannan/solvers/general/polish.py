"""Making a near equilibrium exact to all digits: guess the actions in use, then Newton's method on their equations.

In an equilibrium a player is indifferent among the actions it uses. With the actions in use known, these are as many
polynomial equations as unknowns (S. Govindan and R. Wilson 2003, A global Newton method to compute Nash equilibria,
section 4, "local Newton").

If equilibria are not isolated the equations are singular; the shortest Newton step then leads to one nearby.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import lapack

from hannan.arrays import Bools, Floats
from hannan.solvers.general.choices import PlanChoices

NEWTON = 15
"""The most Newton steps; each doubles the correct digits."""

EXACT = 1e-12
"""The largest regret of a polished equilibrium, as a share of the spread of payoffs."""

CUTS = (0.03, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-13)
"""Probabilities below which an action may be unused."""

SAME = 1e-6
"""Probabilities that differ by less belong to the same equilibrium."""

SINGULAR = 1e-10
"""Pivots and singular values below this part of the largest count as 0."""

REPAIRS = 4
"""The most times that the equations change which actions are in use."""


def supports(values: Floats) -> Iterator[Bools]:
    """Yield the actions that may be in use: those with probabilities above each cut."""
    tried: set[bytes] = set()
    for cut in CUTS:
        used = values > cut
        if used.tobytes() not in tried:
            tried.add(used.tobytes())
            yield used


def polish(choices: PlanChoices, mixed: Floats, near: float = 1.0) -> Floats | None:
    """Return an equilibrium in all digits near mixed strategies, end to end; None if none was found.

    near: how much a probability may differ. If this is less than 1, the nearest equilibrium that was found is returned,
    else the first one.
    """
    nearest = None
    for found in _equilibria(choices, mixed):
        apart = float(np.abs(found - mixed).max())
        if near >= 1.0 or apart <= SAME:
            return found
        if apart <= near:
            nearest, near = found, apart
    return nearest


def _equilibria(choices: PlanChoices, mixed: Floats) -> Iterator[Floats]:
    """Yield equilibria that Newton's method finds from mixed strategies, with several guesses of the actions in use."""
    tried: set[bytes] = set()
    limit = EXACT * choices.spread
    for used in supports(mixed):
        for _ in range(REPAIRS):
            if used.tobytes() in tried or not np.logical_or.reduceat(used, choices.begin[:-1]).all():
                break
            tried.add(used.tobytes())
            found = on_support(choices, mixed, used)
            if found is None:
                break
            if found.min() >= -1e-14:
                whole = normalised(choices, np.maximum(found, 0.0))
                if choices.regret_of(whole) <= limit:
                    yield whole
                    break
                used = used | _better(choices, whole, limit)
            else:
                used = used & (found > 0)


def on_support(choices: PlanChoices, mixed: Floats, used: Bools) -> Floats | None:
    """Return the strategies on the actions in use that make their players indifferent; None if Newton fails.

    Probabilities may be negative: then these actions are not all in use in any equilibrium nearby.
    """
    places, players = np.flatnonzero(used), choices.form.players
    owner = np.repeat(np.arange(players), np.diff(choices.begin))[places]
    size = len(places)
    point = normalised(choices, np.where(used, np.maximum(mixed, 1e-300), 0.0))
    table = np.zeros((size + players, size + players))
    table[np.arange(size), size + owner] = -1.0
    table[size + owner, np.arange(size)] = 1.0
    values = None
    for _ in range(NEWTON):
        slopes = choices.slopes(point)
        pays = choices.paid(slopes, point)[places]
        if values is None:
            values = np.array([pays[owner == p].mean() for p in range(players)])
        left = np.concatenate((pays - values[owner], np.bincount(owner, point[places], minlength=players) - 1.0))
        table[:size, :size] = slopes[np.ix_(places, places)]
        change = solved(table, -left)
        if change is None or not np.abs(change[:size]).max(initial=0.0) < 10:
            return None
        point[places] += change[:size]
        values = values + change[size:]
        if np.abs(change[:size]).max(initial=0.0) <= 1e-15:
            break
    return point if np.abs(left[:size]).max(initial=0.0) <= 1e-9 * choices.spread else None


def solved(table: Floats, right: Floats) -> Floats | None:
    """Solve linear equations; if they are singular, by the shortest solution of least squares."""
    lu, pivots, wrong = lapack.dgetrf(table)
    diagonal = np.abs(np.diagonal(lu))
    if not wrong and diagonal.min() > SINGULAR * diagonal.max():
        found: Floats = lapack.dgetrs(lu, pivots, right)[0]
    else:
        try:
            found = np.asarray(np.linalg.lstsq(table, right, rcond=SINGULAR)[0], np.float64)
        except np.linalg.LinAlgError:
            return None
    return found if np.isfinite(found).all() else None


def normalised(choices: PlanChoices, weights: Floats) -> Floats:
    """Scale weights to probabilities, player by player."""
    sums = np.add.reduceat(weights, choices.begin[:-1])
    result: Floats = weights / np.repeat(sums, np.diff(choices.begin))
    return result


def _better(choices: PlanChoices, mixed: Floats, limit: float) -> Bools:
    """Return for each player the best action that pays more than the player has."""
    pays, best = choices.against(mixed), np.zeros(len(mixed), bool)
    for a, b in zip(choices.begin[:-1], choices.begin[1:], strict=True):
        if pays[a:b].max() > pays[a:b] @ mixed[a:b] + limit:
            best[a + int(pays[a:b].argmax())] = True
    return best
