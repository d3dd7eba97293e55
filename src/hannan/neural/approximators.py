"""Approximators of the numbers at all information sets: a network, or a table that is exact on its samples."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Literal, Protocol

import numpy as np

from hannan.arrays import Floats
from hannan.errors import UnsuitableError
from hannan.neural.memories import Lessons, Words, marks
from hannan.neural.traversals import Singles

Approximation = Literal["network", "table"]

MOST_THREADS = 4096
"""The largest number of threads for torch."""


class Approximator(Protocol):
    """A function from rows to one number per head, learnt from samples."""

    def values(self, known: Singles) -> Floats:
        """Return its numbers for rows, [rows, heads]."""

    def fit(self, lessons: Lessons, random: int, *, fresh: bool, steps: int | None = None) -> float:
        """Train from new weights if `fresh`, else from the present ones. Return the mean loss at the end."""

    def state(self) -> dict[str, Any]:
        """Return its complete state as arrays."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Set its state to arrays that `state` returned."""

    def copied(self) -> Approximator:
        """Return a copy that later training does not change."""

    @property
    def parameters(self) -> int:
        """The number of its parameters."""


class TableApproximator:
    """A table with one line for each trained row: the weighted mean of its samples, by head. Other rows are 0."""

    def __init__(self, row: int, heads: int) -> None:
        self.row, self.heads = row, heads
        self.mark: Words = np.zeros(0, np.uint64)  # sorted
        self.line: Floats = np.zeros((0, heads))

    def values(self, known: Singles) -> Floats:
        result: Floats = np.zeros((len(known), self.heads))
        if len(self.mark):
            wanted = marks(known)
            place = np.minimum(np.searchsorted(self.mark, wanted), len(self.mark) - 1)
            there = self.mark[place] == wanted
            result[there] = self.line[place[there]]
        return result

    def fit(self, lessons: Lessons, random: int, *, fresh: bool, steps: int | None = None) -> float:
        told, first, which = np.unique(marks(lessons.known), return_index=True, return_inverse=True)
        line = np.zeros((len(told), self.heads)) if fresh else self.values(lessons.known[first])
        for head, column in enumerate(lessons.target.astype(np.float64).T):
            weight = np.where(np.isnan(column), 0.0, lessons.weight)
            whole = np.bincount(which, weight, len(told))
            total = np.bincount(which, weight * np.nan_to_num(column), len(told))
            line[:, head] = np.divide(total, whole, out=line[:, head], where=whole > 0)
        if not fresh:
            old = ~np.isin(self.mark, told)
            told, line = np.concatenate((self.mark[old], told)), np.concatenate((self.line[old], line))
            order = np.argsort(told)
            told, line = told[order], line[order]
        self.mark, self.line = told, line
        return 0.0

    def state(self) -> dict[str, Any]:
        return {"mark": self.mark, "line": self.line}

    def restore(self, state: Mapping[str, Any]) -> None:
        mark, line = np.array(state["mark"]), np.array(state["line"])
        if mark.ndim != 1 or line.shape != (len(mark), self.heads):
            raise ValueError("its table has another shape")
        if (mark.dtype, line.dtype) != (self.mark.dtype, self.line.dtype) or not np.isfinite(line).all():
            raise ValueError("its table holds infinite or undefined numbers, or numbers of another type")
        self.mark, self.line = mark, line

    def copied(self) -> TableApproximator:
        other = TableApproximator(self.row, self.heads)
        other.mark, other.line = self.mark, self.line
        return other

    @property
    def parameters(self) -> int:
        return int(self.line.size)


def require_torch(method: str) -> None:
    """Refuse networks if torch is not installed, and name what to install."""
    if find_spec("torch") is None:
        raise UnsuitableError(f"{method} needs torch, which is not installed: pip install 'hannan[neural]'")
