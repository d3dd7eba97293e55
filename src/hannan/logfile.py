"""A run's log: one JSON object a line, first what was run, then every measurement, last why it stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from hannan.errors import FileError
from hannan.progress import Point

FORMAT = "hannan.log"
VERSION = 1


class Log:
    """A log being written. Each line is on disk before the run goes on."""

    def __init__(self, path: str | PathLike[str], heading: Mapping[str, Any], *, append: bool = False) -> None:
        """`append` continues an existing log of the same run."""
        going_on = append and Path(path).is_file()
        if going_on:
            read_log(path)
        try:
            self._file: TextIO = Path(path).open("a" if going_on else "w", encoding="utf-8")  # noqa: SIM115  # closed by __exit__
        except OSError as error:
            raise FileError(f"{path} cannot be written: {error.strerror}") from error
        if not going_on:
            self._line({"format": FORMAT, "version": VERSION, **heading})

    def point(self, point: Point) -> None:
        """Record a measurement."""
        self._line(asdict(point))

    def stop(self, reason: str) -> None:
        """Record why the run ended."""
        self._line({"stop": reason})

    def _line(self, record: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


@dataclass(frozen=True)
class LoggedRun:
    """A log that was read."""

    heading: Mapping[str, Any]
    curve: tuple[Point, ...]
    stop: str | None

    @property
    def label(self) -> str:
        """The game and the method, for a legend."""
        return f"{self.heading.get('game', '?')}, {self.heading.get('method', '?')}"


def read_log(path: str | PathLike[str]) -> LoggedRun:
    """Read a log; a last line that was cut short is left out, anything else that is wrong is refused."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path} cannot be read as a log: {error}") from error
    records = []
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise ValueError("not an object")
            records.append(record)
        except ValueError as error:
            if number < len(lines) or not records:
                raise FileError(f"{path}, line {number}: this is not a line of a hannan log ({error})") from error
    if not records or records[0].get("format") != FORMAT:
        raise FileError(f"{path} is not a hannan log")
    if records[0].get("version") != VERSION:
        raise FileError(f"{path} is a log of version {records[0].get('version')}; this hannan reads {VERSION}")
    points: dict[int, Point] = {}
    stop = None
    for number, record in enumerate(records[1:], 2):
        if "stop" in record:
            stop = str(record["stop"])
            continue
        try:
            point = Point(**record)
        except TypeError as error:
            raise FileError(f"{path}, line {number}: this is not a measurement ({error})") from error
        points[point.iteration] = point  # a run resumed from an earlier checkpoint measures some iterations again
    return LoggedRun(records[0], tuple(points[iteration] for iteration in sorted(points)), stop)
