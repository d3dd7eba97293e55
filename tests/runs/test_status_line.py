"""The line that shows how far a run is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from threading import Semaphore
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hannan.runs import notebook_line, status_line
from hannan.runs.progress import GAPS, Limits, Point, Progress, time_left
from hannan.runs.status_line import awaited, clock_line, fitted, live_line


@pytest.mark.parametrize("width", [10, 20, 40, 80])
def test_a_line_fits_and_keeps_its_end(width: int) -> None:
    line = fitted("playthrough 16,763   gap 12.96   trunk 6,195", "   1 s", width)
    assert len(line) < width
    assert line.endswith("   1 s")
    assert ("…" in line) == (width <= 40)


def test_nothing_is_shown_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with clock_line("waiting", 3.0), live_line() as show:
        assert show is None
    assert capsys.readouterr() == ("", "")


def test_a_line_that_does_not_change_says_so() -> None:
    assert awaited("iteration 3", "   about 4.0 s left", 1.5) == ("iteration 3", "   about 4.0 s left")
    assert awaited("iteration 3", "   about 4.0 s left", 75.0) == ("iteration 3", "   for 1:15 now")
    assert awaited("", "", 2.5) == ("making ready", "   for 2.5 s now")


def test_nothing_is_guessed_from_the_first_steps() -> None:
    until = Limits(iterations=1000)
    assert time_left(until, (), 1, 0.02) == (None, False)
    assert time_left(until, (), 500, 2.0).seconds == pytest.approx(2.0)


def curve_of(gaps: Callable[[int], float], last: int, per_iteration: float = 0.01) -> list[Point]:
    """Return the measurements of a made-up run whose clock goes on by the same time in each iteration."""
    points, iteration = [], GAPS.at(1)
    while iteration <= last:
        gap = gaps(iteration)
        points.append(Point(iteration, iteration * per_iteration, gap, gap))
        iteration = GAPS.after(iteration)
    return points


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_a_smooth_gap_is_forecast(power: float) -> None:
    """The gap t^-p comes to 4000^-p at iteration 4000, exactly: a line on log-log scales."""
    curve = curve_of(lambda t: t**-power, 500)
    now = curve[-1].seconds
    left = time_left(Limits(gap=4000**-power, iterations=10**9), curve, curve[-1].iteration, now)
    assert left.seconds == pytest.approx(0.01 * 4000 - now, rel=1e-6)
    assert not left.at_most


def test_a_gap_that_does_not_fall_leaves_an_upper_bound_or_nothing() -> None:
    flat = curve_of(lambda t: 1.0, 2000)
    now, steps = flat[-1].seconds, flat[-1].iteration
    left = time_left(Limits(gap=1e-3, iterations=10 * steps), flat, steps, now)
    assert left.seconds == pytest.approx(9 * now)
    assert left.at_most
    assert time_left(Limits(gap=1e-3), flat, steps, now) == (None, False)
    timed = time_left(Limits(gap=1e-3, seconds=now + 5), flat, steps, now)
    assert timed.seconds == pytest.approx(5)
    assert timed.at_most
    assert time_left(Limits(gap=0.0), flat, steps, now) == (None, False)


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3, 0.6, 1.0])
def test_the_time_left_does_not_jump(noise: float) -> None:
    """A gap that falls as 1/sqrt(t) times lognormal noise, as samplers' do, watched at every measurement.

    What is said to be left changes from one measurement to the next by at most half of the time so far or a factor of
    two, beyond what has passed. The limit of iterations would end the run fifty times later.
    """
    for seed in range(20):
        draw = np.random.default_rng(seed)
        curve = curve_of(lambda t: float(t**-0.5 * np.exp(noise * draw.standard_normal())), 40_000)  # noqa: B023
        until = Limits(gap=2e-3, iterations=12_500_000)
        told = [
            (point.seconds, time_left(until, curve[: k + 1], point.iteration, point.seconds))
            for k, point in enumerate(curve)
        ]
        for (then, before), (now, after) in pairwise(told):
            if before.seconds is None or after.seconds is None or before.at_most or after.at_most:
                continue
            expected = max(before.seconds - (now - then), 0.0)
            assert abs(after.seconds - expected) <= max(0.5 * now, expected), (seed, now)
        bounds = [left.seconds for _, left in told if left.at_most and left.seconds is not None]
        assert all(after <= before for before, after in pairwise(bounds))
        if noise == 0.0:  # it ends after 2,500 s: a hundredth of it, and five measurements later, that is known
            assert all(not left.at_most for now, left in told if now > 25 * 1.2**5)


def test_the_line_says_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    said = []

    @contextmanager
    def line() -> Iterator[Any]:
        yield lambda text, end: said.append(end.strip())

    monkeypatch.setattr(status_line, "_line", line)
    with live_line() as show:
        assert show is not None
        show(Progress(1, 0.5, None, 2.0, None))
        show(Progress(5, 2.5, None, 2.0, None))
        show(Progress(5, 2.5, 0.1, 2.0, 300.0))
        show(Progress(5, 2.5, 0.1, 2.0, 300.0, at_most=True))
    assert said == ["", "time left unknown", "about 5:00 left", "at most 5:00 left"]


class Kernel:
    """A notebook's shell and its display, written down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kernel, self.execution_count = object(), 1
        self.shown: list[list[str]] = []
        """Each output of the cells, with all that it has shown."""
        ipython = ModuleType("IPython")
        display = ModuleType("IPython.display")
        ipython.get_ipython = lambda: self  # type: ignore[attr-defined]
        display.display = self.display  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", display)
        monkeypatch.setattr(notebook_line._Display, "cell", None)

    def display(self, bundle: dict[str, str], raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        self.shown.append([bundle["text/plain"]])
        return SimpleNamespace(update=lambda later, raw: self.shown[-1].append(later["text/plain"]))


def once_told(event: Any, seconds: float) -> bool:
    """Wait for the test, or for the end of the block: the follower goes round as often as the test says."""
    while not TURNS.acquire(timeout=0.005):
        if event.is_set():
            return True
    return False


TURNS = Semaphore(0)


def test_a_notebook_has_one_line_for_each_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Kernel(monkeypatch)
    assert status_line.kernel() is shell
    texts: list[str] = []
    seen = Semaphore(0)

    def drawn() -> str:
        seen.release()
        return texts[-1]

    def run(*words: str) -> None:
        with notebook_line.notebook_line(shell, drawn, once_told):
            for word in words:
                texts.append(word)
                TURNS.release()
                seen.acquire()

    run("one", "<two>")
    run("three")
    shell.execution_count = 2
    run("four")
    assert [[text for text in output if text] for output in shell.shown] == [["one", "<two>", "three"], ["four"]]
    assert [output[-1] for output in shell.shown] == ["", ""]  # nothing is left of them


def test_short_work_shows_nothing_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Kernel(monkeypatch)
    monkeypatch.setattr(notebook_line, "FIRST", 1e6)  # the work is shorter than that, however slow the machine is
    with live_line() as show:
        assert show is not None
        show(Progress(1, 0.5, None, 2.0, None))
    assert shell.shown == []
