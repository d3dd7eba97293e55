"""Passes over every node of a trunk, for any number of players: payoffs of the pseudogame, gradients, values.

Passes over the information sets of one player are those of `kernels.fullwidth`.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import inlined, kernel
from hannan.kernels.certifying.walking import radius_of, shared_logs
from hannan.kernels.trunks import CHANCE, LEAF, Nodes


@inlined
def _share(nodes: Nodes, slot: int) -> float:
    group = nodes.owner[slot]
    return nodes.odds[slot] if nodes.known[group] else nodes.counts[slot] / max(nodes.samples[group], 1)


@kernel
def chances(nodes: Nodes, reach: Floats) -> None:
    """Write with which probability chance, by its frequencies or odds, leads to each node; as many as `reach` has."""
    reach[0] = 1.0
    for node in range(1, reach.size):
        slot = nodes.slot[node]
        reach[node] = reach[nodes.parent[node]] * (1.0 if slot < 0 else _share(nodes, slot))


@kernel
def payoffs(
    nodes: Nodes, player: int, t: int, unknown: int, radius: Floats, reach: Floats, low: Floats, high: Floats
) -> None:
    """Write what each node pays a player in its pessimistic and its optimistic game, chance folded in."""
    alone = nodes.gain.shape[1] == 1
    u, turned = 0 if alone else player, alone and player == 1
    logs = shared_logs(t, unknown, radius)
    for node in range(reach.size):
        least, most = nodes.least[node, u], nodes.most[node, u]
        if turned:
            least, most = -most, -least
        if nodes.kind[node] == LEAF:
            low[node], high[node] = least * reach[node], most * reach[node]
            continue
        gain = -nodes.gain[node, u] if turned else nodes.gain[node, u]
        pessimistic = optimistic = gain
        if nodes.kind[node] == CHANCE:
            group = nodes.group[node]
            error = radius_of(nodes, group, logs, radius) * (most - least)
            pessimistic -= error
            optimistic += error
            if nodes.open[group]:  # what came elsewhere in the group, and never here, may pay anything within bounds
                missing, child = 1.0, nodes.late[node]
                while child >= 0:
                    missing -= _share(nodes, nodes.slot[child])
                    child = nodes.sibling[child]
                missing = max(missing, 0.0)
                pessimistic += missing * least
                optimistic += missing * most
        low[node], high[node] = pessimistic * reach[node], optimistic * reach[node]


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
