"""Batched traversals: what goes back up, regret matching, heads and menus, against recursions in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hannan.kernels.batches import moves
from hannan.kernels.batches import records as rec
from hannan.kernels.batches.records import Nodes, Rows

WIDTH, TRAVERSER, OTHER = 4, 0, 1
CHILDREN = {0: [1, 2], 1: [3], 2: [4, 5, 6], 3: [7], 4: [], 5: [], 6: [8], 7: [], 8: []}
MOVER = {0: TRAVERSER, 1: OTHER, 2: TRAVERSER, 3: OTHER, 6: OTHER}
"""Nine nodes. The traverser took two of four actions at the first, all of three at node 2; the other draws one."""

SIZES = {0: 4, 1: 3, 2: 3, 3: 2, 6: 4}
PLACE = [0, 1, 3, 2, 0, 1, 2, 1, 0]
"""Which action leads to each node."""


def longs(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int64)


def batch(seed: int) -> tuple[Nodes, Rows]:
    random = np.random.default_rng(seed)
    count = len(CHILDREN)
    nodes = Nodes(
        longs(count, 1), np.zeros(count, np.uint64), longs(count), np.array(PLACE), random.normal(size=(count, 2)),
        np.array([1 << MOVER[n] if n in MOVER else rec.ENDED for n in range(count)]),
        np.array([CHILDREN[n][0] if CHILDREN[n] else 0 for n in range(count)]),
        np.array([len(CHILDREN[n]) for n in range(count)]), longs(count), np.full((count, 2), 99.0),
        longs(count, 2, 0, 2), longs(count, 2),
    )  # fmt: skip
    rows = Rows(
        longs(5), longs(5), longs(5), np.array(list(SIZES.values())), longs(5, WIDTH),
        np.array([random.permutation(6)[:WIDTH] for _ in range(5)]), np.zeros((5, 1), np.float32), np.zeros((5, WIDTH)),
        np.full((5, WIDTH), 99.0), random.normal(size=(5, WIDTH)),
    )  # fmt: skip
    for row, (n, size) in enumerate(SIZES.items()):
        nodes.row[n], rows.node[row], rows.player[row] = row, n, MOVER[n]
        rows.policy[row, :size] = random.dirichlet(np.ones(size))
    return nodes, rows


def worth(n: int, mode: int, nodes: Nodes, rows: Rows, regrets: dict[int, Any]) -> np.ndarray:
    """Return what a node is worth to both players, by the definition of each mode."""
    below = {PLACE[child]: nodes.gain[child] + worth(child, mode, nodes, rows, regrets) for child in CHILDREN[n]}
    if not below:
        return np.zeros(2)
    row, size = int(nodes.row[n]), SIZES[n]
    policy, guess = rows.policy[row, :size], rows.guess[row, :size]
    if MOVER[n] == OTHER:
        ((taken, value),) = below.items()
        value = value.copy()
        if mode == moves.BASELINE:  # a control variate of the traverser's value
            value[TRAVERSER] += policy @ guess - guess[taken]
        return value
    base = np.zeros(size) if mode == moves.SAMPLED else guess
    each = base.copy()
    for taken, value in below.items():  # an action is taken with probability len(below) / size
        each[taken] += (value[TRAVERSER] - base[taken]) / (len(below) / size)
    regrets[row] = each - policy @ each
    return np.array([policy @ each, np.nan])  # nobody asks for the other's


@pytest.mark.parametrize("mode", [moves.SAMPLED, moves.BASELINE])
def test_values_go_back_up(mode: int) -> None:
    nodes, rows = batch(mode)
    regrets: dict[int, Any] = {}
    root = worth(0, mode, nodes, rows, regrets)
    moves.go_back(TRAVERSER, mode, 2, nodes, rows, len(CHILDREN))
    assert nodes.value[0, TRAVERSER] == pytest.approx(root[TRAVERSER], rel=1e-12)
    assert set(regrets) == {0, 2}
    for row, expected in regrets.items():
        np.testing.assert_allclose(rows.regret[row, : len(expected)], expected, rtol=1e-12, atol=1e-14)


def test_without_a_traverser_a_play_is_added_up() -> None:
    """Nobody tries anything: each node has one child, the first here."""
    nodes, rows = batch(7)
    moves.go_back(-1, moves.SAMPLED, 2, nodes, rows, len(CHILDREN))
    np.testing.assert_allclose(nodes.value[0], nodes.gain[[1, 3, 7]].sum(axis=0), rtol=1e-12)


def test_how_many_children_there_will_be() -> None:
    """As many as actions are tried where the traverser moves, one elsewhere, none at an end."""
    nodes, rows = batch(1)
    for most in (1, 2, 3, 9):
        expected = sum(min(most, SIZES[n]) if MOVER[n] == TRAVERSER else 1 for n in MOVER)
        assert moves.children_of(TRAVERSER, most, nodes, rows, 0, len(CHILDREN)) == expected
    assert moves.children_of(-1, 3, nodes, rows, 0, len(CHILDREN)) == len(MOVER)


def test_regret_matching_by_heads() -> None:
    """Positive parts in proportion; where there are none, the largest alike. Values lie in the order of heads."""
    _, rows = batch(2)
    values = np.random.default_rng(3).normal(size=(3, 6))
    values[1] = [-1, -3, -1, -1, -2, -1]
    values[2] = 0.0
    chosen = np.array([4, 0, 2])
    moves.match_regrets(values, rows, chosen)
    for line, row in zip(values, chosen.tolist(), strict=True):
        own = [line[head] for head in rows.head[row, : rows.size[row]]]
        positive = [max(value, 0.0) for value in own]
        if not any(positive):
            positive = [float(value == max(own)) for value in own]
        np.testing.assert_allclose(rows.policy[row, : len(own)], np.array(positive) / sum(positive), rtol=1e-14)


def test_heads_and_menus_and_back() -> None:
    _, rows = batch(5)
    chosen, source = np.array([3, 1]), np.arange(20.0).reshape(5, WIDTH)
    out, back = np.full((2, 6), -1.0), np.full((5, WIDTH), -1.0)
    moves.by_head(source, rows, chosen, out)
    for i, row in enumerate(chosen.tolist()):
        heads = rows.head[row, : rows.size[row]].tolist()
        assert [out[i, head] for head in heads] == source[row, : len(heads)].tolist()
        assert all(out[i, head] == -1.0 for head in range(6) if head not in heads)
    moves.by_menu(out, rows, chosen, back)
    for row in range(5):
        size = int(rows.size[row]) if row in chosen else 0
        assert back[row].tolist() == [*source[row, :size], *[-1.0] * (WIDTH - size)]
