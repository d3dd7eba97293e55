"""Check that a saved search tree fits the rules, by playing all of it again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hannan.errors import MismatchError
from hannan.kernels.statuses import TOO_WIDE
from hannan.rules.plain import MOST_MOVES
from hannan.rules.source import Source, drive
from hannan.treesearch.growth import Growth


def check_moves(source: Source, growth: Growth, widen: Callable[[], None]) -> None:
    """Play all of a tree again; refuse it if its nodes have other movers or numbers of moves than the rules."""
    from hannan.kernels.mcts.replay import checker

    kernel, book = checker(), source.book
    states = np.zeros((MOST_MOVES + 2, source.state_size), np.int64)
    path, now = np.zeros((MOST_MOVES + 2, 2), np.int64), growth.walk.now.copy()
    drive(
        source,
        lambda: kernel(*book, growth.tree, growth.walk, states, path),
        lambda status: MismatchError("the game has other moves than when this search was saved"),
        {TOO_WIDE: widen},
        growth.written,
    )
    growth.walk.now[:] = now
