"""The rows of a support, and whether a plan in it is dominated while the others keep to theirs.

R. Porter, E. Nudelman, Y. Shoham (2008), Simple search methods for finding a Nash equilibrium, section 3: a support in
which one plan is worse than another against every combination of the others' supports has no equilibrium.
"""

from __future__ import annotations

from hannan.arrays import Longs
from hannan.kernels import kernel
from hannan.kernels.supports.records import TINY, Game, Work


@kernel
def restrict(game: Game, masks: Longs, work: Work) -> bool:
    """Write the rows of a support; return False if one of its plans is dominated."""
    players = len(game.shape)
    entry = 0
    for i in range(players):
        many = 0
        for inside in (1, 0):
            for a in range(game.shape[i]):
                if (masks[i] >> a & 1) == inside:
                    work.plan[i, many] = a
                    many += 1
            if inside:
                work.size[i] = many
        work.begin[i] = entry
        entry += work.size[i]
    work.begin[players] = entry
    for i in range(players):
        _place(game, work, i)
        if _dominated(game, work, i):
            return False
        parts, base = work.parts[i], work.plan[i, 0] * game.stride[i]
        for r in range(game.shape[i] - 1):
            own, to = work.plan[i, r + 1] * game.stride[i], work.row_begin[i] + r * parts
            for p in range(parts):
                at = work.offset[p]
                work.rows[to + p] = game.payoffs[i, at + own] - game.payoffs[i, at + base]
    return True


@kernel
def _place(game: Game, work: Work, i: int) -> None:
    """Write where each combination of the others' plans lies in the payoffs; the last player's plan changes first."""
    parts = 1
    work.offset[0] = 0
    for j in range(len(game.shape)):
        if j == i:
            continue
        size = work.size[j]
        for p in range(parts - 1, -1, -1):
            here = work.offset[p]
            for b in range(size - 1, -1, -1):
                work.offset[p * size + b] = here + work.plan[j, b] * game.stride[j]
        parts *= size
    work.parts[i] = parts


@kernel
def _dominated(game: Game, work: Work, i: int) -> bool:
    """Return whether a plan of the support pays less than another plan against every combination."""
    for k in range(work.size[i]):
        own = work.plan[i, k] * game.stride[i]
        for a in range(game.shape[i]):
            other, p = a * game.stride[i], 0
            while p < work.parts[i]:
                at = work.offset[p]
                if not game.payoffs[i, at + other] > game.payoffs[i, at + own] + TINY:
                    break
                p += 1
            if p == work.parts[i]:
                return True
    return False
