"""One line on a terminal that shows how far a run is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING

from hannan.arguments import shown
from hannan.errors import ParameterError
from hannan.forms.watching import watching
from hannan.runs.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

Watcher = Callable[[Progress], None]


@cache
def stderr() -> Console:
    """Return the console of standard error: the one of a live line, so that other lines come out above it."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def check_watcher(progress: object) -> None:
    """Refuse what can neither be told of progress nor says whether to show it."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise ParameterError(f"progress={shown(progress)} should be true, false, or a function of a Progress")


@contextmanager
def watcher(progress: bool | Watcher | None) -> Iterator[Watcher | None]:
    """Return whom to tell of progress: the caller's own function, or a live line where it says True, or nobody."""
    if progress is True:
        with live_line() as show:
            yield show
    else:
        yield progress or None


@contextmanager
def live_line() -> Iterator[Watcher | None]:
    """Show one line that changes (iteration, gap, iterations a second, time left) on a terminal, nothing elsewhere."""
    from rich.live import Live

    console = stderr()
    if not console.is_terminal:
        yield None
        return
    with _live(Live("", console=console, transient=True, refresh_per_second=8)) as live:

        def show(now: Progress) -> None:
            gap = "—" if now.gap is None else f"{now.gap:.3e}"
            left = "" if now.left is None else f"   about {duration(now.left)} left"
            if now.status:
                live.update(f"{now.status}{left}")
                return
            live.update(f"iteration {now.iteration:,}   gap {gap}   {now.rate:,.0f} iterations/s{left}")

        yield show


@contextmanager
def _live(line: Live) -> Iterator[Live]:
    """Show a live line for as long as there is a terminal: one that was closed ends no run."""
    with suppress(OSError):
        line.start()
    try:
        yield line
    finally:
        with suppress(OSError):
            line.stop()


@contextmanager
def expansion_line() -> Iterator[None]:
    """Show on a terminal how far rules are walked, by anybody inside the block; nothing elsewhere."""
    from rich.live import Live

    console = stderr()
    if not console.is_terminal:
        yield
        return
    with _live(Live("", console=console, transient=True, refresh_per_second=8)) as live:
        begun = time.monotonic()

        def show(histories: int, guess: float) -> None:
            rate = histories / max(time.monotonic() - begun, 1e-9)
            live.update(
                f"walking the rules: {histories:,} of about {guess:,.0f} histories   {rate:,.0f} histories/s   about "
                f"{duration(max(guess - histories, 0.0) / max(rate, 1e-9))} left"
            )

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
