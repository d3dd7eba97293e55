"""Payoffs at the ends of what a float64 holds: every method gives finite numbers, or says what is wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

import hannan as hn
from hannan.solvers import METHODS
from tests.plaingames import Coins

TABULAR = sorted(name for name, (file, _) in METHODS.items() if not file.startswith("hannan.neural"))
SAMPLERS = [name for name in TABULAR if name.startswith(("mccfr", "vr"))]
EXTREMES = (1e150, 5e149, 1e-200, 1e-310, 5e-324)


class Scaled(Coins):
    """The coin game in other units: a right guess costs player 0 one unit, and earns three after tails."""

    def __init__(self, unit: float) -> None:
        self.unit = unit

    def gains(self, state: Any) -> Sequence[float]:
        if len(state) < 3:
            return 0.0, 0.0
        own = -self.unit if state[0].lower() == state[2] else self.unit if state[0] == "H" else self.unit / 3
        return own, -own


def solved(unit: float, method: str, **given: Any) -> None:
    extra: dict[str, Any] = {"horizon": 50} if method == "hs-dcfr" else {}
    try:
        result = hn.solve(Scaled(unit), method, iterations=50, **extra, **given)
    except hn.HannanError:
        return
    assert all(map(math.isfinite, (result.gap, *result.values)))
    assert 0.0 <= result.gap <= 4 * unit  # each player can gain twice a unit at most
    assert all(abs(value) <= unit for value in result.values)


@pytest.mark.parametrize("unit", EXTREMES)
@pytest.mark.parametrize("method", TABULAR)
def test_large_and_small_payoffs(method: str, unit: float) -> None:
    solved(unit, method)


@pytest.mark.parametrize("unit", EXTREMES)
@pytest.mark.parametrize("method", SAMPLERS)
def test_large_and_small_payoffs_on_rules(method: str, unit: float) -> None:
    solved(unit, method, over="rules")


@pytest.mark.parametrize("over", ["tree", "rules"])
def test_an_estimate_that_is_too_large_is_named(over: str) -> None:
    """Outcome sampling divides a gain of 1e150 by the probability of the play, so that its estimates are larger."""
    with pytest.raises(hn.errors.RulesError, match=r"a gain is larger than 1e\+150, or what a walk estimates from it"):
        hn.solve(Scaled(1e150), "mccfr-os", iterations=50, over=over)


@pytest.mark.parametrize("unit", EXTREMES)
def test_searches_of_large_and_small_payoffs(unit: float) -> None:
    """Matching pennies: whatever is played, what walks earn lies within a unit of 0."""

    class Pennies(Coins):
        def turn(self, state: Any) -> int | tuple[int, ...]:
            return hn.END if state else (0, 1)

        def observe(self, state: Any, player: int) -> int:
            return 0

        def gains(self, state: Any) -> Sequence[float]:
            own = 0.0 if not state else unit if state[0][0] == state[0][1] else -unit / 2
            return own, -own

        def bounds(self, state: Any) -> Sequence[tuple[float, float]]:
            return ((-unit, unit), (-unit, unit))

    for rule in ("rm-mean", "exp3"):
        try:
            result = hn.search(Pennies(), rule, iterations=50)
        except hn.HannanError:
            continue
        assert result.value is not None
        assert abs(result.value) <= unit
        for shares in result.averages:
            assert sum(shares.values()) == pytest.approx(1.0)
