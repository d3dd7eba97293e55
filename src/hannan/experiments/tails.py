"""The slope of a curve in the long term, on log-log scales, and whether the curve is long enough to judge it.

A curve is judged over its last factor of 4 of the playthroughs, but not before 4 times the playthroughs of its first
proof: right after a gap leaves its cap it may fall at any rate. This tail must span a factor of 2, and the slopes of
its two halves must agree: a slope that still changes is not the slope of the long term.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hannan.experiments.claims import Claim, Line

SPAN, AFTER, LEAST = 4.0, 4.0, 2.0
"""A tail spans a factor of `SPAN` at most and `LEAST` at least, and begins `AFTER` times later than the first proof."""

ROUGHLY = -0.6, -0.4
"""Slopes that count as roughly 1/√t. √(log t / t) has slope -0.5 + 1/(2 ln t): -0.46 at 100,000."""

DRIFT = 0.1
"""How far apart the slopes of the two halves of a tail may be."""


@dataclass(frozen=True)
class Tail:
    """The last stretch of a curve."""

    begin: float
    end: float
    slope: float
    """The slope of log y over log x by least squares."""
    halves: tuple[float, float]
    """The slopes before and after the geometric mean of both ends."""

    @property
    def settled(self) -> bool:
        """Whether the slope has stopped changing."""
        return abs(self.halves[1] - self.halves[0]) <= DRIFT

    @property
    def roughly(self) -> bool:
        """Whether the curve falls roughly like 1/√t."""
        return ROUGHLY[0] <= self.slope <= ROUGHLY[1]


def tail(line: Line, first: float) -> Tail | None:
    """Return the tail of a curve that proved something after `first` playthroughs; None if it is too short."""
    end = line[-1][0]
    begin = max(end / SPAN, AFTER * first)
    if LEAST * begin > end:
        return None
    points = [(x, y) for x, y in line if x >= begin]
    middle = math.sqrt(begin * end)
    halves = [point for point in points if point[0] <= middle], [point for point in points if point[0] >= middle]
    return Tail(begin, end, fitted(points), (fitted(halves[0]), fitted(halves[1])))


def fitted(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of log y over log x by least squares; NaN with fewer than two points."""
    if len(points) < 2:
        return math.nan
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def rate(text: str, line: Line, first: float | None) -> Claim:
    """Judge whether a curve falls roughly like 1/√t, if it has a tail."""
    paper = f"slope -0.5 (held: {ROUGHLY[0]:g} to {ROUGHLY[1]:g})"
    found = None if first is None else tail(line, first)
    if first is None:
        return Claim(text, paper, "nothing was proven", None)
    if found is None:
        when = f"the gap left its cap at {first:,.0f} of {line[-1][0]:,.0f} playthroughs"
        return Claim(text, paper, f"no tail: {when}", None)
    slopes = f"slope {found.slope:.2f} from {found.begin:,.0f} to {found.end:,.0f}"
    halves = f"{found.halves[0]:.2f}, then {found.halves[1]:.2f}"
    if not found.settled:
        return Claim(text, paper, f"{slopes}, still changing: {halves}", None)
    faster = ", faster than 1/√t" if found.slope < ROUGHLY[0] else ""
    return Claim(text, paper, f"{slopes} ({halves}){faster}", found.roughly)
