from __future__ import annotations

import numpy as np
import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.games import catalogue
from hannan.games.identical_interest import identical_interest
from hannan.rules.plain import END, Rules
from tests.games.checks import assert_names_are_unique, assert_same_tree, tree_of


class PlainChains(Rules):
    """The rules once more: a state is the list of joint actions so far."""

    def __init__(self, stages: int, left: list[list[float]], right: list[list[float]]) -> None:
        self.stages, self.last = stages, {1: left, 2: right}

    def start(self) -> tuple[tuple[int, int], ...]:
        return ()

    def turn(self, state: tuple[tuple[int, int], ...]) -> int | tuple[int, ...]:
        going = all(pair == state[0] and pair[0] == pair[1] for pair in state)
        return (0, 1) if going and len(state) < self.stages else END

    def actions(self, state: tuple[tuple[int, int], ...], player: int) -> tuple[int, int]:
        return 1, 2

    def after(self, state: tuple[tuple[int, int], ...], move: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        return (*state, move)

    def observe(self, state: tuple[tuple[int, int], ...], player: int) -> int:
        return 0  # the other did the same, or play would be over

    def gains(self, state: tuple[tuple[int, int], ...]) -> tuple[float, float]:
        if self.turn(state) != END:
            return 0.0, 0.0
        paid = float(len(state) - 1)
        if len(state) == self.stages:
            row, column = state[-1]
            paid = self.last[state[0][0]][row - 1][column - 1]
        return paid, paid


@pytest.mark.parametrize("stages", [2, 3, 10])
def test_twin(stages: int) -> None:
    left, right = [[4.0, 12.5], [-40.0, 0.0]], [[-1.0, -2.0], [11.0, 3.0]]
    rules = identical_interest(stages, 4, 12.5, -40, 0, -1, -2, 11, 3)
    tree = expand(rules)
    assert_same_tree(tree, expand(PlainChains(stages, left, right)))
    assert tree.counts["joint"] == 1 + 2 * (stages - 1)
    assert tree.nodes == 1 + 4 * tree.counts["joint"]
    assert_names_are_unique(tree)


def test_uniform_play_of_figure_7() -> None:
    """0.6666669846, the first point of the curve (papers.md), to the digits that are printed."""
    tree = tree_of("identical_interest")
    reach = np.ones(tree.nodes)
    for node in range(1, tree.nodes):
        parent = tree.parent[node]
        reach[node] = reach[parent] / (tree.children[parent + 1] - tree.children[parent])
    np.testing.assert_allclose(reach[tree.gain_node] @ tree.gain, 0.6666669846, atol=5e-11)


def test_names() -> None:
    tree = tree_of("identical_interest(stages=3)")
    assert tree.path_text(tree.nodes - 1) == "r:(2,2):(2,2):(2,2)"
    assert tree.set_text(0, tree.treeplexes[0].sets - 1) == "start 2 right 2 right"


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [("stages=1", "stages=1 is out of range; it may be 2 to 1000"), ("d=x", "d='x' should be a number")],
)
def test_bad_parameters(parameters: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        catalogue.make(*catalogue.parse(f"identical_interest({parameters})"))
