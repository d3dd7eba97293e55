"""Equity: the share of the pot that a type wins if no player bets any more.

The check-down of a public tree has the same stages, types and strengths, one line of play, no actions, and a showdown
that pays 1, or one half to each, at its end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from hannan.arrays import Longs, frozen
from hannan.forms.public import PublicForm
from hannan.kernels.public import records as rec

WIN: Final = (0.5, 0.5, 0.0, 0.5)
"""The columns of `weigh` for a showdown that pays 1 for a win, 0.5 for a tie and 0 for a loss."""


def has_strengths(form: PublicForm) -> bool:
    """Return whether the last street has a showdown, so that types have an equity."""
    return form.templates[-1].kinds[0] > 0


def check_down(form: PublicForm) -> PublicForm:
    """Return the check-down of a tree whose last street has a showdown; it shares most arrays with the tree."""
    tree, depths = form.arrays, len(form.templates)
    template = np.zeros((depths, rec.T_COLUMNS), np.int64)
    node = np.zeros((depths, rec.N_COLUMNS), np.int32)
    for depth, row in enumerate(template):
        last = depth == depths - 1
        row[rec.T_NODE], row[rec.T_NODES] = depth, 1
        row[rec.T_LEAF], row[rec.T_LEAVES] = min(depth, depths - 2) if depths > 1 else 0, 0 if last else 1
        row[rec.T_SHOWDOWNS], row[rec.T_LINES] = int(last), 1
        row[rec.T_ROWS : rec.T_ROWS + 2] = 1
        node[depth, rec.N_KIND] = rec.OVER if last else rec.LEAF
    arrays = tree._replace(
        template=template,
        node=node,
        leaf=np.zeros(max(depths - 1, 0), np.int32),
        end=np.zeros(1, np.int32),
        weigh=np.array([[WIN, WIN]]),
        table=np.full(1, -1, np.int64),
        scratch=_scratch(tree.stage, depths),
    )
    for array in arrays:
        if isinstance(array, np.ndarray):
            frozen(array)
    return replace(form, arrays=arrays)


def _scratch(stage: Longs, depths: int) -> Longs:
    """Return where the reach and the value of each player begin at each depth; the last row is the end."""
    scratch, at = np.zeros((depths + 1, rec.X_COLUMNS), np.int64), 0
    for depth in range(depths):
        for player in (0, 1):
            width = int(stage[stage[:, rec.S_DEPTH] == depth, rec.S_WIDTH + player].max())
            for part in (rec.X_REACH, rec.X_VALUE, rec.X_BEST, rec.X_PLAY):
                scratch[depth, part + player] = at
                at += width if part != rec.X_PLAY else 0
    scratch[-1] = at
    return scratch
