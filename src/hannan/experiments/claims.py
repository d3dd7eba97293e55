"""Claims of a paper compared with our findings: one report per figure, written as a picture, numbers and a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from hannan.errors import FileError, HannanError
from hannan.files import write_bytes
from hannan.pictures.curves import write_ticks
from hannan.pictures.figures import drawn

Line = Sequence[tuple[float, float]]
Lines = dict[str, list[tuple[float, float]]]

Say = Callable[[str], None]
"""Shows a message about the running work."""

INSIDE = 5
"""The largest number of lines whose legend fits below the axes."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
"""Colours that people with any colour vision tell apart (M. Okabe and K. Ito, 2008)."""


def silent(what: str) -> None:
    """Show nothing."""


@dataclass(frozen=True)
class Claim:
    """One sentence of a paper, its number, ours, and whether it held here."""

    text: str
    paper: str
    ours: str
    held: bool | None
    """None: it was not judged, for the reason that `ours` gives."""


@dataclass(frozen=True)
class Panel:
    """One set of axes with its lines, each a list of (x, y)."""

    title: str
    across: str
    up: str
    lines: Mapping[str, Line]
    log: bool = False
    """Whether both scales are logarithmic; points that are not above 0 are left out then."""
    levels: Mapping[str, float] = field(default_factory=dict)
    """Horizontal lines with their names: the range of payoffs, the value of the game."""
    places: Mapping[str, float] = field(default_factory=dict)
    """Vertical lines with their names: the number of nodes."""


@dataclass(frozen=True)
class Report:
    """One figure of a paper, run again."""

    name: str
    """The stem of the files: `einr7`."""
    title: str
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    """Choices that the paper does not state, and other remarks."""
    rows: int = 1
    """The number of rows of panels."""

    @property
    def held(self) -> bool:
        """Whether no claim failed. A claim that was not judged has not failed."""
        return all(claim.held is None or claim.held for claim in self.claims)

    def table(self) -> str:
        """Return the claims as a Markdown table, with the paper's findings and ours."""
        rows = [("claim", "paper", "ours", "held"), ("---", "---", "---", "---")]
        words = {True: "yes", False: "no", None: "not judged"}
        rows += [(claim.text, claim.paper, claim.ours, words[claim.held]) for claim in self.claims]
        lines = [f"# {self.title}", "", *("| " + " | ".join(row) + " |" for row in rows)]
        if self.notes:
            lines += ["", *(f"- {note}" for note in self.notes)]
        return "\n".join(lines) + "\n"

    def numbers(self) -> str:
        """Return every point of every line as CSV: panel, line, x, y."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("panel", "line", "x", "y"))
        for panel in self.panels:
            for label, line in panel.lines.items():
                writer.writerows((panel.title, label, f"{x:.12g}", repr(float(y))) for x, y in line)
            writer.writerows((panel.title, label, "", repr(float(y))) for label, y in panel.levels.items())
            writer.writerows((panel.title, label, f"{x:.12g}", "") for label, x in panel.places.items())
        return text.getvalue()

    def picture(self) -> bytes:
        """Return the panels side by side, as PNG."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise HannanError("pictures need matplotlib: pip install 'hannan[plot]'") from None
        columns = -(-len(self.panels) // self.rows)
        shared = len({tuple(panel.lines) for panel in self.panels}) == 1 and len(self.panels) > 1
        figure = Figure(figsize=(1 + 4.2 * columns, 0.4 + 3.6 * self.rows), layout="constrained")
        every = list(figure.subplots(self.rows, columns, squeeze=False).flat)
        for axes in every[len(self.panels) :]:
            axes.remove()
        for axes, panel in zip(every, self.panels, strict=False):
            for k, (label, line) in enumerate(panel.lines.items()):
                points = [(x, y) for x, y in line if not panel.log or (x > 0 and y > 0)]
                style, colour = ("-", "--", ":")[k // len(COLOURS) % 3], COLOURS[k % len(COLOURS)]
                axes.plot(
                    *zip(*points, strict=True), style, color=colour, marker=".", markersize=4, linewidth=1, label=label
                )
            axes.set(xlabel=panel.across, ylabel=panel.up, title=panel.title)
            if panel.log:
                axes.set(xscale="log", yscale="log")
                write_ticks(axes)
            elif panel.across.startswith("iteration"):
                axes.locator_params(axis="x", integer=True)
            axes.grid(visible=True, alpha=0.3)
            _mark(axes, panel)
        if shared:
            figure.legend(*every[0].get_legend_handles_labels(), loc="outside right center")
        else:
            for begin in range(0, len(self.panels), columns):
                _name(every[begin : min(begin + columns, len(self.panels))])
        figure.suptitle(self.title)
        return drawn(figure, "png")


def _mark(axes: Any, panel: Panel) -> None:
    """Draw the levels and places of a panel as thin grey lines, each with its name."""
    for label, y in panel.levels.items():
        axes.axhline(y, color="0.45", linewidth=0.8, zorder=1)
        axes.annotate(
            label, (1.0, y), xycoords=("axes fraction", "data"), xytext=(-2, 2), textcoords="offset points",
            ha="right", va="bottom", fontsize="small", color="0.3",
        )  # fmt: skip
    for label, x in panel.places.items():
        axes.axvline(x, color="0.45", linewidth=0.8, zorder=1)
        axes.annotate(
            label, (x, 0.0), xycoords=("data", "axes fraction"), xytext=(-2, 3), textcoords="offset points",
            ha="right", va="bottom", fontsize="small", color="0.3", rotation=90,
        )  # fmt: skip


def _name(row: Sequence[Any]) -> None:
    """Add legends outside the axes of a row, where they hide no line; one for all axes if all have the same lines."""
    labels = [axes.get_legend_handles_labels()[1] for axes in row]
    same = len(row) > 1 and all(each == labels[0] for each in labels)
    for axes in row[-1:] if same else row:
        if same or len(labels[0]) > INSIDE:
            axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)
        else:
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), borderaxespad=0.0, fontsize="small")


def check_folder(folder: str | PathLike[str]) -> Path:
    """Make the folder if it is missing, and return it; refuse it before the work if it cannot be made."""
    target = Path(folder)
    try:
        target.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"{target} cannot be made: {error.strerror}") from error
    return target


def write(report: Report, folder: str | PathLike[str]) -> tuple[Path, ...]:
    """Write the picture, the numbers and the table of a report, each atomically; return their paths."""
    target = check_folder(folder)
    parts = {"png": report.picture(), "csv": report.numbers().encode(), "md": report.table().encode()}
    paths = tuple(target / f"{report.name}.{suffix}" for suffix in parts)
    for path, data in zip(paths, parts.values(), strict=True):
        write_bytes(path, data)
    return paths
