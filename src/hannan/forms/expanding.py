"""From rules to a `GameTree`."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Longs
from hannan.errors import SizeError
from hannan.forms.guessing import DIRECTLY, estimate, too_many
from hannan.forms.sizes import Sizes
from hannan.forms.survey import Progress, Survey, Walk, Watch, constant_sum, survey, try_rules, walk
from hannan.forms.tree import GameTree, Labels
from hannan.forms.treeplex import MetSets, number
from hannan.memory import available, readable
from hannan.rules.checks import make_plays
from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import MOST_MOVES, Rules
from hannan.rules.promises import ENDLESS, check_players
from hannan.rules.visiting import Visitor
from hannan.rules.walk import PlainWalk

FAR = 1000
"""A game that seems so many times too large is not counted."""

LARGEST_TREE = 5_000_000
"""Histories up to which methods expand a game that could play its rules as well."""

BYTES_PER_PLAIN_HISTORY = 1000
"""A generous guess at what a history takes while plain-Python rules are walked: states are Python objects."""


QUICK_PLAIN = 20_000
"""Histories of plain-Python rules that are walked without asking first how many there may be."""


def expand(rules: Rules, limit: int | None = None, progress: Progress | None = None) -> GameTree:
    """Write out every history of a game; refuse what would not fit into the memory that is free.

    `limit` is the most histories to write, where it should be fewer than fit. `progress` is called as by `watching`.
    """
    if not isinstance(rules, CompiledRules):
        return _expand_plain(rules, limit or available() // BYTES_PER_PLAIN_HISTORY, progress)
    try_rules(rules)
    walked = walk(rules, recording=True, limit=limit, seen=Watch(rules, progress).seen)
    counted = walked.survey()
    need = Sizes.of_survey(counted, rules.players).tree_bytes
    if need > available():
        raise SizeError(
            f"{rules.name} with these parameters has {counted.nodes:,} histories; a tree of them takes about "
            f"{readable(need)}, and {readable(available())} of memory are free. {DIRECTLY}"
        )
    return _tree(rules, counted, walked)


def is_small(rules: Rules) -> bool:
    """Say whether a game has no more than LARGEST_TREE histories; of plain-Python rules, as far as plays can tell."""
    if not isinstance(rules, CompiledRules):
        check_players(rules)
        make_plays(rules, plays=8)
        return estimate(rules) * 20 <= LARGEST_TREE
    try_rules(rules)
    if estimate(rules, plays=5) > FAR * LARGEST_TREE:
        return False
    try:
        survey(rules, LARGEST_TREE)
    except SizeError:
        return False
    return True


def _expand_plain(rules: Rules, most: int, progress: Progress | None) -> GameTree:
    check_players(rules)
    make_plays(rules, plays=8)  # a line of play without end shows here, and not when memory is full
    walk, watch = PlainWalk(rules), Watch(rules, progress)
    while walk.frontier:
        if walk.depth >= MOST_MOVES:
            walk.fail(walk.first_of_level, ENDLESS)
        if walk.seen is None and len(walk.parent) > min(QUICK_PLAIN, most):
            if watch.guess > 10 * most:
                why = f"some {most:,} fit into the {readable(available())} of memory that are free"
                raise too_many(rules, watch.guess, why)
            walk.seen = watch.seen
        walk.level(most)
    return _plain_tree(walk)


def _plain_tree(walk: PlainWalk) -> GameTree:
    """Number the sets of a walk that is done, and freeze its arrays."""
    nodes = len(walk.parent)
    span = np.array([walk.lowest, walk.highest])
    numbered = number(met_sets(walk, np.array(walk.first, np.int64)), walk.players)
    slots = np.frombuffer(walk.slots, np.int32) if walk.slots else np.zeros(0, np.int32)
    gain = np.frombuffer(walk.gain, np.float64) if walk.gain else np.zeros(0)
    return GameTree(
        rules=walk.rules,
        players=walk.players,
        parent=np.array(walk.parent, np.int32),
        children=np.array([*walk.children, nodes], np.int32),
        turn=np.array(walk.turn, np.int16),
        slot_begin=np.array([*walk.slot_begin, len(slots)], np.int32),
        slots=numbered.set[slots],
        probability=np.array(walk.probability),
        gain_node=np.array(walk.gain_node, np.int32),
        gain=gain.reshape(-1, walk.players).copy(),
        depth_begin=np.array(walk.depth_begin[:-1], np.int32),
        treeplexes=numbered.treeplexes,
        lowest=span[0, :-1],
        highest=span[1, :-1],
        total=constant_sum(span),
        serialised=nodes + walk.serial_extra,
        labels=Labels(tuple(walk.actions), tuple(walk.observations)),
    )


def met_sets(walk: Visitor, node: Longs) -> MetSets:
    """Return the sets that a walk over plain-Python rules has met; node: the first history of each, breadth first."""
    player, parent, observation, base, size = np.array(walk.met, np.int64).reshape(-1, 5).T.copy()
    action = np.frombuffer(walk.sequence_action, np.int64).copy()
    return MetSets(player, parent, observation, base, size, node, action)


def _tree(rules: CompiledRules, counted: Survey, walked: Walk) -> GameTree:
    """Bring the record of a walk into breadth-first order, and number the information sets."""
    from hannan.kernels.expansion import ordering as kernel

    nodes, slots, gainful = (int(total) for total in counted.counts.sum(axis=1))
    depths = int(np.count_nonzero(counted.counts[0]))
    offsets = np.zeros((3, depths + 1), np.int64)
    np.cumsum(counted.counts[:, :depths], axis=1, out=offsets[:, 1:])
    parent, children, turn = np.empty(nodes, np.int32), np.full(nodes + 1, nodes, np.int32), np.empty(nodes, np.int16)
    slot_begin, owners = np.full(nodes + 1, slots, np.int32), np.empty(slots, np.int32)
    probability, gain_node = np.empty(nodes), np.empty(gainful, np.int32)
    gain = np.empty((gainful, rules.players))
    depth_of, above, turns, weights, sets, gain_at, gains = walked.record
    kernel.breadth_first(
        offsets, depth_of, above, turns, weights, sets, gain_at[:gainful], gains[:gainful],
        parent, children, turn, slot_begin, owners, probability, gain_node, gain,
    )  # fmt: skip
    walked.record.clear()  # its memory is needed for what follows
    del depth_of, above, turns, weights, sets, gain_at, gains
    numbered = number(counted.sets, rules.players)
    low, high = counted.span[:, :-1]
    return GameTree(
        rules=rules,
        players=rules.players,
        parent=parent,
        children=children,
        turn=turn,
        slot_begin=slot_begin,
        slots=numbered.set[owners],
        probability=probability,
        gain_node=gain_node,
        gain=gain,
        depth_begin=offsets[0].astype(np.int32),
        treeplexes=numbered.treeplexes,
        lowest=low,
        highest=high,
        total=counted.total,
        serialised=nodes + int(counted.kinds[4]),
        labels=None,
    )
