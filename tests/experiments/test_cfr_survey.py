"""How races are judged, on curves made by hand, and that the survey's figures run."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from hannan.experiments import reproduce
from hannan.experiments.cfr_neural import QUICK
from hannan.experiments.cfr_samplers import BASE, METHODS, TWO_ORDERS, judged
from hannan.experiments.race import ORDER, about_an_order, geometric_mean, needed, speedup
from hannan.runs.progress import Point


def curve(*gaps: float) -> tuple[Point, ...]:
    """Measurements at iterations 1, 10, 100, …"""
    return tuple(Point(10**k, 0.1 * 10**k, gap, gap) for k, gap in enumerate(gaps))


def test_iterations_needed() -> None:
    """On a power law the crossing lies on the line."""
    slow = curve(1.0, 0.1, 0.01)
    assert needed(slow, 0.1) == pytest.approx(10)
    assert needed(slow, 0.1 / math.sqrt(10)) == pytest.approx(10 * math.sqrt(10))
    assert needed(slow, 0.001) is None
    assert needed(slow, 2.0) == 1


def test_a_gap_that_comes_back_is_not_reached() -> None:
    assert needed(curve(1.0, 0.01, 1.0, 0.01), 0.1) == pytest.approx(100 * math.sqrt(10))


def test_a_gap_of_zero() -> None:
    assert needed(curve(1.0, 0.0), 0.5) == 10
    assert needed(curve(1.0, 0.0), 0.0) == 10


def test_speedup_goes_both_ways() -> None:
    slow, fast = curve(1.0, 0.1, 0.01), curve(1.0, 0.01, 0.0001)
    assert speedup(fast, slow) == pytest.approx(10)
    assert speedup(slow, fast) == pytest.approx(0.1)
    assert speedup(slow, slow) == pytest.approx(1)


def test_one_game_does_not_carry_a_claim() -> None:
    """A mean above √10 that comes from one of three games is not about an order."""
    slow, fast = curve(1.0, 0.1, 0.01, 0.001), curve(1.0, 0.001, 0.0001, 0.0001)
    assert geometric_mean([100.0, 1.0, 1.0]) > math.sqrt(10)
    lucky = {"a": {"CFR": slow, "x": fast}, "b": {"CFR": slow, "x": slow}, "c": {"CFR": slow, "x": slow}}
    assert not about_an_order("x", "", lucky).held
    assert about_an_order("x", "", {game: {"CFR": slow, "x": fast} for game in "abc"}).held


def test_one_order_is_not_two() -> None:
    """Section 3.3 of the survey claims two orders, the abstract that it cites one."""
    slow, ten, hundred = curve(1.0, 0.1, 0.01), curve(1.0, 0.01, 0.0001), curve(0.01, 0.01, 0.01)
    for fast, one, two in ((slow, False, False), (ten, True, False), (hundred, True, True)):
        runs = {BASE: slow, "VR-MCCFR": fast}
        assert judged("VR-MCCFR", "", "", ORDER, runs).held is one
        assert judged("VR-MCCFR", "", "", TWO_ORDERS, runs).held is two


@pytest.mark.slow
def test_quick_figures_tell_what_they_run(tmp_path: Path) -> None:
    """All of them in one run: each takes its time."""
    pytest.importorskip("torch")
    told: list[str] = []
    reports = {
        report.name: report for report, _ in reproduce("cfr-survey", None, tmp_path, quick=True, progress=told.append)
    }
    assert list(reports) == [
        "cfr_survey2", "cfr_flop", "cfr_theory", "cfr_survey", "cfr_samplers", "cfr_neural", "cfr_networks",
    ]  # fmt: skip
    assert any(line.startswith("Kuhn, PCFR+: NashConv") for line in told)
    numbers = (tmp_path / "cfr_survey.csv").read_text(encoding="utf-8")
    assert '"Kuhn, by seconds",CFR+,' in numbers
    (river,) = reports["cfr_flop"].panels
    assert river.lines["CFR+, linear"][-1][1] < river.lines["CFR"][-1][1]  # CFR+ is ahead after 30 iterations
    samplers, networks = reports["cfr_samplers"], reports["cfr_neural"]
    for report, methods in ((samplers, METHODS), (networks, QUICK)):
        assert [panel.across for panel in report.panels] == ["iterations", "histories touched", "seconds"]
        for panel in report.panels:
            assert set(panel.lines) == set(methods)
            for line in panel.lines.values():
                places = [x for x, _ in line]
                assert places == sorted(places)
    for panel in samplers.panels:
        assert all(line[-1][1] < 0.2 for line in panel.lines.values())  # NashConv on Kuhn poker; uniform play has 11/12
    assert "times fewer iterations" in samplers.table()
    assert "CFR+ that takes its last strategies" in reports["cfr_survey"].table()
