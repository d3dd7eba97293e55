"""Regret learners on the plain layout where players forget: tied sets share one learner.

M. Zinkevich, M. Johanson, M. Bowling, C. Piccione (2007) define counterfactual values by the histories of a set, and so
for sets of a game in which players forget: the value of an action is the sum over all members. M. Lanctot, R. Gibson,
N. Burch, M. Zinkevich, M. Bowling (2012) say when that works (`hannan.forms.recall`).
"""

from __future__ import annotations

from hannan.arrays import Floats, Ints
from hannan.kernels import inlined, kernel
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.passes import average, gradient, track
from hannan.kernels.fullwidth.records import Flat, Learning
from hannan.kernels.fullwidth.regrets import update


@inlined
def match_tied(
    flat: Flat, player: int, learning: Learning, leader: Ints, step: Floats, instant: Floats, worth: Floats
) -> float:
    """Turn the gradient in `worth` into regrets and the next strategy; return the value of the current one.

    The first member of an abstract set, its leader, learns from the sum of all members' regrets; the others copy it.
    """
    strategy, regret = learning.strategy, learning.regret
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        begin, end = flat.first[j], flat.first[j] + flat.size[j]
        value = 0.0
        for s in range(begin, end):
            value += strategy[s] * worth[s]
        worth[flat.parent[j]] += value
        for s in range(begin, end):
            instant[s] = worth[s] - value
    for j in range(flat.set_begin[player], flat.set_begin[player + 1]):
        if leader[j] != j:
            for k in range(flat.size[j]):
                instant[flat.first[leader[j]] + k] += instant[flat.first[j] + k]
    for j in range(flat.set_begin[player], flat.set_begin[player + 1]):
        if leader[j] == j:
            update(flat.first[j], flat.first[j] + flat.size[j], strategy, regret, step, instant, 0.0)
        else:  # its leader came before it
            for k in range(flat.size[j]):
                strategy[flat.first[j] + k] = strategy[flat.first[leader[j]] + k]
                regret[flat.first[j] + k] = regret[flat.first[leader[j]] + k]
    result: float = worth[flat.sequence_begin[player]]
    return result


@kernel
def learn(
    flat: Flat,
    player: int,
    learning: Learning,
    leader: Ints,
    step: Floats,
    tracking: int,
    instant: Floats,
    worth: Floats,
) -> None:
    """Turn the gradient in `worth` into the next strategy of `player`; `leader` is [sets], `instant` is scratch."""
    value = match_tied(flat, player, learning, leader, step, instant, worth)
    if tracking == rec.VALUES and player == 0:
        learning.value[0] = learning.value[0] * step[rec.DECAY] + value


@kernel
def run(
    flat: Flat,
    learning: Learning,
    leader: Ints,
    schedule: Floats,
    simultaneous: bool,
    tracking: int,
    instant: Floats,
    worth: Floats,
) -> None:
    """Run one iteration for each row of `schedule`, [iterations, 1 or players, columns]: the verbs, compiled."""
    players = flat.sequence_begin.size - 1
    last = schedule.shape[1] - 1  # 0 where one row serves all players
    for t in range(schedule.shape[0]):
        decay = schedule[t, 0, rec.DECAY]
        if simultaneous or tracking == rec.GRADIENTS:
            for p in range(players):
                gradient(flat, p, learning.reach, worth)
        if tracking == rec.GRADIENTS:
            for p in range(players):
                track(flat.sequence_begin, p, learning, decay, worth)
        for p in range(players):
            if not simultaneous:
                gradient(flat, p, learning.reach, worth)
            learn(flat, p, learning, leader, schedule[t, min(p, last)], tracking, instant, worth)
            if not simultaneous:
                average(flat, p, learning, decay)
        if simultaneous:
            for p in range(players):
                average(flat, p, learning, decay)
