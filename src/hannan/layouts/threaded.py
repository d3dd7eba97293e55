"""Tiles on several threads: each takes a range of tiles, blocks or rows, and they meet after every bucket.

The kernels let go of Python's lock, and ranges write to places of their own: the bits do not depend on the number of
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from hannan.arrays import Floats, Longs, offsets
from hannan.kernels.fullwidth import tiled as kernels
from hannan.kernels.fullwidth import tiled_passes
from hannan.kernels.fullwidth.factors import F_ROW_AT, gradient_factors
from hannan.kernels.fullwidth.records import Tiled
from hannan.layouts.backend import Setup, Step, Tiles, Verbs

FEWEST = 4
"""The fewest tiles or rows a thread that are worth waking it for."""

Part = Callable[..., None]
"""Work on a range of tiles, blocks or rows: takes arrays whose scratch is the thread's own, and the range; before the
range, of tiles, their bucket."""


class Threaded(Tiles):
    """The verbs of `Tiles`, each shared among a few threads; the loop over iterations is in Python."""

    run = Verbs.run

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        tiled, threads = self.arrays, setup.threads
        self._pool = ThreadPoolExecutor(threads - 1, thread_name_prefix="hannan")
        self._views = [tiled._replace(scratch=np.zeros_like(tiled.scratch)) for _ in range(threads)]
        cells = offsets(tiled.piece[:, :3].prod(axis=1))
        self._pieces = np.searchsorted(cells, np.linspace(0, cells[-1], threads + 1))
        self._rows = [_shares(tiled, player, threads) for player in range(setup.form.players)]
        ends = tiled.factored.block[:, F_ROW_AT:].sum(axis=1)
        self._factors = np.searchsorted(ends, np.linspace(0, ends[-1], threads + 1))

    def prepare(self) -> None:
        """Run an iteration and forget it: no kernel here holds a loop over none."""
        kept = {name: array.copy() for name, array in self._state.items()}
        self.run(Step().rows(1))
        for name, array in kept.items():
            self._state[name][:] = array

    def gradient(self, player: int) -> None:
        reach, worth = self._learning.reach, self._worth

        def blocks(view: Tiled, low: int, high: int) -> None:
            tiled_passes.gradient_blocks(view, player, low, high, reach, worth)

        def factors(view: Tiled, low: int, high: int) -> None:
            gradient_factors(view.factored, player, low, high, reach, worth, view.scratch)

        def rows(view: Tiled, low: int, high: int) -> None:
            tiled_passes.gradient_rows(view, low, high, reach, worth)

        self._each(self._pieces, blocks)
        self._each(self._factors, factors)
        self._each(self._rows[player], rows)

    def learn(self, player: int, step: Floats) -> None:
        held = (self._learning, self._plans, step)

        def part(view: Tiled, bucket: int, low: int, high: int) -> None:
            kernels.learn_tiles(view, bucket, low, high, *held, self._worth)

        for bucket in reversed(self._buckets(player)):
            self._share(bucket, part)
        kernels.settle(self.arrays, player, *held, self.setup.tracking, self._worth)

    def average(self, player: int, decay: float) -> None:
        learning = self._learning

        def part(view: Tiled, bucket: int, low: int, high: int) -> None:
            tiled_passes.average_tiles(view, bucket, low, high, learning, decay)

        kernels.count(self.arrays, player, learning, decay)
        for bucket in self._buckets(player):
            self._share(bucket, part)

    def _buckets(self, player: int) -> range:
        return range(*self.arrays.bucket_begin[player : player + 2].tolist())

    def _share(self, bucket: int, part: Part) -> None:
        """Cut the tiles of a bucket into equal parts."""
        low, high = self.arrays.tile_begin[bucket : bucket + 2].tolist()
        if high - low < FEWEST * self.setup.threads:
            part(self._views[0], bucket, low, high)  # too little to share
            return
        edges = np.linspace(low, high, self.setup.threads + 1).astype(np.int64)
        self._each(edges, lambda view, *span: part(view, bucket, *span))

    def _each(self, edges: Longs, part: Part) -> None:
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
