"""Between which numbers corrected scores lie: luck that is taken out of a score may be more than the score can be.

A bound on a mean needs the range of one observation. Where all histories have a value, every end of play that can come
has its corrected score, and the range is that of these. Elsewhere the range of payoffs is widened by the most that
corrections can come to.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.forms.tree import TERMINAL
from hannan.kernels.worth import widest
from hannan.measures.imagining import corrected
from hannan.measures.players import TablePlayer
from hannan.measures.playing import Table, Worth
from hannan.rules.bounds import TOLERANCE


def corrected_ranges(table: Table, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the least and the most that a corrected score can be in each seating, [plays a row, seats] each.

    low, high: the least and the most that each seat can earn, [seats].
    """
    least, most = (np.tile(ends, (len(table.seatings), 1)) for ends in (low, high))
    worth = table.worth
    if worth is None:
        return least, most
    more = most_correction(worth)
    for k, seating in enumerate(table.seatings.tolist()):
        seated = [table.players[one] for one in seating]
        if worth.whole:
            strategies = {
                seat: one.policy.profile().strategies[seat]
                for seat, one in enumerate(seated)
                if isinstance(one, TablePlayer)
            }
            tree = table.game.expanded().tree
            total, reach, _ = corrected(tree, strategies, worth)
            scores = total[(tree.turn == TERMINAL) & (reach > 0)]
            least[k], most[k] = scores.min(axis=0), scores.max(axis=0)
        if not worth.whole or not all(isinstance(one, TablePlayer) for one in seated):
            least[k], most[k] = least[k] - more, most[k] + more  # players may tell their probabilities as they play
    slack = TOLERANCE * np.maximum(1.0, np.maximum(np.abs(least), np.abs(most)))
    return least - slack, most + slack


def most_correction(worth: Worth) -> Floats:
    """Return how much corrections can add to, or take from, what each seat earns, [players]."""
    most = np.zeros(worth.value.shape)
    widest(worth.child, worth.many, worth.value, most)
    return most[0].copy()
