"""Sweeps: the gap of every method on one game, medians with bands over seeds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from hannan.arguments import file_name
from hannan.errors import FileError
from hannan.pictures.curves import mark, write_ticks
from hannan.pictures.figures import add_legend, blank, check_target, need_matplotlib, set_title, write_figure
from hannan.runs.sweep_table import Band, SweepResult

SIZE = (6.5, 4.5)
LETTERS = 60
"""The most letters of a game's address in the file name of its picture."""
SHADE = 0.2


def draw_sweep(folder: str | PathLike[str], sweep: SweepResult) -> tuple[Path, ...]:
    """Draw one picture per game into a folder: the median gap of each method by iterations, with bands over seeds.

    A band lies between the quantiles 0.1 and 0.9. A game without measurements has no picture.

    Returns
    -------
    tuple of pathlib.Path
        The pictures, in the order of the games.
    """
    need_matplotlib()
    file_name(folder)
    place = Path(folder)
    if not place.is_dir():
        raise FileError(f"{place}: this folder does not exist; make it, or choose another folder")
    games: dict[str, list[Band]] = {}
    for run in sweep.runs:
        games.setdefault(run.game, [])
    for band in sweep.bands():
        if band.points:
            games[band.game].append(band)
    drawn = []
    for number, (game, bands) in enumerate(games.items(), 1):
        if bands:
            path = place / f"{number}_{_stem(game)}.png"
            draw_bands(path, game, bands)
            drawn.append(path)
    return tuple(drawn)


def draw_bands(path: str | PathLike[str], title: str, bands: Sequence[Band]) -> Any:
    """Draw medians with bands on log–log scales; a file is written atomically. Returns the axes.

    A log scale cannot show a gap of 0: such points are left out. If there are no others, the scale is linear.
    """
    kind = check_target(path)
    figure = blank(SIZE, path)
    axes = figure.subplots()
    some = any(point.median > 0 for band in bands for point in band.points)
    lines = []
    for order, band in enumerate(bands):
        points = [point for point in band.points if point.median > 0 or not some]
        at = [max(point.iteration, 1) for point in points]
        style = "-" if order < 10 else "--"  # there are ten colours
        (line,) = axes.plot(at, [point.median for point in points], style, marker=mark(len(at)))
        if band.runs > 1:
            low, high = [point.low for point in points], [point.high for point in points]
            axes.fill_between(at, low, high, color=line.get_color(), alpha=SHADE, linewidth=0)
        lines.append(line)
    axes.set(xscale="log", yscale="log" if some else "linear")
    write_ticks(axes)
    axes.grid(visible=True, which="major", alpha=0.3)
    names = {band.gap_name for band in bands}
    axes.set_xlabel("iterations")
    axes.set_ylabel(names.pop() if len(names) == 1 else "gap", parse_math=False)
    set_title(figure, axes, title)
    add_legend(figure, lines, [_label(band) for band in bands], fixed=False)
    write_figure(path, figure, kind)
    return axes


def _label(band: Band) -> str:
    return f"{band.method}, {band.runs} seeds" if band.runs > 1 else band.method


def _stem(game: str) -> str:
    """Return an address as letters, digits and underscores, for the name of a file."""
    return re.sub(r"\W+", "_", game, flags=re.ASCII).strip("_")[:LETTERS].strip("_") or "game"
