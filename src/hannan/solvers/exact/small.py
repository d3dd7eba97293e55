"""The sequence-form linear program of a small game, without HiGHS: its model alone takes longer than these pivots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hannan.arrays import Floats
from hannan.forms.treeplex import Treeplex

MOST = 10_000
"""The most cells of the tableau of a small game."""

ROOM = 10
"""The numbers to work with are at most this many times as many."""


def shape(plexes: Sequence[Treeplex]) -> tuple[int, int]:
    """Return the rows and columns of the tableau of a two-player game, without the objective and the right sides."""
    first, second = plexes
    rows, columns = first.sets + second.sequences - 1 - second.sets, first.sequences - 1 - first.sets + second.sets
    return rows, columns


def is_small(plexes: Sequence[Treeplex]) -> bool:
    """Return whether a two-player game is solved here faster than by HiGHS."""
    rows, columns = shape(plexes)
    first, second = plexes
    room = max(first.sequences, second.sequences) * (columns + 1)
    return max(rows * columns, first.sequences * second.sequences, room // ROOM) <= MOST


def small_plans(payoffs: Floats, plexes: Sequence[Treeplex]) -> tuple[Floats, Floats, float]:
    """Return weights of the sequences of both players in optimal plans, and the value of the game to player 0.

    payoffs: to player 0, [its sequences, those of player 1]; the largest is near 1. Nothing is proven: the caller
    measures the plans.
    """
    from hannan.kernels.plans import Decisions, PlanTableau, optimal

    rows, columns = shape(plexes)
    x, y = (np.zeros(plex.sequences) for plex in plexes)
    room = PlanTableau(
        np.zeros((len(x), columns + 1)),
        np.zeros((len(y), columns + 1)),
        np.zeros((rows + 1, columns + 1)),
        np.zeros((2, max(rows, columns)), np.int64),
    )
    first, second = (Decisions(plex.begin, plex.parent) for plex in plexes)
    return x, y, float(optimal(payoffs, first, second, room, x, y))
