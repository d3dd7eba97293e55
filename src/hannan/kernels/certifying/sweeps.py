"""Passes over every node of a trunk, for any number of players: payoffs of the pseudogame, gradients, values.

Passes over the information sets of one player are those of `kernels.fullwidth`.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined, kernel, owning
from hannan.kernels.certifying.walks import radius_of, shared_logs
from hannan.kernels.fullwidth.records import Flat
from hannan.kernels.trunks import CHANCE, LEAF, Nodes


@inlined
def _share(nodes: Nodes, slot: int) -> float:
    group = nodes.owner[slot]
    return nodes.odds[slot] if nodes.known[group] else nodes.counts[slot] / max(nodes.samples[group], 1)


@kernel
def payoffs(nodes: Nodes, t: int, unknown: int, radius: Floats, reach: Floats, pays: Floats) -> None:
    """Write what each node pays each player in its pessimistic and its optimistic game, [seats, 2, nodes].

    Chance, by its frequencies or odds, is folded in: `reach` gets the probability with which it leads to each node.
    """
    alone, logs = nodes.gain.shape[1] == 1, shared_logs(t, unknown, radius)
    for node in range(reach.size):
        slot, kind, rho, missing = nodes.slot[node], nodes.kind[node], 0.0, 0.0
        above = 1.0 if node == 0 else reach[nodes.parent[node]]
        reach[node] = above if slot < 0 else above * _share(nodes, slot)
        if kind == CHANCE:
            group = nodes.group[node]
            rho = radius_of(nodes, group, logs, radius)
            if nodes.open[group]:  # what came elsewhere in the group, and never here, may pay anything within bounds
                missing, child = 1.0, nodes.late[node]
                while child >= 0:
                    missing -= _share(nodes, nodes.slot[child])
                    child = nodes.sibling[child]
                missing = max(missing, 0.0)
        for player in range(pays.shape[0]):
            u, turned = 0 if alone else player, alone and player == 1
            least, most, gain = nodes.least[node, u], nodes.most[node, u], nodes.gain[node, u]
            if turned:
                least, most, gain = -most, -least, -gain
            low, high = least, most
            if kind != LEAF:
                error = rho * (most - least)
                low, high = gain - error + missing * least, gain + error + missing * most
            pays[player, 0, node], pays[player, 1, node] = low * reach[node], high * reach[node]


@kernel
def gradient(nodes: Nodes, player: int, reach: Floats, pays: Floats, weight: float, out: Floats) -> None:
    """Add what each sequence of a player gains against the others' play, times a weight."""
    seats = nodes.sequence.shape[1]
    for node in range(pays.size):
        if pays[node] != 0.0:
            term = weight * pays[node]
            for p in range(seats):
                if p != player:
                    term *= reach[p, nodes.sequence[node, p]]
            out[nodes.sequence[node, player]] += term


@kernel
def value(nodes: Nodes, reach: Floats, pays: Floats) -> float:
    """Return what a profile earns."""
    total = 0.0
    for node in range(pays.size):
        if pays[node] != 0.0:
            term = pays[node]
            for p in range(nodes.sequence.shape[1]):
                term *= reach[p, nodes.sequence[node, p]]
            total += term
    return total


@owning
def unknown_depth(nodes: Nodes, used: int) -> int:
    """Return how many chance nodes whose odds are not known a path of the trunk has at most."""
    deepest, above = 0, np.zeros(used, np.int64)
    for node in range(used):
        here = 0 if node == 0 else above[nodes.parent[node]]
        if nodes.kind[node] == CHANCE and not nodes.known[nodes.group[node]]:
            here += 1
        above[node] = here
        deepest = max(deepest, here)
    return deepest


@kernel
def least_odds(flat: Flat, exploration: float, out: Floats) -> None:
    """Write the least probability with which a walker's own choices lead to each of its sequences."""
    out[0] = 1.0
    for j in range(flat.set_begin[1]):
        for s in range(flat.first[j], flat.first[j] + flat.size[j]):
            out[s] = out[flat.parent[j]] * exploration / flat.size[j]
