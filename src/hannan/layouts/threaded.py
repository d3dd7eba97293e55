"""The tiled passes on several threads: each takes a range of tiles, blocks or rows, and they meet after every bucket.

The kernels let go of Python's lock, and ranges write to places of their own: the bits do not depend on the number of
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels.fullwidth import tiled as kernels
from hannan.kernels.fullwidth.passes import DECAY, GRADIENTS, VALUES, Learning
from hannan.kernels.fullwidth.tiled import Tiled

FEWEST = 4
"""The fewest tiles or rows a thread that are worth waking it for."""


class Team:
    """A few threads that share the passes over one game."""

    def __init__(self, tiled: Tiled, threads: int) -> None:
        self.tiled = tiled
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads - 1, thread_name_prefix="hannan")
        self._views = [tiled._replace(scratch=np.zeros_like(tiled.scratch)) for _ in range(threads)]
        cells = np.concatenate(([0], np.cumsum(_cells(tiled))))
        self._pieces = np.searchsorted(cells, np.linspace(0, cells[-1], threads + 1))
        self._rows = [_shares(tiled, player, threads) for player in range(len(tiled.sequence_begin) - 1)]

    def run(self, learning: Learning, schedule: Floats, simultaneous: bool, tracking: int, worth: Floats) -> None:
        """Run one iteration for each row of `schedule`, as `kernels.tiled.run` does."""
        players = len(self.tiled.sequence_begin) - 1
        for step in schedule:
            decay = float(step[DECAY])
            learning.value[players] = learning.value[players] * decay + 1.0
            if simultaneous or tracking == GRADIENTS:
                for p in range(players):
                    self._gradient(p, learning, worth)
                if tracking == GRADIENTS:
                    for p in range(players):
                        kernels.track(self.tiled, p, worth, learning, decay)
            for p in range(players):
                if not simultaneous:
                    self._gradient(p, learning, worth)
                self._learn(p, learning, worth, step)
                if tracking == VALUES and p == 0:
                    learning.value[0] = learning.value[0] * decay + worth[0]
                worth[self.tiled.sequence_begin[p]] = 0.0
                if not simultaneous:
                    self._average(p, learning, decay)
            if simultaneous:
                for p in range(players):
                    self._average(p, learning, decay)

    def _gradient(self, player: int, learning: Learning, worth: Floats) -> None:
        self._each(
            self._pieces,
            lambda view, low, high: kernels.gradient_blocks(view, player, low, high, learning.reach, worth),
        )
        self._each(
            self._rows[player],
            lambda view, low, high: kernels.gradient_rows(view, low, high, learning.reach, worth),
        )

    def _learn(self, player: int, learning: Learning, worth: Floats, step: Floats) -> None:
        tiled = self.tiled
        for bucket in reversed(range(int(tiled.bucket_begin[player]), int(tiled.bucket_begin[player + 1]))):

            def part(view: Tiled, low: int, high: int, bucket: int = bucket) -> None:
                kernels.learn(view, bucket, low, high, worth, learning, step)

            self._even(int(tiled.tile_begin[bucket]), int(tiled.tile_begin[bucket + 1]), part)

    def _average(self, player: int, learning: Learning, decay: float) -> None:
        tiled = self.tiled
        root = tiled.sequence_begin[player]
        learning.total[root] = learning.total[root] * decay + 1.0
        for bucket in range(int(tiled.bucket_begin[player]), int(tiled.bucket_begin[player + 1])):

            def part(view: Tiled, low: int, high: int, bucket: int = bucket) -> None:
                kernels.average(view, bucket, low, high, learning, decay)

            self._even(int(tiled.tile_begin[bucket]), int(tiled.tile_begin[bucket + 1]), part)

    def _even(self, low: int, high: int, part: Callable[[Tiled, int, int], None]) -> None:
        if high - low < FEWEST * self.threads:
            part(self._views[0], low, high)  # too little to share
            return
        self._each(np.linspace(low, high, self.threads + 1).astype(np.int64), part)

    def _each(self, edges: Longs, part: Callable[[Tiled, int, int], None]) -> None:
        ranges = [(int(low), int(high)) for low, high in pairwise(edges)]
        jobs = list(zip(self._views, ranges, strict=True))
        others = [self._pool.submit(part, view, *span) for view, span in jobs[1:]]
        part(jobs[0][0], *jobs[0][1])
        for other in others:
            other.result()


def _shares(tiled: Tiled, player: int, threads: int) -> Longs:
    """Cut a player's rows into parts with equally many entries."""
    low, high = int(tiled.row_begin[player]), int(tiled.row_begin[player + 1])
    ends = tiled.entry_begin[low : high + 1]
    edges: Longs = low + np.searchsorted(ends, np.linspace(ends[0], ends[-1], threads + 1))
    edges[0], edges[-1] = low, high
    return edges


def _cells(tiled: Tiled) -> Longs:
    """Return the work of each piece of blocks."""
    cells: Longs = tiled.piece[:, 0] * tiled.piece[:, 1] * tiled.piece[:, 2]
    return cells
