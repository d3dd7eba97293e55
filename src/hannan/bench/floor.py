"""The floor: the bytes that an iteration must move, over the bandwidth that this machine has for as many.

An iteration of CFR in a two-player zero-sum game, both players updated and the average kept, cannot do without

- the payoffs, once for the gradient of each player, each with the two numbers that say where its block lies. Where
  payoffs are dense blocks they are stored once and read twice, zeros in the blocks included, because they are stored;
  entries outside of blocks are stored for each player, and read once from there;
- regrets, strategies, reaches and the sum for the average: each read and written once, 16 bytes a sequence;
- the gradient: written, and read, 16 bytes a sequence;
- the parent of every information set, on the way up and on the way down.

Anything read once more (a reach while gradients are computed, a regret that has left the cache) is not counted: it is
what the ratio is about. The bandwidth is that of a[i] ← a[i]/2 + b[i] on one thread, two reads and one write of eight
bytes each, over two arrays that together are as large as all that the iteration touches: a game that stays in a cache
is compared with that cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.bench.stopwatch import Task
from hannan.forms.game import ExpandedGame
from hannan.kernels import kernel
from hannan.kernels.fullwidth.records import Flat, Tiled
from hannan.layouts.layout import layout_of

LEARNT = 5
"""Arrays over sequences: regret, strategy, reach, sum, gradient."""


@dataclass(frozen=True)
class Traffic:
    """What an iteration moves, and the size of all that it touches, in bytes."""

    moved: int
    held: int


def traffic(game: ExpandedGame) -> Traffic:
    """Count the bytes of an iteration on a game, as it is laid out for full-width methods."""
    sequences = sum(plex.sequences for plex in game.form.treeplexes)
    layout = layout_of(game.form)
    learnt = LEARNT * 8 * sequences
    return Traffic(_read(layout.arrays) + 2 * learnt, layout.bytes + learnt)


def _read(arrays: Flat | Tiled) -> int:
    once: tuple[Any, ...]
    twice: tuple[Any, ...]
    if isinstance(arrays, Flat):
        once = (arrays.row_begin, arrays.other, arrays.payoff)
        twice = (arrays.first, arrays.size, arrays.parent)
    else:
        once = (arrays.row, arrays.entry_begin, arrays.other, arrays.payoff)
        twice = (arrays.rows, arrays.columns, arrays.block[0], arrays.parent, *arrays.factored)
    return sum(array.nbytes for array in once) + 2 * sum(array.nbytes for array in twice)


class Bandwidth:
    """A sweep over as many bytes as an iteration touches; one go moves `moved` bytes."""

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
