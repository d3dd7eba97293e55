"""From a sequence form to the flat arrays that plain loops read: the order in which all others know sequences."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Ints, Longs, offsets
from hannan.forms.sequence import SLICE, SequenceForm
from hannan.kernels.expansion import entries as entry_kernels
from hannan.kernels.fullwidth.records import Flat
from hannan.layouts.kept import kept
from hannan.memory import lean


def flat_of(form: SequenceForm) -> Flat:
    """Return the flat arrays of a form; they are made once, and kept as long as the form lives."""
    return kept(form, "flat", flatten)


def flatten(form: SequenceForm) -> Flat:
    """Lay the players end to end, and the payoffs once for each player, sorted by that player's sequence."""
    players = form.players
    plexes = form.treeplexes
    sequence_begin, set_begin = offsets([p.sequences for p in plexes]), offsets([p.sets for p in plexes])
    row_begin = np.zeros(sequence_begin[-1] + 1, np.int64)
    other = np.empty((players - 1, players * form.entries), np.int32)
    payoff = np.empty(players * form.entries)
    sequences = [form.sequence(p) for p in range(players)]
    with lean(form.large):
        for p in range(players):
            order, many = _sorted_by(form, p, sequences[p])
            row_begin[sequence_begin[p] + 1 : sequence_begin[p + 1] + 1] = p * form.entries + np.cumsum(many)
            numbers, sign = form.numbers[min(p, form.rows - 1)], 1.0 if p < form.rows else -1.0
            for low in range(0, form.entries, SLICE):
                some = order[low : low + SLICE]
                place = slice(p * form.entries + low, p * form.entries + low + len(some))
                payoff[place] = sign * numbers[some]
                for row, q in enumerate(q for q in range(players) if q != p):
                    other[row, place] = sequences[q][some] + sequence_begin[q]
    return Flat(
        sequence_begin=sequence_begin,
        set_begin=set_begin,
        first=np.concatenate([plex.begin[:-1] + sequence_begin[p] for p, plex in enumerate(plexes)]).astype(np.int32),
        size=np.concatenate([plex.sizes for plex in plexes]).astype(np.int32),
        parent=np.concatenate([plex.parent + sequence_begin[p] for p, plex in enumerate(plexes)]).astype(np.int32),
        row_begin=row_begin,
        other=other,
        payoff=payoff,
    )


def _sorted_by(form: SequenceForm, player: int, sequence: Ints) -> tuple[Ints, Longs]:
    """Return the order of entries by a player's sequence, and how many entries each sequence has."""
    order = np.arange(form.entries, dtype=np.int32)
    if player == 0:
        return order, np.diff(form.first).astype(np.int64)  # they are in this order
    kinds = form.treeplexes[player].sequences
    return entry_kernels.stable_order(sequence, kinds, order), np.bincount(sequence, minlength=kinds)
