"""All extreme equilibria of a two-player game: matching pairs of vertices of the best-response polytopes.

O. L. Mangasarian (1964), Equilibrium points of bimatrix games: the equilibria of a two-player game are the convex
combinations of finitely many extreme ones. The search (`leaves.py`) is that of C. Audet, P. Hansen, B. Jaumard,
G. Savard (2001), Enumeration of all extreme equilibria of bimatrix games. The vertices of its leaves are found in whole
numbers (`faces.py`), and every equilibrium is checked in fractions.
"""

from __future__ import annotations

from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.bimatrix import Bimatrix, as_fractions, bimatrix
from hannan.solvers.general.faces import Faces, Ray, isolated
from hannan.solvers.general.index import index_at
from hannan.solvers.general.leaves import Leaves
from hannan.solvers.general.point import Ending, Point, Points


def vertices(form: NormalForm) -> Points:
    """Yield every extreme equilibrium of a two-player game, exact, with whether it is isolated, and its index if so."""
    game = bimatrix(form, "vertices")
    faces, seen = Faces(game), set[tuple[Ray, Ray]]()
    for one, other in Leaves(game):
        for x in faces.vertices(0, *one):
            for y in faces.vertices(1, *other):
                if (x, y) not in seen:
                    seen.add((x, y))
                    yield point_at(game, faces, x, y)
    return Ending(True, "every pair of faces without an equilibrium was excluded by a proof")


def point_at(game: Bimatrix, faces: Faces, x: Ray, y: Ray) -> Point:
    """Return an extreme equilibrium with whether it is isolated, and its index if so."""
    alone = isolated(game, faces, x, y)
    return game.point((as_fractions(x), as_fractions(y)), index=index_at(game, x, y) if alone else None, isolated=alone)
