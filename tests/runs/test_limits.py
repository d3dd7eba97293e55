"""Where a run stops that was given no limit, when it measures, and what it says of its time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.neural.presets import PRESETS
from hannan.runs.progress import DEFAULT, Limits, Schedule, schedule
from hannan.runs.solve import solve
from hannan.solvers import METHODS


@pytest.mark.parametrize("method", [name for name, (room, _) in METHODS.items() if room.startswith("hannan.neural.")])
def test_neural_methods_have_the_iterations_of_their_preset(method: str) -> None:
    run = solve.begin("kuhn_poker", method, approximation="table")
    assert run.until == Limits(iterations=PRESETS["tiny"].iterations)
    assert run.notes[0] == "the run stops after 40 iterations"
    assert solve.begin("kuhn_poker", method, approximation="table", iterations=7).until == Limits(iterations=7)


def test_the_first_line_says_when_a_run_stops(hannan: Any) -> None:
    assert solve.begin("kuhn_poker", "cfr").until == DEFAULT
    assert solve.begin("kuhn_poker", "cfr").notes[0] == "the run stops at gap 0.0001 or after 100,000 iterations"
    assert solve.begin("kuhn_poker", "cfr", seconds=3).notes == []
    assert "the run stops" not in hannan("solve", "kuhn_poker", "--method", "lp").err
    assert "the run stops at gap 0.0001" in hannan("solve", "kuhn_poker", "--method", "cfr+").err


def test_measuring_at_equal_distances() -> None:
    for every in (1, 7, 100):
        points = schedule(every)
        assert [points.at(t) for t in (0, 1, every, every + 1, 10 * every)] == [
            every,
            every,
            every,
            2 * every,
            10 * every,
        ]
        assert points.after(every) == 2 * every
    assert schedule(None) == Schedule()
    with pytest.raises(hn.errors.ParameterError, match="measure_every=0 is out of range"):
        hn.solve("kuhn_poker", measure_every=0)


def test_a_run_measures_as_often_as_it_is_told(tmp_path: Path, hannan: Any) -> None:
    result = hn.solve("kuhn_poker", "cfr", iterations=25, measure_every=10)
    assert [point.iteration for point in result.curve] == [10, 20, 25]
    told = hannan("solve", "kuhn_poker", "--method", "cfr", "--iterations", "25", "--measure-every", "10", "--json")
    assert told.record["gap"] == result.gap
    file = tmp_path / "x.checkpoint"
    hn.solve("kuhn_poker", "cfr", iterations=20, measure_every=10, checkpoint=file)
    again = hn.solve(resume=file, iterations=45)
    assert [point.iteration for point in again.curve] == [10, 20, 30, 40, 45]
    assert [point.gap for point in again.curve[:2]] == [point.gap for point in result.curve[:2]]


def test_methods_that_train_to_measure_say_both_times(hannan: Any) -> None:
    words = ["kuhn_poker", "--method", "deep-cfr", "--approximation", "table", "--traversals", "5", "--iterations", "3"]
    told = hannan("solve", *words, "--json").record
    assert told["measure_seconds"] > 0
    assert "; training the average to measure it took another" in " ".join(hannan("solve", *words).out.split())
    assert "measure_seconds" not in hn.solve("kuhn_poker", "cfr", iterations=3).record()
