"""Pictures of runs."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from hannan.arguments import file_name
from hannan.errors import FileError, HannanError
from hannan.files import check_writable, write_bytes
from hannan.runs.progress import Point

FORMATS = ("png", "svg", "pdf")

Across = Literal["iterations", "seconds", "both"]
Up = Literal["gap", "variance", "given-visit"]

LETTERS, LINE = 9, 0.2
"""About so many letters of a legend fit into an inch, with the sample of the line; and the inches of one line."""

MARKED = 60
"""Points of a curve that are marked, at most."""

SHORT = 50
"""A log scale whose ends are fewer times apart has numbers between the powers of ten."""

NAMES = {"variance": "variance of the estimates", "given-visit": "variance given the visit"}


def check_target(path: str | PathLike[str]) -> str:
    """Return the format of a picture's file name, or say which are known; done before the work, not after it."""
    file_name(path)
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in FORMATS:
        raise FileError(f"{path}: a picture is written as .{', .'.join(FORMATS)}")
    check_writable(path)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise HannanError("pictures need matplotlib: pip install 'hannan[plot]'") from None
    return suffix


def measured(curve: Sequence[Point], up: Up) -> list[tuple[Point, float]]:
    """Return the points of a curve at which this was measured, each with the number."""
    numbers = [(point, getattr(point, up.replace("-", "_"))) for point in curve]
    return [(point, number) for point, number in numbers if number is not None]


def rows_for(curve: Sequence[Point]) -> tuple[Up, ...]:
    """Return what the picture of one run shows, row by row: the gap, then the variance, each where it was measured."""
    wanted: tuple[Up, ...] = ("gap", "variance")
    return tuple(up for up in wanted if measured(curve, up))


def convergence(
    path: str | PathLike[str],
    curves: Mapping[str, Sequence[Point]],
    title: str,
    gap: str,
    across: Across = "both",
    rows: Sequence[Up] = ("gap",),
    steps: str = "iterations",
) -> None:
    """Draw gaps by iterations, by seconds or both, on log–log scales, one line a run; written atomically.

    `rows` says what is drawn instead, or below one another. A log scale has no place for a gap of 0: such points are
    left out, but where there are no others the scale is linear. Nor has it one for iteration 0, which is drawn at 1.
    `steps` is what iterations are called.
    """
    kind = check_target(path)
    if not any(measured(curve, up) for curve in curves.values() for up in rows):
        raise FileError(f"{path} is not drawn: nothing was measured")
    from matplotlib.figure import Figure

    measures = ("iterations", "seconds") if across == "both" else (across,)
    width, labels = 4.5 * len(measures), list(curves)
    columns = max(1, min(len(labels), int(LETTERS * width) // max(1, *map(len, labels))))
    height = 0.5 + 3.5 * len(rows) + LINE * math.ceil(len(labels) / columns)
    figure = Figure(figsize=(width, height), layout="constrained")
    every = figure.subplots(len(rows), len(measures), sharey="row", squeeze=False)
    for line, up in zip(every, rows, strict=True):
        for axes, measure in zip(line, measures, strict=True):
            _draw(axes, {label: measured(curve, up) for label, curve in curves.items()}, measure)
            axes.set(xlabel=steps if measure == "iterations" else measure)
        line[0].set(ylabel=NAMES.get(up, gap))
    _name(figure, every[0, 0].lines, labels, columns)
    write_figure(path, figure, kind, title)


def drawn(figure: Any, kind: str) -> bytes:
    """Return the bytes of a picture's file."""
    written = io.BytesIO()
    figure.savefig(written, format=kind, dpi=150)
    return written.getvalue()


def write_figure(path: str | PathLike[str], figure: Any, kind: str, title: str) -> None:
    """Write a picture with its title, atomically."""
    figure.suptitle(drawable(title), parse_math=False)
    write_bytes(path, drawn(figure, kind))


def _name(figure: Any, lines: Sequence[Any], labels: Sequence[str], columns: int) -> None:
    """Add a legend below the axes, where it hides no curve; it shows labels as they are.

    Dollars are no formula, and a first underscore hides nothing.
    """
    legend = figure.legend(lines, [str(k) for k in range(len(lines))], loc="outside lower center", ncols=columns)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(drawable(label))


def drawable(text: str) -> str:
    """Write what no letter stands for, such as a byte of a file's name that is not UTF-8, as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def mark(points: int) -> str:
    """Return how points of a curve are marked: not at all, where they are so many that marks run into each other."""
    return "." if points <= MARKED else ""


def write_ticks(axes: Any) -> None:
    """Write the numbers along a log scale as people do (12, not 1.2 × 10¹), where it spans little."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        def __call__(self, number: float, position: int | None = None) -> str:
            return f"{number:g}" if super().__call__(number, position) else ""

    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if axis.get_scale() == "log" and high < SHORT * low:
            axis.set_major_formatter(Plain())
            axis.set_minor_formatter(Plain(minor_thresholds=(1.5, 0.5)))


def _draw(axes: Any, lines: Mapping[str, Sequence[tuple[Point, float]]], measure: str) -> None:
    some = any(number > 0 for line in lines.values() for _, number in line)
    for order, line in enumerate(lines.values()):
        kept = [(point, number) for point, number in line if number > 0 or not some]
        at = [max(point.iteration, 1) if measure == "iterations" else max(point.seconds, 1e-6) for point, _ in kept]
        style = "-" if order < 10 else "--"  # there are ten colours
        axes.plot(at, [number for _, number in kept], style, marker=mark(len(at)))
    axes.set(xscale="log" if lines else "linear", yscale="log" if some else "linear")
    write_ticks(axes)
    axes.grid(visible=True, which="major", alpha=0.3)
