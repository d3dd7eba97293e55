"""The command `hannan plot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json
from hannan.cli.report import answer
from hannan.errors import ParameterError
from hannan.pictures.comparison import check_measured, draw_runs, read_runs, records
from hannan.pictures.curves import Across, Up
from hannan.pictures.figures import Size, check_size, check_target
from hannan.pictures.tabulars import Form, tabular
from hannan.runs.log import COUNTS, ITERATIONS, LoggedRun
from hannan.runs.status_line import duration

NAMES = {"nash_conv": "NashConv", "given_visit": "variance given the visit"}
"""The labels of keys."""


def plot(
    *logs: Path,
    out: Path | None = None,
    x: Across = "both",
    y: Up = "gap",
    title: str | None = None,
    size: str | None = None,
    table: Form | None = None,
    as_json: Json = False,
) -> None:
    """Compare runs from their logs: a table of where each ended and, with --out, a picture.

    Parameters
    ----------
    logs
        One or more logs, as `--log` of solve, search and certify writes them.
    out
        Draw all of them into one picture (.png, .svg or .pdf).
    x
        The horizontal axis.
    y
        The vertical axis: the gap or, of runs with --variance, the variance of the estimates or that given the visit.
    title
        The title of the picture. Default: the game.
    size
        WIDTH,HEIGHT of the picture in inches; higher if the legend leaves no room for the curves. Default: what curves
        and legend need.
    table
        Print only the table, in this form. LaTeX tables need the package booktabs.
    """
    if not logs:
        raise ParameterError("there is nothing to plot: give logs, as --log of hannan solve, search or certify writes")
    if table is not None and as_json:
        raise ParameterError("--table and --json are two forms of one answer: leave one of them out")
    inches = None if size is None else _size(size)
    if out is not None:
        check_target(out)
    runs = read_runs(logs)
    if out is not None or y != "gap":
        check_measured(runs, y)
    if out is not None:
        draw_runs(out, runs, x, y, title=title, size=inches)
    rows = records(runs)

    def show() -> None:
        if table is not None:
            header, lines = _columns(rows, runs)
            report.console().print(tabular(table, header, lines), end="", soft_wrap=True)
            return
        header, lines = _columns([_brief(row) for row in rows], runs)
        report.grid("", ["time" if name == "seconds" else name for name in header], lines)
        if out is not None:
            report.console().print(f"picture written to {out}")

    answer(as_json, {"runs": rows, "picture": None if out is None else str(out)}, show)


def _size(text: str) -> Size:
    """Read WIDTH,HEIGHT."""
    try:
        width, height = map(float, text.split(","))
    except ValueError:
        raise ParameterError(f"--size {text} should be WIDTH,HEIGHT in inches, as in 6,4") from None
    check_size((width, height))
    return width, height


def _columns(rows: Sequence[Mapping[str, Any]], runs: Mapping[str, LoggedRun]) -> tuple[list[str], list[list[Any]]]:
    """Return the table for people: methods are shown with the parameters that differ from their defaults."""
    lines = []
    for row, run in zip(rows, runs.values(), strict=True):
        line = {key: fact for key, fact in row.items() if key not in ("parameters", COUNTS)}
        lines.append(line | {"method": run.label})
    if all(line["nash_conv"] is None for line in lines):  # gaps that are proven, not measured
        lines = [{key: fact for key, fact in line.items() if key != "nash_conv"} for line in lines]
    header = [NAMES.get(key, key) for key in lines[0]]
    kinds = {run.counts for run in runs.values()}
    header[header.index(ITERATIONS)] = kinds.pop() if len(kinds) == 1 else "steps"
    return header, [list(line.values()) for line in lines]


def _brief(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with short numbers."""
    short = {key: f"{fact:.4g}" if isinstance(fact, float) else fact for key, fact in row.items()}
    return short | {"seconds": duration(row["seconds"])}
