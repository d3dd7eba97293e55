"""Lemke's algorithm on the sequence form: one equilibrium of a two-player tree, without its normal form.

D. Koller, N. Megiddo, B. von Stengel (1996), Efficient computation of equilibria for extensive two-person games: the
realization plans x and y of an equilibrium, and the values p and q of the information sets, solve

    x ⊥ Eᵀp − Ay ≥ 0,   y ⊥ Fᵀq − Bᵀx ≥ 0,   Ex = e,   Fy = f,

a linear complementarity problem for which Lemke's algorithm ends with a solution if no payoff is positive (sections 3
and 4 there). Here payoffs become nonpositive set by set: a number is subtracted from the sequences of a set and added
to the sequence before it, which changes no best response.

Floats follow the path, and the basis at its end is solved in whole numbers. If that is not an equilibrium, the path of
a small tree is followed in whole numbers.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import Any

import numpy as np

from hannan.errors import SizeError, UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.forms.treeplex import EMPTY, Treeplex
from hannan.solvers.general.bimatrix import scaled
from hannan.solvers.general.cells import Whole
from hannan.solvers.general.elimination import solution_of
from hannan.solvers.general.pivots import Tableau
from hannan.solvers.general.point import Ending, Fractions, Point, Points
from hannan.solvers.general.sequences import ExactSequences, exact_sequences

MOST_ROWS = 1_000
"""The most rows of the tableau: the sequences of both players and twice their sets."""

MOST_EXACT = 400
"""The most rows with which a path is followed in whole numbers if floats do not lead to an equilibrium."""


def tableau_rows(game: ExpandedGame) -> int:
    """Return how many rows Lemke's tableau has for a tree."""
    return sum(plex.sequences + 2 * (plex.sets + 1) for plex in game.form.treeplexes)


def lemke(game: Loadable) -> Points:
    """Yield one equilibrium of a two-player tree, exact, as realization plans."""
    game = load_expanded(game)
    if game.players != 2:
        raise UnsuitableError(
            f"lemke is for two players, and {game.address} has {game.players}; the method first takes any number"
        )
    size = tableau_rows(game)
    if size > MOST_ROWS:
        raise SizeError(
            f"{game.address} needs {size:,} rows in Lemke's tableau, and {MOST_ROWS:,} are the limit; "
            "`hannan solve` has methods for larger trees"
        )
    problem = Problem(exact_sequences(game))
    plans = problem.by_floats()
    if plans is None and size <= MOST_EXACT:
        plans = problem.by_whole_numbers()
    if plans is None:
        return Ending(False, "floats did not lead to an equilibrium, and the tree is too large for whole numbers")
    strategies = tuple(np.array([float(weight) for weight in plan]) for plan in plans)
    yield Point(strategies, "sequences", plans, radius=0.0, regret=0.0)
    return Ending(False, "Lemke's algorithm ends with one equilibrium; there may be others")


class Problem:
    """The linear complementarity problem w = start + matrix·z of a tree, with z = (x, y, p, −p, q, −q)."""

    def __init__(self, exact: ExactSequences) -> None:
        self.exact = exact
        self.flows = [_flows(plex) for plex in exact.plexes]
        pairs = zip(exact.plexes, exact.numbers, strict=True)
        self.costs = [_costs(plex, matrix) for plex, matrix in pairs]
        sizes = [*(plex.sequences for plex in exact.plexes), *(len(flow) for flow in self.flows for _ in range(2))]
        ends = np.cumsum([0, *sizes]).tolist()
        self.parts = [slice(a, b) for a, b in pairwise(ends)]
        self.size = ends[-1]

    def by_floats(self) -> Fractions | None:
        """Follow the path in floats and solve its last basis in whole numbers; None if that is not an equilibrium."""
        tableau = self._followed([scaled(cost) for cost in self.costs], np.float64)
        if tableau is None:
            return None
        matrix, start = self._system(self.costs, object)
        x, left, right = (self.parts[part] for part in (0, 4, 5))
        mine = {*range(x.start, x.stop), *range(left.start, right.stop)}  # x and q; their rows determine y and p
        used = [column - self.size for column in tableau.basis if self.size <= column < 2 * self.size]
        ours, theirs = ([k for k in used if (k in mine) == own] for own in (True, False))
        values = dict.fromkeys(range(self.size), Fraction(0))
        for rows, columns in ((ours, theirs), (theirs, ours)):
            if len(rows) != len(columns):
                return None
            solution = solution_of(matrix[np.ix_(rows, columns)], -start[rows])
            if solution is None:
                return None
            values.update(zip(columns, solution, strict=True))
        return self._checked(values)

    def by_whole_numbers(self) -> Fractions | None:
        """Follow the path in whole numbers."""
        tableau = self._followed(self.costs, object)
        if tableau is None:
            return None
        values = {column - self.size: Fraction(*value) for column, value in tableau.values().items()}
        return self._checked(values)

    def _followed(self, costs: list[Any], dtype: Any) -> Tableau | None:
        """Run Lemke's algorithm, from the ray on which the artificial variable grows until that is zero."""
        matrix, start = self._system(costs, dtype)
        cover = np.array([[self.size * 2 - k] for k in range(self.size)], dtype)  # any positive numbers; no two alike
        tableau, artificial = Tableau(-np.concatenate([matrix, cover], axis=1), start), 2 * self.size
        last = self.parts[-1].start  # of the two rows that begin with −1, the one with the smaller cover
        tableau.pivot(last, artificial)
        found = tableau.follow(
            self.size + last, lambda column: column == artificial, lambda column: (column + self.size) % artificial
        )
        return tableau if found else None

    def _system(self, costs: list[Any], dtype: Any) -> tuple[Any, Any]:
        matrix, start = np.zeros((self.size, self.size), dtype), np.zeros(self.size, dtype)
        x, y, *values = self.parts
        matrix[x, y], matrix[y, x] = costs
        for own, flow, (plus, minus) in ((x, self.flows[0], values[:2]), (y, self.flows[1], values[2:])):
            matrix[own, plus], matrix[own, minus] = flow.T, -flow.T
            matrix[plus, own], matrix[minus, own] = -flow, flow
            start[plus.start], start[minus.start] = 1, -1
        return matrix, start

    def _checked(self, values: dict[int, Fraction]) -> Fractions | None:
        """Return both realization plans if they are valid and no player gains by deviating."""
        x, y = self.parts[:2]
        plans = tuple(tuple(values.get(k, Fraction(0)) for k in range(part.start, part.stop)) for part in (x, y))
        good = self.exact.consistent(plans) and not any(self.exact.gains(plans))
        return plans if good else None


def _costs(plex: Treeplex, matrix: Whole) -> Whole:
    """Return minus the payoffs, shifted so that none is negative without a change of best plans; [own, the other's]."""
    matrix = matrix.copy()
    for j in reversed(range(plex.sets)):
        own = slice(int(plex.begin[j]), int(plex.begin[j + 1]))
        most = matrix[own].max(axis=0)
        matrix[own] -= most
        matrix[plex.parent[j]] += most
    matrix[EMPTY] = 0
    return -matrix // (gcd(*matrix.ravel().tolist()) or 1)


def _flows(plex: Treeplex) -> Whole:
    """Return E of Ex = e: the empty sequence has probability 1, and those of a set sum to that of its parent."""
    flows = np.zeros((plex.sets + 1, plex.sequences), object)
    flows[0, EMPTY] = 1
    for j in range(plex.sets):
        flows[j + 1, plex.parent[j]] = -1
        flows[j + 1, plex.begin[j] : plex.begin[j + 1]] = 1
    return flows
