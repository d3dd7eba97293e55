"""How commands answer: one JSON object for machines, or whatever they print for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO


class _Output:
    """Where JSON goes. While a command with --json runs, standard output is its alone: other prints go to the side."""

    stream: TextIO | None = None


@contextmanager
def kept_for_json(wanted: bool) -> Iterator[None]:
    """Send everything but the answer to standard error, where JSON is wanted."""
    _Output.stream = sys.stdout
    if not wanted:
        yield
        return
    with redirect_stdout(sys.stderr):
        yield


def answer(as_json: bool, record: Mapping[str, Any], show: Callable[[], None]) -> None:
    """Print an answer: as one JSON object on standard output and nothing else there, or as `show` prints it."""
    if not as_json:
        show()
        return
    stream = _Output.stream or sys.stdout
    stream.write(json.dumps(record, default=list, allow_nan=False) + "\n")
    stream.flush()
