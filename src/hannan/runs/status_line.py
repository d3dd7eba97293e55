"""One line on a terminal, or in a notebook, that shows how far a run is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from hannan.arguments import shown
from hannan.errors import ParameterError
from hannan.forms.walks import watching
from hannan.runs.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

_shown: list[Live] = []
"""The live lines that are on the terminal."""

Watcher = Callable[[Progress], None]

NOTEBOOK = 120
"""The most letters of a line in a notebook."""

QUIET = 2.0
"""Seconds after which an unchanged line shows for how long it has not changed, as while kernels compile."""


@cache
def stderr() -> Console:
    """Return the console of standard error: that of a live line, if any, so that other lines appear above it."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def kernel() -> Any:
    """Return the shell of the notebook in which this process is the kernel; None elsewhere."""
    loaded = sys.modules.get("IPython")
    shell = None if loaded is None else loaded.get_ipython()
    return shell if hasattr(shell, "kernel") else None


def check_watcher(progress: object) -> None:
    """Refuse a `progress` that is neither a function nor true, false or None."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise ParameterError(f"progress={shown(progress)} should be true, false, or a function of a Progress")


@contextmanager
def watcher(progress: bool | Watcher | None) -> Iterator[Watcher | None]:
    """Return the watcher of progress: the caller's function, a live line for True, or None."""
    if progress is True:
        with live_line() as show:
            yield show
    else:
        yield progress or None


@contextmanager
def live_line() -> Iterator[Watcher | None]:
    """Show one line that changes (iteration, gap, iterations per second, time left); see `_line`."""
    with _line() as line:
        if line is None:
            yield None
            return

        def show(now: Progress) -> None:
            gap = now.gap_text or ("gap —" if now.gap is None else f"gap {now.gap:.3e}")
            line(now.status or f"iteration {now.iteration:,}   {gap}   {now.rate:,.0f} iterations/s", _left(now))

        yield show


def _left(now: Progress) -> str:
    """Return the time left in words; an empty text in the first moments, when it is unknown."""
    if now.left is None:
        return "" if now.seconds < QUIET else "   time left unknown"
    return f"   {'at most' if now.at_most else 'about'} {duration(now.left)} left"


@contextmanager
def clock_line(what: str, seconds: float | None = None) -> Iterator[None]:
    """Show what is being done, and for how long so far; see `_line`.

    For work that does not report its progress. seconds: about how long it takes, if that is known.
    """
    begun = time.monotonic()
    limit = "" if seconds is None else f" of about {duration(seconds)}"
    with _line(lambda: f"   {duration(time.monotonic() - begun)}{limit}") as line:
        if line is not None:
            line(what, "")
        yield


@contextmanager
def _line(clock: Callable[[], str] | None = None) -> Iterator[Callable[[str, str], None] | None]:
    """Yield a function that writes a changing line on a terminal or in a notebook; None elsewhere.

    Its arguments are the text, and an end that is not cut off if the terminal is narrow. A `clock` replaces the end by
    its own text each time the line is drawn.
    """
    shell, now, changed = kernel(), ["", ""], [time.monotonic()]

    def drawn(width: int) -> str:
        text, end = now
        text, end = awaited(text, end, time.monotonic() - changed[0]) if clock is None else (text, clock())
        return fitted(text, end, width)

    def write(text: str, end: str) -> None:
        now[:], changed[:] = (text, end), [time.monotonic()]

    if shell is not None:
        from hannan.runs.notebook_line import notebook_line

        with notebook_line(shell, lambda: drawn(NOTEBOOK)):
            yield write
        return
    console = stderr()
    if not console.is_terminal:
        yield None
        return
    from rich.live import Live
    from rich.text import Text

    def line() -> Text:
        return Text(drawn(console.width), no_wrap=True)

    with _live(Live(console=console, transient=True, refresh_per_second=8, get_renderable=line)):
        yield write


def awaited(text: str, end: str, seconds: float) -> tuple[str, str]:
    """Return a line that has not changed for `seconds`; after QUIET seconds it says so instead of its forecast."""
    return (text, end) if seconds < QUIET else (text or "making ready", f"   for {duration(seconds)} now")


def fitted(text: str, end: str, width: int) -> str:
    """Return a text and its end on one line of a terminal. The text is cut off if it is too long."""
    room = width - 1 - len(end)
    return f"{text if len(text) <= room else text[: max(room - 1, 0)] + '…'}{end}"


@contextmanager
def _live(line: Live) -> Iterator[Live]:
    """Show a live line while there is a terminal. If the terminal is closed, the run continues."""
    with suppress(OSError):
        line.start()
    _shown.append(line)
    try:
        yield line
    finally:
        _shown.remove(line)
        with suppress(OSError):
            line.stop()


@contextmanager
def without_line() -> Iterator[None]:
    """Hide a live line inside the block, in which the user answers a question."""
    lines = list(_shown)
    for line in lines:
        with suppress(OSError):
            line.stop()
    try:
        yield
    finally:
        for line in lines:
            with suppress(OSError):
                line.start()


@contextmanager
def expansion_line() -> Iterator[None]:
    """Show how far any walk of rules inside the block has come; see `_line`."""
    with _line() as line:
        if line is None:
            yield
            return
        begun = time.monotonic()

        def show(histories: int, guess: float) -> None:
            rate = histories / max(time.monotonic() - begun, 1e-9)
            left = duration(max(guess - histories, 0.0) / max(rate, 1e-9))
            walked = f"walking the rules: {histories:,} of about {guess:,.0f} histories   {rate:,.0f} histories/s"
            line(walked, f"   about {left} left")

        with watching(show):
            yield


def duration(seconds: float) -> str:
    """Write a time for people: `850 ms`, `3.2 s`, `2:05`, `1:02:03`."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
