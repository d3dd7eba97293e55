"""Plans that survive iterated elimination of strictly dominated plans, in whole numbers.

A plan is dominated here if another plan pays strictly more against every remaining combination. No equilibrium uses
such a plan. (Domination by mixtures is left to the search for equilibria.)
"""

from __future__ import annotations

import numpy as np

from hannan.solvers.general.cells import ExactCells


def undominated(cells: ExactCells) -> tuple[tuple[int, ...], ...]:
    """Return the plans of each player that survive."""
    left = [list(range(size)) for size in cells.shape]
    changed = True
    while changed:
        changed = False
        for player in range(len(left)):
            paid = np.moveaxis(cells.numbers[player][np.ix_(*left)], player, 0).reshape(len(left[player]), -1)
            worse = {
                a
                for a in range(len(paid))
                for b in range(len(paid))
                if paid[b, 0] > paid[a, 0] and (paid[b] > paid[a]).all()
            }
            if worse:
                left[player] = [plan for k, plan in enumerate(left[player]) if k not in worse]
                changed = True
    return tuple(map(tuple, left))
