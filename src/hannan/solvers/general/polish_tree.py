"""Making a near equilibrium of a tree exact to all digits: Newton's method on the equations of the sequence form.

B. von Stengel (1996), Efficient computation of behavior strategies, section 4. The unknowns are the probabilities of
the sequences in use and the value of each information set that its player reaches. The gain at a sequence in use plus
the values of the sets that follow it is the value of its own set; the probabilities at a set sum to that of the
sequence before it. No plan is listed.

At sets that the others do not reach, the equations give no condition, and equilibria are rarely isolated in a tree.
Newton's shortest steps do not change what the equations do not determine.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Bools, Floats, Longs
from hannan.solvers.general.choices import AgentChoices
from hannan.solvers.general.polish import EXACT, NEWTON, solved, supports


def polish_tree(agents: AgentChoices, logs: Floats) -> tuple[Floats, float]:
    """Return probabilities of sequences near behaviour in logarithms, as `realization` has them, and their regret.

    Several sets of actions in use are tried. The first one with an equilibrium in all digits is the result. If none has
    one, the result is the one with the least regret; behaviour itself takes part.
    """
    behaviour = np.exp(logs)
    best = agents.realization(behaviour)
    least = agents.regret_of(best)
    for used in supports(behaviour):
        found = on_sequences(agents, behaviour, used)
        if found is None or found.min() < -1e-13:
            continue
        whole = agents.realization(agents.behaviour(np.maximum(found, 0.0), behaviour))
        regret = agents.regret_of(whole)
        if regret <= EXACT * agents.spread:
            return whole, regret
        if regret < least:
            best, least = whole, regret
    return best, least


def on_sequences(agents: AgentChoices, behaviour: Floats, used: Bools) -> Floats | None:
    """Return probabilities of sequences that make players indifferent among actions in use; None if Newton fails."""
    kept = np.where(used, behaviour, 0.0)
    sums = np.repeat(np.add.reduceat(kept, agents.begin[:-1]), np.diff(agents.begin))
    point = agents.realization(np.divide(kept, sums, out=kept, where=sums > 0))
    places = np.flatnonzero(point[:-1] > 0)
    many = len(places)
    fixed, right = linear_part(agents, places)
    pays, slopes = agents.sequence_slopes(point)
    # values are linear in the rest, so the best ones at the start are known
    values = np.linalg.lstsq(fixed[:many, many:], -pays[places], rcond=None)[0]
    unknown = np.concatenate((point[places], values))
    for _ in range(NEWTON):
        table, left = fixed.copy(), fixed @ unknown - right
        table[:many, :many] += slopes[np.ix_(places, places)]
        left[:many] += pays[places]
        change = solved(table, -left)
        if change is None or not np.abs(change[:many]).max(initial=0.0) < 2:
            return None
        unknown += change
        point[places] = unknown[:many]
        if np.abs(change[:many]).max(initial=0.0) <= 1e-15:
            break
        pays, slopes = agents.sequence_slopes(point)
    return point


def linear_part(agents: AgentChoices, places: Longs) -> tuple[Floats, Floats]:
    """Return the part of the equations that is the same for all payoffs, and their right side.

    places: the sequences in use. Each of them and each of their sets has one unknown and one equation.
    """
    many, sets = len(places), np.unique(agents.set_of[places])
    row = np.full(int(agents.begin[-1]) + 1, -1)
    row[places] = np.arange(many)
    column = np.full(len(agents.player), -1)
    column[sets] = many + np.arange(len(sets))
    fixed = np.zeros((many + len(sets), many + len(sets)))
    own = column[agents.set_of[places]]
    fixed[np.arange(many), own] = -1.0
    fixed[own, np.arange(many)] = 1.0
    inner = sets[row[agents.parent[sets]] >= 0]
    above = row[agents.parent[inner]]
    fixed[above, column[inner]] = 1.0
    fixed[column[inner], above] = -1.0
    right = np.zeros(many + len(sets))
    right[column[sets[row[agents.parent[sets]] < 0]]] = 1.0
    return fixed, right
