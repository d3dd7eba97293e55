"""Figures of matplotlib: making, showing, titling and writing. Matplotlib is imported only when a figure is made."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import Any

from hannan.arguments import file_name, number, shown
from hannan.errors import FileError, HannanError, ParameterError
from hannan.files import check_writable, write_bytes
from hannan.runs.status_line import kernel

FORMATS = ("png", "svg", "pdf")

Size = tuple[float, float]
"""Width and height in inches."""

LEAST_INCHES, MOST_INCHES = 1.0, 200.0
TRIES, SMALLER = 40, 0.9
"""The most attempts to make a legend fit, and the factor by which its letters shrink in one attempt."""
LETTERS, TITLE_LETTERS = 12, 9
"""The number of letters per inch, in a legend and in a title."""
LINES = 3
"""The most lines of a title."""
MARGIN = 0.1
"""Inches that stay free at the sides of a legend."""
LEAST, LINE = 1.3, 0.22
"""The least height of axes with their labels, and the height of one line of a title, in inches."""


def need_matplotlib() -> None:
    """Raise an error that says how to install matplotlib if it is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise HannanError("pictures need matplotlib: pip install 'hannan[plot]'") from None


def check_target(path: str | PathLike[str]) -> str:
    """Return the format of a picture's file name; refuse unknown formats. Call this before the work, not after it."""
    file_name(path)
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in FORMATS:
        raise FileError(f"{path}: a picture is written as .{', .'.join(FORMATS)}")
    check_writable(path)
    need_matplotlib()
    return suffix


def check_size(size: object) -> None:
    """Refuse a size that is not a pair of positive numbers."""
    if not isinstance(size, Sequence) or isinstance(size, str) or len(size) != 2:
        raise ParameterError(f"size={shown(size)} should be a width and a height in inches, as in (6, 4)")
    for name, inches in zip(("width", "height"), size, strict=True):
        if not LEAST_INCHES <= number(name, inches) <= MOST_INCHES:
            raise ParameterError(
                f"size={shown(size)}: the {name} should be from {LEAST_INCHES:g} to {MOST_INCHES:g} inches"
            )


def free_axes(ax: Any, size: object) -> None:
    """Check the place to draw: the caller's axes, or a new figure of this size, but not both."""
    need_matplotlib()
    if ax is not None and not hasattr(ax, "plot"):
        raise ParameterError(f"ax={shown(ax)} should be axes of matplotlib")
    if ax is not None and size is not None:
        raise ParameterError("size is for a new figure: leave out size, or ax")
    if size is not None:
        check_size(size)


def blank(size: Size, path: str | PathLike[str] | None = None, shows: bool = False) -> Any:
    """Return an empty figure.

    With `shows`, the figure is registered with pyplot. A notebook then shows it at the end of its cell (and closes it);
    elsewhere `pyplot.show()` shows it. A script that writes a file needs no window, so its figure is not registered.
    """
    from matplotlib.figure import Figure

    if shows and (path is None or kernel() is not None):
        try:
            from matplotlib import pyplot

            return pyplot.figure(figsize=size, layout="constrained")
        except ImportError:  # windows of the configured kind cannot be opened here
            pass
    return Figure(figsize=size, layout="constrained")


def set_title(figure: Any, axes: Any, title: str, *, whole: bool = True) -> None:
    """Add a title to the whole figure or to its axes. A title that is too long for three lines is cut off."""
    width = figure.get_figwidth()
    if not whole:
        width *= axes.get_position().width
    lines = broken(title, TITLE_LETTERS * width).split("\n")
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], lines[LINES - 1][:-1] + "…"]
    (figure.suptitle if whole else axes.set_title)("\n".join(lines), parse_math=False)


def write_figure(path: str | PathLike[str] | None, figure: Any, kind: str | None) -> None:
    """Write the figure to a file atomically, if a path is given."""
    if path is not None:
        write_bytes(path, drawn(figure, str(kind)))


def drawn(figure: Any, kind: str) -> bytes:
    """Return the bytes of a picture's file."""
    written = io.BytesIO()
    figure.savefig(written, format=kind, dpi=150)
    return written.getvalue()


def drawable(text: str) -> str:
    """Write unprintable characters as escapes, such as a byte of a file name that is not UTF-8."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def broken(text: str, letters: float) -> str:
    """Return a text that can be drawn, broken into lines of at most `letters` letters (10 if `letters` is less)."""
    text, most = drawable(text), max(10, int(letters))
    return text if len(text) <= most else "\n".join(wrap(text, most))


def add_legend(figure: Any, lines: Sequence[Any], labels: Sequence[str], fixed: bool) -> None:
    """Add a legend below the axes, wholly inside the figure. Call this after the title is set.

    Long labels are broken into lines. If they are still too wide, letters get smaller. The figure grows by the height
    of the legend; a `fixed` figure grows only as far as the axes need.
    """
    width, height = figure.get_size_inches()
    make = partial(figure.legend, loc="outside lower center")
    _, high = _inches(_fitted(make, lines, labels, width - 2 * MARGIN, math.inf))
    room = LEAST + LINE * (1 + figure.get_suptitle().count("\n")) + high
    figure.set_figheight(max(height, room) if fixed else height + high)


def add_inner_legend(axes: Any, lines: Sequence[Any], labels: Sequence[str]) -> None:
    """Add a legend inside the caller's axes. The legend is not larger than the axes."""
    width, height = _inches(axes)
    _fitted(axes.legend, lines, labels, width - 2 * MARGIN, height - 2 * MARGIN)


def _fitted(make: Callable[..., Any], lines: Sequence[Any], labels: Sequence[str], width: float, height: float) -> Any:
    """Return a legend of at most this size, with as many columns as fit, and with smaller letters if needed."""
    wrapped = [broken(label, LETTERS * width) for label in labels]
    columns, size = 1, None
    for _ in range(TRIES):
        legend = _legend(make, lines, wrapped, columns, size)
        wide, high = _inches(legend)
        size = legend.get_texts()[0].get_fontsize()
        more = min(len(labels), int(width * columns / wide))
        if more > columns:
            columns = more
        elif wide > width or high > height:
            size *= SMALLER
        else:
            break
        legend.remove()
    else:
        legend = _legend(make, lines, wrapped, columns, size)
    return legend


def _legend(
    make: Callable[..., Any], lines: Sequence[Any], labels: Sequence[str], columns: int, size: float | None
) -> Any:
    """Make a legend that shows labels literally: a dollar starts no formula, and a first underscore hides nothing."""
    legend = make(lines, [str(k) for k in range(len(lines))], ncols=columns, fontsize=size)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(label)
    return legend


def _inches(drawn: Any) -> tuple[float, float]:
    """Return the width and the height of an object in a figure, in inches."""
    box, dpi = drawn.get_window_extent(), drawn.figure.dpi
    return box.width / dpi, box.height / dpi
