"""The index of an equilibrium of a two-player game: the indices of all components sum to 1.

L. S. Shapley (1974), A note on the Lemke–Howson algorithm. An equilibrium in which both players use k strategies, and
have no other best responses, has the index (−1)^(k+1) · sign(det A · det B), where A and B are the payoffs of the
strategies in use, made positive; a strict pure equilibrium has the index 1. The index of other equilibria is the sum of
the indices of the nearby equilibria in a generic game nearby. Here this game has (1 + ε^k) in place of the best payoff
of strategy k, for an infinitesimal ε, so the feasibility of bases is decided lexicographically
(R. Savani, B. von Stengel (2016), Unit vector games, section 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

from hannan.interrupts import go_on
from hannan.solvers.general.bimatrix import Bimatrix
from hannan.solvers.general.elimination import determinant
from hannan.solvers.general.faces import Ray, support

MOST_BASES = 2_000
"""The most pairs of bases of a degenerate extreme equilibrium; if there are more, the index stays unknown."""


def index_at(game: Bimatrix, x: Ray, y: Ray) -> int | None:
    """Return the sum of the indices of the equilibria of a generic game nearby that tend to an extreme equilibrium.

    For an isolated equilibrium this is its index. None: there are too many bases.
    """
    rows, columns = game.shape
    at_x = {i for i in range(rows) if not x[i]} | {rows + j for j in game.best(0, x)}
    at_y = {rows + j for j in range(columns) if not y[j]} | set(game.best(1, y))
    both, given = sorted(at_x & at_y), at_x - at_y
    if not both:
        return _sign(game, support(x), support(y))
    if len(given) > rows:
        return 0
    if comb(len(both), rows - len(given)) > MOST_BASES:
        return None
    total = 0
    for more in combinations(both, rows - len(given)):
        go_on()
        zeros = given.union(more)
        used = tuple(i for i in range(rows) if i not in zeros)
        best = tuple(j for j in range(columns) if rows + j in zeros)
        sign = _sign(game, used, best)
        if sign and _feasible(game, 0, used, best, x) and _feasible(game, 1, best, used, y):
            total += sign
    return total


def _sign(game: Bimatrix, used: Sequence[int], best: Sequence[int]) -> int:
    """Return the index of an equilibrium with these strategies in use; 0 if they are not a basis."""
    one = determinant([[game.positive[0][j, i] for i in used] for j in best])
    other = determinant([[game.positive[1][i, j] for j in best] for i in used])
    if one == 0 or other == 0:
        return 0
    return (1 if (one > 0) == (other > 0) else -1) * (-1) ** (len(used) + 1)


def _feasible(game: Bimatrix, player: int, used: Sequence[int], best: Sequence[int], strategy: Ray) -> bool:
    """Return whether a basis of a vertex stays feasible if the best payoff of answer e is 1 + ε^(e+1)."""
    matrix = game.positive[player]
    inverse = _inverse([[matrix[e, c] for c in used] for e in best])
    for c, row in zip(used, inverse, strict=True):
        if not strategy[c] and next(weight for weight in row if weight) < 0:
            return False
    for e in set(game.best(player, strategy)).difference(best):
        pays = [matrix[e, c] for c in used]
        change = {one: -sum(pay * row[k] for pay, row in zip(pays, inverse, strict=True)) for k, one in enumerate(best)}
        change[e] = Fraction(1)
        if next(change[one] for one in sorted(change) if change[one]) < 0:
            return False
    return True


def _inverse(matrix: list[list[int]]) -> list[list[Fraction]]:
    """Return the inverse of a regular matrix."""
    size = len(matrix)
    rows = [[*map(Fraction, row), *(Fraction(k == r) for k in range(size))] for r, row in enumerate(matrix)]
    for k in range(size):
        at = next(r for r in range(k, size) if rows[r][k])
        rows[k], rows[at] = rows[at], rows[k]
        top = [number / rows[k][k] for number in rows[k]]
        rows = [[a - row[k] * b for a, b in zip(row, top, strict=True)] for row in rows]
        rows[k] = top
    return [row[size:] for row in rows]
