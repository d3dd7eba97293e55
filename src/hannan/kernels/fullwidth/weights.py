"""Weights over the pure strategies of a game, in the log domain, at the cost of a pass over the sets; plain layout.

A weight on every pure strategy is never stored: its logarithm is a sum over the sequences that the strategy plays, so
one number a sequence is enough, and sums over strategies are taken set by set from the leaves up. The state is that of
the other full-width methods; where they keep regrets, sums of gradients are kept here.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import kernel
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.records import Flat, Learning


@kernel
def mix(flat: Flat, player: int, logit: Floats) -> float:
    """Turn what each sequence alone adds to the log weight into the strategy that all weights together play.

    At a set, the log of the sum over actions of exp(logit) is what the set adds to its parent sequence, and the
    strategy is the softmax. Returns the log of the sum of all weights.
    """
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        begin, size = flat.first[j], flat.size[j]
        highest = logit[begin]
        if size == 1:
            logit[begin] = 1.0
            logit[flat.parent[j]] += highest
            continue
        for s in range(begin + 1, begin + size):
            highest = max(highest, logit[s])
        total = 0.0
        for s in range(begin, begin + size):
            weight = np.exp(logit[s] - highest)
            logit[s] = weight
            total += weight
        scale = 1.0 / total
        for s in range(begin, begin + size):
            logit[s] *= scale
        logit[flat.parent[j]] += highest + np.log(total)
    root = flat.sequence_begin[player]
    whole: float = logit[root]
    logit[root] = 1.0
    return whole


@kernel
def count(flat: Flat, player: int, prior: Floats) -> float:
    """Write the prior that is uniform over reduced pure strategies; return the log of how many there are."""
    for s in range(flat.sequence_begin[player], flat.sequence_begin[player + 1]):
        prior[s] = 0.0
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        begin, end = flat.first[j], flat.first[j] + flat.size[j]
        highest = prior[begin]
        for s in range(begin + 1, end):
            highest = max(highest, prior[s])
        total = 0.0
        for s in range(begin, end):
            total += np.exp(prior[s] - highest)
        many = highest + np.log(total)
        for s in range(begin, end):
            prior[s] -= many
        prior[flat.parent[j]] += many
    root = flat.sequence_begin[player]
    result: float = prior[root]
    prior[root] = 0.0
    return result


@kernel
def exponential(flat: Flat, player: int, learning: Learning, prior: Floats, step: Floats, worth: Floats) -> float:
    """Hedge: add the gradient in `worth` to the sum, and mix anew. Return what the current strategy earns."""
    strategy, reach, gain = learning.strategy, learning.reach, learning.regret
    weight, rate, predict = step[rec.WEIGHT], step[rec.RATE], step[rec.PREDICT]
    begin, end = flat.sequence_begin[player], flat.sequence_begin[player + 1]
    value = 0.0
    for s in range(begin, end):
        value += reach[s] * worth[s]
    for s in range(begin, end):
        instant = weight * worth[s]
        gain[s] += instant
        strategy[s] = prior[s] + rate * (gain[s] + predict * instant)
    mix(flat, player, strategy)
    return value


@kernel
def linear(flat: Flat, player: int, learning: Learning, prior: Floats, step: Floats, worth: Floats) -> float:
    """Linear Hedge: a factor 1 + rate · utility. Return what the current strategy earns.

    `worth` becomes what the strategy earns given that it plays the sequence; the factors of a set average to that of
    its parent sequence, so the reach of every sequence is multiplied by its own factor over the whole one. Sums of
    logs of factors are kept.
    """
    strategy, gain = learning.strategy, learning.regret
    rate = step[rec.WEIGHT] * step[rec.RATE]
    first, last = flat.set_begin[player], flat.set_begin[player + 1]
    for j in range(last - 1, first - 1, -1):
        value = 0.0
        for s in range(flat.first[j], flat.first[j] + flat.size[j]):
            value += strategy[s] * worth[s]
        worth[flat.parent[j]] += value
    for j in range(first, last):
        begin, end = flat.first[j], flat.first[j] + flat.size[j]
        elsewhere = worth[flat.parent[j]]
        for s in range(begin, end):
            elsewhere -= strategy[s] * worth[s]
        highest = -np.inf
        for s in range(begin, end):
            worth[s] += elsewhere
            gain[s] += np.log1p(rate * worth[s])
            strategy[s] = prior[s] + gain[s]
            highest = max(highest, strategy[s])
        total = 0.0
        for s in range(begin, end):
            strategy[s] = np.exp(strategy[s] - highest)
            total += strategy[s]
        for s in range(begin, end):
            strategy[s] /= total
    result: float = worth[flat.sequence_begin[player]]
    return result


@kernel
def floored(flat: Flat, player: int, learning: Learning, prior: Floats, step: Floats, worth: Floats) -> float:
    """Hedge over plans by its increments, set by set, with a floor as in CFR+. Return what the current strategy earns.

    L(Ia) grows by rate · gradient + Σ ΔK over the sets that follow Ia, less the mean c of this over current play, and
    is then floored. ΔK(I) = c + the change of log Σ prior·exp(L). Without a floor this is `exponential` at a constant
    rate: what c takes from all actions of a set it hands on to the parent.
    """
    strategy, gain = learning.strategy, learning.regret
    scale, floor, root = step[rec.WEIGHT] * step[rec.RATE], step[rec.FLOOR], flat.sequence_begin[player]
    value = 0.0
    for s in range(root, flat.sequence_begin[player + 1]):
        value += learning.reach[s] * worth[s]
        worth[s] *= scale
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        begin, end = flat.first[j], flat.first[j] + flat.size[j]
        mean = 0.0
        for s in range(begin, end):
            mean += strategy[s] * worth[s]
        before = _log_sum(prior, gain, begin, end)
        for s in range(begin, end):
            gain[s] = max(gain[s] + worth[s] - mean, floor)
        after = _log_sum(prior, gain, begin, end)
        for s in range(begin, end):
            strategy[s] = np.exp(prior[s] + gain[s] - after)
        worth[flat.parent[j]] += mean + after - before
    return value


@kernel
def _log_sum(prior: Floats, gain: Floats, begin: int, end: int) -> float:
    """Return log Σ exp(prior + gain) over the sequences of a set."""
    highest = -np.inf
    for s in range(begin, end):
        highest = max(highest, prior[s] + gain[s])
    total = 0.0
    for s in range(begin, end):
        total += np.exp(prior[s] + gain[s] - highest)
    result: float = highest + np.log(total)
    return result
