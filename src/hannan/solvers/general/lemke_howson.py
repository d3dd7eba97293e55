"""The Lemke–Howson algorithm: from every label a path to an equilibrium of a two-player game.

C. E. Lemke, J. T. Howson (1964), Equilibrium points of bimatrix games. A path is followed in floats, and the
equilibrium at its end is computed in whole numbers from its supports. If none or several exist, the path is
followed in whole numbers. The lexicographic rule breaks ties, so a path ends in any game.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hannan.arguments import place
from hannan.arrays import Floats
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.bimatrix import Bimatrix, as_ray, bimatrix, scaled
from hannan.solvers.general.cells import Whole
from hannan.solvers.general.faces import Faces, Ray
from hannan.solvers.general.pivots import Tableau
from hannan.solvers.general.point import Ending, Points
from hannan.solvers.general.vertices import point_at


def lemke_howson(form: NormalForm, label: int | None = None) -> Points:
    """Yield the equilibria at the ends of the paths from one label or from all, each once, exact.

    Labels are the strategies of player 0, then those of player 1.
    """
    game = bimatrix(form, "lemke-howson")
    labels = range(sum(game.shape)) if label is None else [place("label", label, sum(game.shape))]
    faces, seen = Faces(game), set[tuple[Ray, Ray]]()
    for start in labels:
        pair = end_of_path(game, faces, start)
        if pair not in seen:
            seen.add(pair)
            yield point_at(game, faces, *pair)
    return Ending(False, "these are the equilibria at the ends of the paths; others may not be connected to the start")


def end_of_path(game: Bimatrix, faces: Faces, label: int) -> tuple[Ray, Ray]:
    """Return the equilibrium at the end of the path that begins without both strategies and drops a label."""
    rows, labels = game.shape[0], sum(game.shape)
    tableau = _followed(*_in_floats(game), label)
    if tableau is not None:
        used = sorted(column - labels for column in tableau.basis if column >= labels)
        mine, theirs = tuple(k for k in used if k < rows), tuple(k - rows for k in used if k >= rows)
        ends = faces.vertices(0, mine, theirs), faces.vertices(1, theirs, mine)
        if len(ends[0]) == 1 and len(ends[1]) == 1:
            return ends[0][0], ends[1][0]
    exact = _followed(*_in_whole_numbers(game), label)
    assert exact is not None  # the polytopes are bounded
    values = exact.values()
    weights = [Fraction(*values.get(labels + k, (0, 1))) for k in range(labels)]
    return as_ray(weights[:rows]), as_ray(weights[rows:])


def _followed(matrix: Whole | Floats, start: Whole | Floats, label: int) -> Tableau | None:
    """Follow the path of a label to its end, where the label is met again. None: lost by rounding."""
    tableau, labels = Tableau(matrix, start), len(start)
    found = tableau.follow(
        labels + label,
        lambda column: column % labels == label,
        lambda column: (column + labels) % (2 * labels),
    )
    return tableau if found else None


def _in_whole_numbers(game: Bimatrix) -> tuple[Whole, Whole]:
    """Return the rows that bound the payoffs of answers by 1, those of player 0's strategies first."""
    rows, columns = game.shape
    matrix = np.zeros((rows + columns, rows + columns), object)
    matrix[:rows, rows:], matrix[rows:, :rows] = game.positive[1], game.positive[0]
    return matrix, np.array([1] * (rows + columns), object)


def _in_floats(game: Bimatrix) -> tuple[Floats, Floats]:
    """Return these rows in floats, with each player's largest payoff at most 1."""
    rows, columns = game.shape
    matrix = np.zeros((rows + columns, rows + columns))
    matrix[:rows, rows:], matrix[rows:, :rows] = scaled(game.positive[1]), scaled(game.positive[0])
    return matrix, np.ones(rows + columns)
