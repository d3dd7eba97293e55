"""The bound that proves a face empty: true whatever numbers it is given, and strong enough at vertices."""

from __future__ import annotations

import numpy as np

from hannan.kernels.bimatrix.dictionary import KEPT, limiting, pivot, proven_empty
from hannan.solvers.general.bimatrix import bimatrix
from hannan.solvers.general.faces import Faces
from hannan.solvers.general.leaves import Leaves
from tests.solvers.general.enumeration import draw, normal


def test_no_numbers_prove_a_face_empty_that_is_not() -> None:
    """Noise in place of the dictionary: random multipliers on random faces. Empty ones are recognised now and then."""
    random, right, wrong = np.random.default_rng(1), 0, 0
    for seed in range(6):
        game = bimatrix(normal(*draw(seed, 4, 4, 0, 3)), "vertices")
        faces, leaves = Faces(game), Leaves(game)
        sides = leaves.sides
        for _ in range(2500):
            fixed = random.random(8) < 0.5
            row = int(random.integers(4))
            fixed[sides.basic[0, 0, row]] = True
            sides.first[0][:] = random.normal(size=(4, 5)) * random.choice([1e-3, 1.0, 30.0])
            sides.nonbasic[0, 0, 1:] = random.permutation([0, *4 + np.delete(np.arange(4), row)])  # slacks but for one
            if proven_empty(sides, 0, 0, row, fixed):
                free, tight = np.flatnonzero(~fixed[:4]), np.flatnonzero(fixed[4:])
                empty = faces.vertices(0, tuple(free.tolist()), tuple(tight.tolist())) == ()
                right, wrong = right + empty, wrong + (not empty)
    assert wrong == 0
    assert right > 60


def test_the_last_dictionary_proves_emptiness() -> None:
    """Minimise a slack by the simplex method: if it stays positive, its row proves that it is never zero."""
    proven = 0
    for seed in range(60):
        game = bimatrix(normal(*draw(seed, 3, 3, -50, 50)), "vertices")
        leaves = Leaves(game)
        sides, fixed = leaves.sides, np.zeros(6, bool)
        fixed[3] = True  # the slack of the first answer, row 0 at first
        while (place := int(sides.place[0, 0, 3])) < 0:
            row, table = -1 - place, sides.first[0]
            column = 1 + int(table[row, 1 : sides.width[0, 0, KEPT] + 1].argmin())
            if table[row, column] >= 0:
                break
            pivot(sides, 0, 0, limiting(sides, 0, 0, column, row), column)
        never = Faces(game).vertices(0, (0, 1, 2), (0,)) == ()
        assert (place < 0) == never
        if never:
            proven += 1
            assert proven_empty(sides, 0, 0, -1 - place, fixed)
    assert proven > 2
