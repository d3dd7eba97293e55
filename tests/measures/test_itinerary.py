"""Settled, periodic, cycling or moving: paths that are made to be one of these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hannan.measures.itinerary import itinerary


def _pure(stations: Any, count: int) -> Any:
    return np.eye(count)[stations]


def _visits(lengths: list[int], cycle: list[int]) -> Any:
    return np.repeat([cycle[k % len(cycle)] for k in range(len(lengths))], lengths)


def test_a_circle_is_periodic() -> None:
    angle = np.arange(1000) * 2 * np.pi / 100
    path = np.stack([(1 + np.cos(angle + k * 2 * np.pi / 3) * 0.5) / 3 for k in range(3)], axis=1)
    found = itinerary(path.argmax(axis=1), path)
    assert (found.course, found.period, found.growth) == ("periodic", 100, 1.0)
    assert found.cycle in ((0, 1, 2), (0, 2, 1))
    assert found.amplitude == pytest.approx(1 / 3, abs=1e-3)


def test_rounds_that_grow_are_no_period() -> None:
    stations = _visits([2 ** (k // 3) for k in range(28)], [3, 0, 2])
    found = itinerary(stations, _pure(stations, 4))
    assert found.course == "cycling"
    assert found.cycle == (0, 2, 3)
    assert found.growth == pytest.approx(2.0)


def test_a_spiral_inward_settles() -> None:
    t = np.arange(2000)
    swing = 0.4 * np.exp(-t / 150) * np.cos(t / 10)
    path = np.stack((0.5 + swing, 0.5 - swing), axis=1)
    assert itinerary(path.argmax(axis=1), path).course == "settled"


def test_a_spiral_outward_is_no_period() -> None:
    t = np.arange(600)
    swing = 0.01 * np.exp(t / 160) * np.cos(t / 10)
    path = np.stack((0.5 + swing, 0.5 - swing), axis=1)
    assert itinerary(path.argmax(axis=1), path).course == "cycling"  # the stations are periodic, their size is not


def test_random_play_only_moves() -> None:
    stations = np.random.default_rng(3).integers(0, 5, 4000)
    assert itinerary(stations, _pure(stations, 5)).course == "moving"


def test_a_cycle_that_has_ended_is_none() -> None:
    stations = _visits([5] * 12 + [60], [0, 1, 2])
    assert itinerary(stations, _pure(stations, 3)).course in ("moving", "settled")
    assert itinerary(stations, _pure(stations, 3)).cycle == ()


def test_short_runs() -> None:
    for count in (1, 2, 3):
        path = np.full((count, 2), 0.5)
        assert itinerary(np.zeros(count, np.int64), path).course == "settled"
