"""What is learnt from a walk, and from all of them."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.sampling.records import (
    DISCOUNTED,
    ESTIMATES,
    LAZY,
    MATCHING_PLUS,
    S_COUNT,
    S_FIRST,
    S_PARENT,
    T_AT,
    T_CHILD,
    T_COUNT,
    T_FIRST,
    T_OWN,
    T_STRIDE,
    W_VALUE,
    W_WEIGHT,
    WALKS,
    Plan,
)  # fmt: skip


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
def flush(sets: int, row: Longs, learnt: Floats) -> None:
    """Bring the sums of lazy averaging up to date; sets come after their parents. What was never visited stays 0."""
    for j in range(sets):
        cell, count, parent = row[j, S_FIRST], row[j, S_COUNT], row[j, S_PARENT]
        visited = learnt[cell - 1] != 0.0
        for s in range(cell + count, cell + 2 * count):
            visited |= learnt[s] != 0.0
        if visited:
            owed = learnt[parent] - learnt[cell - 1]
            learnt[cell - 1] = learnt[parent]
            for s in range(cell, cell + count):
                learnt[s + 2 * count] += owed * learnt[s]


@inlined
def learn(
    plan: Plan, i: int, touches: int, shows: int, notes: int,
    learnt: Floats, clock: Floats, stamp: Longs, empty: Longs, baseline: Floats, measure: Floats, given: Floats,
    count_of: Longs, touched: Longs, worth: Floats, value: Floats, shown: Longs, counted: Floats, note: Longs,
    noted: Floats,
) -> None:  # fmt: skip
    """Apply what one complete walk has found (or, measuring, record it), count the walk, and clear `value`."""
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
                given[3 * i, entry] += 1.0
                given[3 * i + 1, entry] += value[at + a]
                given[3 * i + 2, entry] += value[at + a] * value[at + a]
                value[at + a] = 0.0
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
    for j in range(shows):  # before anything is learnt: with one player these are its own sets
        count = shown[j, 1]
        for s in range(shown[j, 0], shown[j, 0] + count):
            learnt[s + 2 * count] += weight * counted[j] * learnt[s]
    for j in range(touches):
        first, count, at = touched[j, T_FIRST], touched[j, T_COUNT], touched[j, T_AT]
        owed = 0.0
        if plan.averaging == LAZY:
            reached = learnt[touched[j, T_OWN]]
            owed = reached - learnt[first - 1]
            learnt[first - 1] = reached
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
            value[np.uint64(at) + k] = 0.0
            part = max(regret, 0.0)
            learnt[cell + step + step] += owed * played
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
    for j in range(notes):
        entry = note[j]
        baseline[i, entry] += plan.rate * (noted[j] - baseline[i, entry])
