"""Bounds of a child, intersected with its parent's."""

from __future__ import annotations

import pytest

from hannan.errors import RulesError
from hannan.rules.bounds import narrowed


def test_the_gain_on_the_way_is_taken_off() -> None:
    """By hand: 0 to 4 less 1 is -1 to 3; with 0 to 5 that is 0 to 3."""
    assert narrowed([(0, 4), (-2, 2)], [(0, 5), (-1, 1)], (1, -1)) == [(0, 3), (-1, 1)]


def test_what_is_not_known_leaves_the_rest() -> None:
    assert narrowed(None, None, (0,)) is None
    assert narrowed(None, [(1, 2)], (5,)) == [(1, 2)]
    assert narrowed([(1, 2)], None, (5,)) == [(-4, -3)]


def test_an_empty_intersection_is_an_error_of_the_rules() -> None:
    with pytest.raises(
        RulesError,
        match=r"node r:h: bounds\(\) says that player 1 gains 2 to 3 .* it gains -1 to 1; no number is in both",
    ):
        narrowed([(0, 1), (-1, 1)], [(0, 1), (2, 3)], (0, 0), lambda: "node r:h")


def test_rounding_is_no_error() -> None:
    bounds = narrowed([(0.1 + 0.2, 1.0)], [(0.0, 0.3)], (0.0,))
    assert bounds is not None
    low, high = bounds[0]
    assert low == high == pytest.approx(0.3, abs=1e-15)
