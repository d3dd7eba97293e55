"""Passes over a trunk against recursions over its nodes, on random trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hannan.kernels import trunks
from hannan.kernels.trunks import CHANCE, CHOICE, END, LEAF


def tree(seed: int, nodes: int = 60) -> tuple[np.ndarray, list[list[int]]]:
    """Draw parents, each before its children, and return them with the lists of children."""
    random = np.random.default_rng(seed)
    parent = np.array([-1, *(random.integers(max(0, k - 8), k) for k in range(1, nodes))], np.int32)
    children: list[list[int]] = [[] for _ in range(nodes)]
    for node in range(1, nodes):
        children[parent[node]].append(node)
    return parent, children


@pytest.mark.parametrize("seed", range(3))
def test_reach_and_shares(seed: int) -> None:
    parent, children = tree(seed)
    random = np.random.default_rng(seed)
    probability, share = random.random(len(parent)), random.integers(0, 9, len(parent)).astype(float)
    reach, out = np.zeros(len(parent)), np.zeros(len(parent))
    trunks.spread(parent, probability, reach)
    trunks.gather(parent, share, out)
    for node in range(len(parent)):
        path, at = 1.0, node
        while at > 0:
            path, at = path * probability[at], int(parent[at])
        assert reach[node] == pytest.approx(path, rel=1e-13)
        assert out[node] == sum(share[child] for child in children[node])


@pytest.mark.parametrize("seed", range(3))
def test_backward_induction(seed: int) -> None:
    """Chance sums what its children carry, player 0 takes the most, player 1 the least; ties go to the first child."""
    parent, children = tree(seed)
    random = np.random.default_rng(seed)
    mover = np.array([random.integers(-1, 2) if below else -1 for below in children], np.int8)
    value = random.integers(-3, 4, len(parent)).astype(float)
    best, expected = np.full(len(parent), -1, np.int32), {}

    def worth(node: int) -> float:
        below = [worth(child) for child in children[node]]
        if not below:
            return float(value[node])
        if mover[node] < 0:
            return float(value[node]) + sum(below)
        chosen = max(below) if mover[node] == 0 else min(below)
        expected[node] = children[node][below.index(chosen)]
        return float(value[node]) + chosen

    root, told = worth(0), value.copy()
    trunks.induce(parent, mover, told, best, np.full(len(parent), np.nan))
    assert told[0] == root
    assert {node: int(best[node]) for node in range(len(parent)) if best[node] >= 0} == expected


def trunk(seed: int) -> tuple[trunks.Nodes, list[list[int]]]:
    """Draw a trunk whose children lie side by side, with bounds as they were told."""
    random = np.random.default_rng(seed)
    children: list[list[int]] = [[]]
    for node in range(25):
        many = int(random.integers(0, 4)) if node else 3
        children[node] = list(range(len(children), len(children) + many))
        children += [[] for _ in range(many)]
    nodes = len(children)
    parent = np.full(nodes, -1, np.int32)
    for node, below in enumerate(children):
        parent[below] = node
    kind = [
        int(random.integers(CHANCE, CHOICE + 1)) if below else int(random.integers(LEAF, END + 1)) for below in children
    ]
    kind[0] = CHOICE
    low = random.integers(-9, 1, (nodes, 2)).astype(float)
    columns: dict[str, Any] = {name: np.zeros(0) for name in trunks.Nodes._fields}
    columns |= {name: np.zeros(0, np.int32) for name in ("move", "late", "sibling", "group", "slot", "size", "rank")}
    columns |= {name: np.zeros(0, np.int32) for name in ("begin", "owner", "outcome")}
    columns |= {name: np.zeros((0, 2), np.int32) for name in ("set", "sequence")}
    columns |= {name: np.zeros(0, np.int64) for name in ("samples", "counts")}
    columns |= {name: np.zeros(0, np.bool_) for name in ("open", "known")}
    columns |= {
        "parent": parent, "kind": np.array(kind, np.int8), "low": low, "high": low + random.integers(0, 9, (nodes, 2)),
        "first": np.array([below[0] if below else -1 for below in children], np.int32),
        "many": np.array([len(below) for below in children], np.int32),
        "gain": random.integers(-2, 3, (nodes, 2)).astype(float),
        "least": np.zeros((nodes, 2)), "most": np.zeros((nodes, 2)),
    }  # fmt: skip
    return trunks.Nodes(**columns), children


@pytest.mark.parametrize("seed", range(4))
def test_narrowed_bounds(seed: int) -> None:
    """The bounds of a node are those that were told, or what its children bring where that is less wide."""
    nodes, children = trunk(seed)
    count = len(children)

    def narrowed(node: int, u: int) -> tuple[float, float]:
        below = [
            tuple((0.0 if nodes.kind[child] == LEAF else nodes.gain[child, u]) + end for end in narrowed(child, u))
            for child in children[node]
        ]
        low, high = float(nodes.low[node, u]), float(nodes.high[node, u])
        if not below:
            return low, high
        return max(low, min(one for one, _ in below)), min(high, max(other for _, other in below))

    trunks.narrow(nodes, count)
    for node in range(count):
        for u in range(2):
            assert (nodes.least[node, u], nodes.most[node, u]) == narrowed(node, u)
