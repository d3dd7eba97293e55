"""Comparison of runs: their curves in one picture, and how each ended in one table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from hannan import addresses
from hannan.arguments import choice, shown, text
from hannan.certificates.certificate import Certificate
from hannan.errors import FileError, ParameterError
from hannan.pictures.curves import Across, Up, convergence, measured
from hannan.pictures.figures import Size
from hannan.runs.log import COUNTS, ITERATIONS, LoggedRun, read_log
from hannan.runs.progress import Point
from hannan.runs.result import Result
from hannan.runs.search_work import SearchResult

Plotted = str | PathLike[str] | LoggedRun | Result | SearchResult | Certificate
"""A run that can be plotted: the path of its log, a log that was read, or what the run returned."""

ACROSS, UP = ("iterations", "seconds", "both"), ("gap", "variance", "given-visit")

LACKING = {
    True: "holds no gap, because the game was too large to measure one; choose variance for y to draw its variance",
    False: "holds no variance: for methods that sample, the option variance of solve measures it",
}
"""The message for a run without a gap (True), or without a variance (False)."""


def plot(
    runs: Plotted | Sequence[Plotted] | Mapping[str, Plotted],
    path: str | PathLike[str] | None = None,
    *,
    x: Across = "iterations",
    y: Up = "gap",
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
    size: Size | None = None,
    ax: Any = None,
) -> Any:
    """Draw the convergence of one or several runs, on log–log scales.

    Parameters
    ----------
    runs : path, LoggedRun, Result, SearchResult or Certificate; or a list or dict of these
        The path of a log, a log that `read_log` read, or what `solve`, `search` or `certify` returned. A dictionary
        gives the names that the legend shows.
    path : str or Path, optional
        A file to write as well: .png, .svg or .pdf.
    x : {"iterations", "seconds", "both"}, default: "iterations"
        The horizontal axis. "both" draws two pictures side by side.
    y : str, default: "gap"
        What to draw: the gap or, for runs with `variance`, the variance of the estimates or their variance given the
        visit.
    title, xlabel, ylabel : str, optional
        Default: the game, and what was measured.
    size : two numbers, optional
        Width and height in inches. A picture whose legend leaves too little room for the curves is higher. Default:
        what curves and legend need.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        With x="both", a tuple of two. A notebook shows their figure; elsewhere `matplotlib.pyplot.show()` does, if no
        path was given.

    Raises
    ------
    ParameterError
        If there is nothing to draw, or an option has a wrong value.
    FileError
        If a log cannot be read or the picture cannot be written.

    Examples
    --------
    >>> import hannan as hn
    >>> runs = {name: hn.solve("kuhn_poker", name, iterations=100) for name in ("cfr", "cfr+")}
    >>> axes = hn.plot(runs, "gaps.png")
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('iterations', 'NashConv')
    """
    choice("x", x, ACROSS)
    choice("y", y, UP)
    if ax is not None and x == "both":
        raise ParameterError("x='both' needs two axes: leave out ax, or choose x='iterations' or x='seconds'")
    read = read_runs(runs)
    for name, label in (("title", title), ("xlabel", xlabel), ("ylabel", ylabel)):
        if label is not None:
            text(name, label)
    named = isinstance(runs, Mapping)
    panels = draw_runs(
        path, read, x, y, named=named, title=title, xlabel=xlabel, ylabel=ylabel, size=size, ax=ax, shows=True
    )  # fmt: skip
    return tuple(panels.flat) if x == "both" else panels[0, 0]


def read_runs(runs: Plotted | Sequence[Plotted] | Mapping[str, Plotted]) -> dict[str, LoggedRun]:
    """Return runs by name: the key, the path of the log, or a number."""
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
    else:
        several: Sequence[Plotted] = runs if isinstance(runs, Sequence) and not isinstance(runs, str) else [runs]
        named = {}
        for number, run in enumerate(several, 1):
            name = str(run) if isinstance(run, str | PathLike) else f"run {number}"
            named[name] = run
    if not named:
        raise ParameterError("there is nothing to plot: give logs, or what solve, search or certify returned")
    read = {name: _read(run) for name, run in named.items()}
    for name, run in read.items():
        if not run.curve:
            raise FileError(f"{name} holds no measurement yet")
    return read


def _read(run: object) -> LoggedRun:
    """Return a run in the form of its log."""
    if isinstance(run, LoggedRun):
        return run
    if isinstance(run, str | PathLike):
        return read_log(run)
    if isinstance(run, Result):
        heading = {"game": run.game, "method": run.method, "parameters": dict(run.parameters)}
        return LoggedRun(heading, run.curve, run.stop)
    if isinstance(run, SearchResult):
        heading = {"game": run.game, "method": run.rule, "parameters": dict(run.parameters)}
        return LoggedRun(heading, run.curve, run.stop)
    if isinstance(run, Certificate):
        heading = {"game": run.game, "method": run.method, "parameters": {}, COUNTS: "playthroughs"}
        points = [Point(bound.playthroughs, math.nan, bound.gap, None) for bound in run.curve]
        return LoggedRun(heading, tuple(points), run.stop)
    raise ParameterError(f"{shown(run)} is not a run: give a log, or what solve, search or certify returned")


def check_measured(runs: Mapping[str, LoggedRun], y: Up) -> None:
    """Refuse a run in which `y` was not measured."""
    for name, run in runs.items():
        if not measured(run.curve, y):
            raise FileError(f"{name} {LACKING[y == 'gap']}")


def draw_runs(
    path: str | PathLike[str] | None,
    runs: Mapping[str, LoggedRun],
    x: Across,
    y: Up,
    *,
    named: bool = False,
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
    size: Size | None = None,
    ax: Any = None,
    shows: bool = False,
) -> Any:
    """Draw runs into one picture, and return the axes, [1, panels]. If `named`, the legend has the runs' names."""
    check_measured(runs, y)
    if x != "iterations" and any(math.isnan(point.seconds) for run in runs.values() for point in run.curve):
        raise ParameterError("a certificate does not hold the seconds of its curve: plot its log, or x='iterations'")
    games = sorted({str(run.heading.get("game", "?")) for run in runs.values()})
    steps = " or ".join(sorted({run.counts for run in runs.values()}))
    curves = {name: run.curve for name, run in runs.items()} if named else _labelled(runs)
    return convergence(
        path, curves, ", ".join(games) if title is None else title, _gap_name(runs), x, (y,), steps, xlabel=xlabel,
        ylabel=ylabel, size=size, ax=ax, shows=shows,
    )  # fmt: skip


def records(runs: Mapping[str, LoggedRun]) -> list[dict[str, Any]]:
    """Return how each run ended, one record per run; variances only if some run has them."""
    absent = () if any(measured(run.curve, "variance") for run in runs.values()) else ("variance", "given_visit")
    return [
        {"log": name, **{key: fact for key, fact in run.record().items() if key not in absent}}
        for name, run in runs.items()
    ]


def _labelled(runs: Mapping[str, LoggedRun]) -> dict[str, Any]:
    """Return the curves, labelled by method and, if games differ, by game.

    Runs with the same label also get the parameters in which they differ. If labels are still equal, the names of the
    runs are added.
    """
    games = {run.heading.get("game", "?") for run in runs.values()}
    labels = {
        name: run.label if len(games) == 1 else f"{run.heading.get('game', '?')}, {run.label}"
        for name, run in runs.items()
    }
    for label in set(labels.values()):
        alike = [name for name in labels if labels[name] == label]
        told = [runs[name].heading.get("parameters") or {} for name in alike]
        differing = sorted({key for one in told for key in one if any(one[key] != each.get(key) for each in told)})
        for name, one in zip(alike, told, strict=True):
            labels[name] = ", ".join([label, *(f"{key}={addresses.written(one.get(key))}" for key in differing)])
    shared = list(labels.values())
    return {
        label if shared.count(label) == 1 else f"{label} ({name})": runs[name].curve for name, label in labels.items()
    }


def _gap_name(runs: Mapping[str, LoggedRun]) -> str:
    if any(run.counts != ITERATIONS for run in runs.values()):
        return "proven gap" if all(run.counts != ITERATIONS for run in runs.values()) else "gap, measured or proven"
    same = {point.gap == point.nash_conv for run in runs.values() for point, _ in measured(run.curve, "gap")}
    return "NashConv" if same == {True} else "CCE gap" if same == {False} else "gap (NashConv or CCE gap)"
