"""The neural figure runs, and says what it should."""

from __future__ import annotations

import pytest

from hannan.experiments.cfr_neural import QUICK, report


def test_the_quick_figure_runs() -> None:
    pytest.importorskip("torch")
    told: list[str] = []
    made = report(quick=True, progress=told.append)
    assert len(told) == len(QUICK)
    assert [panel.across for panel in made.panels] == ["iterations", "histories touched", "seconds"]
    for panel in made.panels:
        assert set(panel.lines) == set(QUICK)
        for line in panel.lines.values():
            places = [x for x, _ in line]
            assert places == sorted(places)
    assert "parameters against 48 numbers" in made.table()  # 12 sets of two actions, two tables
