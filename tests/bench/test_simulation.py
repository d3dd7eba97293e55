"""The simulation of many workers agrees with what can be computed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hannan.bench.scaling import WORKERS, draw, run
from hannan.bench.simulation import Cluster, Load, reason, simulate

FREE = Cluster(dispatch=0.0, handling=0.0, latency=0.0)


def load(*seconds: float, **more: Any) -> Load:
    return Load("work", "pieces", seconds, **more)


def test_pieces_without_costs_are_shared_out_evenly() -> None:
    work = load(*[1.0] * 100)
    assert [simulate(work, workers, FREE).seconds for workers in (1, 4, 10, 100, 500)] == [100, 25, 10, 1, 1]
    assert simulate(work, 30, FREE).seconds == 4  # the last ten are made while twenty workers wait
    assert simulate(work, 4, FREE).working == 1.0


def test_a_round_waits_for_the_last_piece_of_the_one_before() -> None:
    work = load(*[1.0] * 5, rounds=7, between=0.5)
    assert simulate(work, 4, FREE).seconds == 7 * (2 + 0.5)
    assert simulate(work, 1000, FREE).speedup == (7 * 5.5) / (7 * 1.5)
    assert reason(work, simulate(work, 1000, FREE)) == "only 5 pieces at a time"


def test_the_driver_takes_results_one_after_the_other() -> None:
    work = load(*[1.0] * 1000, merge=0.01)
    found = simulate(work, 1000, FREE)
    assert found.seconds == pytest.approx(1.0 + 1000 * 0.01)
    assert reason(work, found) == "what the driver does alone"
    slow = simulate(load(*[1.0] * 1000), 1000, Cluster(dispatch=0.1, handling=0.0, latency=0.0))
    assert slow.seconds == pytest.approx(1000 * 0.1 + 1.0)


def test_bytes_pass_one_link() -> None:
    work = load(*[0.1] * 100, sent=10**6, returned=3 * 10**6)
    found = simulate(work, 100, Cluster(dispatch=0.0, handling=0.0, bandwidth=1e6, latency=0.0))
    assert found.seconds == pytest.approx(100 * 1.0 + 100 * 3.0)
    assert reason(work, found) == "the driver gives out pieces and moves bytes"
    shared = load(1.0, shared=10**6)
    at_once = Cluster(dispatch=0.0, handling=0.0, bandwidth=1e6, latency=0.0, cores=1)
    assert simulate(shared, 3, at_once).seconds == pytest.approx(2 * 1.0 + 1.0)  # one machine, then two more


def test_the_longest_piece_is_waited_for() -> None:
    work = load(10.0, *[0.1] * 50)
    found = simulate(work, 50, FREE)
    assert found.seconds == 10.0
    assert reason(work, found) == "the longest piece"


@given(st.lists(st.floats(0.06, 5.0), min_size=1, max_size=30), st.integers(1, 12))
def test_no_schedule_is_faster_than_its_bounds(seconds: list[float], workers: int) -> None:
    """Graham's bounds of list scheduling: the work over the workers, and the longest piece."""
    found = simulate(load(*seconds), workers, FREE).seconds
    least = max(sum(seconds) / workers, max(seconds))
    assert least * (1 - 1e-9) <= found <= sum(seconds) / workers + max(seconds) + 1e-9


def test_the_picture_shows_each_load(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr("hannan.bench.scaling.write_figure", lambda path, figure, kind: drawn.append(figure))
    works = [load(*[1.0] * 4000), load(*[1.0] * 40)]
    draw(tmp_path / "scaling.png", works, FREE)
    _, *lines = drawn[0].axes[0].lines
    for line, work in zip(lines, works, strict=True):
        assert list(line.get_ydata()) == [simulate(work, workers, FREE).speedup for workers in WORKERS]


@pytest.mark.slow
def test_pieces_are_measured_quickly() -> None:
    section = run(True, lambda line: None)
    assert len(section.rows) == 2 + 4 * 3
    assert all(row.ours.value > 0 for row in section.rows)
