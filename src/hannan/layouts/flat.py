"""From a sequence form to the flat arrays that plain loops read: the order in which all others know sequences."""

from __future__ import annotations

import numpy as np

from hannan.forms.sequence import SLICE, SequenceForm
from hannan.kernels.expansion import entries as entry_kernels
from hannan.kernels.fullwidth.records import Flat
from hannan.layouts.kept import kept


def flat_of(form: SequenceForm) -> Flat:
    """Return the flat arrays of a form; they are made once, and kept as long as the form lives."""
    return kept(form, "flat", flatten)


def flatten(form: SequenceForm) -> Flat:
    """Lay the players end to end, and the payoffs once for each player, sorted by that player's sequence."""
    players = form.players
    plexes = form.treeplexes
    sequence_begin = np.concatenate(([0], np.cumsum([plex.sequences for plex in plexes]))).astype(np.int64)
    set_begin = np.concatenate(([0], np.cumsum([plex.sets for plex in plexes]))).astype(np.int64)
    row_begin = np.zeros(sequence_begin[-1] + 1, np.int64)
    other = np.empty((players - 1, players * form.entries), np.int32)
    payoff = np.empty(players * form.entries)
    order = np.arange(form.entries, dtype=np.int32)
    sequences = [form.sequence(p) for p in range(players)]
    for p in range(players):
        mine = entry_kernels.stable_order(sequences[p], plexes[p].sequences, order) if p > 0 else order
        many = np.bincount(sequences[p], minlength=plexes[p].sequences)
        row_begin[sequence_begin[p] + 1 : sequence_begin[p + 1] + 1] = p * form.entries + np.cumsum(many)
        opponents = [q for q in range(players) if q != p]
        numbers, sign = form.numbers[min(p, form.rows - 1)], 1.0 if p < form.rows else -1.0
        for low in range(0, form.entries, SLICE):
            some = mine[low : low + SLICE]
            place = slice(p * form.entries + low, p * form.entries + low + len(some))
            payoff[place] = sign * numbers[some]
            for row, q in enumerate(opponents):
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
