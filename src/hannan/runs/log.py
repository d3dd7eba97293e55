"""The log of a run: one JSON object per line. First the heading, then every measurement, last the reason to stop."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

from hannan.arguments import RENAMED, shown
from hannan.errors import FileError, MismatchError
from hannan.files import CHANGED, chained, locked, read_bytes, say_unsealed
from hannan.runs.progress import GAPS, Plottable, Point
from hannan.runs.result import method_text
from hannan.solvers import METHODS

FORMAT = "hannan.log"
VERSION = 1
MOST = 2**62
"""The largest number of iterations."""

CLASS = "class"
"""The key of a heading for the class of a user's method."""
COUNTS, ITERATIONS = "counts", "iterations"
"""The key of a heading for the name of the steps, if they are not iterations."""
BETWEEN = "between"
"""The key in the line of a stop: whether the measurement before it was made only because the run ended."""
DIGEST = "digest"
"""The key of the last entry of every line: a digest of the line and all lines before it."""


class Log:
    """A log being written. Each line is on disk before the run continues; a failed write is tried again."""

    def __init__(self, path: str | PathLike[str], heading: Mapping[str, Any], *, append: bool = False) -> None:
        """`append` continues an existing log of the same run, after its last whole line."""
        self._path, self._counts = path, str(heading.get(COUNTS, ITERATIONS))
        self.unwritten: FileError | None = None
        """Why the last lines are not on disk; None if they are."""
        self._waiting = b""
        self._size, self._digest = 0, ""
        try:
            self._file = open(path, "ab", buffering=0, opener=_opened)  # noqa: SIM115  # closed by __exit__
        except OSError as error:
            raise FileError(f"{path} cannot be written: {_reason(error)}") from error
        try:
            self._begin(heading, append)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, heading: Mapping[str, Any], append: bool) -> None:
        if locked(self._file.fileno()) is False:
            raise FileError(f"{self._path} is the log of a run that is under way; give another file")
        going_on = append and Path(self._path).is_file() and Path(self._path).stat().st_size > 0
        self._size, self._digest = _whole(self._path, heading) if going_on else (0, "")
        if not going_on:
            self._line({"format": FORMAT, "version": VERSION, **heading})
        if self.unwritten is not None:  # fail before the work begins
            raise self.unwritten

    def point(self, point: Point) -> None:
        """Record a measurement. Numbers that were not measured are left out."""
        self._line({name: number for name, number in asdict(point).items() if number is not None})

    def stop(self, reason: str, between: bool, outcome: Mapping[str, Any] | None = None) -> None:
        """Record why the run ended and its `outcome`; between: its last measurement was made only because it ended."""
        self._line({"stop": self._counts if reason == ITERATIONS else reason, BETWEEN: between, **(outcome or {})})

    def _line(self, record: Mapping[str, Any]) -> None:
        """Write a line, after earlier lines whose write failed. A half-written line is cut off again."""
        text = json.dumps(record)
        self._digest = chained(self._digest, text)
        self._waiting += f'{text[:-1]}, "{DIGEST}": "{self._digest}"}}\n'.encode()
        try:
            if Path(self._path).is_file():
                self._file.truncate(self._size)
            written = 0
            while written < len(self._waiting):
                written += self._file.write(self._waiting[written:]) or 0
            self._size, self._waiting, self.unwritten = self._size + written, b"", None
            if os.fstat(self._file.fileno()).st_nlink == 0:
                self.unwritten = FileError(f"{self._path} was removed during the run: its lines are lost")
        except OSError as error:
            self.unwritten = FileError(f"{self._path} cannot be written: {_reason(error)}")

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _opened(path: str, flags: int) -> int:
    """Open a file to write to; refuse a pipe without a reader instead of waiting for one."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    os.set_blocking(handle, True)
    return handle


def _reason(error: OSError) -> str:
    return "this pipe has no reader" if error.errno == errno.ENXIO else error.strerror or str(error)


@dataclass(frozen=True)
class LoggedRun(Plottable):
    """A log that was read."""

    heading: Mapping[str, Any]
    curve: tuple[Point, ...]
    stop: str | None

    @property
    def counts(self) -> str:
        """The name of its steps: iterations, or playthroughs."""
        return str(self.heading.get(COUNTS, ITERATIONS))

    @property
    def label(self) -> str:
        """The method with those parameters that differ from its defaults, for a legend."""
        method = self.heading.get("method") or "?"
        solved = method in METHODS or CLASS in self.heading
        return method_text(method, self.heading.get("parameters") or {}) if solved else method

    def record(self) -> dict[str, Any]:
        """Return the heading and the last measurement. Numbers that were not measured are None."""
        last = self.curve[-1] if self.curve else Point(0, 0.0, None, None)
        return {
            "game": self.heading.get("game"),
            "method": self.heading.get("method"),
            "parameters": self.heading.get("parameters"),
            COUNTS: self.counts,
            "iterations": last.iteration,
            "seconds": last.seconds,
            "gap": last.gap,
            "nash_conv": last.nash_conv,
            "variance": last.variance,
            "given_visit": last.given_visit,
            "stop": self.stop,
        }

    def __repr__(self) -> str:
        points = f"{len(self.curve)} points"
        last = f", the last after {self.curve[-1].iteration:,} {self.counts}" if self.curve else ""
        return f"LoggedRun({self.heading.get('game', '?')} by {self.label}: {points}{last}, stopped by {self.stop})"


def read_log(path: str | PathLike[str]) -> LoggedRun:
    """Read the log of a run, as the option `log` of `solve`, `search` and `certify` writes it.

    If the last line was cut short, it is left out. If a run ended and was resumed, the measurement that it made only
    because it ended is left out.

    Parameters
    ----------
    path : str or Path
        The log.

    Returns
    -------
    LoggedRun
        The run with its `curve` of measurements; `plot` draws it.

    Raises
    ------
    FileError
        If the file cannot be read or is not a log.

    Examples
    --------
    >>> import hannan as hn
    >>> result = hn.solve("kuhn_poker", "cfr+", iterations=100, log="kuhn.jsonl")
    >>> hn.read_log("kuhn.jsonl").curve[-1].iteration
    100
    """
    records, digest = _unsealed(path, read_bytes(path))
    if not digest:
        say_unsealed(path)
    points: dict[int, Point] = {}
    stop, last, between = None, 0, False
    for number, record in enumerate(records[1:], 2):
        if "stop" in record:
            stop = str(record["stop"])
            between = bool(record.get(BETWEEN, GAPS.at(last) != last))  # older logs lack the key
            continue
        if stop is not None and between:  # a run that had ended was resumed
            points.pop(last, None)
        stop = None
        point = _point(f"{path}, line {number}", record)
        last = point.iteration
        points[last] = point  # a run resumed from an earlier checkpoint measures some iterations again
    curve = tuple(points[iteration] for iteration in sorted(points))
    run = LoggedRun(records[0], curve, stop)
    return replace(run, stop=run.counts) if stop == ITERATIONS else run


def _whole(path: str | PathLike[str], heading: Mapping[str, Any]) -> tuple[int, str]:
    """Return the bytes of a log in whole lines, and the last digest. Refuse the log of another run."""
    read_log(path)
    data = read_bytes(path)
    records, digest = _unsealed(path, data)
    there, here = records[0], json.loads(json.dumps(heading))
    if isinstance(older := there.get("parameters"), dict) and isinstance(here.get("parameters"), dict):
        named = {name if name in here["parameters"] else RENAMED.get(name, name): older[name] for name in older}
        there = {**there, "parameters": {**here["parameters"], **named}}  # logs of older versions lack some entries
    for name in (*here, *there):
        if name not in ("format", "version", CLASS) and there.get(name) != here.get(name):
            raise MismatchError(
                f"{path} is the log of another run: there {name} is {shown(there.get(name))}, here "
                f"{shown(here.get(name))}; "
                "give another file"
            )
    return data.rfind(b"\n") + 1, digest


def _unsealed(path: str | PathLike[str], data: bytes) -> tuple[list[dict[str, Any]], str]:
    """Check the digests of all lines; return the objects on the lines without them, and the last digest.

    Lines of older versions have no digest. If such a log was continued, the later lines have digests.
    """
    records, before = _records(path, data), ""
    for number, record in enumerate(records, 1):
        told = record.pop(DIGEST, None)
        if told is None and before == "":
            continue
        before = chained(before, json.dumps(record))
        if told != before:
            raise FileError(f"{path} {CHANGED} (line {number})")
    return records, before


def _records(path: str | PathLike[str], data: bytes) -> list[dict[str, Any]]:
    """Return the objects on all lines, and check the heading. A last line without its end is left out."""
    records = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise ValueError("not an object")
        except (ValueError, RecursionError) as error:
            raise FileError(f"{path}, line {number}: this is not a line of a hannan log ({error})") from error
        records.append(record)
    if not records or records[0].get("format") != FORMAT:
        raise FileError(f"{path} is not a hannan log")
    if records[0].get("version") != VERSION:
        raise FileError(f"{path} is a log of version {records[0].get('version')}; this hannan reads {VERSION}")
    for name, kind in (("game", str), ("method", str), ("parameters", dict), (COUNTS, str)):
        if not isinstance(records[0].get(name, kind()), kind):
            raise FileError(f"{path} does not say what was run: its {name} is {str(records[0][name])[:80]}")
    return records


def _point(place: str, record: Mapping[str, Any]) -> Point:
    """Return the point of a line. A line may lack a gap only if it has a variance: the gap was not measured then.

    A proven gap, which is not measured, comes without NashConv.
    """
    unmeasured = {"nash_conv": None} | ({"gap": None} if "variance" in record else {})
    try:
        point = Point(**{**unmeasured, **record})
    except TypeError as error:
        raise FileError(f"{place}: this is not a measurement ({error})") from error
    for name, number in record.items():
        kind, most = (int, MOST) if name == "iteration" else (int | float, sys.float_info.max)
        if isinstance(number, bool) or not isinstance(number, kind) or not abs(number) <= most:
            raise FileError(f"{place}: this is not a measurement ({name} is {shown(number)})")
    return point
