"""From rules to a `GameTree`: counting first, so that what would not fit is refused before it is allocated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.check import make_plays
from hannan.errors import ChanceError, RulesError, SizeError
from hannan.memory import available, readable
from hannan.plainwalk import expand_plain
from hannan.rules import CompiledRules, Rules
from hannan.tree import GameTree, path_text
from hannan.treeplex import FoundSets, number

MOST_DEPTH = 4096
"""A line of play longer than this counts as one without end."""

BYTES_PER_HISTORY = 64
"""A generous guess at what a history takes in both views; only used to stop counting."""

BYTES_PER_PLAIN_HISTORY = 1000
"""The same while plain-Python rules are walked: states are Python objects."""


@dataclass(frozen=True)
class Survey:
    """The sizes of a compiled game, found by walking it once without storing it."""

    counts: Longs  # [3, depths]  nodes, information-set slots and gainful nodes of each depth
    kinds: Longs  # [5]  ends, chance nodes, decisions, joint decisions, nodes that serialising would add
    span: Floats  # [2, players + 1]  lowest and highest utility of each player, and of their sum
    sets: FoundSets

    @property
    def nodes(self) -> int:
        """How many histories there are."""
        return int(self.counts[0].sum())


def expand(rules: Rules, limit: int | None = None) -> GameTree:
    """Write out every history of a game.

    `limit` is the most histories to write; by default, what fits into the memory that is free now.
    """
    most = min(limit if limit is not None else available() // BYTES_PER_HISTORY, 2**31 - 2)
    if not isinstance(rules, CompiledRules):
        make_plays(rules, plays=8)  # a line of play without end is found here, and not when memory is full
        return expand_plain(rules, limit or available() // BYTES_PER_PLAIN_HISTORY, MOST_DEPTH)
    return _write(rules, survey(rules, most))


def survey(rules: CompiledRules, most: int) -> Survey:
    """Walk compiled rules once, counting; refuse more than `most` histories."""
    empty = _Arrays.empty(0, 0, 0, rules.players)
    return _walk(rules, most, np.zeros((3, MOST_DEPTH + 2), np.int64), empty)


@dataclass(frozen=True)
class _Arrays:
    parent: np.ndarray
    children: np.ndarray
    turn: np.ndarray
    slot_begin: np.ndarray
    slots: np.ndarray
    probability: np.ndarray
    gain_node: np.ndarray
    gain: np.ndarray

    @staticmethod
    def empty(nodes: int, slots: int, gainful: int, players: int) -> _Arrays:
        return _Arrays(
            np.empty(nodes, np.int32),
            np.empty(nodes + 1, np.int32),
            np.empty(nodes, np.int16),
            np.empty(nodes + 1, np.int32),
            np.empty(slots, np.int32),
            np.empty(nodes),
            np.empty(gainful, np.int32),
            np.empty((gainful, players)),
        )


def _walk(rules: CompiledRules, most: int, offsets: Longs, arrays: _Arrays) -> Survey:
    from hannan.kernels import walk

    status, path, counts, kinds, span, *found = walk.walker()(
        *rules.compiled(), rules.table, rules.state_size, rules.width, rules.players, most, MOST_DEPTH, offsets,
        *vars(arrays).values(),
    )  # fmt: skip
    if status == walk.TOO_MANY:
        raise SizeError(
            f"{rules.name} has more than {most:,} histories, which is more than fits into the {readable(available())} "
            "of memory that are free; choose smaller parameters, or a method that plays the rules directly"
        )
    if status != walk.DONE:
        where = f"node {path_text(rules, path[:12])}" + (" …" if len(path) > 12 else "")
        sentence = {
            walk.TOO_DEEP: f"play has not ended after {MOST_DEPTH} moves",
            walk.ACTIONS_DIFFER: "the actions differ from those at another history of the same information set",
            walk.NOT_FINITE: "a gain is not a finite number",
            walk.NO_MOVES: "a player is to move and has no action",
        }.get(status)
        if sentence is None:
            raise ChanceError(f"{where}: the probabilities are negative or do not sum to 1")
        raise RulesError(f"{where}: {sentence}")
    return Survey(counts, kinds, span, FoundSets(*found))


def _write(rules: CompiledRules, sizes: Survey) -> GameTree:
    offsets = np.zeros_like(sizes.counts)
    np.cumsum(sizes.counts[:, :-1], axis=1, out=offsets[:, 1:])
    nodes, slots, gainful = (int(total) for total in sizes.counts.sum(axis=1))
    arrays = _Arrays.empty(nodes, slots, gainful, rules.players)
    arrays.children[nodes] = nodes
    arrays.slot_begin[nodes] = slots
    written = _walk(rules, nodes, offsets, arrays)
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
        depth_begin=offsets[0, : depths + 1].astype(np.int32),
        treeplexes=treeplexes,
        lowest=low,
        highest=high,
        total=constant_sum(sizes.span),
        serialised=nodes + int(sizes.kinds[4]),
        labels=None,
    )


def constant_sum(span: Floats) -> float | None:
    """Return what utilities add up to, where that is the same at every end of play (to rounding)."""
    scale = max(1.0, float(np.abs(span[:, :-1]).max()))
    low, high = float(span[0, -1]), float(span[1, -1])
    if high - low > 1e-9 * scale:
        return None
    middle = (low + high) / 2
    return 0.0 if abs(middle) <= 1e-9 * scale else middle
