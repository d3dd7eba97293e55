"""The information sets of a strategy of a black box, read from its table: a box shows nothing else.

The table of correlated play is the one of an observer who does not know which strategy was drawn. Each strategy counts
with its probability times the probability that it leads to the set.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hannan.arrays import Floats
from hannan.errors import UnsuitableError
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy

SHARED = ("parent", "observation", "size")
"""The columns that must agree in all tables of one trunk."""


def box_table(strategy: Strategy) -> tuple[Policy, Floats]:
    """Return one table of the play at each set, and the probability that the owner plays towards the set, [sets]."""
    members = [(share, member.policy()) for share, member in strategy.members()]
    first = members[0][1]
    if any(not np.array_equal(getattr(first, name), getattr(one, name)) for _, one in members for name in SHARED):
        raise UnsuitableError("these strategies of a black box have different information sets: show them one by one")
    weights, plays = np.zeros(first.sets), np.zeros(len(first.probability))
    owner = np.repeat(np.arange(first.sets), first.size)
    for share, one in members:
        led = share * _led(one)
        weights += led
        plays[first.game.players :] += led[owner] * one.probability[first.game.players :]
    even = sum(share * one.probability for share, one in members)
    known = np.concatenate((np.zeros(first.game.players, bool), (weights > 0)[owner]))
    scale = np.concatenate((np.ones(first.game.players), np.where(weights > 0, weights, 1.0)[owner]))
    return replace(first, probability=np.where(known, plays / scale, even)), weights


def _led(policy: Policy) -> Floats:
    """Return the probability that the owner of each set plays so that the set can be reached, [sets]."""
    reach = np.ones(len(policy.probability))
    led = np.zeros(policy.sets)
    rows = zip(policy.parent.tolist(), policy.base.tolist(), policy.size.tolist(), strict=True)
    for number, (above, base, size) in enumerate(rows):
        led[number] = reach[above]
        reach[base : base + size] = reach[above] * policy.probability[base : base + size]
    return led
