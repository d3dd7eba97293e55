"""What commands print for people: tables and a live line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from hannan.runs.progress import Progress

STDERR = Console(stderr=True, highlight=False, markup=False, emoji=False)


def console() -> Console:
    """Return a console for standard output; wide enough for a table where there is no terminal.

    What it prints is never read as markup: names of files and games may have brackets and colons in them.
    """
    plain = Console(highlight=False, markup=False, emoji=False)
    return plain if plain.is_terminal else Console(highlight=False, markup=False, emoji=False, width=140)


def note(sentence: str) -> None:
    """Print one line on standard error."""
    STDERR.print(sentence, soft_wrap=True)


def facts(title: str, rows: Mapping[str, Any]) -> None:
    """Print names and values in two columns."""
    table = Table(title=title, title_justify="left", show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, fact in rows.items():
        table.add_row(name, Text(written(fact)))
    console().print(table)


def grid(title: str, header: list[str], rows: list[list[Any]]) -> None:
    """Print a table."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(written(cell)) for cell in row))
    console().print(table)


def written(fact: Any) -> str:
    """Write a value for people."""
    if isinstance(fact, bool) or fact is None:
        return "—" if fact is None else str(fact).lower()
    if isinstance(fact, int):
        return f"{fact:,}"
    if isinstance(fact, float):
        return f"{fact:.9g}"
    if isinstance(fact, tuple | list):
        return "  ".join(written(part) for part in fact)
    return str(fact)


def duration(seconds: float) -> str:
    """Write a time for people: `850 ms`, `3.2 s`, `2:05`, `1:02:03`."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def live_line() -> Iterator[Callable[[Progress], None] | None]:
    """Show one line that changes (iteration, gap, iterations a second, time left) on a terminal, nothing elsewhere."""
    if not STDERR.is_terminal:
        yield None
        return
    with Live("", console=STDERR, transient=True, refresh_per_second=8) as live:

        def show(now: Progress) -> None:
            gap = "—" if now.gap is None else f"{now.gap:.3e}"
            left = "" if now.left is None else f"   about {duration(now.left)} left"
            if now.status:
                live.update(f"{now.status}{left}")
                return
            live.update(f"iteration {now.iteration:,}   gap {gap}   {now.rate:,.0f} iterations/s{left}")

        yield show
