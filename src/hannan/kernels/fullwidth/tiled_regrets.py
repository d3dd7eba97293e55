"""The regret learners of `regrets.py` in the tiled layout: the same arithmetic, laid out as `tiled_passes` says.

A set is visited once: its average, its regrets and its next strategy are written while they are at hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.addresses import address
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.records import Learning, Tiled
from hannan.kernels.vectors import (
    LANES,
    add,
    fused,
    if_above,
    load,
    minus,
    over,
    pick,
    splat,
    store,
    times,
)


@inlined
def match(tiled: Tiled, low: int, high: int, learning: Learning, step: Floats, worth: Floats) -> None:
    """Turn gradients into regrets and the next strategy at the sets of tiles `low … high`.

    The reach just played is added to the average. What `worth` gathers from later sets becomes 0, ready for the next
    gradient.
    """
    reach, total, strategy = learning.reach, learning.total, learning.strategy
    decay, averaged = step[rec.DECAY], total.size > 0
    values, gained = address(tiled.scratch, 0), address(worth, 0)
    for t in range(low, high):
        first, groups, actions, parents, use = tiled.tile[t]
        for group in range(groups):
            above = pick(reach, 0, tiled.parent, parents + group * LANES)
            fading, value = splat(decay, above), splat(0.0, above)
            for a in range(actions):
                place = first + a * LANES
                played = load(strategy, place)
                if tiled.use[use + a] & rec.EARNS:
                    value = add(value, times(played, load(worth, place)))
                if averaged:
                    store(total, place, add(times(load(total, place), fading), times(above, played)))
            if actions > 1:
                _update(tiled, first, actions, use, value, learning, step, worth)
            else:
                if tiled.use[use] & rec.GATHERS:
                    store(worth, first, splat(0.0, value))
            store(values, 0, value)
            parent = address(tiled.parent, parents + group * LANES)
            for k in range(LANES):
                gained[parent[k]] += values[k]
            first += actions * LANES


@inlined
def _update(
    tiled: Tiled, first: int, actions: int, use: int, value: Any, learning: Learning, step: Floats, worth: Floats
) -> None:
    """Update the regrets and the strategy of a group whose sets are worth `value`."""
    strategy, regret, rate = learning.strategy, learning.regret, step[rec.RATE]
    none, floor, noise = splat(0.0, value), splat(step[rec.FLOOR], value), splat(step[rec.NOISE], value)
    positive, negative = splat(step[rec.POSITIVE], value), splat(step[rec.NEGATIVE], value)
    keep, predict, whole = splat(step[rec.KEEP], value), splat(step[rec.PREDICT], value), none
    for a in range(actions):
        place = first + a * LANES
        instant = minus(none, value)
        if tiled.use[use + a] & rec.EARNS:
            instant = minus(load(worth, place), value)
            if tiled.use[use + a] & rec.GATHERS:
                store(worth, place, none)
        old = load(regret, place)
        new = add(times(old, if_above(old, none, positive, negative)), instant)
        new = if_above(new, floor, new, floor)
        store(regret, place, new)
        weight = add(times(keep, new), times(predict, instant))
        if rate == 0.0:
            weight = if_above(weight, noise, weight, none)
            whole = add(whole, weight)
        store(strategy, place, weight)
    if rate > 0.0:
        _exponentiate(strategy, first, actions, rate)
        for a in range(actions):
            whole = add(whole, load(strategy, first + a * LANES))
    even, one = splat(1.0 / actions, value), splat(1.0, value)
    inverse = over(one, whole)
    for a in range(actions):
        place = first + a * LANES
        weight = load(strategy, place)
        # one division per set: corrected by the remainder, weight · inverse is the rounded quotient (Markstein, 1990)
        share = times(weight, inverse)
        share = fused(fused(minus(none, share), whole, weight), inverse, share)
        store(strategy, place, if_above(whole, none, share, even))


@inlined
def _exponentiate(weights: Floats, first: int, actions: int, rate: float) -> None:
    """Replace the weights of a group by exp(rate · weight), scaled by the highest of each set."""
    for k in range(first, first + LANES):
        highest = -np.inf
        for place in range(k, k + actions * LANES, LANES):
            highest = max(highest, weights[place])
        for place in range(k, k + actions * LANES, LANES):
            weights[place] = np.exp(rate * (weights[place] - highest))
