"""What Hedge over whole plans learns from a walk: EINR on sampled gradients.

C. Chhablani, M. Sullins, I. A. Kash (2023), Multiplicative weight updates for extensive form games, theorem 1.

The cell of an action Ia keeps L(Ia) = Σ rate·weight·ĝ(Ia) + Σ K over the sets that follow Ia. K(I) = log mean exp L(Ia)
over the actions at I, and the strategy at I is the softmax of L. A set that was never met has K = 0. A walk changes L
at the sets that it visits and nowhere else, because a set can only be reached through the player's own sets before it.

ĝ(Ia) estimates the gradient: what play earns after Ia and before the player's next set, by probabilities of the others
alone. It is the sampled value of Ia less those of the visited sets that follow.
"""

from __future__ import annotations

import math

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.sampling.records import Scratch, Tables

FURTHEST = 1e100
"""The most by which one walk changes a log weight. Sums stay finite, and no walk of a sensible rate comes near."""


@inlined
def learn_plans(i: int, weight: float, tables: Tables, scratch: Scratch) -> None:
    """Apply one complete walk of player i, whose gradient weighs `weight`, and clear its values."""
    learnt, value, touched = tables.learnt, scratch.value, scratch.used[0].touched
    rate = tables.terms[1, i] * weight
    for k in range(touched):  # sets come after those that lead to them
        touch = scratch.touched[k]
        first, count, at = touch.first, touch.count, touch.at
        owed = learnt[touch.own] - learnt[first - 1]
        learnt[first - 1] = learnt[touch.own]
        for a in range(count):
            learnt[first + 2 * count + a] += owed * learnt[first + a]
            value[at + a] *= min(rate * touch.weight, FURTHEST)
    for k in range(touched - 1, -1, -1):
        touch = scratch.touched[k]
        first, count, at = touch.first, touch.count, touch.at
        before = _log_mean(learnt, first, count)
        for a in range(count):
            learnt[first + count + a] += min(max(value[at + a], -FURTHEST), FURTHEST)
            value[at + a] = 0.0
        _play(learnt, first, count)
        if touch.above >= 0:
            above = scratch.touched[touch.above]
            place = above.at + touch.own - above.first - 2 * above.count
            value[place] += _log_mean(learnt, first, count) - before - min(rate * touch.weight, FURTHEST) * touch.value


@inlined
def _log_mean(learnt: Floats, first: int, count: int) -> float:
    """Return K of a set, whose strategy belongs to its log weights: by its likeliest action, without a sum."""
    best = first
    for s in range(first + 1, first + count):
        if learnt[s] > learnt[best]:
            best = s
    return learnt[best + count] - math.log(count * learnt[best])


@inlined
def _play(learnt: Floats, first: int, count: int) -> None:
    """Make the strategy of a set the softmax of its log weights."""
    most, total = learnt[first + count], 0.0
    for s in range(first + count + 1, first + 2 * count):
        most = max(most, learnt[s])
    for s in range(first, first + count):
        learnt[s] = math.exp(learnt[s + count] - most)
        total += learnt[s]
    for s in range(first, first + count):
        learnt[s] /= total
