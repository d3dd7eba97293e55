"""Simplicial subdivision: the method that ends on every game.

G. van der Laan, A. J. J. Talman, L. van der Heyden (1987), Simplicial variable dimension algorithms for solving the
nonlinear complementarity problem on a product of unit simplices using a general labelling, sections 3 and 4; G. van der
Laan, A. J. J. Talman (1982), On the computation of fixed points in the product space of unit simplices and an
application to noncooperative N person games, sections 2 and 4.

The label of a vertex of a grid is the action in use that loses its player most. From any start there is exactly one
chain of simplices, and no simplex occurs twice, so the chain ends, at a simplex that has every action of one player as
a label. There even the player's best action loses as much as any action of any player, up to the mesh of the grid, so
no player loses more than that. Rounding affects a label in the same way at each visit of its vertex, so the end is
certain. The next, finer grid starts there.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.interrupts import go_on
from hannan.kernels.paths import simplices
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.choices import PlanChoices
from hannan.solvers.general.point import Ending, Point, Points
from hannan.solvers.general.polish import polish

FINEST = 2**30
"""The denominator of the finest grid."""

REFINEMENT = 4
"""The factor by which a grid is finer than the one before."""

MOVES = 1_000
"""Moves between two checks for an interrupt."""


def simplicial(form: NormalForm, *, finest: int = FINEST, most: int | None = None) -> Points:
    """Yield one equilibrium, in all digits if Newton's method finds it from a grid, else that of the finest grid.

    finest: the denominator of the last grid. most: the most moves in all; None: unlimited.
    """
    choices = PlanChoices(form, level=True)
    grid = int(np.diff(choices.begin).max())
    vertex, used = rounded(choices, np.repeat(1.0 / np.diff(choices.begin), np.diff(choices.begin)), grid), 0
    while True:
        vertex, moves, whole = walk(choices, vertex, grid, None if most is None else most - used)
        used += moves
        mixed = vertex / grid
        found = polish(choices, mixed)
        if found is not None:
            yield Point(choices.parted(found), regret=choices.gain_of(found))
            return Ending(False, f"simplicial subdivision leads to one equilibrium; {used:,} moves")
        if not whole:
            return Ending(False, f"the {used:,} moves of simplicial subdivision were used up")
        if grid * REFINEMENT > finest:
            regret = choices.gain_of(mixed)
            yield Point(choices.parted(mixed), regret=regret)
            return Ending(
                False, f"the finest grid has the denominator {grid:,}; a player could gain {regret:.3g} there"
            )
        vertex, grid = vertex * REFINEMENT, grid * REFINEMENT


def walk(choices: PlanChoices, start: Longs, grid: int, most: int | None = None) -> tuple[Longs, int, bool]:
    """Follow the chain of simplices on one grid from a vertex, in whole numbers over `grid`, to its end.

    Returns the visited vertex with the least loss, the number of moves, and whether the end was reached.
    """
    size = len(start)
    owner = np.repeat(np.arange(len(choices.begin) - 1), np.diff(choices.begin))
    corner, best, least = start.copy(), start.copy(), np.array([np.inf])
    order, labels, steps = np.zeros(size, np.int64), np.zeros(size + 1, np.int64), np.zeros(size, np.int64)
    state = np.zeros(3, np.int64)  # directions, the vertex without a label, moves
    while most is None or state[2] < most:
        go_on()
        count = MOVES if most is None else min(MOVES, most - int(state[2]))
        status = simplices.moves(
            choices.cells, choices.begin, owner, grid, corner, order, labels, steps, state, best, least, count
        )
        if status != simplices.GOING:
            return best, int(state[2]), True
    return best, int(state[2]), False


def rounded(choices: PlanChoices, mixed: Floats, grid: int) -> Longs:
    """Return the vertex of a grid next to mixed strategies: whole numbers that sum to `grid` for each player."""
    parts = []
    for a, b in zip(choices.begin[:-1], choices.begin[1:], strict=True):
        wanted = mixed[a:b] * grid
        low = np.floor(wanted).astype(np.int64)
        rest = np.argsort(low - wanted, kind="stable")[: grid - int(low.sum())]
        low[rest] += 1
        parts.append(low)
    return np.concatenate(parts)
