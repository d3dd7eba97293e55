"""Pictures of runs."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

from hannan.errors import FileError, HannanError
from hannan.files import write_bytes
from hannan.progress import Point

FORMATS = ("png", "svg", "pdf")

Across = Literal["iterations", "seconds", "both"]


def check_target(path: str | PathLike[str]) -> str:
    """Return the format of a picture's file name, or say which are known; done before the work, not after it."""
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in FORMATS:
        raise FileError(f"{path}: a picture is written as .{', .'.join(FORMATS)}")
    if not Path(path).parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no folder {Path(path).parent}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise HannanError("pictures need matplotlib: pip install 'hannan[plot]'") from None
    return suffix


def convergence(
    path: str | PathLike[str], curves: Mapping[str, Sequence[Point]], title: str, gap: str, across: Across = "both"
) -> None:
    """Draw gaps by iterations, by seconds or both, on log–log scales, one line a run; written atomically.

    A log scale has no place for a gap of 0: such points are left out, but where there are no others the scale is
    linear. Nor has it one for iteration 0, which is drawn at 1.
    """
    kind = check_target(path)
    from matplotlib.figure import Figure

    measures = ("iterations", "seconds") if across == "both" else (across,)
    figure = Figure(figsize=(4.5 * len(measures), 4), layout="constrained")
    every = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    some = any(point.gap > 0 for curve in curves.values() for point in curve)
    for axes, measure in zip(every, measures, strict=True):
        for number, (label, curve) in enumerate(curves.items()):
            points = [point for point in curve if point.gap > 0 or not some]
            at = [max(point.iteration, 1) if measure == "iterations" else max(point.seconds, 1e-6) for point in points]
            style = "-" if number < 10 else "--"  # there are ten colours
            axes.plot(at, [point.gap for point in points], style, marker=".", label=label)
        axes.set(xlabel=measure, xscale="log" if curves else "linear", yscale="log" if some else "linear")
        axes.grid(visible=True, which="major", alpha=0.3)
    every[0].set(ylabel=gap)
    every[0].legend()
    figure.suptitle(title)
    drawn = io.BytesIO()
    figure.savefig(drawn, format=kind, dpi=150)
    write_bytes(path, drawn.getvalue())
