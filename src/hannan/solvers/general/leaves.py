"""Pairs of faces that hold all equilibria of a two-player game: the driver of `hannan.kernels.bimatrix.search`.

The proof that no equilibrium is missing: every equilibrium has a leaf, and the search leaves a node in two cases only.
Either one of its two faces is empty, by an inequality with a rigorous bound on rounding. Or the first child of a label
above contains all of it, which is decided here in whole numbers. If neither is decided, the search continues below the
node.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from hannan.arrays import Longs
from hannan.errors import SizeError
from hannan.interrupts import go_on
from hannan.kernels.bimatrix import search
from hannan.kernels.bimatrix.dictionary import Sides, begin
from hannan.memory import readable
from hannan.solvers.general.bimatrix import Bimatrix, scaled
from hannan.solvers.general.elimination import kernel_of

MOST_BYTES = 1 << 31
"""The most bytes that the dictionaries of the search may take."""

WORK = 4_000_000
"""Entries of dictionaries that change between two readings of the clock: a few milliseconds."""

Face = tuple[tuple[int, ...], tuple[int, ...]]
"""The strategies that a face may use, and the answers that are best on it."""


class Leaves:
    """All leaves of the search over a game, found one after another."""

    def __init__(self, game: Bimatrix) -> None:
        self.game = game
        self.whole = game.positive
        self.sides, self.state = self._prepared()
        self._row = cache(self._exact_row)

    @property
    def nodes(self) -> int:
        """The number of nodes searched."""
        return int(self.state.now[search.NODES])

    def __iter__(self) -> Iterator[tuple[Face, Face]]:
        size = self.sides.matrix.shape[1]
        budget = max(1, WORK // size**2)
        while (status := search.advance(self.sides, self.state, budget)) != search.OVER:
            go_on()
            if status == search.ASK:
                zero = self._zero_throughout()
                self.state.now[search.ANSWER] = search.ZERO if zero else search.POSITIVE
            elif status == search.LEAF:
                one, other = self._face(0), self._face(1)
                if one[0] and other[0]:  # leave out the vertices zero, which are not strategies
                    yield one, other

    def _face(self, side: int) -> Face:
        """Return a face of the leaf."""
        fixed, (rows, _) = self.state.fixed, self.game.shape
        free = np.flatnonzero(~fixed[side, :rows] if side == 0 else ~fixed[side, rows:])
        tight = np.flatnonzero(fixed[side, rows:] if side == 0 else fixed[side, :rows])
        return tuple(free.tolist()), tuple(tight.tolist())

    def _prepared(self) -> tuple[Sides, search.State]:
        (rows, columns), labels = self.game.shape, sum(self.game.shape)
        size, levels = max(rows, columns), labels + 2
        needed = 8 * levels * (rows * (columns + 1) + columns * (rows + 1) + 2 * labels)
        if needed > MOST_BYTES:
            raise SizeError(
                f"searching all equilibria of {rows:,} by {columns:,} strategies needs {readable(needed)}, and "
                f"{readable(MOST_BYTES)} is the limit; the method lemke-howson finds one equilibrium of larger games"
            )
        matrix, most = np.zeros((2, size, size)), np.zeros((2, size))
        for side, whole in enumerate(self.whole):
            floats = scaled(whole)
            matrix[side, : floats.shape[0], : floats.shape[1]] = floats
            most[side, : floats.shape[1]] = (1 / floats.max(axis=0)) * (1 + 2.0**-50)  # rounded up
        shape = np.array([[columns, rows, rows, 0], [rows, columns, 0, rows]])
        sides = Sides(
            matrix, most, shape, np.zeros((levels, columns, rows + 1)), np.zeros((levels, rows, columns + 1)),
            _longs(2, levels, size), _longs(2, levels, size + 1), _longs(2, levels, 2), _longs(2, levels, labels),
            np.zeros(size),
        )  # fmt: skip
        for side in range(2):
            begin(sides, side)
        state = search.State(
            np.zeros((2, labels), bool), np.zeros(labels, bool), _longs(labels + 1), _longs(labels + 1),
            _longs(2, labels + 1), _longs(8),
        )  # fmt: skip
        state.now[search.ENTERED] = 1
        return sides, state

    def _zero_throughout(self) -> bool:
        """Return whether the slack in question is proven to be zero on all of its face."""
        now, sides = self.state.now, self.sides
        side, label = int(now[search.SIDE]), int(now[search.LABEL])
        answers = len(self.whole[side])
        basic = tuple(sorted(sides.basic[side, -1, :answers].tolist()))
        negative = self._row(side, basic, label)
        return negative is not None and all(self.state.fixed[side, one] for one in negative)

    def _exact_row(self, side: int, basic: tuple[int, ...], label: int) -> tuple[int, ...] | None:
        """Write a basic slack as minus a combination of nonbasic variables; return those with a negative coefficient.

        None: there is a constant, or no such combination.
        """
        whole, rows = self.whole[side], self.game.shape[0]
        slack, structural = (rows, 0) if side == 0 else (0, rows)
        answers, strategies = whole.shape
        used = [c for c in range(strategies) if structural + c in basic]
        tight = [label - slack, *(e for e in range(answers) if slack + e not in basic)]
        dimension, weights = kernel_of([[whole[e, c] for e in tight] for c in used], len(tight))
        if dimension != 1 or weights[0] == 0 or sum(weights) != 0:
            return None
        if weights[0] < 0:
            weights = [-weight for weight in weights]
        negative = [slack + e for e, weight in zip(tight, weights, strict=True) if weight < 0]
        for c in set(range(strategies)).difference(used):
            if sum(weight * whole[e, c] for e, weight in zip(tight, weights, strict=True)) < 0:
                negative.append(structural + c)
        return tuple(negative)


def _longs(*shape: int) -> Longs:
    return np.zeros(shape, np.int64)
