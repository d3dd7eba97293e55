"""From rules to a `GameTree`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hannan.errors import SizeError
from hannan.forms.plainwalk import check_players, expand_plain
from hannan.forms.sizes import Sizes
from hannan.forms.survey import DIRECTLY, Survey, Walk, estimate, survey, walk
from hannan.forms.tree import GameTree
from hannan.forms.treeplex import number
from hannan.memory import available, readable
from hannan.rules.checks import make_plays
from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import MOST_MOVES, Rules

LARGEST_TREE = 5_000_000
"""Histories up to which methods expand a game that could play its rules as well."""

BYTES_PER_PLAIN_HISTORY = 1000
"""A generous guess at what a history takes while plain-Python rules are walked: states are Python objects."""


def expand(rules: Rules, limit: int | None = None) -> GameTree:
    """Write out every history of a game; refuse what would not fit into the memory that is free.

    `limit` is the most histories to write, where it should be fewer than fit.
    """
    if not isinstance(rules, CompiledRules):
        check_players(rules)
        make_plays(rules, plays=8)  # a line of play without end is found here, and not when memory is full
        return expand_plain(rules, limit or available() // BYTES_PER_PLAIN_HISTORY, MOST_MOVES)
    try_rules(rules)
    walked = walk(rules, recording=True, limit=limit)
    found = walked.survey()
    need = Sizes.of_survey(found, rules.players).compile_bytes
    if need > available():
        raise SizeError(
            f"{rules.name} with these parameters has {found.nodes:,} histories; compiling them takes about "
            f"{readable(need)}, and {readable(available())} of memory are free. {DIRECTLY}"
        )
    return _tree(rules, found, walked)


def is_small(rules: Rules) -> bool:
    """Say whether a game has no more than LARGEST_TREE histories; of plain-Python rules, as far as plays can tell."""
    if not isinstance(rules, CompiledRules):
        make_plays(rules, plays=8)
        return estimate(rules) * 20 <= LARGEST_TREE
    try_rules(rules)
    try:
        survey(rules, LARGEST_TREE)
    except SizeError:
        return False
    return True


def try_rules(rules: CompiledRules) -> None:
    """Play compiled rules of somebody else's as ordinary Python, where a write outside of an array is noticed."""
    if not rules.book.start.__module__.startswith("hannan.games."):
        make_plays(rules, plays=8)


def _tree(rules: CompiledRules, found: Survey, walked: Walk) -> GameTree:
    """Bring the record of a walk into breadth-first order, and number the information sets."""
    from hannan.kernels.expansion import walk as kernel

    nodes, slots, gainful = (int(total) for total in found.counts.sum(axis=1))
    depths = int(np.count_nonzero(found.counts[0]))
    offsets = np.zeros((3, depths + 1), np.int64)
    np.cumsum(found.counts[:, :depths], axis=1, out=offsets[:, 1:])
    parent, children, turn = np.empty(nodes, np.int32), np.full(nodes + 1, nodes, np.int32), np.empty(nodes, np.int16)
    slot_begin, owners = np.full(nodes + 1, slots, np.int32), np.empty(slots, np.int32)
    probability, gain_node = np.empty(nodes), np.empty(gainful, np.int32)
    gain = np.empty((gainful, rules.players))
    depth_of, above, turns, weights, sets, gain_at, gains = walked.record
    node = np.full(len(found.sets.player), nodes, np.int64)
    kernel.breadth_first(
        offsets, depth_of, above, turns, weights, sets, gain_at[:gainful], gains[:gainful],
        parent, children, turn, slot_begin, owners, probability, gain_node, gain, node,
    )  # fmt: skip
    walked.record.clear()  # its memory is needed for what follows
    del depth_of, above, turns, weights, sets, gain_at, gains
    treeplexes, renumbered = number(replace(found.sets, node=node), rules.players)
    low, high = found.span[:, :-1]
    return GameTree(
        rules=rules,
        players=rules.players,
        parent=parent,
        children=children,
        turn=turn,
        slot_begin=slot_begin,
        slots=renumbered[owners],
        probability=probability,
        gain_node=gain_node,
        gain=gain,
        depth_begin=offsets[0].astype(np.int32),
        treeplexes=treeplexes,
        lowest=low,
        highest=high,
        total=found.total,
        serialised=nodes + int(found.kinds[4]),
        labels=None,
    )
