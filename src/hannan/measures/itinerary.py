"""Whether play settles or cycles, judged by the order in which combinations of plans become the most likely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hannan.arrays import Floats, Longs

Course = Literal["settled", "periodic", "cycling", "moving"]

SETTLED = 0.01
"""Play has settled if its probabilities stay within this range."""

STEADY = 0.05
"""Rounds are alike if their lengths, and their ranges of probabilities, differ by less than this share."""

LONGEST = 64
"""The most stations of a round."""

ROUNDS = 2
"""The number of equal rounds in a row that make a cycle."""

PATIENCE = 3
"""A cycle has ended if nothing changes for this many rounds. Rounds may grow, so the last station may take long."""


@dataclass(frozen=True)
class Itinerary:
    """The course of play in the second half of a run."""

    course: Course
    """Settled: no probability moved by more than 0.01. Periodic: all rounds of that half have one length and size, up
    to 5 %. Cycling: the same stations in the same order, in rounds that grow or shrink. Moving: any other course."""
    cycle: tuple[int, ...]
    """The stations of a round: numbers of combinations of plans; empty if no round repeats."""
    period: int | None
    """The number of iterations of the last complete round."""
    growth: float | None
    """The length of the last complete round, divided by that of the round before."""
    amplitude: float
    """The largest range of a probability in the second half of the run."""


def itinerary(stations: Longs, path: Floats) -> Itinerary:
    """Classify play: `stations` is the most likely combination at each iteration, `path` is [iterations, plans]."""
    half = len(path) // 2
    amplitude = float(np.ptp(path[half:], axis=0).max())
    changes = np.flatnonzero(np.diff(stations)) + 1  # iterations at which a station begins
    visited = stations[changes]
    length = _round(visited)
    if amplitude <= SETTLED or length is None:
        return Itinerary("settled" if amplitude <= SETTLED else "moving", (), None, None, amplitude)
    last, before = int(changes[-1] - changes[-1 - length]), int(changes[-1 - length] - changes[-1 - 2 * length])
    if len(path) - int(changes[-1]) > PATIENCE * last:  # play stays at the last station
        return Itinerary("moving", (), None, None, amplitude)
    spans = _spans(changes, length, half)
    lengths, sizes = [b - a for a, b in spans], [np.ptp(path[a:b], axis=0).max() for a, b in spans]
    steady = np.ptp(lengths) <= max(1.0, STEADY * last) and np.ptp(sizes) <= STEADY * max(sizes)
    cycle = visited[-length:].tolist()
    first = cycle.index(min(cycle))
    rotated = tuple(cycle[first:] + cycle[:first])
    return Itinerary("periodic" if steady else "cycling", rotated, last, last / before, amplitude)


def _spans(changes: Longs, length: int, half: int) -> list[tuple[int, int]]:
    """Return where the complete rounds of the second half begin and end, the last one first; at least two rounds."""
    ends = changes[::-1][::length].tolist()
    spans = list(zip(ends[1:], ends[:-1], strict=True))
    return [span for k, span in enumerate(spans) if k < ROUNDS or span[0] >= half]


def _round(visited: Longs) -> int | None:
    """Return the number of stations of the shortest round that the last stations repeat; None if they repeat none."""
    for length in range(2, LONGEST + 1):
        if len(visited) < ROUNDS * length + 1:
            return None
        tail = visited[-ROUNDS * length :]
        if np.array_equal(tail[length:], tail[:-length]):
            return length
    return None
