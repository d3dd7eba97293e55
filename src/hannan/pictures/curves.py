"""Curves of runs: measurements by iterations or by seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from hannan.errors import FileError
from hannan.pictures.figures import (
    Size,
    add_inner_legend,
    add_legend,
    blank,
    check_target,
    drawable,
    free_axes,
    set_title,
    write_figure,
)
from hannan.runs.progress import Point

Across = Literal["iterations", "seconds", "both"]
Up = Literal["gap", "variance", "given-visit"]

MARKED = 60
"""The largest number of points of a curve at which its points are still marked."""

SHORT = 50
"""A log scale whose ends differ by less than this factor has numbers between the powers of ten."""

NAMES = {"variance": "variance of the estimates", "given-visit": "variance given the visit"}


def measured(curve: Sequence[Point], up: Up) -> list[tuple[Point, float]]:
    """Return the points of a curve at which `up` was measured, each with the value."""
    numbers = [(point, getattr(point, up.replace("-", "_"))) for point in curve]
    return [(point, number) for point, number in numbers if number is not None]


def rows_for(curve: Sequence[Point]) -> tuple[Up, ...]:
    """Return the rows of the picture of one run: the gap, then the variance, each if it was measured."""
    wanted: tuple[Up, ...] = ("gap", "variance")
    return tuple(up for up in wanted if measured(curve, up))


def convergence(
    path: str | PathLike[str] | None,
    curves: Mapping[str, Sequence[Point]],
    title: str,
    gap: str,
    across: Across = "both",
    rows: Sequence[Up] = ("gap",),
    steps: str = "iterations",
    *,
    xlabel: str | None = None,
    ylabel: str | None = None,
    size: Size | None = None,
    ax: Any = None,
    shows: bool = False,
) -> Any:
    """Draw gaps by iterations, by seconds or both, on log–log scales, one line per run; a file is written atomically.

    `rows` lists the quantities to draw, one below another. A log scale cannot show a gap of 0, so such points are left
    out. If there are no others, the scale is linear. Iteration 0 is drawn at 1. `steps` is the name of iterations on
    the axis, unless `xlabel` is given. Returns the axes, [rows, measures].
    """
    kind = None if path is None else check_target(path)
    if not any(measured(curve, up) for curve in curves.values() for up in rows):
        raise FileError(f"{'the picture' if path is None else path} is not drawn: nothing was measured")
    measures = ("iterations", "seconds") if across == "both" else (across,)
    free_axes(ax, size)
    needed = (4.5 * len(measures), 0.5 + 3.5 * len(rows))
    figure = blank(needed if size is None else size, path, shows) if ax is None else ax.figure
    every = figure.subplots(len(rows), len(measures), sharey="row", squeeze=False) if ax is None else _alone(ax)
    for line, up in zip(every, rows, strict=True):
        for axes, measure in zip(line, measures, strict=True):
            drawn = _draw(axes, {label: measured(curve, up) for label, curve in curves.items()}, measure)
            axes.set_xlabel(_label(xlabel, steps if measure == "iterations" else measure), parse_math=False)
        line[0].set_ylabel(_label(ylabel, NAMES.get(up, gap)), parse_math=False)
    set_title(figure, every[0, 0], title, whole=ax is None)
    names = [_named(label, [number for _, number in measured(curve, rows[0])]) for label, curve in curves.items()]
    if ax is None:
        add_legend(figure, drawn, names, size is not None)
    else:
        add_inner_legend(ax, drawn, names)
    write_figure(path, figure, kind)
    return every


def _named(label: str, numbers: Sequence[float]) -> str:
    """Return a label of the legend. A log scale has no place for 0, so the label says that a curve ends there."""
    return f"{label} (ends at 0)" if numbers and numbers[-1] == 0 else label


def _label(given: str | None, otherwise: str) -> str:
    return otherwise if given is None else drawable(given)


def _alone(ax: Any) -> Any:
    """Return axes as a table of one row and one column."""
    import numpy as np

    table = np.empty((1, 1), dtype=object)
    table[0, 0] = ax
    return table


def mark(points: int) -> str:
    """Return the mark for each of the `points` points of a curve; empty if marks would overlap."""
    return "." if points <= MARKED else ""


def write_ticks(axes: Any) -> None:
    """Write plain numbers (12, not 1.2 × 10¹) along a log scale with a small range."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        def __call__(self, number: float, position: int | None = None) -> str:
            return f"{number:g}" if super().__call__(number, position) else ""

    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if axis.get_scale() == "log" and high < SHORT * low:
            axis.set_major_formatter(Plain())
            axis.set_minor_formatter(Plain(minor_thresholds=(1.5, 0.5)))


def _draw(axes: Any, lines: Mapping[str, Sequence[tuple[Point, float]]], measure: str) -> list[Any]:
    """Draw the curves of one panel; return their lines."""
    made = []
    some = any(number > 0 for line in lines.values() for _, number in line)
    for order, line in enumerate(lines.values()):
        kept = [(point, number) for point, number in line if number > 0 or not some]
        at = [max(point.iteration, 1) if measure == "iterations" else max(point.seconds, 1e-6) for point, _ in kept]
        style = "-" if order < 10 else "--"  # there are ten colours
        made += axes.plot(at, [number for _, number in kept], style, marker=mark(len(at)))
    axes.set(xscale="log" if lines else "linear", yscale="log" if some else "linear")
    write_ticks(axes)
    axes.grid(visible=True, which="major", alpha=0.3)
    return made
