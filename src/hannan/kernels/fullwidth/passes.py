"""The passes over the sequence form that every full-width method is made of.

All players lie end to end: sequence s of player p is number `sequence_begin[p] + s`, set j is `set_begin[p] + j`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import kernel

# columns of the schedule: what a local learner does at one iteration; a weight of at most NOISE is none
POSITIVE, NEGATIVE, FLOOR, KEEP, PREDICT, RATE, DECAY, NOISE = range(8)

# what is tracked of the correlated average play: its values only (enough where one opponent's play is its average),
# or the gradients that it leaves for each player too
VALUES, GRADIENTS = range(2)


class Flat(NamedTuple):
    """A sequence form as the kernels read it."""

    sequence_begin: Longs  # [players + 1]
    set_begin: Longs  # [players + 1]
    first: Ints  # [sets]  the first sequence of the set
    size: Ints  # [sets]
    parent: Ints  # [sets]  the sequence that leads to the set
    row_begin: Longs  # [sequences + 1]  the payoffs of a sequence are entries row_begin[s] … row_begin[s+1]-1
    other: Ints  # [players - 1, entries]  the sequences of the others, in order of player
    payoff: Floats  # [entries]


class Learning(NamedTuple):
    """The state of a full-width method; every kernel below modifies it in place."""

    strategy: Floats  # [sequences]  probability of the last action, given its set
    reach: Floats  # [sequences]  product of the player's own probabilities
    regret: Floats  # [sequences]
    total: Floats  # [sequences]  weighted sum of reaches: the average strategy
    played: Floats  # [sequences]  weighted sum of gradients: what the correlated average play leaves; may be empty
    value: Floats  # [players + 1]  weighted sum of values of play, then of weights


@kernel
def gradient(flat: Flat, player: int, reach: Floats, out: Floats) -> None:
    """Write what each sequence of `player` gains against the others' play."""
    begin, end = flat.sequence_begin[player], flat.sequence_begin[player + 1]
    row_begin, payoff = flat.row_begin, flat.payoff
    others = flat.other.shape[0]
    if others == 1:
        other = flat.other[0]
        for s in range(begin, end):
            total = 0.0
            for k in range(row_begin[s], row_begin[s + 1]):
                total += payoff[k] * reach[other[k]]
            out[s] = total
    else:
        for s in range(begin, end):
            total = 0.0
            for k in range(row_begin[s], row_begin[s + 1]):
                term = payoff[k]
                for o in range(others):
                    term *= reach[flat.other[o, k]]
                total += term
            out[s] = total


@kernel
def spread(flat: Flat, player: int, strategy: Floats, reach: Floats) -> None:
    """Write the reach of every sequence of `player`, from the root down."""
    reach[flat.sequence_begin[player]] = 1.0
    for j in range(flat.set_begin[player], flat.set_begin[player + 1]):
        above = reach[flat.parent[j]]
        for s in range(flat.first[j], flat.first[j] + flat.size[j]):
            reach[s] = above * strategy[s]


@kernel
def respond(flat: Flat, player: int, worth: Floats, best: Ints) -> float:
    """Return the value of a best response to the gradient in `worth`, and write its choice at each set.

    `worth` becomes the value of each sequence under best play after it; ties go to the first action.
    """
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        choice = flat.first[j]
        for s in range(flat.first[j] + 1, flat.first[j] + flat.size[j]):
            if worth[s] > worth[choice]:
                choice = s
        best[j] = choice - flat.first[j]
        worth[flat.parent[j]] += worth[choice]
    value: float = worth[flat.sequence_begin[player]]
    return value


@kernel
def expect(flat: Flat, player: int, strategy: Floats, worth: Floats) -> float:
    """Turn the gradient in `worth` into the value of each sequence when `strategy` is played after it."""
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        for s in range(flat.first[j], flat.first[j] + flat.size[j]):
            worth[flat.parent[j]] += strategy[s] * worth[s]
    value: float = worth[flat.sequence_begin[player]]
    return value


@kernel
def _learn(flat: Flat, player: int, worth: Floats, learning: Learning, step: Floats) -> float:
    """Turn the gradient in `worth` into regrets and the next strategy; return the value of the current one."""
    strategy, regret = learning.strategy, learning.regret
    positive, negative, floor = step[POSITIVE], step[NEGATIVE], step[FLOOR]
    keep, predict, rate, noise = step[KEEP], step[PREDICT], step[RATE], step[NOISE]
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        begin, end = flat.first[j], flat.first[j] + flat.size[j]
        value = 0.0
        for s in range(begin, end):
            value += strategy[s] * worth[s]
        worth[flat.parent[j]] += value
        total = 0.0
        highest = -np.inf
        for s in range(begin, end):
            instant = worth[s] - value
            old = regret[s]
            new = max(old * (positive if old > 0.0 else negative) + instant, floor)
            regret[s] = new
            weight = keep * new + predict * instant
            if rate > 0.0:
                highest = max(highest, weight)
            else:
                weight = weight if weight > noise else 0.0
                total += weight
            strategy[s] = weight
        if rate > 0.0:
            for s in range(begin, end):
                strategy[s] = np.exp(rate * (strategy[s] - highest))
                total += strategy[s]
        if total > 0.0:
            for s in range(begin, end):
                strategy[s] /= total
        else:
            for s in range(begin, end):
                strategy[s] = 1.0 / flat.size[j]
    result: float = worth[flat.sequence_begin[player]]
    return result


@kernel
def _average(flat: Flat, player: int, learning: Learning, decay: float) -> None:
    """Add the reach of the strategy just played to the average, then spread the next one."""
    reach, total, strategy = learning.reach, learning.total, learning.strategy
    root = flat.sequence_begin[player]
    total[root] = total[root] * decay + 1.0
    for j in range(flat.set_begin[player], flat.set_begin[player + 1]):
        above = reach[flat.parent[j]]
        for s in range(flat.first[j], flat.first[j] + flat.size[j]):
            total[s] = total[s] * decay + reach[s]
            reach[s] = above * strategy[s]


@kernel
def _track(flat: Flat, player: int, worth: Floats, learning: Learning, decay: float) -> None:
    """Record what the joint play of this iteration gives to `player` and leaves for it to gain."""
    played, reach = learning.played, learning.reach
    value = 0.0
    for s in range(flat.sequence_begin[player], flat.sequence_begin[player + 1]):
        played[s] = played[s] * decay + worth[s]
    # the reach of a sequence counts what is gained exactly there, so their product adds up to the value
    for s in range(flat.sequence_begin[player], flat.sequence_begin[player + 1]):
        value += worth[s] * reach[s]
    learning.value[player] = learning.value[player] * decay + value


@kernel
def run(flat: Flat, learning: Learning, schedule: Floats, simultaneous: bool, tracking: int, worth: Floats) -> None:
    """Run one iteration for each row of `schedule`; `worth` is scratch, [sequences]."""
    players = flat.sequence_begin.size - 1
    for t in range(schedule.shape[0]):
        step = schedule[t]
        decay = step[DECAY]
        learning.value[players] = learning.value[players] * decay + 1.0
        if simultaneous or tracking == GRADIENTS:
            for p in range(players):
                gradient(flat, p, learning.reach, worth)
            if tracking == GRADIENTS:
                for p in range(players):
                    _track(flat, p, worth, learning, decay)
        for p in range(players):
            if not simultaneous:
                gradient(flat, p, learning.reach, worth)
            value = _learn(flat, p, worth, learning, step)
            if tracking == VALUES and p == 0:
                learning.value[0] = learning.value[0] * decay + value
            if not simultaneous:
                _average(flat, p, learning, decay)
        if simultaneous:
            for p in range(players):
                _average(flat, p, learning, decay)
