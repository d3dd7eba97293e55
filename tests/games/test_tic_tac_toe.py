from __future__ import annotations

import numpy as np
import pytest

from hannan.forms.expansion import expand
from hannan.forms.tree import GameTree
from tests.games.checks import assert_same_tree, tree_of
from tests.games.plain import TicTacToe


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return tree_of("tic_tac_toe")


@pytest.mark.slow
def test_plain_twin(tree: GameTree) -> None:
    assert_same_tree(tree, expand(TicTacToe()))


def test_terminal_histories(tree: GameTree) -> None:
    assert tree.counts["terminal"] == 255_168


def test_every_set_is_one_history(tree: GameTree) -> None:
    assert sum(plex.sets for plex in tree.treeplexes) == tree.counts["decision"]


def test_value_by_backward_induction(tree: GameTree) -> None:
    worth = np.zeros(tree.nodes)
    worth[tree.gain_node] = tree.gain[:, 0]
    for depth in reversed(range(len(tree.depth_begin) - 1)):
        nodes = np.arange(tree.depth_begin[depth], tree.depth_begin[depth + 1])
        nodes = nodes[tree.turn[nodes] > 0]
        if len(nodes):
            best = np.maximum if depth % 2 == 0 else np.minimum
            end = tree.children[nodes[-1] + 1]
            worth[nodes] = best.reduceat(worth[:end], tree.children[nodes])
    assert worth[0] == 0.0


def test_names(tree: GameTree) -> None:
    assert tree.set_text(0, 0) == "-"
    assert tree.path_text(int(tree.treeplexes[0].node[1])) == "r:a1:b1"
