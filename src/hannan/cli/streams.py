"""Standard output and standard error as they are: closed, full, a pipe that nobody reads, of another encoding."""

from __future__ import annotations

import io
import os
import shutil
import sys
from contextlib import suppress
from typing import Any

ESCAPED = "backslashreplace"
"""What comes out for a letter that an encoding lacks: an escape."""


NARROWEST, WIDEST = 20, 10_000
"""Columns between which tables and help are laid out; in a single one that would have no end."""


class _Named(io.FileIO):
    """Standard output: what it does not take is an error that says where, once; the rest is lost without a word."""

    failed = False

    def write(self, data: Any) -> int:
        try:
            return len(data) if self.failed else super().write(data)
        except OSError as error:
            self.failed = True
            raise OSError(error.errno, error.strerror, "standard output") from error


class _Forgiving(io.FileIO):
    """Standard error: a note that cannot be written ends nothing."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def prepare_streams() -> None:
    """Let printing end no command without a sentence; done once, where a process begins."""
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
    """Say a width in which something can be laid out, where the one that is said or measured is none."""
    said = os.environ.get("COLUMNS", "")
    known = int(said[:20]) if said.isascii() and said.isdigit() else shutil.get_terminal_size().columns
    if not NARROWEST <= known <= WIDEST:
        os.environ["COLUMNS"] = str(min(max(known, NARROWEST), WIDEST))


def _over(stream: Any, number: int, kind: type[io.FileIO]) -> Any:
    """Return a stream that writes what another one would, in the same encoding, through a file of this kind.

    Bytes of names of files that are not UTF-8 come out as they went in, where the locale does that.
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
