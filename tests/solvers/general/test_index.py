"""Indices of single equilibria that are known by hand."""

from __future__ import annotations

import pytest

from hannan.solvers.general.bimatrix import bimatrix
from hannan.solvers.general.index import index_at
from tests.solvers.general.enumeration import normal

COORDINATION = [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("rows", "columns", "x", "y", "index"),
    [
        (COORDINATION, COORDINATION, (1, 0), (1, 0), 1),
        (COORDINATION, COORDINATION, (0, 1), (0, 1), 1),
        (COORDINATION, COORDINATION, (1, 1), (1, 1), -1),
        ([[1, -1], [-1, 1]], [[-1, 1], [1, -1]], (1, 1), (1, 1), 1),
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [[0, 1, -1], [-1, 0, 1], [1, -1, 0]], (1, 1, 1), (1, 1, 1), 1),
        ([[0, 0], [0, 1]], [[0, 0], [0, 1]], (1, 0), (1, 0), 0),
    ],
)
def test_known_indices(
    rows: list[list[int]], columns: list[list[int]], x: tuple[int, ...], y: tuple[int, ...], index: int
) -> None:
    """Pure strict ones have 1, the mixed one of coordination −1, only ones 1; the last vanishes in games nearby."""
    assert index_at(bimatrix(normal(rows, columns), "index"), x, y) == index


def test_too_many_bases_are_left_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.solvers.general.index.MOST_BASES", 1)
    game = bimatrix(normal([[0, 0], [0, 1]], [[0, 0], [0, 1]]), "index")
    assert index_at(game, (1, 0), (1, 0)) is None
