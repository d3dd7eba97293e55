"""Compile rules directly into the sequence form, without keeping any history.

A first walk meets every information set and counts histories; it gives the numbers of sets and sequences. It also
notes the gains. If these are few, no other walk is needed; else a second walk gathers them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hannan.arrays import Longs
from hannan.forms.payoff_runs import Gathering
from hannan.forms.sequence import SequenceForm
from hannan.forms.sizes import Sizes
from hannan.forms.survey import Walk
from hannan.forms.tree import Labels
from hannan.forms.treeplex import Treeplex, number, ranges
from hannan.forms.walks import Progress, Watch, walk
from hannan.memory import lean, require
from hannan.rules.plain import Rules

NOTED = 1 << 20
"""The most gains that a first walk notes; if there are more, a second walk follows."""


@dataclass(frozen=True)
class Folded:
    """A game that was folded into its sequence form."""

    form: SequenceForm
    sizes: Sizes
    labels: Labels | None  # None if codes are the rules' own integers


def fold(rules: Rules, limit: int | None = None, progress: Progress | None = None) -> Folded:
    """Compile rules into their sequence form; refuse a game that does not fit into the free memory.

    `limit` is the most histories to visit. `progress` is called as by `watching`.
    """
    watch = Watch(rules, progress)
    walked = walk(rules, collecting=NOTED, limit=limit, seen=watch.seen)
    if (gained := walked.gained) is not None:
        sizes, gathering = _numbered(walked)
        gathering.add(gathering.sorted(*gained))
        return _folded(walked, gathering, sizes)
    with lean():
        sizes, gathering = _numbered(walked)
        walked.gather(gathering, watch.again(sizes.histories))
        return _folded(walked, gathering, sizes)


def _numbered(walked: Walk) -> tuple[Sizes, Gathering]:
    """Number the sets that a walk has met, and make an empty `Gathering` for their gains."""
    counted, players = walked.survey(), walked.rules.players
    sizes = Sizes.of_survey(counted, players)
    require(sizes.table_bytes, f"numbering the {len(counted.sets.player):,} information sets of {walked.rules.name}")
    return sizes, Gathering(number(counted.sets, players), counted.rows, counted.shallow)


def _folded(walked: Walk, gathering: Gathering, sizes: Sizes) -> Folded:
    form = gathering.form(sizes.total)
    labels, treeplexes = labelled(walked, form.treeplexes)
    return Folded(replace(form, treeplexes=treeplexes), replace(sizes, entries=form.entries), labels)


def labelled(walked: Walk, treeplexes: tuple[Treeplex, ...]) -> tuple[Labels | None, tuple[Treeplex, ...]]:
    """Number actions and observations in the breadth-first order of sets; return labels and recoded treeplexes."""
    if walked.labels is None:
        return None, treeplexes
    every_action, every_observation = walked.labels
    owner = np.repeat(np.arange(len(treeplexes)), [plex.sets for plex in treeplexes])
    order = np.lexsort((owner, np.concatenate([plex.node for plex in treeplexes])))
    seen = np.concatenate([plex.observation for plex in treeplexes])
    observations, observation_code = _by_first_use(seen[order], len(every_observation))
    first = np.concatenate([plex.begin[:-1].astype(np.int64) for plex in treeplexes])
    begin = np.concatenate(([0], np.cumsum([plex.sequences for plex in treeplexes])[:-1]))
    size = np.concatenate([plex.sizes.astype(np.int64) for plex in treeplexes])
    taken = np.concatenate([plex.action for plex in treeplexes])
    actions, action_code = _by_first_use(taken[ranges((first + begin[owner])[order], size[order])], len(every_action))
    labels = Labels(tuple(every_action[k] for k in actions), tuple(every_observation[k] for k in observations))
    recoded = tuple(
        replace(
            plex,
            action=np.concatenate((plex.action[:1], action_code[plex.action[1:]])),
            observation=observation_code[plex.observation],
        )
        for plex in treeplexes
    )
    return labels, recoded


def _by_first_use(codes: Longs, count: int) -> tuple[Longs, Longs]:
    """Return codes in the order of their first use, and the place of each of `count` codes in this order."""
    different, first = np.unique(codes, return_index=True)
    order: Longs = different[np.argsort(first)]
    place = np.zeros(count, np.int64)
    place[order] = np.arange(len(order))
    return order, place
