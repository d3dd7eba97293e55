"""Components and maximal Nash subsets, against games whose components are known, and the index theorem."""

from __future__ import annotations

import pytest

from hannan.bench.equilibria import STENGEL
from hannan.solvers.general.components import components
from hannan.solvers.general.vertices import vertices
from tests.solvers.general.enumeration import STRIP, draw, exact, normal


def test_a_segment_and_a_point() -> None:
    """The segment has index 0: the two other equilibria of the game nearby vanish together (by hand)."""
    form = normal(*STRIP)
    points = list(vertices(form))
    parts = components(form, [point.fractions for point in points if point.fractions])
    segment, alone = sorted(parts, key=lambda part: part.isolated)
    assert (len(segment.extreme), segment.isolated, segment.index) == (2, False, 0)
    assert segment.subsets == (segment.extreme,)
    assert (len(alone.extreme), alone.isolated, alone.index) == (1, True, 1)


def test_a_square_is_one_subset() -> None:
    form = normal([[0] * 3] * 2, [[5] * 3] * 2)
    (square,) = components(form, [point.fractions for point in vertices(form) if point.fractions])
    assert square.subsets == (tuple(range(6)),)
    assert square.index == 1


def test_two_segments_that_meet() -> None:
    """Both get 1 unless both take their second strategy: the edges of a square but for one corner, by hand.

    At (1, 1) two segments meet; the corner (2, 2) is no equilibrium, nor are the insides.
    """
    form = normal([[1, 1], [1, 0]], [[1, 1], [1, 0]])
    points = [point.fractions for point in vertices(form) if point.fractions]
    (part,) = components(form, points)
    corner = points.index(exact((1, 0), (1, 0)))
    assert len(part.extreme) == 3
    assert len(part.subsets) == 2
    assert all(len(subset) == 2 and corner in subset for subset in part.subsets)
    assert part.index == 1


@pytest.mark.parametrize(("m", "n", "high"), [(2, 2, 1), (3, 3, 1), (3, 4, 2), (4, 4, 2)])
def test_indices_sum_to_one(m: int, n: int, high: int) -> None:
    """The index theorem (Shapley 1974); isolated points are components of their own, and no others are."""
    for seed in range(8):
        form = normal(*draw(seed, m, n, 0, high))
        points = list(vertices(form))
        parts = components(form, [point.fractions for point in points if point.fractions])
        assert sum(part.index or 0 for part in parts) == 1
        assert sorted(at for part in parts for at in part.extreme) == list(range(len(points)))
        for part in parts:
            assert all(points[at].isolated == part.isolated for at in part.extreme)
            assert set(part.extreme) == {at for subset in part.subsets for at in subset}


def test_many_isolated_ones() -> None:
    form = normal(*STENGEL)
    parts = components(form, [point.fractions for point in vertices(form) if point.fractions])
    assert len(parts) == 75
    assert sum(part.index or 0 for part in parts) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("size", "seeds"), [(8, 4), (10, 3)])
def test_indices_of_larger_degenerate_games_sum_to_one(size: int, seeds: int) -> None:
    """A missing component, unless its index is 0, would change the sum."""
    for seed in range(seeds):
        form = normal(*draw(seed, size, size, 0, 3))
        parts = components(form, [point.fractions for point in vertices(form) if point.fractions])
        indices = [part.index for part in parts if part.index is not None]
        assert len(indices) == len(parts)
        assert sum(indices) == 1
