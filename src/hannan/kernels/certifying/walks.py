"""Outcome sampling on a pseudogame: one walk for each player, and what its regret minimiser learns from it.

In the walk of player i its own actions are sampled from a mixture of uniform play and its strategy, everything else as
it is played; so the estimate of what i gains has the right mean, and is zero-mean noise apart (M. Lanctot et al. 2009).
Baselines take most of the noise away (T. Davis, M. Schmid, M. Bowling 2020). Payoffs are those in favour of i.

A balanced walk explores as a whole: with the probability of exploration every end of i's own play is about equally
likely, so that no sequence is sampled with a probability below exploration / number of ends (section 7.3: M ≤ N).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined, kernel, shared
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying.records import Learned, SetColumns, Steps
from hannan.kernels.sampling.draws import uniform
from hannan.kernels.trunks import CHANCE, CHOICE, LEAF, Nodes

LN2 = math.log(2.0)
WALKS = np.uint64(0x5851F42D4C957F2D)
"""What tells the random numbers of walks from those of the playthrough."""


@inlined
def shared_logs(t: int, unknown: int, radius: Floats) -> float:
    """Return what the radii of all groups have in common after t playthroughs (`hannan.certificates.radii`)."""
    if radius[rec.PAPER] == 0.0:
        return radius[rec.LOG_FAILURE]
    return math.log(max(float(t) * t * unknown * radius[rec.PLAYERS], 1.0))


@inlined
def radius_of(nodes: Nodes, group: int, logs: float, radius: Floats) -> float:
    """Return ρ of a group of chance nodes, where `logs` is what all have in common."""
    if nodes.known[group]:
        return 0.0
    m = float(nodes.samples[group])
    if m == 0.0:
        return 1.0
    logs += nodes.size[group] * LN2
    if radius[rec.PAPER] == 0.0:
        k = float(nodes.rank[group])
        logs += math.log(m * (m + 1.0)) + math.log(k * (k + 1.0))
    return min(radius[rec.SCALE] * math.sqrt(logs / (2.0 * m)), 1.0)


@inlined
def _gained(nodes: Nodes, node: int, i: int) -> float:
    """Return what player i gained on reaching a node."""
    if nodes.gain.shape[1] == 1:
        return nodes.gain[node, 0] if i == 0 else -nodes.gain[node, 0]
    return nodes.gain[node, i]


@inlined
def _hoped(nodes: Nodes, node: int, i: int) -> float:
    """Return the most that player i can gain from a node on."""
    if nodes.gain.shape[1] == 1:
        return nodes.most[node, 0] if i == 0 else -nodes.least[node, 0]
    return nodes.most[node, i]


@inlined
def _apart(nodes: Nodes, node: int, i: int) -> float:
    """Return how far apart the bounds on what player i gains after a node are."""
    u = 0 if nodes.gain.shape[1] == 1 else i
    return nodes.most[node, u] - nodes.least[node, u]


@inlined
def _sure(nodes: Nodes, i: int) -> float:
    """Return what player i gains at least in the whole game, by the bounds told at the root."""
    u = 0 if nodes.gain.shape[1] == 1 else i
    gain = 0.0 if nodes.kind[0] == LEAF else nodes.gain[0, u]
    return -nodes.high[0, u] - gain if u != i else nodes.low[0, u] + gain


@inlined
def _outcome(nodes: Nodes, node: int, group: int, random: Any) -> int:
    """Draw a child of a chance node by its frequencies, or its odds; -1 for what never came at this node."""
    u = uniform(random)
    if not nodes.open[group]:
        begin, size = nodes.begin[group], nodes.size[group]
        if nodes.known[group]:
            last = 0
            for k in range(size):
                if nodes.odds[begin + k] > 0.0:
                    last = k
                    u -= nodes.odds[begin + k]
                    if u < 0.0:
                        break
            return nodes.first[node] + last
        left = np.int64(u * nodes.samples[group])
        for k in range(size):
            left -= nodes.counts[begin + k]
            if left < 0:
                return nodes.first[node] + k
        return nodes.first[node] + size - 1
    left, child = np.int64(u * nodes.samples[group]), nodes.late[node]
    while child >= 0:
        left -= nodes.counts[nodes.slot[child]]
        if left < 0:
            return child
        child = nodes.sibling[child]
    return -1


@inlined
def drawn(strategy: Floats, p: int, first: int, size: int, u: float) -> int:
    """Return which action a uniform number stands for."""
    last = 0
    for k in range(size):
        if strategy[p, first + k] > 0.0:
            last = k
            u -= strategy[p, first + k]
            if u < 0.0:
                return k
    return last


@inlined
def _ends(learned: Learned, p: int, first: int, size: int) -> float:
    """Return how many ends there are after the actions of a set."""
    total = 0.0
    for s in range(first, first + size):
        total += learned.breadth[p, s]
    return total


@inlined
def _spread(learned: Learned, p: int, first: int, size: int, u: float) -> int:
    """Return the action that a uniform number stands for, in proportion to the ends after it."""
    u *= _ends(learned, p, first, size)
    for k in range(size):
        u -= learned.breadth[p, first + k]
        if u < 0.0:
            return k
    return size - 1


@inlined
def walk(
    i: int, logs: float, weight: float, nodes: Nodes, sets: SetColumns, learned: Learned, steps: Steps, radius: Floats,
    manner: Floats, touched: int,
) -> int:  # fmt: skip
    """Sample one play of the pseudogame for player i, and add to its regrets; return how many sets were touched.

    What the whole walk is worth, above what player i is sure of, goes to the sequence at which it ends, divided by the
    probability of i's own choices. The sum over all sequences of a strategy has the right mean (section 7.3).
    """
    seats, node, depth, end = nodes.set.shape[1], 0, 0, 0
    value, wide, q, pi, free = 0.0, 0.0, 1.0, 1.0, 1.0
    exploration, balanced, wild = manner[rec.EXPLORATION], manner[rec.BALANCED] != 0.0, False
    if balanced:
        wild = uniform(steps.random) < exploration
    while True:
        kind = nodes.kind[node]
        if kind == LEAF:
            value += _hoped(nodes, node, i)
            wide += _apart(nodes, node, i)
            break
        value += _gained(nodes, node, i)
        if kind == CHANCE:
            group, apart = nodes.group[node], _apart(nodes, node, i)
            error = radius_of(nodes, group, logs, radius) * apart
            value += error
            wide += 2.0 * error
            child = _outcome(nodes, node, group, steps.random)
            if child < 0:
                value += _hoped(nodes, node, i)
                wide += apart
                break
            node = child
        elif kind == CHOICE:
            move = 0
            for p in range(seats):
                number = nodes.set[node, p]
                if number < 0:
                    continue
                first, size = sets.first[p, number], sets.size[p, number]
                u = uniform(steps.random)
                if p != i:
                    move = move * size + drawn(learned.strategy, p, first, size, u)
                    continue
                if np.isnan(learned.baseline[p, first]):  # met for the first time: begin with what is known above
                    for s in range(first, first + size):
                        learned.baseline[p, s] = learned.baseline[p, sets.parent[p, number]]
                k = 0
                if wild:
                    k = _spread(learned, p, first, size, u)
                elif balanced:
                    k = drawn(learned.strategy, p, first, size, u)
                elif u < exploration:
                    k = min(np.int64(u / exploration * size), size - 1)
                else:
                    k = drawn(learned.strategy, p, first, size, (u - exploration) / (1.0 - exploration))
                played = learned.strategy[p, first + k]
                odds = exploration / size + (1.0 - exploration) * played
                if balanced:
                    free *= learned.breadth[p, first + k] / _ends(learned, p, first, size)
                    odds = (exploration * free + (1.0 - exploration) * pi * played) / q
                steps.number[depth], steps.action[depth] = number, k
                steps.odds[depth], steps.before[depth] = odds, q
                steps.touched[touched, 0], steps.touched[touched, 1] = p, number
                touched += 1
                depth += 1
                q *= odds
                pi *= played
                end = first + k
                move = move * size + k
            node = nodes.first[node] + move
        else:
            break
    learned.uncertainty[i] += wide * pi / q
    learned.rounds[i, end] += weight * max(value - _sure(nodes, i), 0.0) / q
    for d in range(depth - 1, -1, -1):
        number, k = steps.number[d], steps.action[d]
        first, size = sets.first[i, number], sets.size[i, number]
        guess = learned.baseline[i, first + k]
        corrected = guess + (value - guess) / steps.odds[d]
        mean = learned.strategy[i, first + k] * (corrected - guess)
        for a in range(size):
            mean += learned.strategy[i, first + a] * learned.baseline[i, first + a]
        scale = 1.0 / steps.before[d]
        for a in range(size):
            worth = corrected if a == k else learned.baseline[i, first + a]
            learned.regret[i, first + a] += scale * (worth - mean)
        learned.baseline[i, first + k] = guess + manner[rec.RATE] * (value - guess)
        value = mean
    return touched


@inlined
def settle(touched: int, sets: SetColumns, learned: Learned, steps: Steps) -> None:
    """Bring the averages of the sets that were met up to date, and match their regrets."""
    for n in range(touched):
        p, j = steps.touched[n, 0], steps.touched[n, 1]
        first, size = sets.first[p, j], sets.size[p, j]
        reached = learned.total[p, sets.parent[p, j]]
        owed = reached - learned.mark[p, j]
        learned.mark[p, j] = reached
        positive = 0.0
        for s in range(first, first + size):
            learned.total[p, s] += owed * learned.strategy[p, s]
            positive += max(learned.regret[p, s], 0.0)
        for s in range(first, first + size):
            learned.strategy[p, s] = max(learned.regret[p, s], 0.0) / positive if positive > 0.0 else 1.0 / size


@inlined
def _widen(sets: SetColumns, learned: Learned, p: int, j: int) -> None:
    """Count the ends that a new set adds, from its sequences up to where nothing changes."""
    for s in range(sets.first[p, j], sets.first[p, j] + sets.size[p, j]):
        learned.owner[p, s], learned.breadth[p, s] = j, 1.0
    above, total = sets.parent[p, j], float(sets.size[p, j])
    while total > learned.breadth[p, above]:
        learned.breadth[p, above] = total
        if above == 0:
            break
        j = learned.owner[p, above]
        above, total = sets.parent[p, j], _ends(learned, p, sets.first[p, j], sets.size[p, j])


@kernel
def widen(sets: SetColumns, learned: Learned) -> None:
    """Count the ends after every sequence anew, at all sets that are entered."""
    for p in range(sets.used.size):
        learned.breadth[p, 0] = 1.0
        for j in range(learned.known[p]):
            _widen(sets, learned, p, j)


@shared
def extend(sets: SetColumns, learned: Learned, lazy: bool) -> None:
    """Enter the sets that are new: no regret, uniform play. Unless averages are `lazy`, they were always played so."""
    for p in range(sets.used.size):
        for j in range(learned.known[p], sets.used[p]):
            first, size = sets.first[p, j], sets.size[p, j]
            learned.mark[p, j] = 0.0
            for s in range(first, first + size):
                learned.strategy[p, s], learned.regret[p, s], learned.baseline[p, s] = 1.0 / size, 0.0, np.nan
                learned.total[p, s] = 0.0 if lazy else learned.total[p, sets.parent[p, j]] / size
                learned.rounds[p, s] = 0.0
            _widen(sets, learned, p, j)
        learned.known[p] = sets.used[p]


@inlined
def learn_once(
    t: int, players: int, unknown: int, nodes: Nodes, sets: SetColumns, learned: Learned, steps: Steps, radius: Floats,
    manner: Floats,
) -> None:  # fmt: skip
    """One iteration: a walk for each player against the same strategies, then all of them learn."""
    power = manner[rec.POWER]
    weight = float(t) ** power if power != 0.0 else 1.0
    touched, logs = 0, shared_logs(t, unknown, radius)
    for p in range(players):
        learned.total[p, 0] += weight
    for i in range(players):
        touched = walk(i, logs, weight, nodes, sets, learned, steps, radius, manner, touched)
    settle(touched, sets, learned, steps)


@kernel
def learn(
    first: int, states: Any, players: int, unknown: int, nodes: Nodes, sets: SetColumns, learned: Learned, steps: Steps,
    radius: Floats, manner: Floats,
) -> None:  # fmt: skip
    """Iterations `first`, `first` + 1, … with the random states of their playthroughs."""
    for k in range(states.size):
        steps.random[0] = states[k] ^ WALKS
        learn_once(first + k, players, unknown, nodes, sets, learned, steps, radius, manner)


@kernel
def average(sets: SetColumns, learned: Learned, player: int, out: Floats) -> None:
    """Write the weighted sums of reaches of a player's sequences, up to date, and change nothing."""
    out[0] = learned.total[player, 0]
    for j in range(sets.used[player]):
        first, size = sets.first[player, j], sets.size[player, j]
        owed = out[sets.parent[player, j]] - learned.mark[player, j]
        for s in range(first, first + size):
            out[s] = learned.total[player, s] + owed * learned.strategy[player, s]
