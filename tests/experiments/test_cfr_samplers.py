"""The samplers' figure runs, and says what it should."""

from __future__ import annotations

from hannan.experiments.cfr_samplers import METHODS, report


def test_the_quick_figure_runs() -> None:
    told: list[str] = []
    made = report(quick=True, progress=told.append)
    assert len(told) == len(METHODS)
    assert [panel.across for panel in made.panels] == ["iterations", "histories touched", "seconds"]
    for panel in made.panels:
        assert set(panel.lines) == set(METHODS)
        for line in panel.lines.values():
            places = [x for x, _ in line]
            assert places == sorted(places)
            assert line[-1][1] < 0.2  # NashConv on Kuhn poker; uniform play has 11/12
    assert "times fewer iterations" in made.table()
