"""Line 4 of Algorithm 6.1: solve the two games of a pseudogame. Any strategies are sound; exact ones are tight."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.pseudogame import LOWER, UPPER, Pair, Pseudogame
from hannan.certificates.trunk import Trunk
from hannan.errors import HannanError
from hannan.solvers.exact.linear import AT_LOWER, AT_UPPER, BASIC, Basis, LinearProgram


class InterruptedSolveError(Exception):
    """The caller ended an unfinished solve."""


class Solved(NamedTuple):
    """Strategies of both games. Pessimistic strategies are the result, optimistic ones explore."""

    pessimistic: Pair
    """Player 0's strategy from the game of low payoffs, player 1's from the game of high payoffs."""
    optimistic: Pair
    """Player 0's strategy from the game of high payoffs, player 1's from the game of low payoffs."""


class Method(ABC):
    """A way to solve. It may keep a state that helps the next solve, of the same trunk grown."""

    name: str

    @abstractmethod
    def strategies(self, trunk: Trunk, game: Pseudogame, side: int) -> Pair:
        """Return strategies of both players in the game of one side."""

    def solve(self, trunk: Trunk, game: Pseudogame) -> Solved:
        """Solve both games."""
        lower, upper = (self.strategies(trunk, game, side) for side in (LOWER, UPPER))
        return Solved((lower[0], upper[1]), (upper[0], lower[1]))

    def state(self) -> dict[str, np.ndarray]:
        """Return the state on which the next solve depends, for a checkpoint."""
        return {}

    def restore(self, state: dict[str, np.ndarray]) -> None:  # noqa: B027  # most keep nothing
        """Take over what `state` returned."""


class LinearProgramming(Method):
    """The sequence-form linear program on HiGHS. Each solve starts from the basis of the one before.

    A new set begins with its first action in the basis, which is a vertex of the larger program.
    """

    name = "lp"

    def __init__(self) -> None:
        self._bases: dict[int, tuple[Basis, tuple[int, ...]]] = {}

    def strategies(self, trunk: Trunk, game: Pseudogame, side: int) -> Pair:
        program = _program(game, game.payoffs[side])
        shape = (*game.sequences, len(game.sets[0][0]), len(game.sets[1][0]))
        if side in self._bases:
            program.begin(_grown(*self._bases[side], game))
        solution = program.solve()
        if solution.ending == "interrupted":
            raise InterruptedSolveError
        if solution.ending != "optimal":
            raise HannanError("HiGHS cannot solve the pseudogame: its payoffs are too far apart in size")
        basis = program.basis()
        if basis is not None:
            self._bases[side] = basis, shape
        mine, theirs = game.sequences
        y = np.concatenate(([1.0], np.maximum(solution.duals[len(solution.duals) - theirs + 1 :], 0.0)))
        return trunk.behaviour(0, np.maximum(solution.columns[:mine], 0.0)), trunk.behaviour(1, y)

    def state(self) -> dict[str, np.ndarray]:
        state: dict[str, np.ndarray] = {}
        for side, (basis, shape) in self._bases.items():
            state[f"columns{side}"] = np.array(basis.columns, np.int8)
            state[f"rows{side}"] = np.array(basis.rows, np.int8)
            state[f"shape{side}"] = np.array(shape, np.int64)
        return state

    def restore(self, state: dict[str, np.ndarray]) -> None:
        for side in (LOWER, UPPER):
            if f"shape{side}" in state:
                basis = Basis(state[f"columns{side}"].tolist(), state[f"rows{side}"].tolist())
                self._bases[side] = basis, tuple(state[f"shape{side}"].tolist())


def _program(game: Pseudogame, payoff: Floats) -> LinearProgram:
    """Return the program of `hannan.solvers.exact.lp`, without trembles."""
    from scipy.sparse import block_array, csr_array

    mine, theirs = game.sequences
    E, F = (_flow(game, player) for player in (0, 1))
    largest = float(np.abs(payoff).max(initial=0.0))
    scale = float(2.0 ** -np.round(np.log2(largest))) if largest > 0 else 1.0
    A = csr_array((scale * payoff, game.entries), shape=(mine, theirs))
    matrix = block_array([[E, csr_array((E.shape[0], F.shape[0]))], [-A.T[1:], F.T[1:]]])
    cost = np.concatenate((A[:, [0]].toarray().ravel(), -F[:, [0]].toarray().ravel()))
    lower = np.concatenate((np.zeros(mine), np.full(F.shape[0], -np.inf)))
    upper = np.concatenate((np.ones(mine), np.full(F.shape[0], np.inf)))
    lower[0] = 1.0
    low_rows = np.concatenate((np.zeros(E.shape[0]), np.full(theirs - 1, -np.inf)))
    return LinearProgram(cost, matrix, lower, upper, low_rows)


def _flow(game: Pseudogame, player: int) -> Any:
    """Return the matrix that subtracts, at each set, the parent sequence from the sum of actions, [sets, sequences]."""
    from scipy.sparse import csr_array

    parent, _, size = game.sets[player]
    sets = np.arange(len(parent))
    rows = np.concatenate((np.repeat(sets, size), sets))
    columns = np.concatenate((np.arange(1, game.sequences[player]), parent))
    signs = np.repeat([1.0, -1.0], [game.sequences[player] - 1, len(parent)])
    return csr_array((signs, (rows, columns)), shape=(len(parent), game.sequences[player]))


def _grown(basis: Basis, shape: tuple[int, ...], game: Pseudogame) -> Basis:
    """Return the basis for the present trunk that extends one for an earlier trunk."""
    mine, theirs, sets0, sets1 = shape
    (_, first0, _), (_, first1, _) = game.sets
    new_x = np.full(game.sequences[0] - mine, AT_LOWER)
    new_x[first0[sets0:] - mine] = BASIC
    new_v = np.full(len(first1) - sets1, BASIC)
    new_flow = np.full(len(first0) - sets0, AT_LOWER)
    new_rows = np.full(game.sequences[1] - theirs, BASIC)
    new_rows[first1[sets1:] - theirs] = AT_UPPER
    columns = [*basis.columns[:mine], *new_x.tolist(), *basis.columns[mine:], *new_v.tolist()]
    rows = [*basis.rows[:sets0], *new_flow.tolist(), *basis.rows[sets0:], *new_rows.tolist()]
    return Basis(columns, rows)
