"""A sequence form without sets of one action, for methods that match regrets.

At such a set nothing is chosen: its only sequence has the reach and the average of the sequence before it, so the two
share a place, a row of payoffs and the sets that follow. In liar's dice, half of all sets are of this kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hannan.arrays import Ints, Longs, offsets
from hannan.forms.sequence import SequenceForm
from hannan.forms.treeplex import Treeplex
from hannan.kernels.expansion import entries as entry_kernels


@dataclass(frozen=True)
class Contraction:
    """The smaller form, and where the sequences of the larger one are in it; players lie end to end."""

    form: SequenceForm
    sequence: Longs  # [sequences]  in the order of `Flat` of the smaller form
    forced: Longs  # sequences that are the only action of their set


def contract(form: SequenceForm) -> Contraction:
    """Return the form without sets of one action; if there are none, the form itself."""
    count = [plex.sequences for plex in form.treeplexes]
    if not any(np.any(plex.sizes == 1) for plex in form.treeplexes):
        return Contraction(form, np.arange(sum(count)), np.zeros(0, np.int64))
    plexes, maps = zip(*map(_contract, form.treeplexes), strict=True)
    begin, smaller = offsets(count), offsets([plex.sequences for plex in plexes])
    mine = maps[0][form.sequence(0)]
    order = entry_kernels.stable_order(mine, plexes[0].sequences, np.arange(form.entries, dtype=np.int32))
    first = offsets(np.bincount(mine, minlength=plexes[0].sequences)).astype(np.int32)
    others = [maps[p][form.sequence(p)][order] for p in range(1, form.players)]
    contracted = SequenceForm(
        plexes,
        first,
        np.stack(others) if others else form.others,
        np.stack([row[order] for row in form.numbers]),
        form.total,
    )
    forced = [plex.begin[:-1][plex.sizes == 1] + begin[p] for p, plex in enumerate(form.treeplexes)]
    sequence = np.concatenate([maps[p] + smaller[p] for p in range(form.players)])
    return Contraction(contracted, sequence, np.concatenate(forced))


def _contract(plex: Treeplex) -> tuple[Treeplex, Ints]:
    """Return the smaller treeplex, and the place of each sequence in it."""
    kept = plex.sizes > 1
    same = np.arange(plex.sequences)  # the sequence that stands for each one
    depth = np.zeros(plex.sequences, np.int64)  # choices up to a sequence
    for low, high in pairwise(plex.level_begin.tolist()):
        owner = np.repeat(np.arange(low, high), plex.sizes[low:high])
        mine = np.arange(plex.begin[low], plex.begin[high])
        above = plex.parent[owner]
        depth[mine] = depth[above] + kept[owner]
        same[mine] = np.where(kept[owner], mine, same[above])
    sets = np.flatnonzero(kept)
    level = depth[plex.parent[sets]]
    name = np.zeros(plex.sequences, np.int32)  # of a sequence in the smaller treeplex
    begin, parent, level_begin, used = [np.ones(1, np.int64)], list[Ints](), [0], 1
    for now in range(int(level.max(initial=-1)) + 1):
        mine = sets[level == now]
        above = name[same[plex.parent[mine]]]
        order = np.argsort(above, kind="stable")
        mine = mine[order]
        ends = used + np.cumsum(plex.sizes[mine])
        starts = ends - plex.sizes[mine]
        within = np.arange(ends[-1] - used) - np.repeat(starts - used, plex.sizes[mine])
        name[np.repeat(plex.begin[mine], plex.sizes[mine]) + within] = np.arange(used, ends[-1])
        begin.append(ends)
        parent.append(above[order])
        level_begin.append(level_begin[-1] + len(mine))
        used = int(ends[-1])
    parents = np.concatenate([np.zeros(0, np.int32), *parent])
    nothing = np.zeros(0, np.int64)
    smaller = Treeplex(
        begin=np.concatenate(begin).astype(np.int32),
        parent=parents,
        child_begin=offsets(np.bincount(parents, minlength=used)).astype(np.int32),
        level_begin=np.array(level_begin, np.int32),
        action=np.zeros(used, np.int8),
        observation=nothing,
        node=nothing,
    )
    return smaller, name[same]
