"""All extreme equilibria of a small two-player game by support enumeration, in whole numbers.

R. Porter, E. Nudelman, Y. Shoham (2008), Simple search methods for finding a Nash equilibrium, for the pruning: a
strategy that another strictly beats against every strategy of a support is not a best response to it. The method for
larger games is `vertices.py`; the two share only the listing of faces.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

from hannan.errors import SizeError
from hannan.interrupts import go_on
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.bimatrix import Bimatrix, bimatrix
from hannan.solvers.general.faces import Faces, support
from hannan.solvers.general.point import Ending, Points
from hannan.solvers.general.survivors import undominated
from hannan.solvers.general.vertices import point_at

MOST_STRATEGIES = 26
"""The most undominated strategies of both players together: there are up to 2 to this power pairs of supports."""

Support = tuple[int, ...]


def supports(form: NormalForm) -> Points:
    """Yield every extreme equilibrium of a two-player game, exact, by trying all pairs of supports."""
    game = bimatrix(form, "supports")
    rows, columns = undominated(game.cells)
    if len(rows) + len(columns) > MOST_STRATEGIES:
        raise SizeError(
            f"{form.game.address} has {len(rows)} by {len(columns)} undominated strategies, and the method "
            f"supports takes {MOST_STRATEGIES} of both players together; the method vertices finds the same equilibria"
        )
    faces = Faces(game)
    useful = {used: _kept(game, 0, used, columns) for used in _subsets(rows)}  # columns that may be best responses
    for theirs in _subsets(columns):
        allowed = set(_kept(game, 1, theirs, rows))
        for mine, answers in useful.items():
            go_on()
            if not (allowed.issuperset(mine) and set(answers).issuperset(theirs)):
                continue
            for x in (x for x in faces.vertices(0, mine, theirs) if support(x) == mine):
                for y in (y for y in faces.vertices(1, theirs, mine) if support(y) == theirs):
                    yield point_at(game, faces, x, y)
    return Ending(True, "every pair of supports of undominated strategies was solved in whole numbers")


def _kept(game: Bimatrix, player: int, used: Support, answers: Support) -> Support:
    """Return the answers that no other pure answer strictly beats against every strategy in use."""
    matrix = game.answers[player]
    pays = {e: [matrix[e, c] for c in used] for e in answers}
    return tuple(
        e for e in answers if not any(all(a > b for a, b in zip(pays[d], pays[e], strict=True)) for d in answers)
    )


def _subsets(strategies: Support) -> Iterator[Support]:
    """Return the supports, small ones first."""
    return chain.from_iterable(combinations(strategies, size) for size in range(1, len(strategies) + 1))
