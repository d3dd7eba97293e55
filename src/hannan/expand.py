"""From rules to a `GameTree`."""

from __future__ import annotations

import numpy as np

from hannan.check import make_plays
from hannan.errors import SizeError
from hannan.memory import available, readable
from hannan.plainwalk import check_players, expand_plain
from hannan.rules import CompiledRules, Rules
from hannan.sizes import Sizes
from hannan.survey import MOST_DEPTH, Survey, TreeArrays, survey, walk
from hannan.tree import GameTree
from hannan.treeplex import number

BYTES_PER_PLAIN_HISTORY = 1000
"""A generous guess at what a history takes while plain-Python rules are walked: states are Python objects."""


def expand(rules: Rules, limit: int | None = None) -> GameTree:
    """Write out every history of a game; refuse what would not fit into the memory that is free.

    `limit` is the most histories to write, where it should be fewer than fit.
    """
    if not isinstance(rules, CompiledRules):
        check_players(rules)
        make_plays(rules, plays=8)  # a line of play without end is found here, and not when memory is full
        return expand_plain(rules, limit or available() // BYTES_PER_PLAIN_HISTORY, MOST_DEPTH)
    found = survey(rules, limit)
    need = Sizes.of_survey(found, rules.players).compile_bytes
    if need > available():
        raise SizeError(
            f"{rules.name} with these parameters has {found.nodes:,} histories; compiling them takes about "
            f"{readable(need)}, and {readable(available())} of memory are free. Choose smaller parameters, or a method "
            "that plays the rules directly"
        )
    return _write(rules, found)


def _write(rules: CompiledRules, sizes: Survey) -> GameTree:
    nodes, slots, gainful = (int(total) for total in sizes.counts.sum(axis=1))
    arrays = TreeArrays.empty(nodes, slots, gainful, rules.players)
    written = walk(rules, nodes, sizes, arrays)
    treeplexes, renumbered = number(written.sets, rules.players)
    depths = int(np.count_nonzero(sizes.counts[0]))
    low, high = sizes.span[:, :-1]
    return GameTree(
        rules=rules,
        players=rules.players,
        parent=arrays.parent,
        children=arrays.children,
        turn=arrays.turn,
        slot_begin=arrays.slot_begin,
        slots=renumbered[arrays.slots],
        probability=arrays.probability,
        gain_node=arrays.gain_node,
        gain=arrays.gain,
        depth_begin=np.concatenate(([0], np.cumsum(sizes.counts[0, :depths]))).astype(np.int32),
        treeplexes=treeplexes,
        lowest=low,
        highest=high,
        total=sizes.total,
        serialised=nodes + int(sizes.kinds[4]),
        labels=None,
    )
