from __future__ import annotations

import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.games import catalogue
from hannan.games.single_player import single_player
from hannan.rules.plain import END, Rules
from tests.games.checks import assert_names_are_unique, assert_same_tree


class PlainExample(Rules):
    players = 1

    def __init__(self, payoffs: dict[str, float]) -> None:
        self.payoffs = payoffs

    def start(self) -> str:
        return ""

    def turn(self, state: str) -> int:
        return END if state in self.payoffs else 0

    def actions(self, state: str, player: int) -> str:
        return "LR"

    def after(self, state: str, move: str) -> str:
        return state + move

    def observe(self, state: str, player: int) -> None:
        return None

    def gains(self, state: str) -> tuple[float]:
        return (self.payoffs.get(state, 0.0),)


@pytest.mark.parametrize("bad", [2.0, -2.0, -20.0])
def test_twin(bad: float) -> None:
    tree = expand(single_player(right_left=bad))
    assert_same_tree(tree, expand(PlainExample({"L": 1.0, "RL": bad, "RR": 3.0})))
    assert [tree.path_text(node) for node in tree.gain_node] == ["r:left", "r:right:left", "r:right:right"]
    assert_names_are_unique(tree)


def test_bad_parameters() -> None:
    with pytest.raises(ParameterError, match="left=nan should be a number"):
        single_player(left=float("nan"))
    with pytest.raises(ParameterError, match="single_player: right_left='x' should be a number"):
        catalogue.make(*catalogue.parse("single_player(right_left=x)"))
