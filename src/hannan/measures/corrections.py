"""The range of corrected scores. A correction for luck can carry a score out of the range of payoffs.

A bound on a mean needs the range of one observation. If all histories have a value, each possible end of play has its
corrected score, and the range is taken over these ends. Otherwise the range of payoffs is widened by the largest
possible correction.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hannan.arrays import Floats
from hannan.forms.tree import TERMINAL, GameTree
from hannan.kernels.worth import widest
from hannan.measures.imagined import corrected, tables
from hannan.measures.plays import PlayTable, Worth
from hannan.rules.bounds import TOLERANCE


def corrected_ranges(table: PlayTable, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the least and the most that a corrected score can be in each seating, two arrays [plays per row, seats].

    low, high: the least and the most that each seat can earn, [seats].
    """
    least, most = (np.tile(ends, (len(table.seatings), 1)) for ends in (low, high))
    if table.worth is None:
        return least, most
    for k in range(len(table.seatings)):
        if table.worth.whole:
            least[k], most[k] = _seated(table, k, table.worth)
        else:
            more = most_correction(table.worth)
            least[k], most[k] = low - more, high + more
    slack = TOLERANCE * np.maximum(1.0, np.maximum(np.abs(least), np.abs(most)))
    return least - slack, most + slack


def _seated(table: PlayTable, seating: int, worth: Worth) -> tuple[Floats, Floats]:
    """Return the range over all ends of play that are possible in a seating.

    Corrections for chance and tables are known at each end. Other players may state their probabilities as they play.
    Then their choices are corrected for as well: each by at most the difference in worth between its children.
    """
    tree = table.game.expanded().tree
    known = tables([table.players[one] for one in table.seatings[seating].tolist()])
    total, reach, _ = corrected(tree, known, worth)
    ends = (tree.turn == TERMINAL) & (reach > 0)
    told = _told(tree, sum(1 << seat for seat in range(tree.players) if seat not in known), worth)[ends]
    if table.imagined[seating] is not None:  # a score is a mean of several ends, whose corrections are not separate
        told = np.broadcast_to(told.max(axis=0), told.shape)
    scores = total[ends]
    return (scores - told).min(axis=0), (scores + told).max(axis=0)


def _told(tree: GameTree, movers: int, worth: Worth) -> Floats:
    """Return the largest sum of corrections before each history, for choices of the players in the bit mask."""
    above = np.maximum(tree.parent, 0)
    lowest, highest = (np.full(worth.value.shape, end) for end in (np.inf, -np.inf))
    np.minimum.at(lowest, above[1:], worth.value[1:])
    np.maximum.at(highest, above[1:], worth.value[1:])
    turn = np.maximum(tree.turn[above].astype(np.int64), 0)
    most = np.where(((turn & movers) > 0)[:, None], (highest - lowest)[above], 0.0)
    most[0] = 0.0
    for low, high in list(pairwise(tree.depth_begin.tolist()))[1:]:
        most[low:high] += most[above[low:high]]
    return most


def most_correction(worth: Worth) -> Floats:
    """Return the most that corrections can add to, or take from, the earnings of each seat, [players]."""
    most = np.zeros(worth.value.shape)
    widest(worth.child, worth.many, worth.value, most)
    return most[0].copy()
