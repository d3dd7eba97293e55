"""Vertices of faces by double description, against polytopes whose vertices are known."""

from __future__ import annotations

from itertools import product

import numpy as np

from hannan.solvers.general.bimatrix import Bimatrix
from hannan.solvers.general.cells import ExactCells
from hannan.solvers.general.faces import Faces


def game(answers: list[list[int]]) -> Bimatrix:
    """Return a game in which `answers` are the second player's payoffs, [columns, rows]."""
    matrix = np.array(answers, object)
    return Bimatrix(ExactCells((matrix.T * 0, matrix.T), (1, 1)), (matrix, matrix.T * 0))


def test_a_whole_simplex() -> None:
    faces = Faces(game([[1, 1, 1], [1, 1, 1]]))
    assert set(faces.vertices(0, (0, 1, 2), (0, 1))) == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}
    assert faces.vertices(0, (), (0,)) == ()
    assert faces.vertices(0, (0, 1), ()) == ()


def test_a_cut_simplex() -> None:
    """The first answer is best where the second strategy has at most twice the first one's weight: by hand."""
    faces = Faces(game([[2, 0, 0], [0, 1, 0]]))
    assert set(faces.vertices(0, (0, 1, 2), (0,))) == {(1, 0, 0), (1, 2, 0), (0, 0, 1)}
    assert set(faces.vertices(0, (0, 1, 2), (0, 1))) == {(1, 2, 0), (0, 0, 1)}
    assert faces.vertices(0, (1,), (0,)) == ()


def test_a_cube() -> None:
    """Weights a, b, c of three strategies at most that of a fourth: the eight corners, and no others."""
    answers = [[0, 0, 0, 0], [1, 0, 0, -1], [0, 1, 0, -1], [0, 0, 1, -1]]
    found = Faces(game(answers)).vertices(0, (0, 1, 2, 3), (0,))
    assert set(found) == {(*corner, 1) for corner in product((0, 1), repeat=3)}
    assert len(found) == 8
