"""The floor: the bytes that an iteration must move, divided by this machine's bandwidth for that many bytes.

An iteration of CFR in a two-player zero-sum game that updates both players and keeps the average must move

- the payoffs, once for the gradient of each player, each with the two numbers that say where its block lies. If
  payoffs are panels or rows, each player has a copy; other blocks are stored once and read twice. Zeros in blocks are
  included, because they are stored;
- regrets, strategies and the sum for the average: each read and written once; of sets with one action, a strategy is
  read and a sum read and written;
- reach and gradient of sequences that earn something or lead to a set: each written and read;
- the parent of every information set, on the way up and on the way down.

Sets at which nothing is at stake are not visited. Anything read once more (a reach while gradients are computed, a
regret that has left the cache) is not counted: the ratio measures this. The bandwidth is that of
a[i] ← a[i]/2 + b[i] on one thread, two reads and one write of eight bytes each, over two arrays that together are as
large as all that the iteration touches: a game that stays in a cache is compared with that cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.bench.stopwatch import Task
from hannan.forms.game import ExpandedGame
from hannan.kernels import kernel
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.records import Flat, Tiled
from hannan.kernels.vectors import LANES
from hannan.layouts.layout import layout_of

LEARNT = 5
"""Arrays over sequences: regret, strategy, reach, sum, gradient."""


@dataclass(frozen=True)
class Traffic:
    """The bytes that an iteration moves, and the bytes of all that it touches."""

    moved: int
    held: int


def traffic(game: ExpandedGame) -> Traffic:
    """Count the bytes of an iteration on a game, as it is laid out for full-width methods."""
    layout = layout_of(game.form)
    held = LEARNT * 8 * layout.places
    if isinstance(layout.arrays, Flat):
        return Traffic(_read(layout.arrays) + 2 * held, layout.bytes + held)
    return Traffic(_read(layout.arrays) + _learnt(layout.arrays), layout.bytes + held)


def _learnt(arrays: Tiled) -> int:
    """Count the bytes of the state that the tiles of an iteration move."""
    moved = 0
    for begin, end, _ in arrays.chunk.tolist():
        for _, groups, actions, _, use in arrays.tile[begin:end].tolist():
            earning = int(np.count_nonzero(arrays.use[use : use + actions] & rec.EARNS))
            each = 6 * actions if actions > 1 else 3
            moved += 8 * groups * LANES * (each + 4 * earning)
    return moved


def _read(arrays: Flat | Tiled) -> int:
    once: tuple[Any, ...]
    twice: tuple[Any, ...]
    if isinstance(arrays, Flat):
        once = (arrays.row_begin, arrays.other, arrays.payoff)
        twice = (arrays.first, arrays.size, arrays.parent)
    else:
        once = (arrays.row, arrays.entry_begin, arrays.other, arrays.payoff)
        twice = (arrays.rows, arrays.columns, arrays.parent, *arrays.factored)
        if np.all(arrays.piece[:, rec.P_TURNED] >= 0):
            once = (*once, arrays.block[0])
        else:
            twice = (*twice, arrays.block[0])
    return sum(array.nbytes for array in once) + 2 * sum(array.nbytes for array in twice)


class Bandwidth:
    """A sweep over as many bytes as an iteration touches; one sweep moves `moved` bytes."""

    def __init__(self, held: int) -> None:
        self._a, self._b = np.zeros(max(held // 16, 64)), np.ones(max(held // 16, 64))
        self.moved = 24 * len(self._a)

    @property
    def task(self) -> Task:
        """The sweep, to be timed."""
        return lambda count: _sweep(self._a, self._b, count)


@kernel
def _sweep(a: Floats, b: Floats, times: int) -> None:
    for _ in range(times):
        for i in range(a.size):
            a[i] = 0.5 * a[i] + b[i]
