"""The command `hannan plot`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hannan import addresses
from hannan.cli import report
from hannan.cli.options import Json
from hannan.cli.report import answer
from hannan.errors import FileError, ParameterError
from hannan.pictures.curves import Across, Up, check_target, convergence, measured
from hannan.runs.log import COUNTS, ITERATIONS, LoggedRun, read_log
from hannan.runs.status_line import duration

LACKING = {
    True: "holds no gap, because the game was too large to measure one; --y variance draws what it has",
    False: "holds no variance: hannan solve --variance WALKS measures it, of methods that sample",
}
"""What to say of a log without a gap (true), or without a variance."""

NAMES = {"seconds": "time", "nash_conv": "NashConv", "given_visit": "variance given the visit"}
"""What people read in place of a key."""


def plot(*logs: Path, out: Path | None = None, x: Across = "both", y: Up = "gap", as_json: Json = False) -> None:
    """Compare runs from their logs: a table of where each ended and, with --out, a picture.

    Parameters
    ----------
    logs
        One or more logs, as `--log` of solve, search and certify writes them.
    out
        Draw all of them into one picture (.png, .svg or .pdf).
    x
        What the picture goes by.
    y
        What it shows: the gap or, of runs with --variance, the variance of the estimates or that given the visit.
    """
    if not logs:
        raise ParameterError("there is nothing to plot: give logs, as --log of hannan solve, search or certify writes")
    if out is not None:
        check_target(out)
    runs = {path: read_log(path) for path in logs}
    for path, run in runs.items():
        if not run.curve:
            raise FileError(f"{path} holds no measurement yet")
        if (out is not None or y != "gap") and not measured(run.curve, y):
            raise FileError(f"{path} {LACKING[y == 'gap']}")
    if out is not None:
        games = sorted({str(run.heading.get("game", "?")) for run in runs.values()})
        steps = " or ".join(sorted({run.counts for run in runs.values()}))
        convergence(out, _labelled(runs), ", ".join(games), _gap_name(runs), x, (y,), steps)
    varied = any(measured(run.curve, "variance") for run in runs.values())
    records = [_record(path, run, varied) for path, run in runs.items()]

    def show() -> None:
        lines = [_line(record, run) for record, run in zip(records, runs.values(), strict=True)]
        if all(line["nash_conv"] is None for line in lines):  # gaps that are proven, not measured
            lines = [{name: fact for name, fact in line.items() if name != "nash_conv"} for line in lines]
        header = [NAMES.get(name, name) for name in lines[0]]
        kinds = {run.counts for run in runs.values()}
        header[header.index(ITERATIONS)] = kinds.pop() if len(kinds) == 1 else "steps"
        report.grid("", header, [list(line.values()) for line in lines])
        if out is not None:
            report.console().print(f"picture written to {out}")

    answer(as_json, {"runs": records, "picture": None if out is None else str(out)}, show)


def _line(record: Mapping[str, Any], run: LoggedRun) -> dict[str, Any]:
    """Return a line of the table for people: short numbers, and the method with what differs from its defaults."""
    short = {name: f"{fact:.4g}" if isinstance(fact, float) else fact for name, fact in record.items()}
    del short["parameters"], short[COUNTS]
    return short | {"method": run.label, "seconds": duration(record["seconds"])}


def _record(path: Path, run: LoggedRun, varied: bool) -> dict[str, Any]:
    last = run.curve[-1]
    return {
        "log": str(path),
        "game": run.heading.get("game"),
        "method": run.heading.get("method"),
        "parameters": run.heading.get("parameters"),
        COUNTS: run.counts,
        "iterations": last.iteration,
        "seconds": last.seconds,
        "gap": last.gap,
        "nash_conv": last.nash_conv,
        **({"variance": last.variance, "given_visit": last.given_visit} if varied else {}),
        "stop": run.stop,
    }


def _labelled(runs: Mapping[Path, LoggedRun]) -> dict[str, Any]:
    """Return the curves by method; where games differ, by game too.

    Where runs share all that, by the parameters in which they differ, and where there are none, by their file.
    """
    games = {run.heading.get("game", "?") for run in runs.values()}
    labels = {
        path: run.label if len(games) == 1 else f"{run.heading.get('game', '?')}, {run.label}"
        for path, run in runs.items()
    }
    for label in set(labels.values()):
        alike = [path for path in labels if labels[path] == label]
        told = [runs[path].heading.get("parameters") or {} for path in alike]
        names = sorted({name for one in told for name in one if any(one[name] != each.get(name) for each in told)})
        for path, one in zip(alike, told, strict=True):
            labels[path] = ", ".join([label, *(f"{name}={addresses.written(one.get(name))}" for name in names)])
    shared = list(labels.values())
    return {
        label if shared.count(label) == 1 else f"{label} ({path})": runs[path].curve for path, label in labels.items()
    }


def _gap_name(runs: Mapping[Path, LoggedRun]) -> str:
    if any(run.counts != ITERATIONS for run in runs.values()):
        return "proven gap" if all(run.counts != ITERATIONS for run in runs.values()) else "gap, measured or proven"
    same = {point.gap == point.nash_conv for run in runs.values() for point, _ in measured(run.curve, "gap")}
    return "NashConv" if same == {True} else "CCE gap" if same == {False} else "gap (NashConv or CCE gap)"
