"""Limits and signals reach into training: what was begun is undone, and the last whole step is the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.interrupts import Halted, go_on, patience
from hannan.neural.memories import Reservoir
from hannan.neural.traversals import Samples
from hannan.runs.run import Run
from hannan.runs.solve import solve
from hannan.solvers import method_class

METHODS = ("deep-cfr", "sd-cfr", "dream", "escher", "double-neural")
SMALL: dict[str, Any] = {"traversals": 20, "steps": 6, "batch": 16, "layers": 2, "units": 8, "memory_size": 60}


def after(calls: int) -> Callable[[], bool]:
    """Return what says that it is enough after so many questions."""
    asked = [0]

    def enough() -> bool:
        asked[0] += 1
        return asked[0] > calls

    return enough


def same(one: Any, other: Any) -> None:
    ours, theirs = one.state(), other.state()
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)


@cache
def undisturbed(method: str, approximation: str, iterations: int) -> dict[str, Any]:
    """Return the state of a run that nobody halts after so many iterations."""
    kind: Any = method_class(method)
    solver = kind("kuhn_poker", approximation=approximation, **SMALL)
    if iterations:
        solver.restore(iterations - 1, undisturbed(method, approximation, iterations - 1))
        solver.run(1)
    return {name: array.copy() for name, array in solver.state().items()}


def test_nobody_halts_work_that_nobody_drives() -> None:
    go_on()
    with patience(after(1)):
        go_on()
        with pytest.raises(Halted):
            go_on()
    go_on()


@pytest.mark.slow
@pytest.mark.parametrize("calls", [0, 3, 9, 20])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("approximation", ["network", "table"])
def test_an_iteration_that_is_halted_is_undone_to_the_bit(method: str, calls: int, approximation: str) -> None:
    """Memories are full by then, so that samples were written over; and the run goes on to the same bits."""
    if approximation == "table" and calls > 3:
        pytest.skip("a table asks twice in an iteration")
    kind: Any = method_class(method)
    halted = kind("kuhn_poker", approximation=approximation, **SMALL)
    halted.run(3)
    with patience(after(calls)):
        halted.run(5)
    for more in (0, 2):
        halted.run(more)
        expected = undisturbed(method, approximation, halted.iterations)
        assert halted.state().keys() == expected.keys()
        for name, array in halted.state().items():
            np.testing.assert_array_equal(array, expected[name], err_msg=name)


def test_an_error_inside_an_iteration_undoes_it_too() -> None:
    made = [method_class("sd-cfr")("kuhn_poker", **SMALL) for _ in range(2)]

    def broken() -> bool:
        raise KeyboardInterrupt

    for solver in made:
        solver.run(2)
    with patience(broken), pytest.raises(KeyboardInterrupt):
        made[0].run(1)
    same(*made)


def test_a_memory_takes_back_what_was_added() -> None:
    """Against a copy that never saw it; samples come before and after the memory is full."""
    draws = np.random.default_rng(1)
    for before in (0, 3, 10, 50):
        one, other = (Reservoir(10, 2, 3, 5) for _ in range(2))
        for count in (before, 4, 9):
            samples = Samples(draws.random((count, 2)).astype(np.float32), draws.random((count, 3)))
            one.add(samples, 1)
            if count == before:
                other.add(samples, 1)
                one.settle()
        one.undo()
        for name, array in other.state().items():
            np.testing.assert_array_equal(one.state()[name], array)
        np.testing.assert_array_equal(one.mark[: len(one)], other.mark[: len(other)])


class Pressed:
    """Ctrl-C that comes when it has been asked for so many times."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self) -> int:
        self.left -= 1
        return int(self.left < 0)


@pytest.mark.slow
@pytest.mark.parametrize("calls", [0, 15, 40, 90, 130])
def test_a_run_that_is_stopped_inside_a_training_resumes_to_the_same_bits(
    calls: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the signal comes: in an iteration, or in the training of the average that a measurement needs."""
    options = {**SMALL, "policy_steps": 6}
    whole = hn.solve("kuhn_poker", "deep-cfr", iterations=4, **options)
    path = tmp_path / "x"
    run = solve.begin("kuhn_poker", "deep-cfr", iterations=4, checkpoint=path, **options)
    pressed, measurements = Pressed(calls), Run.measurements

    def interrupted(run: Any) -> Any:
        run._presses = pressed
        yield from measurements(run)

    monkeypatch.setattr(Run, "measurements", interrupted)
    stopped = run.finish()
    monkeypatch.undo()
    assert stopped.stop in ("interrupted", "iterations")
    assert stopped.iterations <= 4
    made = dict(zip([point.iteration for point in whole.curve], whole.curve, strict=True))
    if stopped.iterations:
        assert stopped.gap == made[stopped.iterations].gap  # of the step that was whole, to the bit
    else:
        assert stopped.gap == pytest.approx(11 / 12)  # of uniform play, which Kuhn poker's page has
    resumed = hn.solve(resume=path, iterations=4)
    assert resumed.gap == whole.gap
    for ours, theirs in zip(resumed.profile.strategies, whole.profile.strategies, strict=True):
        np.testing.assert_array_equal(ours, theirs)
