"""What is learnt from a walk, and from all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.plans import learn_plans
from hannan.kernels.sampling.records import SamplingPlan, Scratch, Tables
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT

LEAST = 1e-300
"""A sum of regrets up to here counts as 0: the number by which it would be scaled is infinite, or nearly so."""


@inlined
def clear(scratch: Scratch) -> None:
    """Forget the values of a walk from which nothing is learnt."""
    scratch.value[: scratch.used[0].values] = 0.0


@inlined
def record_root(i: int, result: float, tables: Tables) -> None:
    """Record the value of the game to player i in one play, and count the walk.

    Squares are of distances from the mean (Welford 1962): sums of plain squares of large values that differ little keep
    nothing of how they differ.
    """
    tables.counts[rec.WALKS] += 1
    tables.root[0, i] += 1.0
    off = result - tables.root[1, i]
    tables.root[1, i] += off / tables.root[0, i]
    tables.root[2, i] += off * (result - tables.root[1, i])
    first = tables.root[0, i] == 1.0
    tables.root[3, i] = result if first else min(tables.root[3, i], result)
    tables.root[4, i] = result if first else max(tables.root[4, i], result)


@inlined
def learn(i: int, plan: SamplingPlan, tables: Tables, scratch: Scratch) -> None:
    """Apply what one complete walk of player i has shown (or, measuring, record it), count it, and clear its values."""
    walk, used = tables.counts[rec.WALKS], scratch.used[0]
    tables.counts[rec.WALKS] = walk + 1
    if plan.measuring == rec.ESTIMATES:
        _record_estimates(i, tables, scratch)
        return
    weight = 1.0
    if plan.power != 0.0:
        weight = float(walk // plan.players + 1) ** plan.power
    tables.learnt[tables.empty[i]] += weight
    if plan.learner == rec.PLANS:
        learn_plans(i, weight, tables, scratch)
        return
    _add_shown(weight, tables, scratch)  # before anything is learnt: with one player these are its own sets
    still = plan.learner == rec.STILL
    again = plan.others == 1 or plan.forgets != 0 or still  # a set may be met several times in one walk
    for k in range(used.touched):
        _learn_at(scratch.touched[k], walk, again, plan, tables, scratch)
    if again and not still:
        for k in range(used.touched):
            _match_again(scratch.touched[k], plan, tables.learnt)
    for k in range(used.noted):
        entry = scratch.note[k]
        tables.baseline[i, entry] += plan.rate * (scratch.noted[k] - tables.baseline[i, entry])


@inlined
def _learn_at(touch: Any, walk: int, again: bool, plan: SamplingPlan, tables: Tables, scratch: Scratch) -> None:
    """Add to the regrets (and to the sums that lazy averaging owes) at one visit of a set, and match the regrets.

    Where the set may be met `again`, `_match_again` does that once all is added up.
    """
    learnt, value = tables.learnt, scratch.value
    first, count, at, plus = touch.first, touch.count, touch.at, plan.learner == rec.MATCHING_PLUS
    owed = 0.0
    if tables.counts[rec.LEAD] == rec.COUNTED_LEAD:
        learnt[first - 2] += 1.0
    if plan.averaging == rec.LAZY:
        reached = learnt[touch.own]
        owed = reached - learnt[first - 1]
        learnt[first - 1] = reached
    if plan.learner == rec.DISCOUNTED and tables.stamp[first] != walk + 1:
        tables.stamp[first] = walk + 1
        _discount(first, count, plan, tables)
    scale, mean = touch.weight, touch.value
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
        positive = 0.0
        for k in range(step):
            positive += learnt[np.uint64(first) + k]
        _share(learnt, first, count, positive)


@inlined
def _match_again(touch: Any, plan: SamplingPlan, learnt: Floats) -> None:
    """Match the regrets of a set that a walk may have met several times."""
    first, count, positive = touch.first, touch.count, 0.0
    for s in range(first, first + count):
        learnt[s] = max(learnt[s + count], 0.0)
        positive += learnt[s]
        if plan.learner == rec.MATCHING_PLUS:
            learnt[s + count] = learnt[s]
    _share(learnt, first, count, positive)


@inlined
def _share(strategy: Floats, first: int, count: int, positive: float) -> None:
    """Scale what lies in a set's strategy, which sums to `positive`, to sum to 1; uniform where that is `LEAST`."""
    if positive > LEAST:
        scale = 1.0 / positive
        for s in range(np.uint64(first), np.uint64(first + count)):
            strategy[s] *= scale
    else:
        for s in range(np.uint64(first), np.uint64(first + count)):
            strategy[s] = 1.0 / count


@inlined
def _discount(first: int, count: int, plan: SamplingPlan, tables: Tables) -> None:
    """Discount the regrets of a set by its own clock: t**α/(t**α + 1) where they are positive, else with β."""
    learnt, before = tables.learnt, tables.clock[first]
    tables.clock[first] = before + 1.0
    if before > 0.0:
        grown, shrunk = before**plan.alpha, before**plan.beta
        for a in range(first + count, first + 2 * count):
            learnt[a] *= grown / (grown + 1.0) if learnt[a] > 0.0 else shrunk / (shrunk + 1.0)


@inlined
def _add_shown(weight: float, tables: Tables, scratch: Scratch) -> None:
    """Add current play at the sets that were shown to the sums of the average (weighted and simple averaging)."""
    learnt = tables.learnt
    for k in range(scratch.used[0].shown):
        count = scratch.shown[k, 1]
        for s in range(scratch.shown[k, 0], scratch.shown[k, 0] + count):
            learnt[s + 2 * count] += weight * scratch.counted[k] * learnt[s]


@inlined
def _record_estimates(i: int, tables: Tables, scratch: Scratch) -> None:
    """Add the sampled counterfactual values, and their squares, to what is measured; regrets' cells add them up."""
    learnt, measure, given, value, touched = (
        tables.learnt, tables.measure, tables.given, scratch.value, scratch.used[0].touched,
    )  # fmt: skip
    for k in range(touched):
        touch = scratch.touched[k]
        first, count, at = touch.first, touch.count, touch.at
        for a in range(count):
            learnt[first + count + a] += touch.weight * value[at + a]
            entry = touch.child + a * touch.stride
            given[3 * i, entry] += 1.0
            given[3 * i + 1, entry] += value[at + a]
            given[3 * i + 2, entry] += value[at + a] * value[at + a]
            value[at + a] = 0.0
    for k in range(touched):
        first, count = scratch.touched[k].first, scratch.touched[k].count
        for s in range(first, first + count):
            measure[0, s] += learnt[s + count]
            measure[1, s] += learnt[s + count] * learnt[s + count]
            learnt[s + count] = 0.0


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
