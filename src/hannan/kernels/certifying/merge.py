"""Merging a playthrough into the trunk: the nodes, sets and groups that are new on its path, and the draws there."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Longs
from hannan.kernels import inlined, shared
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying.records import Path, SetColumns
from hannan.kernels.trunks import CHANCE, CHOICE, LEAF, Nodes, lift_from

NONE = -1


@inlined
def draw(nodes: Nodes, slot: int) -> None:
    """Count that an outcome of chance came."""
    nodes.counts[slot] += 1
    nodes.samples[nodes.owner[slot]] += 1


@inlined
def _leaf(nodes: Nodes, parent: int, move: int, used: Longs) -> int:
    """Give a node one more child, a leaf with the bounds of its parent; return it."""
    child = used[rec.NODES]
    used[rec.NODES] += 1
    nodes.parent[child], nodes.move[child], nodes.kind[child] = parent, move, LEAF
    nodes.first[child] = nodes.late[child] = nodes.sibling[child] = NONE
    nodes.group[child] = nodes.slot[child] = NONE
    for u in range(nodes.low.shape[1]):
        nodes.gain[child, u] = np.nan
        nodes.low[child, u] = nodes.least[child, u] = nodes.low[parent, u]
        nodes.high[child, u] = nodes.most[child, u] = nodes.high[parent, u]
    for p in range(nodes.set.shape[1]):
        nodes.set[child, p], nodes.sequence[child, p] = NONE, nodes.sequence[parent, p]
    return child


@inlined
def _slot(nodes: Nodes, group: int, outcome: int, known: bool, used: Longs) -> None:
    """Give a group one more outcome; where odds are known, they stand in the slot already."""
    slot = used[rec.SLOTS]
    used[rec.SLOTS] += 1
    nodes.owner[slot], nodes.outcome[slot], nodes.counts[slot] = group, outcome, 0
    if not known:
        nodes.odds[slot] = np.nan


@inlined
def _group(nodes: Nodes, step: int, used: Longs, path: Path) -> int:
    """Return the group of a chance node; enter it where it is new."""
    group, count, how = path.row[step, rec.GROUP], path.row[step, rec.COUNT], path.row[step, rec.HOW]
    if group < used[rec.GROUPS]:
        return group
    used[rec.GROUPS] += 1
    nodes.size[group], nodes.samples[group], nodes.begin[group] = count, 0, used[rec.SLOTS]
    nodes.open[group], nodes.known[group], nodes.rank[group] = how == rec.OPEN, how == rec.KNOWN, 0
    if how != rec.KNOWN:
        used[rec.UNKNOWN] += 1
        nodes.rank[group] = used[rec.UNKNOWN]
    if how != rec.OPEN:
        for k in range(count):
            _slot(nodes, group, k, how == rec.KNOWN, used)
    return group


@inlined
def _set(sets: SetColumns, p: int, sequence: int, step: int, path: Path) -> int:
    """Return the information set of a mover; enter it where it is new."""
    number = path.mover[step, p, rec.SET]
    if number == NONE:
        number, size = sets.used[p], path.mover[step, p, rec.SIZE]
        sets.parent[p, number], sets.observation[p, number] = sequence, path.mover[step, p, rec.OBSERVATION]
        sets.first[p, number], sets.size[p, number] = sets.sequences[p], size
        sets.menu[p, number] = path.mover[step, p, rec.MENU]
        sets.used[p] += 1
        sets.sequences[p] += size
    return number


@inlined
def _expand(nodes: Nodes, sets: SetColumns, node: int, step: int, used: Longs, path: Path) -> None:
    """Expand a leaf, and give it its children, unless they come one by one."""
    kind, seats, many = path.row[step, rec.KIND], nodes.set.shape[1], 0
    nodes.kind[node] = kind
    used[rec.EXPANDED] += 1
    for u in range(nodes.low.shape[1]):
        nodes.gain[node, u] = path.worth[step, rec.GAIN, u]
        nodes.low[node, u] = nodes.least[node, u] = path.worth[step, rec.LOW, u]
        nodes.high[node, u] = nodes.most[node, u] = path.worth[step, rec.HIGH, u]
    if kind == CHANCE:
        nodes.group[node] = _group(nodes, step, used, path)
        many = 0 if path.row[step, rec.HOW] == rec.OPEN else path.row[step, rec.COUNT]
    elif kind == CHOICE:
        many = 1
        for p in range(seats):
            size = path.mover[step, p, rec.SIZE]
            if size > 0:
                nodes.set[node, p] = _set(sets, p, nodes.sequence[node, p], step, path)
                many *= size
    if many == 0:
        return
    nodes.first[node], nodes.many[node] = used[rec.NODES], many
    for k in range(many):
        child = _leaf(nodes, node, k, used)
        if kind == CHANCE:
            nodes.slot[child] = nodes.begin[nodes.group[node]] + k
        else:
            left = k
            for p in range(seats - 1, -1, -1):
                number = nodes.set[node, p]
                if number >= 0:
                    nodes.sequence[child, p] = sets.first[p, number] + left % sets.size[p, number]
                    left //= sets.size[p, number]
        told = path.row[step, rec.TOLD]
        if told != NONE:
            for u in range(nodes.low.shape[1]):
                nodes.gain[child, u] = path.told[told + k, rec.GAIN, u]
                nodes.low[child, u] = nodes.least[child, u] = path.told[told + k, rec.LOW, u]
                nodes.high[child, u] = nodes.most[child, u] = path.told[told + k, rec.HIGH, u]


@inlined
def _drawn(nodes: Nodes, node: int, step: int, used: Longs, path: Path) -> int:
    """Return the child that chance drew, and count it; where children come one by one it is new."""
    if nodes.first[node] != NONE:
        child = nodes.first[node] + path.row[step, rec.PLACE]
    else:
        slot = path.row[step, rec.SLOT]
        if slot == used[rec.SLOTS]:
            _slot(nodes, nodes.group[node], path.row[step, rec.OUTCOME], False, used)
        child = _leaf(nodes, node, slot, used)
        nodes.slot[child] = slot
        nodes.sibling[child], nodes.late[node] = nodes.late[node], child
    draw(nodes, nodes.slot[child])
    return child


@shared
def merge(node: int, steps: int, used: Longs, nodes: Nodes, sets: SetColumns, path: Path) -> None:
    """Expand the nodes of a path from a leaf on, and count what chance drew at them.

    The path may begin at a chance node that is expanded, with an outcome that has not come there.
    """
    top = last = NONE
    for step in range(steps):
        if nodes.kind[node] == LEAF:
            _expand(nodes, sets, node, step, used, path)
            top, last = node if top == NONE else top, node
        if nodes.kind[node] == CHANCE:
            node = _drawn(nodes, node, step, used, path)
        elif nodes.kind[node] == CHOICE:
            node = nodes.first[node] + path.row[step, rec.PLACE]
    lift_from(nodes, last, top)
