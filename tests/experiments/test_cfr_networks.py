"""How robust sampling and compression are judged, on curves made by hand, and that the figure runs."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from hannan.experiments import reproduce
from hannan.experiments.cfr_networks import QUICK_DEEPER, QUICK_ROBUST, touched
from hannan.runs.progress import Point

SLOW = tuple(Point(10**k, 0.1, 0.1**k, 0.1**k) for k in range(3))


def test_gaps_after_equally_many_histories() -> None:
    """On a power law the gap lies on the line; at a measurement it is the one measured."""
    assert touched(SLOW, [2, 200, 20_000], 200) == 0.1
    assert touched(SLOW, [2, 200, 20_000], 2_000) == pytest.approx(0.1 / math.sqrt(10))
    assert touched(SLOW, [2, 200, 20_000], 1) == 1.0


@pytest.mark.slow
def test_the_quick_figure(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    ((made, _),) = reproduce("cfr-survey", "networks", tmp_path, quick=True)
    lines = [set(panel.lines) for panel in made.panels]
    assert lines == [set(QUICK_ROBUST)] * 3 + [set(QUICK_DEEPER)] * 3 + [{"table", "4 units"}]
    assert [panel.across for panel in made.panels[:3]] == ["iterations", "histories touched", "seconds"]
    assert "parameters against 48 numbers, NashConv" in made.table()  # 12 sets of two actions, two tables
