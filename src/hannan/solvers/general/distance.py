"""The distance of play from the correlated equilibria of a small game, by linear programming.

The distance is the total variation distance: half of the sum of the differences in absolute value, 0 to 1. It is the
least probability that has to be moved from some combinations of plans to others.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from hannan.arrays import Floats
from hannan.errors import ParameterError, SizeError
from hannan.solvers.exact.maximin import simplex_program
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.correlated import temptations

MOST_CELLS = 4096
"""The most combinations of plans of a game in which distances are measured."""


def correlated_distance(form: NormalForm, play: Floats, kind: Literal["ce", "cce"] = "ce") -> float:
    """Return the total variation distance of joint play to the correlated or coarse correlated equilibria.

    `play` is the probability of each combination of plans, [plans of player 0, plans of player 1, …]. The linear
    program is solved in floats: a distance of up to 1e-7 may be 0.
    """
    from scipy.sparse import csr_array, eye_array, hstack, vstack

    counts = form.payoffs.shape[1:]
    cells = form.payoffs[0].size
    if cells > MOST_CELLS:
        raise SizeError(
            f"{form.game.address} has {cells:,} combinations of plans; distances are measured up to {MOST_CELLS:,}"
        )
    if play.shape != counts or not (play >= 0).all() or abs(play.sum() - 1) > 1e-6:
        raise ParameterError(f"play should be the probabilities of {' by '.join(map(str, counts))} plans")
    payoffs = form.centred / form.scale
    # columns: 1; the equilibrium; how much it exceeds the play, at each cell
    none = np.zeros((1, cells))
    rows = [csr_array(np.concatenate(([[-1.0]], np.ones((1, cells)), none), axis=1))]
    cell = eye_array(cells)
    rows.append(hstack([csr_array(-play.reshape(-1, 1)), cell, -cell]))
    for player in range(form.players):
        block = temptations(payoffs[player], player, kind == "cce")
        empty = csr_array((block.shape[0], 1))
        rows.append(hstack([empty, block, csr_array(block.shape)]))
    cost = np.zeros(1 + 2 * cells)
    cost[1 + cells :] = -1.0
    program = simplex_program(cost, vstack(rows), free=0)
    return float(np.clip(program.columns[1 + cells :].sum(), 0.0, 1.0))
