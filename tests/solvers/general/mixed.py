"""Payoffs of mixed strategies by sums over all cells: what methods of one equilibrium are checked against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import hannan as hn
from hannan.arrays import Floats
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.point import Point


def pays(payoffs: Floats, mixed: Sequence[Floats]) -> list[Floats]:
    """Return what each action pays each player: one product with every other player's strategy after another."""
    rows = []
    for player in range(len(mixed)):
        rest = np.moveaxis(payoffs[player], player, 0)
        for other in reversed([q for q in range(len(mixed)) if q != player]):
            rest = rest @ mixed[other]
        rows.append(rest)
    return rows


def gains(form: NormalForm, point: Point) -> list[float]:
    """Return what each player could gain; also check that the strategies are probabilities."""
    for strategy in point.strategies:
        assert strategy.min() >= 0
        assert abs(strategy.sum() - 1) <= 1e-12
    rows = pays(form.payoffs, point.strategies)
    return [float(row.max() - row @ mine) for row, mine in zip(rows, point.strategies, strict=True)]


def random_form(shape: Sequence[int], seed: int, top: int | None = None) -> NormalForm:
    """Return a random game: payoffs from 0 to 1, or whole numbers from 0 to `top`, which make many ties."""
    draw = np.random.default_rng(seed)
    size = (len(shape), *shape)
    return hn.normal_form(hn.matrix_game(draw.random(size) if top is None else draw.integers(0, top + 1, size)))


SHAPES: list[tuple[int, ...]] = [
    (2, 2),
    (1, 3),
    (4, 3),
    (6, 6),
    (2, 2, 2),
    (3, 1, 2),
    (4, 4, 4),
    (2, 3, 2, 3),
    (2,) * 6,
]
CASES = [(shape, seed, top) for shape in SHAPES for seed, top in ((0, None), (1, None), (2, 1), (3, 2), (4, 3))]
"""Generic games of many shapes, and games with so many ties that most of them are degenerate."""
