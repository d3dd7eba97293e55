"""Conditional payoffs in a tree and their derivatives, in logarithms of behaviour.

An agent is one information set. What its action pays is conditional on reaching the set, so a set that others reach
with probability e^-1000 has payoffs too: every product of probabilities is a sum of logarithms, and the reach of the
set is taken off before the exponential.

Actions of all players stand end to end. `chain[trail[a] … trail[a+1]-1]` are the actions of its own player that lead to
action a, from the first one to a itself; `trail` has one more place for the empty sequence, which has no actions.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel


@kernel
def reaches(trail: Longs, chain: Longs, logs: Floats, out: Floats) -> None:
    """Write the logarithm of the reach of every sequence; the last place is the empty sequence."""
    for a in range(trail.size - 1):
        total = 0.0
        for k in range(trail[a], trail[a + 1]):
            total += logs[chain[k]]
        out[a] = total


@kernel
def set_reaches(visit_begin: Longs, visits: Longs, chances: Floats, logs: Floats, out: Floats, share: Floats) -> None:
    """Write the logarithm of how often chance and the others lead to each set, and each visit's share of that.

    visits: [visits, players - 1], the others' sequences; chances: the logarithm of chance's part. Visits of set j are
    `visit_begin[j] … visit_begin[j+1]-1`.
    """
    for j in range(visit_begin.size - 1):
        highest = -np.inf
        for v in range(visit_begin[j], visit_begin[j + 1]):
            total = chances[v]
            for o in range(visits.shape[1]):
                total += logs[visits[v, o]]
            share[v] = total
            highest = max(highest, total)
        if highest == -np.inf:  # chance never leads there
            for v in range(visit_begin[j], visit_begin[j + 1]):
                share[v] = 0.0
            out[j] = 0.0
            continue
        whole = 0.0
        for v in range(visit_begin[j], visit_begin[j + 1]):
            share[v] = np.exp(share[v] - highest)
            whole += share[v]
        for v in range(visit_begin[j], visit_begin[j + 1]):
            share[v] /= whole
        out[j] = highest + np.log(whole)


@kernel
def conditional(
    trail: Longs,
    chain: Longs,
    set_of: Longs,
    entries: Longs,
    gains: Floats,
    reach: Floats,
    set_reach: Floats,
    pays: Floats,
    slopes: Floats,
) -> None:
    """Add up what each action pays if its set is reached and, if `slopes` has room, the derivatives of the sums.

    entries: [entries, players], the sequences at each payoff; gains: [players, entries]. The caller takes off what
    comes from the reach of the set (`visits_off`).
    """
    players = entries.shape[1]
    wanted = slopes.size > 0
    for e in range(entries.shape[0]):
        total = 0.0
        for p in range(players):
            total += reach[entries[e, p]]
        for p in range(players):
            mine = entries[e, p]
            gain = gains[p, e]
            if gain == 0.0:
                continue
            for k in range(trail[mine], trail[mine + 1]):
                a = chain[k]
                term = gain * np.exp(total - reach[a] - set_reach[set_of[a]])
                pays[a] += term
                if wanted:
                    for below in range(k + 1, trail[mine + 1]):
                        slopes[a, chain[below]] += term
                    for q in range(players):
                        if q != p:
                            theirs = entries[e, q]
                            for other in range(trail[theirs], trail[theirs + 1]):
                                slopes[a, chain[other]] += term


@kernel
def visits_off(
    trail: Longs,
    chain: Longs,
    set_begin: Longs,
    visit_begin: Longs,
    visits: Longs,
    share: Floats,
    pays: Floats,
    slopes: Floats,
) -> None:
    """Take off the derivatives what comes from the reach of the set, by which the payoffs were divided."""
    for j in range(visit_begin.size - 1):
        for v in range(visit_begin[j], visit_begin[j + 1]):
            if share[v] == 0.0:
                continue
            for o in range(visits.shape[1]):
                theirs = visits[v, o]
                for k in range(trail[theirs], trail[theirs + 1]):
                    b = chain[k]
                    for a in range(set_begin[j], set_begin[j + 1]):
                        slopes[a, b] -= pays[a] * share[v]


@kernel
def sequence_slopes(entries: Longs, gains: Floats, reach: Floats, pays: Floats, slopes: Floats) -> None:
    """Write what each sequence gains its player and, if `slopes` has room, the derivatives by the others' reaches.

    reach: probabilities of sequences, no logarithms; 1 at the empty sequence, the last place.
    """
    players = entries.shape[1]
    wanted = slopes.size > 0
    pays[:] = 0.0
    slopes[:] = 0.0
    for e in range(entries.shape[0]):
        for p in range(players):
            mine = entries[e, p]
            term = gains[p, e]
            for q in range(players):
                if q != p:
                    term *= reach[entries[e, q]]
            pays[mine] += term
            if wanted:
                for q in range(players):
                    if q == p:
                        continue
                    part = gains[p, e]
                    for o in range(players):
                        if o not in (p, q):
                            part *= reach[entries[e, o]]
                    slopes[mine, entries[e, q]] += part
