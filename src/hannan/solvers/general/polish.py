"""From almost an equilibrium to one in all digits: guess the actions in use, then Newton's method on their equations.

In an equilibrium a player is indifferent among the actions it uses. With the actions in use known, these are as many
polynomial equations as unknowns (S. Govindan and R. Wilson 2003, A global Newton method to compute Nash equilibria,
section 4, "local Newton"). In a tree the equations are those of the sequence form (B. von Stengel 1996, Efficient
computation of behavior strategies, section 4), so no plan is listed.

If equilibria are not isolated the equations are singular; the shortest Newton step then leads to one nearby.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import lapack

from hannan.arrays import Bools, Floats
from hannan.solvers.general.choices import AgentChoices, PlanChoices

NEWTON = 15
"""Newton steps at most; they double the right digits."""

EXACT = 1e-12
"""The regret of a polished equilibrium is at most this, in parts of the spread of payoffs."""

CUTS = (0.03, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-13)
"""Probabilities below which an action may be unused."""

SINGULAR = 1e-10
"""Pivots and singular values below this part of the largest count as 0."""

REPAIRS = 4
"""Times that actions are put into or out of use because the equations say so."""


def supports(values: Floats) -> Iterator[Bools]:
    """Yield the actions that may be in use: those with probabilities above each cut."""
    tried: set[bytes] = set()
    for cut in CUTS:
        used = values > cut
        if used.tobytes() not in tried:
            tried.add(used.tobytes())
            yield used


def polish(choices: PlanChoices, mixed: Floats) -> Floats | None:
    """Return an equilibrium in all digits near mixed strategies, end to end; None if none was found."""
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
                    return whole
                used = used | _better(choices, whole, limit)
            else:
                used = used & (found > 0)
    return None


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
            found = np.linalg.lstsq(table, right, rcond=SINGULAR)[0]
        except np.linalg.LinAlgError:
            return None
    return found if np.isfinite(found).all() else None


def normalised(choices: PlanChoices, weights: Floats) -> Floats:
    """Scale weights to probabilities, player by player."""
    sums = np.add.reduceat(weights, choices.begin[:-1])
    result: Floats = weights / np.repeat(sums, np.diff(choices.begin))
    return result


def _better(choices: PlanChoices, mixed: Floats, limit: float) -> Bools:
    """Say which actions pay a player more than it has; the best one of each player."""
    pays, best = choices.against(mixed), np.zeros(len(mixed), bool)
    for a, b in zip(choices.begin[:-1], choices.begin[1:], strict=True):
        if pays[a:b].max() > pays[a:b] @ mixed[a:b] + limit:
            best[a + int(pays[a:b].argmax())] = True
    return best


def polish_tree(agents: AgentChoices, logs: Floats, goal: float = 1e-12) -> tuple[Floats, float]:
    """Return realization probabilities near behaviour in logarithms, all players end to end, and their regret.

    They are those of the best support that was tried; the first one with a regret of at most `goal`, in parts of the
    spread of payoffs, ends the search.
    """
    behaviour = np.exp(logs)
    best, least = agents.realization(behaviour), np.inf
    least = agents.regret_of(best)
    for used in supports(behaviour):
        found = _sequences_on(agents, behaviour, used)
        if found is None or found.min() < -1e-13:
            continue
        whole = agents.realization(agents.behaviour(np.maximum(found, 0.0), behaviour))
        regret = agents.regret_of(whole)
        if regret < least:
            best, least = whole, regret
        if least <= goal * agents.spread:
            break
    return best, least


def _sequences_on(agents: AgentChoices, behaviour: Floats, used: Bools) -> Floats | None:
    """Return realization probabilities, the empty sequence last, that make players indifferent among actions in use."""
    sums = np.add.reduceat(np.where(used, behaviour, 0.0), agents.begin[:-1])
    kept = np.where(used, behaviour, 0.0) / np.repeat(np.where(sums > 0, sums, 1.0), np.diff(agents.begin))
    point = agents.realization(kept)
    places = np.flatnonzero(point[:-1] > 0)
    row_of = np.full(len(point), -1)
    row_of[places] = np.arange(len(places))
    sets = np.unique(agents.set_of[places])
    set_row = np.full(len(agents.player), -1)
    set_row[sets] = len(places) + np.arange(len(sets))
    size = len(places) + len(sets)
    fixed = np.zeros((size, size))
    # values: what is gained at a sequence, plus the values of the sets that follow, less the value of its own set
    fixed[np.arange(len(places)), set_row[agents.set_of[places]]] = -1.0
    fixed[set_row[agents.set_of[places]], np.arange(len(places))] = 1.0
    inner = sets[row_of[agents.parent[sets]] >= 0]
    fixed[row_of[agents.parent[inner]], set_row[inner]] = 1.0
    fixed[set_row[inner], row_of[agents.parent[inner]]] = -1.0
    ends = np.zeros(size)
    ends[set_row[sets[row_of[agents.parent[sets]] < 0]]] = 1.0
    unknown, first = np.zeros(size), True
    unknown[: len(places)] = point[places]
    for _ in range(NEWTON):
        pays, slopes = agents.sequence_slopes(point)
        table = fixed.copy()
        table[: len(places), : len(places)] += slopes[np.ix_(places, places)]
        if first:  # the values are linear in the rest
            rows = np.arange(len(places))
            unknown[len(places) :] = np.linalg.lstsq(
                fixed[: len(places), len(places) :], -pays[places], rcond=None
            )[0]
            first = False
        left = fixed @ unknown - ends
        left[: len(places)] += pays[places]
        change = solved(table, -left)
        if change is None or not np.abs(change[: len(places)]).max(initial=0.0) < 2:
            return None
        unknown += change
        point[places] = unknown[: len(places)]
        if np.abs(change[: len(places)]).max(initial=0.0) <= 1e-15:
            break
    return point
