"""The tables of a sweep: a row per run, a row per measurement, and medians with bands over seeds."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from hannan.libraries import library
from hannan.runs.progress import Point

LOW, HIGH = 0.1, 0.9
"""The quantiles between which a band lies."""

NUMBERS = (
    "iterations", "seconds", "stop", "gap", "nash_conv", "exploitability", "cce_gap", "values", "gains", "updates",
)  # fmt: skip
"""The keys that the table takes from the record of a result; lists get a column for each player."""

ENDED = ("gap", "exact")
"""The stops of a run that is complete: its last gap holds for later iterations."""

Status = Literal["finished", "failed", "begun", "missing"]
Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class SweptRun:
    """One run of a sweep, and its outcome."""

    game: str
    game_parameters: Mapping[str, Any]
    """The parameters in a table of the sweep's file."""
    method: str
    """The method with the parameters that the sweep's file gives."""
    method_name: str
    method_parameters: Mapping[str, Any]
    seed: int | None
    """None: the method draws no random numbers."""
    limits: Mapping[str, Any]
    key: str
    """A digest of all that the numbers depend on: the name of its file in the folder."""
    status: Status
    """`begun`: it has a checkpoint. The next sweep into the same folder tries failed runs again."""
    error: str
    numbers: Mapping[str, Any]
    """The record of its result, as `hannan solve --json` prints it; empty without a result."""
    gap_name: str
    curve: tuple[Point, ...]

    def record(self) -> dict[str, Any]:
        """Return the run as one object that JSON can hold, without its curve."""
        return {
            "game": self.game, "method": self.method, "seed": self.seed, "status": self.status,
            "error": self.error or None, "key": self.key,
            **{name: self.numbers.get(name) for name in NUMBERS},
        }  # fmt: skip


class BandPoint(NamedTuple):
    """The gaps of all runs of one method on one game at an iteration."""

    iteration: int
    low: float
    median: float
    high: float


@dataclass(frozen=True)
class Band:
    """The gap of one method on one game over its seeds: medians, and the quantiles 0.1 and 0.9 around them."""

    game: str
    method: str
    gap_name: str
    runs: int
    points: tuple[BandPoint, ...]


@dataclass(frozen=True)
class SweepResult:
    """Every run of a sweep, in the order of its file."""

    name: str
    runs: tuple[SweptRun, ...]
    folder: str | None
    stop: Literal["finished", "interrupted", "seconds", "planned"]
    """Why the sweep ended; `planned`: it was a dry run."""

    def count(self, status: Status) -> int:
        """Return how many runs have this status."""
        return sum(run.status == status for run in self.runs)

    def bands(self) -> tuple[Band, ...]:
        """Return medians and quantiles over seeds, for each game and method with a finished run."""
        groups: dict[tuple[str, str], list[SweptRun]] = {}
        for run in self.runs:
            if run.status == "finished":
                groups.setdefault((run.game, run.method), []).append(run)
        return tuple(_band(runs) for runs in groups.values())

    def runs_table(self) -> Columns:
        """Return a table with a row per run: columns by name."""
        of_game = list(dict.fromkeys(name for run in self.runs for name in run.game_parameters))
        of_method = list(dict.fromkeys(name for run in self.runs for name in run.method_parameters))
        rows = []
        for run in self.runs:
            row: dict[str, Any] = {"game": run.game}
            row |= {f"game.{name}": run.game_parameters.get(name) for name in of_game}
            row |= {"method": run.numbers.get("method", run.method_name), "label": run.method}
            row |= {f"method.{name}": run.method_parameters.get(name) for name in of_method}
            row |= {"seed": run.seed, "status": run.status}
            for name in NUMBERS:
                value = run.numbers.get(name)
                if isinstance(value, list | tuple):
                    row |= {f"{name}.{player}": number for player, number in enumerate(value)}
                else:
                    row[name] = value
            row |= {"error": run.error or None, "key": run.key}
            rows.append(row)
        names = list(dict.fromkeys(name for name in _ordered(rows)))
        return {name: [row.get(name) for row in rows] for name in names}

    def curves_table(self) -> Columns:
        """Return a table with a row per measurement of every finished run."""
        names = ("game", "label", "seed", "key", "iteration", "seconds", "gap", "nash_conv")
        rows = [
            (run.game, run.method, run.seed, run.key, point.iteration, point.seconds, point.gap, point.nash_conv)
            for run in self.runs
            for point in run.curve
        ]
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}

    def medians_table(self) -> Columns:
        """Return a table of `bands`, with a row per game, method and iteration."""
        names = ("game", "label", "runs", "iteration", "low", "median", "high")
        rows = [(band.game, band.method, band.runs, *point) for band in self.bands() for point in band.points]
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}

    def tables(self) -> dict[str, Columns]:
        """Return the three tables by the names of their files."""
        return {"runs": self.runs_table(), "curves": self.curves_table(), "medians": self.medians_table()}

    def record(self) -> dict[str, Any]:
        """Return the sweep as one object that JSON can hold."""
        statuses: tuple[Status, ...] = ("finished", "failed", "begun", "missing")
        return {
            "sweep": self.name, "folder": self.folder, "stop": self.stop,
            **{status: self.count(status) for status in statuses},
            "runs": [run.record() for run in self.runs],
        }  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"SweepResult({self.name}: {self.count('finished')} of {len(self.runs)} runs finished, "
            f"{self.count('failed')} failed)"
        )


def _ordered(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the names of columns in the order of the longest rows: a run that failed has no values of players."""
    longest = max(rows, key=len, default={})
    lists = {name.partition(".")[0] for name in longest if name.partition(".")[0] in NUMBERS and "." in name}
    for row in (longest, *rows):
        yield from (name for name in row if name not in lists)


def _band(runs: Sequence[SweptRun]) -> Band:
    """Return medians and quantiles at every iteration at which some run was measured.

    A run that reached its gap keeps it. Medians end when the first run stopped for another reason.
    """
    curves = [[(point.iteration, point.gap) for point in run.curve if point.gap is not None] for run in runs]
    whole = [curve for curve in curves if curve]
    first = runs[0]
    points: list[BandPoint] = []
    if whole:
        begin = max(curve[0][0] for curve in whole)
        open_ends = [
            curve[-1][0] for run, curve in zip(runs, curves, strict=True) if curve and run.numbers["stop"] not in ENDED
        ]
        end = min(open_ends, default=max(curve[-1][0] for curve in whole))
        steps = sorted({step for curve in whole for step, _ in curve if begin <= step <= end})
        for step in steps:
            gaps = [_held(curve, step) for curve in whole]
            low, median, high = np.quantile(gaps, (LOW, 0.5, HIGH)).tolist()
            points.append(BandPoint(step, low, median, high))
    return Band(first.game, first.method, first.gap_name, len(whole), tuple(points))


def _held(curve: Sequence[tuple[int, float]], step: int) -> float:
    """Return the last gap that was measured up to an iteration."""
    return [gap for at, gap in curve if at <= step][-1]


def csv_text(columns: Columns) -> str:
    """Write a table as CSV. Unknown values are empty. Numbers read back exactly."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def parquet_bytes(columns: Columns) -> bytes:
    """Write a table as Parquet. A column that mixes kinds of values is written as text."""
    arrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    written = io.BytesIO()
    parquet.write_table(arrow.table({name: _alike(values) for name, values in columns.items()}), written)
    return written.getvalue()


def _alike(values: Sequence[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return [float(value) if value is not None and float in kinds else value for value in values]
    plain = len(kinds) == 1 and kinds <= {str, bool}
    return list(values) if plain else [None if value is None else str(value) for value in values]
