"""Two-player normal forms in whole numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

import hannan as hn
from hannan.solvers.general.bimatrix import as_fractions, as_ray, bimatrix, scaled
from tests.solvers.general.enumeration import STRIP, normal


def test_best_answers_by_hand() -> None:
    game = bimatrix(normal(*STRIP), "vertices")
    assert game.best(0, (1, 0, 0)) == (0, 1)
    assert game.best(1, (2, 1)) == (0, 1)
    assert game.best(1, (0, 1)) == (2,)


def test_positive_payoffs_have_the_same_differences() -> None:
    game = bimatrix(normal(*STRIP), "vertices")
    for matrix, more in zip(game.answers, game.positive, strict=True):
        assert len(set((more - matrix).ravel().tolist())) == 1
        assert more.min() >= 1
        assert 0 < scaled(more).min() <= scaled(more).max() <= 1


def test_rays_and_fractions() -> None:
    assert as_ray((Fraction(2, 3), Fraction(4, 3))) == (1, 2)
    assert as_fractions((1, 2)) == (Fraction(1, 3), Fraction(2, 3))


def test_a_wrong_equilibrium_is_never_reported() -> None:
    game = bimatrix(normal(*STRIP), "vertices")
    half = Fraction(1, 2)
    with pytest.raises(hn.HannanError, match="is not an equilibrium"):
        game.point(((Fraction(0), half, half), (half, half)))
