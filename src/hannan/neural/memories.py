"""Memories of samples that networks learn from: preallocated arrays with a uniform sample of all that were offered.

J. Vitter (1985), Random sampling with a reservoir: once the memory is full, sample number n goes to a place drawn
from n places, if the memory has this place. (The CFR survey says that the oldest sample is dropped; such a sliding
window makes Deep CFR diverge.)
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
    """Training data of a network: rows, targets by head (NaN: no such action), and weights."""

    known: Singles  # [lessons, row size]
    target: npt.NDArray[Any]  # [lessons, heads]
    weight: Floats  # [lessons]

    def __len__(self) -> int:
        return len(self.known)


def all_lessons(parts: Sequence[Lessons]) -> Lessons:
    """Concatenate lessons."""
    if len(parts) == 1:
        return parts[0]
    return Lessons(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("known", "target", "weight")))


class Reservoir:
    """A memory of fixed size. `seen` counts all samples that were offered."""

    def __init__(self, capacity: int, row: int, heads: int, random: int, *, precise: bool = False) -> None:
        """With `precise`, targets are kept in double precision."""
        self.capacity, self.seen = capacity, 0
        self.known = np.empty((capacity, row), np.float32)  # the system allocates pages as they are filled
        self.target = np.empty((capacity, heads), np.float64 if precise else np.float32)
        self.iteration = np.empty(capacity, np.int64)
        self.mark = np.empty(capacity, np.uint64)
        self._random = random
        self._before: list[tuple[int, Any, tuple[Any, ...]]] = []
        """For each `add` since the last `settle`: `seen`, the overwritten places, and their former content."""

    @staticmethod
    def bytes(capacity: int, row: int, heads: int, precise: bool = False) -> int:
        """Return the bytes of a full memory."""
        return capacity * (4 * row + (8 if precise else 4) * heads + 16)

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, samples: Samples, iteration: int) -> None:
        """Offer samples. The draws depend only on the memory's seed and the number of samples offered before."""
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
        """Make the samples added so far permanent."""
        self._before.clear()

    def undo(self) -> None:
        """Remove the samples added since the last `settle`, and restore those they replaced."""
        while self._before:
            self.seen, over, were = self._before.pop()
            for array, was in zip(self._arrays, were, strict=True):
                array[over] = was

    def lessons(self, power: float = 1.0, merge: int = 0) -> Lessons:
        """Return all samples; those of iteration t weigh t**power, scaled to a mean of 1.

        If there are at most `merge` different rows, the samples of a row become one, with their mean and the sum of
        their weights. The gradients of squared errors and of cross-entropies stay the same.
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
        """Return the arrays that a checkpoint stores."""
        n = len(self)
        return {
            "known": self.known[:n], "target": self.target[:n], "iteration": self.iteration[:n],
            "seen": np.array([self.seen]),
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Set the memory to arrays of a checkpoint."""
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
    """Return a hash of each row; two different rows share a hash with probability 2**-64."""
    factors = np.random.Generator(np.random.Philox(key=[1, 2])).integers(0, 2**63, known.shape[1], np.uint64)
    words = np.ascontiguousarray(known).view(np.uint32).astype(np.uint64)
    z: Words = (words * (2 * factors + np.uint64(1))).sum(axis=1, dtype=np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return z ^ (z >> np.uint64(27))
