"""Tables as text that other programs read: LaTeX, Markdown, CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any, Literal

Form = Literal["latex", "markdown", "csv"]

SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "\n": " ", "\r": " ",
}  # fmt: skip
"""What LaTeX would read as a command."""

POWER = re.compile(r"(?P<sign>-?)(?P<digits>[\d.]+)e(?P<power>[+-]\d+)")


def tabular(form: Form, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Write a table, its numbers to four digits (CSV: all digits); None is an empty cell."""
    if form == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([header, *rows])
        return text.getvalue()
    if form == "markdown":
        lines = [[_markdown(cell) for cell in line] for line in (header, *rows)]
        rule = ["---:" if _numeric(rows, k) else "---" for k in range(len(header))]
        return "".join(f"| {' | '.join(line)} |\n" for line in (lines[0], rule, *lines[1:]))
    columns = "".join("r" if _numeric(rows, k) else "l" for k in range(len(header)))
    lines = [[_latex(cell) for cell in line] for line in (header, *rows)]
    inner = [" & ".join(line) + r" \\" for line in lines]
    return "\n".join(
        [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", inner[0], r"\midrule", *inner[1:], r"\bottomrule",
         r"\end{tabular}", ""]
    )  # fmt: skip


def _numeric(rows: Sequence[Sequence[Any]], k: int) -> bool:
    """Return whether a column holds numbers alone."""
    cells = [row[k] for row in rows if row[k] is not None]
    return bool(cells) and all(isinstance(cell, int | float) for cell in cells)


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return f"{cell:.4g}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)


def _markdown(cell: Any) -> str:
    return re.sub(r"([\\|`*_<>\[\]])", r"\\\1", " ".join(_text(cell).splitlines()))


def _latex(cell: Any) -> str:
    text = _text(cell)
    if isinstance(cell, float) and (known := POWER.fullmatch(text)) is not None:
        return rf"${known['sign']}{known['digits']} \times 10^{{{int(known['power'])}}}$"
    if isinstance(cell, int | float):
        return f"${text.replace(',', '{,}')}$"
    return "".join(SPECIAL.get(letter, letter) for letter in text)
