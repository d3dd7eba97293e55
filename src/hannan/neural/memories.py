"""What networks learn from: samples in preallocated arrays, a uniform choice of all that were ever offered.

J. Vitter (1985), Random sampling with a reservoir: once the memory is full, sample number n replaces a place drawn from
n places, if it is one of the memory's. (The CFR survey says that the oldest sample goes; a window that slides makes
Deep CFR diverge.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hannan.arrays import Floats
from hannan.neural.traversals import Samples, Singles

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Lessons:
    """What a network is trained on: rows, targets by head (NaN: no such action), and how much each counts."""

    known: Singles  # [lessons, row size]
    target: npt.NDArray[Any]  # [lessons, heads]
    weight: Floats  # [lessons]

    def __len__(self) -> int:
        return len(self.known)


def all_lessons(parts: Sequence[Lessons]) -> Lessons:
    """Return lessons one after another."""
    if len(parts) == 1:
        return parts[0]
    return Lessons(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("known", "target", "weight")))


class Reservoir:
    """A memory of fixed size. `seen` counts all samples that were offered."""

    def __init__(self, capacity: int, row: int, heads: int, random: int, *, precise: bool = False) -> None:
        """With `precise`, targets are kept in double precision."""
        self.capacity, self.seen = capacity, 0
        self.known = np.empty((capacity, row), np.float32)  # pages are taken as they are filled
        self.target = np.empty((capacity, heads), np.float64 if precise else np.float32)
        self.iteration = np.empty(capacity, np.int64)
        self.mark = np.empty(capacity, np.uint64)
        self._random = random
        self._before: list[tuple[int, Any, tuple[Any, ...]]] = []
        """Since the last `settle`, for each `add`: `seen`, the places that were written over, and what was there."""

    @staticmethod
    def bytes(capacity: int, row: int, heads: int, precise: bool = False) -> int:
        """Return how much memory one takes once it is full."""
        return capacity * (4 * row + (8 if precise else 4) * heads + 16)

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, samples: Samples, iteration: int) -> None:
        """Offer samples; what is drawn depends on how many were offered before, and on nothing else."""
        count, free = len(samples), max(self.capacity - self.seen, 0)
        place = np.arange(self.seen, self.seen + count)
        if count > free:
            number = place[free:].astype(np.float64) + 1.0
            draws = np.random.Generator(np.random.Philox(key=[self._random, self.seen & (2**63 - 1)]))
            place[free:] = np.floor(draws.random(count - free) * number).astype(np.int64)
        kept = place < self.capacity
        place, known = place[kept], samples.known[kept]
        over = np.unique(place[place < len(self)])
        self._before.append((self.seen, over, tuple(array[over] for array in self._arrays)))
        self.known[place], self.target[place] = known, samples.target[kept]  # of one place, the last sample stays
        self.iteration[place], self.mark[place] = iteration, marks(known)
        self.seen += count

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return self.known, self.target, self.iteration, self.mark

    def settle(self) -> None:
        """Keep what was added for good."""
        self._before.clear()

    def undo(self) -> None:
        """Take back what was added since the last `settle`."""
        while self._before:
            self.seen, over, were = self._before.pop()
            for array, was in zip(self._arrays, were, strict=True):
                array[over] = was

    def lessons(self, power: float = 1.0, merge: int = 0) -> Lessons:
        """Return everything, a sample of iteration t with weight t**power, scaled to a mean of 1.

        Where at most `merge` rows differ, samples of one row become one, with their mean and the sum of their weights:
        a squared error, and a cross-entropy, has the same gradient on both.
        """
        n = len(self)
        weight = self.iteration[:n].astype(np.float64) ** power
        everything = Lessons(self.known[:n], self.target[:n], weight)
        if merge:
            _, first, which = np.unique(self.mark[:n], return_index=True, return_inverse=True)
            if len(first) <= merge:
                everything = _merged(everything, first, which)
        mean = float(everything.weight.mean()) if len(everything) else 1.0
        return Lessons(everything.known, everything.target, everything.weight / mean)

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint keeps."""
        n = len(self)
        return {
            "known": self.known[:n], "target": self.target[:n], "iteration": self.iteration[:n],
            "seen": np.array([self.seen]),
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over what a checkpoint kept."""
        self.seen = int(state["seen"][0])
        n = len(self)
        for name in ("known", "target", "iteration"):
            kept = getattr(self, name)
            if state[name].shape != (n, *kept.shape[1:]) or state[name].dtype != kept.dtype:
                raise ValueError(f"its memory has {name} of another shape")
            kept[:n] = state[name]
        self.mark[:n] = marks(self.known[:n])


def _merged(lessons: Lessons, first: Any, which: Any) -> Lessons:
    weight: Floats = np.bincount(which, lessons.weight, len(first)).astype(np.float64)
    target = np.empty((len(first), lessons.target.shape[1]), lessons.target.dtype)
    for head in range(target.shape[1]):
        total = np.bincount(which, lessons.weight * lessons.target[:, head], len(first))
        target[:, head] = total / weight
    return Lessons(lessons.known[first], target, weight)


def marks(known: Singles) -> Words:
    """Return a number for each row that other rows do not share, but with a chance of 2**-64."""
    factors = np.random.Generator(np.random.Philox(key=[1, 2])).integers(0, 2**63, known.shape[1], np.uint64)
    words = np.ascontiguousarray(known).view(np.uint32).astype(np.uint64)
    z: Words = (words * (2 * factors + np.uint64(1))).sum(axis=1, dtype=np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return z ^ (z >> np.uint64(27))
