"""What walks are made of: random draws, the search for an information set, and what is learnt from a walk.

`hannan.kernels.sampling` calls these from another file, and numba's cache does not notice a change here: touch that
file too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel

# isort: off
from hannan.kernels.samplingrecords import (
    BEGIN, CHANCE, CHILD, DISCOUNTED, ESTIMATES, FIRST, GAIN_ROW, JOINT, KIND, KINDS, LAZY, MATCHING_PLUS, MOVERS,
    SIZE, T_AT, T_CHILD, T_COUNT, T_FIRST, T_OWN, T_STRIDE, WALKS, WEIGHTED, W_REACH, W_VALUE, W_WEIGHT, Board,
    Plan, Tables,
)  # fmt: skip
# isort: on

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53


@kernel
def mixed(z: Any) -> Any:
    """Mix 64 bits: the last step of SplitMix64 (G. Steele, D. Lea, C. Flood 2014)."""
    z = (z ^ (z >> S30)) * FIRST_FACTOR
    z = (z ^ (z >> S27)) * SECOND_FACTOR
    return z ^ (z >> S31)


@kernel
def slot_of_set(sequence: int, observation: int, mask: int) -> int:
    """Return the bucket at which the search for an information set begins."""
    mixed = sequence * -7046029254386353131 + observation * -4417276706812531889
    mixed ^= mixed >> 29
    mixed *= -4658895280553007687
    mixed ^= mixed >> 32
    return mixed & mask


@kernel
def rehash(sets: int, set_parent: Longs, set_observation: Longs, buckets: Longs) -> None:
    """Fill empty buckets with the sets that there are."""
    mask = buckets.size - 1
    buckets[:] = -1
    for j in range(sets):
        place = slot_of_set(set_parent[j], set_observation[j], mask)
        while buckets[place] >= 0:
            place = (place + 1) & mask
        buckets[place] = j


@inlined
def share(strategy: Floats, first: int, count: int, positive: float) -> None:
    """Scale what lies in a set's strategy, which sums to `positive`, to sum to 1; uniform where that is 0."""
    if positive > 0.0:
        scale = 1.0 / positive
        for s in range(np.uint64(first), np.uint64(first + count)):
            strategy[s] *= scale
    else:
        for s in range(np.uint64(first), np.uint64(first + count)):
            strategy[s] = 1.0 / count


@kernel
def flush(sets: int, parent: Longs, first: Longs, size: Longs, learnt: Floats) -> None:
    """Bring the sums of lazy averaging up to date; sets come after their parents. What was never visited stays 0."""
    for j in range(sets):
        cell, count = first[j], size[j]
        visited = learnt[cell - 1] != 0.0
        for s in range(cell + count, cell + 2 * count):
            visited |= learnt[s] != 0.0
        if visited:
            owed = learnt[parent[j]] - learnt[cell - 1]
            learnt[cell - 1] = learnt[parent[j]]
            for s in range(cell, cell + count):
                learnt[s + 2 * count] += owed * learnt[s]


@kernel
def back_up(board: Board, tables: Tables, players: int, h: int) -> None:
    """Make the baseline of one node, for every player, what its children's baselines say under current play."""
    node, baseline, strategy, slot = board.node, tables.baseline, tables.learnt, board.slot
    who, count, first = node[h, KIND] % KINDS, node[h, KIND] // KINDS, node[h, FIRST]
    for p in range(players):
        value = 0.0
        for c in range(count):
            child = node[h, CHILD] + c
            if who == CHANCE:
                weight = board.probability[child]
            elif who == JOINT:
                weight, rest = 1.0, c
                for m in range(slot[first, MOVERS] - 1, -1, -1):
                    weight *= strategy[slot[first + m, BEGIN] + rest % slot[first + m, SIZE]]
                    rest //= slot[first + m, SIZE]
            else:
                weight = strategy[first + c]
            value += weight * baseline[p, child]
        if node[h, GAIN_ROW] >= 0:
            value += board.gain[node[h, GAIN_ROW], p]
        baseline[p, h] = value


@inlined
def drawn(weights: Floats, first: int, count: int, u: float) -> int:
    """Return the move that the random number u draws."""
    k = 0
    reached = 0.0
    for s in range(np.uint64(first), np.uint64(first + count - 1)):  # no branch: which move comes cannot be foreseen
        reached += weights[s]
        k += 1 if u >= reached else 0
    while k > 0 and weights[first + k] == 0.0:
        k -= 1  # rounding alone leads to a last move that is never played
    return k


@inlined
def wandered(weights: Floats, first: int, count: int, even: float, keep: float, u: float) -> int:
    """As `drawn`, from `even` + `keep` times the weights."""
    k = 0
    reached = 0.0
    for s in range(np.uint64(first), np.uint64(first + count - 1)):
        reached += even + keep * weights[s]
        k += 1 if u >= reached else 0
    return k


@inlined
def learn(
    plan: Plan, i: int, touches: int, shows: int, notes: int,
    learnt: Floats, clock: Floats, stamp: Longs, empty: Longs, baseline: Floats, measure: Floats, given: Floats,
    count_of: Longs, touched: Longs, worth: Floats, value: Floats, shown: Longs, note: Longs, noted: Floats,
) -> None:  # fmt: skip
    """Apply what one complete walk has found (or, measuring, record it), and count the walk."""
    again = plan.others == 1  # a set may be met several times in one walk
    plus = plan.learner == MATCHING_PLUS
    walk = count_of[WALKS]
    count_of[WALKS] = walk + 1
    if plan.measuring == ESTIMATES:
        for j in range(touches):
            first, count, at = touched[j, T_FIRST], touched[j, T_COUNT], touched[j, T_AT]
            for a in range(count):
                learnt[first + count + a] += worth[j, W_WEIGHT] * value[at + a]
                entry = touched[j, T_CHILD] + a * touched[j, T_STRIDE]
                given[0, entry] += 1.0
                given[1, entry] += value[at + a]
                given[2, entry] += value[at + a] * value[at + a]
        for j in range(touches):
            first, count = touched[j, T_FIRST], touched[j, T_COUNT]
            for s in range(first, first + count):
                measure[0, s] += learnt[s + count]
                measure[1, s] += learnt[s + count] * learnt[s + count]
                learnt[s + count] = 0.0
        return
    weight = 1.0
    if plan.power != 0.0:
        weight = float(walk // plan.players + 1) ** plan.power
    learnt[empty[i]] += weight
    for j in range(touches):
        first, count, at = touched[j, T_FIRST], touched[j, T_COUNT], touched[j, T_AT]
        counted = 0.0
        if plan.averaging == LAZY:
            reached = learnt[touched[j, T_OWN]]
            counted = reached - learnt[first - 1]
            learnt[first - 1] = reached
        elif plan.averaging == WEIGHTED:
            counted = weight * worth[j, W_REACH]
        if plan.learner == DISCOUNTED and stamp[first] != walk + 1:
            stamp[first] = walk + 1
            before = clock[first]
            clock[first] = before + 1.0
            if before > 0.0:
                grown, shrunk = before**plan.alpha, before**plan.beta
                for a in range(first + count, first + 2 * count):
                    learnt[a] *= grown / (grown + 1.0) if learnt[a] > 0.0 else shrunk / (shrunk + 1.0)
        scale, mean = worth[j, W_WEIGHT], worth[j, W_VALUE]
        positive = 0.0
        step = np.uint64(count)
        for k in range(step):
            cell = np.uint64(first) + k
            played = learnt[cell]
            regret = learnt[cell + step] + scale * (value[np.uint64(at) + k] - mean)
            part = max(regret, 0.0)
            learnt[cell + step + step] += counted * played
            learnt[cell + step] = part if plus and not again else regret
            if not again:
                learnt[cell] = part
        if not again:
            for k in range(step):
                positive += learnt[np.uint64(first) + k]
            share(learnt, first, count, positive)
    if again:
        for j in range(touches):
            first, count, positive = touched[j, T_FIRST], touched[j, T_COUNT], 0.0
            for s in range(first, first + count):
                learnt[s] = max(learnt[s + count], 0.0)
                positive += learnt[s]
                if plus:
                    learnt[s + count] = learnt[s]
            share(learnt, first, count, positive)
    for j in range(shows):
        count = shown[j, 1]
        for s in range(shown[j, 0], shown[j, 0] + count):
            learnt[s + 2 * count] += weight * learnt[s]
    for j in range(notes):
        entry = note[j]
        baseline[i, entry] += plan.rate * (noted[j] - baseline[i, entry])
