"""The output of commands: one JSON object for machines, or tables and notes for people.

Standard output and standard error may be closed, full, a pipe without a reader, or of another encoding.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hannan.errors import FileError, HannanError

SHORT = 14
"""The most letters of a number, or of the header of a column of numbers."""

ESCAPED = "backslashreplace"
"""The error handler of encoders: a letter that the encoding lacks is printed as an escape."""


NARROWEST, WIDEST = 20, 10_000
"""The limits of the width of tables and help, in columns. The layout would never end in a single column."""


class _Named(io.FileIO):
    """Standard output. The first write that fails raises an error that names it; later ones are dropped silently."""

    failed = False

    def write(self, data: Any) -> int:
        try:
            return len(data) if self.failed else super().write(data)
        except OSError as error:
            self.failed = True
            raise OSError(error.errno, error.strerror, "standard output") from error


class _Forgiving(io.FileIO):
    """Standard error. A note that cannot be written is dropped, and the command continues."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def prepare_streams() -> None:
    """Make sure that a failed print ends with a sentence. Call this once, when a process begins."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # closed: the next file to be opened would be taken for it
            with suppress(OSError):
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # as long as the process lives
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    _keep_width()
    if sys.stdout is sys.__stdout__:
        sys.stdout = _over(sys.stdout, 1, _Named)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _over(sys.stderr, 2, _Forgiving)


def _keep_width() -> None:
    """Set a usable width if the given or measured one is too small."""
    said = os.environ.get("COLUMNS", "")
    known = int(said[:20]) if said.isascii() and said.isdigit() else shutil.get_terminal_size().columns
    if not NARROWEST <= known <= WIDEST:
        os.environ["COLUMNS"] = str(min(max(known, NARROWEST), WIDEST))


def _over(stream: Any, number: int, kind: type[io.FileIO]) -> Any:
    """Return a stream that writes what another one would, in the same encoding, through a file of this kind.

    Bytes in file names that are not UTF-8 are printed unchanged if the locale supports that.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    with suppress(OSError):
        stream.flush()
    kept = stream.errors == "surrogateescape" and stream.encoding.lower().startswith("utf")
    return io.TextIOWrapper(
        io.BufferedWriter(kind(number, "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors if kept else ESCAPED,
        line_buffering=stream.line_buffering,
    )


class _Output:
    """The stream for JSON. While a command with --json runs, all other prints go to standard error."""

    stream: TextIO | None = None


Record = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
"""The record to print as JSON, or a function that makes it only if JSON is wanted."""


@contextmanager
def kept_for_json(wanted: bool) -> Iterator[None]:
    """If JSON is wanted, send all output but the answer to standard error."""
    _Output.stream = sys.stdout
    if not wanted:
        yield
        return
    with redirect_stdout(sys.stderr):
        yield


def answer(as_json: bool, record: Record, show: Callable[[], None]) -> None:
    """Print an answer: as one JSON object on standard output and nothing else there, or as `show` prints it."""
    if not as_json:
        show()
        return
    stream = _Output.stream or sys.stdout
    stream.write(json.dumps(record() if callable(record) else record, default=list, allow_nan=False) + "\n")
    stream.flush()


def console() -> Console:
    """Return a console for standard output; without a terminal, it is wide enough for a table.

    What it prints is never read as markup: names of files and games may have brackets and colons in them.
    """
    plain = Console(highlight=False, markup=False, emoji=False)
    return plain if plain.is_terminal else Console(highlight=False, markup=False, emoji=False, width=140)


def note(sentence: str) -> None:
    """Print one line on standard error."""
    from hannan.runs.status_line import stderr  # which takes a while to import: `hannan --help` is quick without it

    stderr().print(sentence, soft_wrap=True)


def name_files(as_json: bool, written: Mapping[str, Path | None]) -> None:
    """Print where each file was written, unless the answer is JSON."""
    for what, path in written.items():
        if path is not None and not as_json:
            console().print(f"{what} written to {path}")


def write_all(
    as_json: bool,
    targets: Mapping[str, Path | None],
    writers: Mapping[str, Callable[[], object]],
    unsaved: HannanError | None,
) -> None:
    """Write all requested files, even if one fails; then name them for people, or raise the first error.

    `targets` are all files of the run. The run itself wrote the files without a writer; `unsaved` is the error if that
    failed. A writer that returns False has written nothing. The raised error also names the files that were written.
    """
    failed, written = unsaved, {}
    for what, path in targets.items():
        if path is None:
            continue
        try:
            if (writers[what]() is not False) if what in writers else unsaved is None:
                written[what] = path
        except HannanError as error:
            failed = failed or error
        except OSError as error:
            failed = failed or FileError(f"{path} cannot be written: {error.strerror or error}")
    if failed is None:
        name_files(as_json, written)
        return
    rest = ", ".join(f"the {what} is in {path}" for what, path in written.items())
    raise type(failed)(f"{failed}; {rest}") if rest else failed


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
    """Print a table under its title, which may be wider than the table."""
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
    """Write a number with its noun, as in 1 iteration or 1,000 histories. what: the plural of the noun."""
    if number == 1:
        what = f"{what.removesuffix('ies')}y" if what.endswith("ies") else what.removesuffix("s")
    return f"{number:,} {what}"
