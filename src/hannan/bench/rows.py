"""The results of benchmarks: figures, rows that compare ours with a peer's, and sections of such rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

TIMES, TO = "\N{MULTIPLICATION SIGN}", "\N{EN DASH}"

T = TypeVar("T")

Say = Callable[[str], None]
"""A function that prints what is being measured."""


@dataclass(frozen=True)
class Figure:
    """One measured number: a median with its quartiles, or a single measurement."""

    by: str
    """The library: `hannan`, or a peer with its version."""
    value: float
    unit: str = "s"
    low: float | None = None
    """The lower quartile; None without repeats."""
    high: float | None = None
    bound: bool = False
    """Whether the measurement was stopped, so that the true number is larger."""

    @property
    def text(self) -> str:
        """The number with its unit and spread, for people."""
        shown = quantity(self.value, self.unit)
        if self.low is not None and self.high is not None:
            shown += f" ({quantity(self.low, self.unit, like=self.value)}{TO}{quantity(self.high, self.unit)})"
        return f"> {shown}" if self.bound else shown


@dataclass(frozen=True)
class Target:
    """A target for a ratio, or for a figure of ours: at least or at most `number`."""

    number: float
    least: bool = True
    of: Literal["ratio", "ours"] = "ratio"
    unit: str = TIMES

    def met(self, ratio: float | None, ours: float) -> bool | None:
        """Return whether the target is reached; None if there is nothing to compare."""
        number = ratio if self.of == "ratio" else ours
        if number is None or not math.isfinite(number):
            return None
        return number >= self.number if self.least else number <= self.number

    @property
    def text(self) -> str:
        """The target in words: `≥ 60×`."""
        number = f"{self.number:,.10g}{TIMES}" if self.unit == TIMES else quantity(self.number, self.unit)
        return f"{'≥' if self.least else '≤'} {number}"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    measure: str
    ours: Figure
    peer: Figure | None = None
    ratio: float | None = None
    """How many times faster ours is than the peer; above a floor, how many times slower than the floor."""
    target: Target | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without a target, or without a peer to compare with."""
        return None if self.target is None else self.target.met(self.ratio, self.ours.value)

    @property
    def cells(self) -> list[str]:
        """The row for people."""
        ratio = ""
        if self.ratio is not None:
            number = f"{self.ratio:,.0f}" if self.ratio >= 100 else f"{self.ratio:.3g}"
            ratio = f"{'> ' if self.peer and self.peer.bound else ''}{number}{TIMES}"
        return [
            self.measure + (f"; {self.note}" if self.note else ""),
            self.ours.text,
            "" if self.peer is None else f"{self.peer.by}: {self.peer.text}",
            ratio,
            "" if self.target is None else self.target.text,
            {None: "", True: "yes", False: "no"}[self.met],
        ]

    def record(self) -> dict[str, Any]:
        """The row for machines."""
        return {
            "measure": self.measure,
            "ours": vars(self.ours),
            "peer": None if self.peer is None else vars(self.peer),
            "ratio": self.ratio,
            "target": None if self.target is None else self.target.text,
            "met": self.met,
            "note": self.note,
        }


HEADER = ["measure", "ours", "peer or floor", "ratio", "target", "met"]


@dataclass(frozen=True)
class Section:
    """The measurements of one group of benchmarks."""

    name: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    """Sentences on how it was measured, what was missing, and where the time goes."""

    def record(self) -> dict[str, Any]:
        """The section for machines."""
        return {"name": self.name, "rows": [row.record() for row in self.rows], "notes": list(self.notes)}


def faster(measure: str, ours: Figure, peer: Figure | None, least: float | None = None, note: str = "") -> Row:
    """Return a row that says how many times faster ours is than a peer; without a peer, a row of ours."""
    target = None if least is None else Target(least)
    return Row(measure, ours, peer, None if peer is None else peer.value / ours.value, target, note)


def beside(measure: str, ours: Figure, peer: Figure | None, target: Target | None = None) -> Row:
    """Return a row that says how many times larger ours is than a peer or a floor; without one, a row of ours."""
    return Row(measure, ours, peer, None if peer is None else ours.value / peer.value, target)


def alone(measure: str, ours: Figure, *, least: float | None = None, most: float | None = None, note: str = "") -> Row:
    """Return a row of ours, which should be at least or at most a number in its own unit."""
    number = most if least is None else least
    target = None if number is None else Target(number, least is not None, "ours", ours.unit)
    return Row(measure, ours, target=target, note=note)


def some(cases: Mapping[str, T], quick: bool) -> list[tuple[str, T]]:
    """Return the cases to measure by name: all, or with `quick` the first."""
    return list(cases.items())[: 1 if quick else None]


def quantity(value: float, unit: str, like: float | None = None) -> str:
    """Write a number with its unit, seconds in the unit that suits `like`: `18.6 µs`, `2.4 million histories/s`."""
    if unit == "s":
        scale, name = _seconds(value if like is None else like)
        return f"{value * scale:.3g}" if like is not None else f"{value * scale:.3g} {name}"
    if value >= 1e9:
        text = f"{value / 1e9:.3g} billion"
    elif value >= 1e6:
        text = f"{value / 1e6:.3g} million"
    else:
        text = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return text if like is not None else f"{text} {unit}"


def _seconds(value: float) -> tuple[float, str]:
    for scale, name in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * scale >= 1:
            return scale, name
    return 1e9, "ns"
