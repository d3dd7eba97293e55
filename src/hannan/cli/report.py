"""What commands print for people: tables and notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hannan.runs.watching import stderr

SHORT = 14
"""Letters of a number, or of the header of a column of numbers, at most."""


def console() -> Console:
    """Return a console for standard output; wide enough for a table where there is no terminal.

    What it prints is never read as markup: names of files and games may have brackets and colons in them.
    """
    plain = Console(highlight=False, markup=False, emoji=False)
    return plain if plain.is_terminal else Console(highlight=False, markup=False, emoji=False, width=140)


def note(sentence: str) -> None:
    """Print one line on standard error."""
    stderr().print(sentence, soft_wrap=True)


def facts(title: str, rows: Mapping[str, Any]) -> None:
    """Print names and values in two columns."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", overflow="fold")
    table.add_column(overflow="fold")
    for name, fact in rows.items():
        table.add_row(name, Text(written(fact)))
    _print(title, table)


def grid(title: str, header: list[str], rows: list[list[Any]]) -> None:
    """Print a table."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    cells = [[written(cell) for cell in row] for row in rows]
    for k, name in enumerate(header):
        number = all(_is_number(row[k]) for row in cells)  # which is not broken: other columns get narrower
        table.add_column(name, overflow="fold", no_wrap=number and len(name) <= SHORT)
    for row in cells:
        table.add_row(*map(Text, row))
    _print(title, table)


def _is_number(cell: str) -> bool:
    """Return whether a cell holds one number, with its unit perhaps, or nothing."""
    return cell == "—" or (len(cell) <= SHORT and cell.lstrip("+-")[:1].isdigit())


def _print(title: str, table: Table) -> None:
    """Print a table under its title, which may be wider than it."""
    plain = console()
    if title:
        plain.print(Text(title, style="italic"), soft_wrap=True)
    plain.print(table)


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


def counted(number: int, what: str) -> str:
    """Write a number of things, `what` being the word for several: 1 iteration, 1,000 iterations."""
    return f"{number:,} {what.removesuffix('s') if number == 1 else what}"
