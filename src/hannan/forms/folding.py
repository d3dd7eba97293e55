"""From rules straight to the sequence form: no history is kept.

A first walk meets every information set and counts; from it come the numbers of sets and sequences. What is gained
on the way is noted as well: where that is not much, it is all that is needed. Else a second walk gathers it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Shorts
from hannan.forms.expanding import QUICK_PLAIN, met_sets
from hannan.forms.gathering import LONGEST, Gathering
from hannan.forms.guessing import too_many
from hannan.forms.sequence import SequenceForm
from hannan.forms.sharing import gather
from hannan.forms.sizes import Sizes
from hannan.forms.survey import Progress, Survey, Walk, Watch, nodes_of, try_rules, walk
from hannan.forms.tree import Labels
from hannan.forms.treeplex import Treeplex, number, ranges
from hannan.kernels.expansion.walk import NEVER
from hannan.memory import lean, require
from hannan.rules.checks import make_plays
from hannan.rules.compiled import CompiledRules
from hannan.rules.descent import Descent
from hannan.rules.plain import Rules
from hannan.rules.promises import check_players

NOTED = 1 << 20
"""Gains that a first walk notes; where there are more, there is a second one."""

LONGEST_PLAIN = 100_000_000
"""Histories of plain-Python rules that are walked: about a quarter of an hour."""


@dataclass(frozen=True)
class Folded:
    """A game that was folded into its sequence form."""

    form: SequenceForm
    sizes: Sizes
    labels: Labels | None  # None where codes are the rules' own integers


def fold(rules: Rules, limit: int | None = None, progress: Progress | None = None) -> Folded:
    """Compile rules into their sequence form; refuse what would not fit into the memory that is free.

    `limit` is the most histories to visit. `progress` is called as by `watching`.
    """
    if isinstance(rules, CompiledRules):
        return _fold_compiled(rules, limit, progress)
    return _fold_plain(rules, LONGEST_PLAIN if limit is None else limit, progress)


def _fold_compiled(rules: CompiledRules, limit: int | None, progress: Progress | None) -> Folded:
    try_rules(rules)
    watch = Watch(rules, progress)
    walked = walk(rules, collecting=NOTED, limit=limit, seen=watch.seen)
    if (gained := walked.gained) is not None:
        counted, gathering = _numbered(walked)
        gathering.add(gathering.sorted(*gained))
        return _folded(gathering, counted)
    with lean():
        counted, gathering = _numbered(walked)
        gather(walked, gathering, watch.again(counted.histories))
        del walked
        return _folded(gathering, counted)


def _numbered(walked: Walk) -> tuple[Sizes, Gathering]:
    """Number the sets that a walk has met, and prepare for what is gained."""
    counted, players = walked.survey(), walked.rules.players
    sizes = Sizes.of_survey(counted, players)
    require(sizes.table_bytes, f"numbering the {len(counted.sets.player):,} information sets of {walked.rules.name}")
    return sizes, Gathering(number(counted.sets, players), counted.rows, counted.shallow)


def _folded(gathering: Gathering, sizes: Sizes) -> Folded:
    form = gathering.form(sizes.total)
    return Folded(form, replace(sizes, entries=form.entries), None)


def _fold_plain(rules: Rules, most: int, progress: Progress | None) -> Folded:
    check_players(rules)
    make_plays(rules, plays=8)  # a line of play without end shows here
    walk, watch = Descent(rules), Watch(rules, progress)
    noted = _first_walk(walk, watch, most)
    counted = _survey(walk)
    numbered = number(counted.sets, rules.players)
    gathering = Gathering(numbered, counted.rows, counted.shallow)
    if noted:
        gathering.add(gathering.sorted(*_gains(walk)))
    else:
        walk.restart()
        walk.seen = watch.again(counted.nodes)
        ended = False
        while not ended:
            ended = walk.go(most, LONGEST) == "done"
            gathering.add(gathering.sorted(*_gains(walk)))
    form = gathering.form(counted.total)
    labels, treeplexes = _labelled(walk, form.treeplexes)
    form = replace(form, treeplexes=treeplexes)
    return Folded(form, replace(Sizes.of_survey(counted, rules.players), entries=form.entries), labels)


def _first_walk(walk: Descent, watch: Watch, most: int) -> bool:
    """Visit every history, at most `most`; say whether all that was gained is noted."""
    noted, stop = True, min(QUICK_PLAIN, most)
    while (status := walk.go(stop, NOTED)) != "done":
        if status == "full":
            noted = False
            walk.take()
        elif stop == most or watch.guess > 10 * most:
            raise too_many(walk.rules, watch.guess, f"at most {most:,} are walked")
        else:
            stop, walk.seen = most, watch.seen
    return noted


def _survey(walk: Descent) -> Survey:
    """Return what a walk over plain-Python rules has counted."""
    counts = np.array(walk.counts, np.int64)
    shallow = np.full(len(walk.sequence_action), NEVER, np.int16)
    for sequence, depth in walk.shallow.items():
        shallow[sequence] = depth
    return Survey(
        counts=counts,
        kinds=np.array([walk.ends, walk.chances, walk.decisions, walk.joints, walk.serial_extra], np.int64),
        span=np.array([walk.lowest, walk.highest]),
        sets=met_sets(walk, nodes_of(np.array(walk.first, np.int64), counts[0])),
        shallow=shallow,
    )


def _gains(walk: Descent) -> tuple[Ints, Shorts, Floats]:
    """Return what was gained since the last time, as arrays."""
    sequences, depth, gain = walk.take()
    return (
        np.array(sequences, np.int32).reshape(-1, walk.players),
        np.array(depth, np.int16),
        np.array(gain, np.float64).reshape(-1, walk.players),
    )


def _labelled(walk: Descent, treeplexes: tuple[Treeplex, ...]) -> tuple[Labels, tuple[Treeplex, ...]]:
    """Number actions and observations in the order in which sets are met breadth first; return both, recoded."""
    owner = np.repeat(np.arange(len(treeplexes)), [plex.sets for plex in treeplexes])
    order = np.lexsort((owner, np.concatenate([plex.node for plex in treeplexes])))
    seen = np.concatenate([plex.observation for plex in treeplexes])
    observations, observation_code = _by_first_use(seen[order], len(walk.observations))
    first = np.concatenate([plex.begin[:-1].astype(np.int64) for plex in treeplexes])
    begin = np.concatenate(([0], np.cumsum([plex.sequences for plex in treeplexes])[:-1]))
    size = np.concatenate([plex.sizes.astype(np.int64) for plex in treeplexes])
    taken = np.concatenate([plex.action for plex in treeplexes])
    actions, action_code = _by_first_use(taken[ranges((first + begin[owner])[order], size[order])], len(walk.actions))
    every_action, every_observation = list(walk.actions), list(walk.observations)
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
    """Return codes in the order in which they are first used, and the place of each of `count` codes there."""
    different, first = np.unique(codes, return_index=True)
    order: Longs = different[np.argsort(first)]
    place = np.zeros(count, np.int64)
    place[order] = np.arange(len(order))
    return order, place
