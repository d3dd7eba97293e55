"""Timing tasks in turns, so that other work on the machine slows all of them alike."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hannan.bench.rows import Figure

Task = Callable[[int], object]
"""A function that repeats an action the given number of times."""

Clock = Callable[[], float]
"""A function that returns seconds."""

BATCH = 0.02
"""The fewest seconds of one measurement: quick actions are repeated."""


@dataclass(frozen=True)
class Effort:
    """How long to measure each task: for `seconds`, at least `fewest` and at most `most` times."""

    seconds: float = 2.0
    fewest: int = 5
    most: int = 31
    batch: float = BATCH
    """The fewest seconds of each turn. Long turns are for tasks that empty one another's caches."""


QUICK = Effort(0.1, 3, 5)
NORMAL = Effort()
LONG = Effort(0.0, 3, 3)
"""For tasks that take seconds each time."""


def interleaved(tasks: Sequence[Task], effort: Effort = NORMAL) -> list[list[float]]:
    """Return the seconds of each task, measured repeatedly, all tasks in turn."""
    counts = []
    for task in tasks:
        task(1)  # compiles, loads and fills caches
        taken = timed(task, 1)
        if taken < effort.batch:
            taken = timed(task, max(1, int(0.1 * effort.batch / max(taken, 1e-9))))
        counts.append(max(1, math.ceil(effort.batch / max(taken, 1e-9))))
    times: list[list[float]] = [[] for _ in tasks]
    begun = time.perf_counter()
    while True:
        for k, (task, spent) in enumerate(zip(tasks, times, strict=True)):
            spent.append(timed(task, counts[k]))
            counts[k] = max(counts[k], math.ceil(effort.batch / max(spent[-1], 1e-9)))  # some tasks become faster
        done, took = len(times[0]), time.perf_counter() - begun
        if done >= effort.most or (done >= effort.fewest and took >= effort.seconds * len(tasks)):
            return times


def timed(task: Task, count: int, clock: Clock | None = None) -> float:
    """Return the seconds of one of `count` repetitions."""
    return seconds_of(lambda: task(count), clock) / count


def seconds_of(action: Callable[[], object], clock: Clock | None = None) -> float:
    """Return the seconds that one call takes. clock: a function that returns seconds. Default: wall-clock time."""
    now = clock or time.perf_counter
    begun = now()
    action()
    return now() - begun


def figure(by: str, times: Sequence[float], unit: str = "s", work: float = 1.0) -> Figure:
    """Return the median and the quartiles; with another unit than seconds, of `work` done in these times."""
    speeds = np.asarray(times) if unit == "s" else work / np.asarray(times)
    low, middle, high = (float(q) for q in np.quantile(speeds, (0.25, 0.5, 0.75)))
    return Figure(by, middle, unit, low, high) if len(times) > 1 else Figure(by, middle, unit)


def busy(seconds: float = 0.5) -> float | None:
    """Return how many cores other processes keep busy, measured while this one sleeps; None if unknown."""
    before = _ticks()
    time.sleep(seconds)
    after = _ticks()
    if before is None or after is None:
        return None
    return (after[0] - before[0]) / max(after[1] - before[1], 1) * (os.cpu_count() or 1)


def _ticks() -> tuple[int, int] | None:
    """Return the ticks of all cores since the start of the machine: the busy ones, and all."""
    try:
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except OSError:
        return None
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, sum(ticks)


def repeated(action: Callable[[], object]) -> Task:
    """Turn an action into a task that repeats it."""

    def task(count: int) -> None:
        for _ in range(count):
            action()

    return task
