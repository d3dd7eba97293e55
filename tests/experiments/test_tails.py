"""Slopes in the long term of curves that are known, and of curves that have no long term."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from hannan.experiments.tails import rate, tail

MOMENTS = [100 * 1.1**k for k in range(100)]
END = MOMENTS[-1]


def curve(law: Callable[[float], float]) -> list[tuple[float, float]]:
    return [(t, law(t)) for t in MOMENTS]


@pytest.mark.parametrize("power", [-0.3, -0.5, -0.75])
def test_the_slope_of_a_power_is_its_exponent(power: float) -> None:
    found = tail(curve(lambda t: 7 * t**power), MOMENTS[0])
    assert found is not None
    assert found.slope == pytest.approx(power)
    assert found.halves == pytest.approx((power, power))
    assert (found.begin, found.end) == (END / 4, END)
    assert rate("", curve(lambda t: 7 * t**power), 100.0).held is (power == -0.5)


def test_logarithms_are_within_what_counts_as_roughly() -> None:
    """√(log t / t) up to more than a million playthroughs."""
    assert rate("", curve(lambda t: math.sqrt(math.log(t) / t)), 100.0).held


def test_a_curve_that_has_just_left_its_cap_is_not_judged() -> None:
    """4 times as many playthroughs as it took to leave it, and a factor of 2 beyond: 8 times as many in all."""
    line = curve(lambda t: t**-0.5)
    late, early = rate("", line, END / 7.9), rate("", line, END / 8.1)
    assert late.held is None
    assert "no tail" in late.ours
    assert early.held
    assert rate("", line, None).held is None


def test_a_slope_that_still_changes_is_not_judged() -> None:
    """Slope -0.3 up to the middle of the last factor of 4 and -0.7 from there: -0.5 on the whole."""
    middle = END / 2
    found = rate("", curve(lambda t: (t / middle) ** (-0.3 if t < middle else -0.7)), 100.0)
    assert found.held is None
    assert "still changing" in found.ours
