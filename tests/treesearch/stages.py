"""Two joint moves in a row: the second's matrix is chosen by the first. And equilibria that explore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import hannan as hn
from hannan.forms.game import ExpandedGame
from hannan.forms.tree import TERMINAL
from hannan.rules.plain import END, Rules
from hannan.strategies.profile import Profile

# The authors' worst cases among games with payoffs 0, 1/2, 1 (V. Lisý et al. 2013, figure 3), by first cell.
WC_RM = [[[0, 0], [0.5, 0.5]], [[0, 1], [1, 0]], [[0, 0], [0.5, 0.5]], [[1, 0], [1, 0]]]
WC_RMM = [[[0, 0], [1, 1]], [[0, 0], [1, 1]], [[0.5, 1], [0.5, 1]], [[1, 0.5], [1, 0.5]]]


class Stages(Rules):
    """Two stages of two actions each."""

    name = "stages"

    def __init__(self, matrices: Any) -> None:
        self.matrices = matrices

    def start(self) -> tuple[tuple[int, int], ...]:
        return ()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return (0, 1) if len(state) < 2 else END

    def actions(self, state: Any, player: int) -> Sequence[int]:
        return (0, 1)

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Any:
        return state

    def gains(self, state: Any) -> Sequence[float]:
        if len(state) < 2:
            return (0.0, 0.0)
        (a, b), (i, j) = state
        gain = self.matrices[2 * a + b][i][j]
        return (gain, -gain)

    def bounds(self, state: Any) -> Sequence[tuple[float, float]]:
        return ((0.0, 1.0), (-1.0, 0.0)) if len(state) < 2 else ((0.0, 0.0), (0.0, 0.0))


def exploring(game: ExpandedGame, gamma: float) -> Profile:
    """Return the equilibrium in which every action has probability gamma/K at least: a matrix at each node."""
    tree = game.tree
    value = np.zeros(tree.nodes)
    np.add.at(value, tree.gain_node, tree.gain[:, 0])
    strategies = tuple(np.ones(plex.sequences) for plex in tree.treeplexes)
    for node in range(tree.nodes - 1, -1, -1):
        first, last = int(tree.children[node]), int(tree.children[node + 1])
        if tree.turn[node] == TERMINAL:
            continue
        assert tree.turn[node] == 3
        sets = tree.slots[tree.slot_begin[node] : tree.slot_begin[node + 1]].tolist()
        ends = [plex.begin[number : number + 2].tolist() for plex, number in zip(tree.treeplexes, sets, strict=True)]
        m, n = (end - begin for begin, end in ends)
        mixed = [gamma / k + (1 - gamma) * np.eye(k) for k in (m, n)]
        solved = hn.solve_matrix(mixed[0] @ value[first:last].reshape(m, n) @ mixed[1].T)
        for player, part in enumerate((solved.row, solved.column)):
            strategies[player][ends[player][0] : ends[player][1]] = part @ mixed[player]
        value[node] += (solved.lower + solved.upper) / 2
    return Profile(game, strategies, {})
