"""Pictures of runs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from hannan.errors import FileError, HannanError
from hannan.files import write_bytes
from hannan.progress import Point

FORMATS = ("png", "svg", "pdf")


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


def convergence(path: str | PathLike[str], curves: dict[str, Sequence[Point]], title: str, gap: str) -> None:
    """Draw gaps by iterations and by seconds, both on log–log scales, one line a run; written atomically."""
    kind = check_target(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for label, curve in curves.items():
        points = [point for point in curve if point.gap > 0]
        left.plot([point.iteration for point in points], [point.gap for point in points], marker=".", label=label)
        right.plot([max(point.seconds, 1e-6) for point in points], [point.gap for point in points], marker=".")
    left.set(xlabel="iterations", ylabel=gap)
    right.set(xlabel="seconds")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(visible=True, which="major", alpha=0.3)
    left.legend()
    figure.suptitle(title)
    drawn = io.BytesIO()
    figure.savefig(drawn, format=kind, dpi=150)
    write_bytes(path, drawn.getvalue())
