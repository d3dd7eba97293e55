"""Tiles on several threads: each takes a range of chunks, blocks or rows, and they meet after every level.

The kernels release Python's lock, and ranges write to separate places, so the bits do not depend on the number of
threads. Waking a thread takes about as long as 20,000 numbers of an iteration, so small games stay on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from hannan.arrays import Floats, Longs, offsets
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth import tiled as kernels
from hannan.kernels.fullwidth.factors import F_ROW_AT, gradient_factors
from hannan.kernels.fullwidth.records import Tiled
from hannan.layouts.backend import Setup, Step, Tiles, Verbs
from hannan.layouts.layout import Layout, tiled_of

WORTHWHILE = 3_000_000
"""The least number of visited numbers per iteration for which several threads are faster than one."""

Part = Callable[..., None]
"""Work on a range of chunks, blocks or rows: a function of arrays, whose scratch is the thread's own, and the range."""


def visited(layout: Layout[Tiled]) -> int:
    """Return the count of numbers that an iteration visits: places of the state, and payoffs for each player."""
    arrays = layout.arrays
    blocks = arrays.block.shape[1] * (1 if np.all(arrays.piece[:, rec.P_TURNED] >= 0) else 2)
    return layout.places + blocks + arrays.other.size


def spread_over(setup: Setup) -> Tiles:
    """Return a back end on the threads of the setup if they are faster than one, else on one."""
    wanted = setup.threads > 1 and visited(tiled_of(setup.form, setup.payoffs)) >= WORTHWHILE
    return Threaded(setup) if wanted else Tiles(setup)


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
        """Run an iteration and undo it. The loop over iterations is in Python: running none would compile nothing."""
        kept = {name: array.copy() for name, array in self._state.items()}
        self.run(Step().rows(1))
        for name, array in kept.items():
            self._state[name][:] = array

    def gradient(self, player: int) -> None:
        reach, worth = self._learning.reach, self._worth

        def blocks(view: Tiled, low: int, high: int) -> None:
            kernels.gradient_pieces(view, player, low, high, reach, worth)

        def factors(view: Tiled, low: int, high: int) -> None:
            gradient_factors(view.factored, player, low, high, reach, worth, view.scratch)

        def rows(view: Tiled, low: int, high: int) -> None:
            kernels.gradient_entries(view, low, high, reach, worth)

        self._each(self._pieces, blocks)
        self._each(self._factors, factors)
        self._each(self._rows[player], rows)

    def learn(self, player: int, step: Floats) -> None:
        held = (self.until, self._learning, self._plans, step)

        def part(view: Tiled, low: int, high: int) -> None:
            kernels.learn_chunks(view, low, high, *held, self._worth)

        for level in reversed(self._levels(player)):
            self._share(level, part)
        kernels.settle(self.arrays, player, *held[1:], self.setup.tracking, self._worth)

    def average(self, player: int, decay: float) -> None:
        until, learning = self.until, self._learning

        def part(view: Tiled, low: int, high: int) -> None:
            kernels.spread_chunks(view, low, high, until, learning)

        kernels.count(self.arrays, player, learning, decay)
        for level in self._levels(player):
            self._share(level, part)

    def _levels(self, player: int) -> range:
        return range(*self.arrays.level_begin[player : player + 2].tolist())

    def _share(self, level: int, part: Part) -> None:
        """Cut the chunks of a level into parts of about equal size; there may be fewer parts than threads."""
        low, high = self.arrays.chunk_begin[level : level + 2].tolist()
        self._each(np.linspace(low, high, self.setup.threads + 1).astype(np.int64), part)

    def _each(self, edges: Longs, part: Part) -> None:
        """Do the parts between edges on threads, the last part on this thread."""
        spans = [(int(low), int(high)) for low, high in pairwise(edges) if low < high]
        others = [self._pool.submit(part, view, *span) for view, span in zip(self._views[1:], spans[:-1], strict=False)]
        if spans:
            part(self._views[0], *spans[-1])
        for other in others:
            other.result()


def _shares(tiled: Tiled, player: int, threads: int) -> Longs:
    """Cut a player's rows into parts with about equally many entries."""
    low, high = int(tiled.row_begin[player]), int(tiled.row_begin[player + 1])
    ends = tiled.entry_begin[low : high + 1]
    edges: Longs = low + np.searchsorted(ends, np.linspace(ends[0], ends[-1], threads + 1))
    edges[0], edges[-1] = low, high
    return edges
