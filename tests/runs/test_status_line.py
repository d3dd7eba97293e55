"""The line that shows how far a run is."""

from __future__ import annotations

import pytest

from hannan.runs.progress import Limits, time_left
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
    assert time_left(until, (), 1, 0.02) is None
    assert time_left(until, (), 500, 2.0) == pytest.approx(2.0)
