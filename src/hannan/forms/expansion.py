"""Expand rules into a `GameTree`."""

from __future__ import annotations

import numpy as np

from hannan.errors import SizeError
from hannan.forms.folded import labelled
from hannan.forms.outline import DIRECTLY, estimate
from hannan.forms.sizes import Sizes
from hannan.forms.survey import Survey, Walk
from hannan.forms.tree import GameTree
from hannan.forms.treeplex import number
from hannan.forms.walks import Progress, Watch, try_rules, walk
from hannan.memory import available, readable
from hannan.rules.doors import is_quick
from hannan.rules.plain import Rules

FAR = 1000
"""A game whose estimated size is this many times too large is not counted."""

LARGEST_TREE = 5_000_000
"""The most histories of a game that methods expand although they could play its rules as well."""

SLOWER = 20
"""Plain-Python rules take longer to call: their limit on histories is this many times lower."""


def expand(rules: Rules, limit: int | None = None, progress: Progress | None = None) -> GameTree:
    """Write out every history of a game; refuse a game that does not fit into the free memory.

    `limit` is the most histories to write. Default: as many as fit. `progress` is called as by `watching`.
    """
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
    """Return whether a game has at most LARGEST_TREE histories; for plain-Python rules by an estimate from plays."""
    try_rules(rules)
    if not is_quick(rules):
        return estimate(rules) * SLOWER <= LARGEST_TREE
    if estimate(rules, plays=5) > FAR * LARGEST_TREE:
        return False
    try:
        walk(rules, limit=LARGEST_TREE)
    except SizeError:
        return False
    return True


def _tree(rules: Rules, counted: Survey, walked: Walk) -> GameTree:
    """Bring the record of a walk into breadth-first order, and number the information sets."""
    from hannan.kernels.expansion import order as kernel

    nodes, slots, gainful = (int(total) for total in counted.counts.sum(axis=1))
    depths = int(np.count_nonzero(counted.counts[0]))
    offsets = np.zeros((3, depths + 1), np.int64)
    np.cumsum(counted.counts[:, :depths], axis=1, out=offsets[:, 1:])
    parent, children, turn = np.empty(nodes, np.int32), np.full(nodes + 1, nodes, np.int32), np.empty(nodes, np.int16)
    slot_begin, owners = np.full(nodes + 1, slots, np.int32), np.empty(slots, np.int32)
    probability, gain_node = np.empty(nodes), np.empty(gainful, np.int32)
    gain = np.empty((gainful, rules.players))
    depth_of, above, turns, weights, sets, gain_at, gains = walked.record()
    kernel.breadth_first(
        offsets, depth_of, above, turns, weights, sets, gain_at[:gainful], gains[:gainful],
        parent, children, turn, slot_begin, owners, probability, gain_node, gain,
    )  # fmt: skip
    del depth_of, above, turns, weights, sets, gain_at, gains  # the next steps need their memory
    numbered = number(counted.sets, rules.players)
    labels, treeplexes = labelled(walked, numbered.treeplexes)
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
        treeplexes=treeplexes,
        lowest=low,
        highest=high,
        total=counted.total,
        serialised=nodes + int(counted.kinds[4]),
        labels=labels,
    )
