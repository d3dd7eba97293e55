"""Walking compiled rules: once to count, so that what would not fit is refused, and once to write."""

from __future__ import annotations

import random
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import ChanceError, RulesError, SizeError
from hannan.memory import available, readable
from hannan.rules import CompiledRules, Rules
from hannan.tree import moves_at, path_text
from hannan.treeplex import FoundSets

MOST_DEPTH = 4096
"""A line of play longer than this counts as one without end."""

BYTES_PER_HISTORY = 64
"""A generous guess at what a history takes in both views; only used to stop counting."""

QUICK = 20_000_000
"""Histories that are counted without asking first how many there may be."""


@dataclass(frozen=True)
class Survey:
    """The sizes of a compiled game, found by walking it."""

    counts: Longs  # [3, depths]  nodes, information-set slots and gainful nodes of each depth
    kinds: Longs  # [5]  ends, chance nodes, decisions, joint decisions, nodes that serialising would add
    span: Floats  # [2, players + 1]  lowest and highest utility of each player, and of their sum
    sets: FoundSets

    @property
    def nodes(self) -> int:
        """How many histories there are."""
        return int(self.counts[0].sum())

    @property
    def total(self) -> float | None:
        """What utilities add up to, where that is the same at every end of play."""
        return constant_sum(self.span)


@dataclass(frozen=True)
class TreeArrays:
    """The arrays of a `GameTree` that a walk fills in."""

    parent: np.ndarray
    children: np.ndarray
    turn: np.ndarray
    slot_begin: np.ndarray
    slots: np.ndarray
    probability: np.ndarray
    gain_node: np.ndarray
    gain: np.ndarray

    @staticmethod
    def empty(nodes: int, slots: int, gainful: int, players: int) -> TreeArrays:
        """Allocate; the last pointers are set, everything else is for the walk to write."""
        return TreeArrays(
            np.empty(nodes, np.int32),
            np.full(nodes + 1, nodes, np.int32),
            np.empty(nodes, np.int16),
            np.full(nodes + 1, slots, np.int32),
            np.empty(slots, np.int32),
            np.empty(nodes),
            np.empty(gainful, np.int32),
            np.empty((gainful, players)),
        )


def survey(rules: CompiledRules, limit: int | None = None) -> Survey:
    """Count a game without storing it; refuse more than `limit` histories (by default: more than may fit)."""
    fits = min(available() // BYTES_PER_HISTORY if limit is None else limit, 2**31 - 2)
    try:
        return walk(rules, min(QUICK, fits))
    except SizeError:
        guess = estimate(rules)
        if guess > 10 * fits or fits <= QUICK:
            raise SizeError(
                f"{rules.name} with these parameters has about {guess:.1e} histories (estimated); some {fits:,} fit "
                f"into the {readable(available())} of memory that are free. Choose smaller parameters, or a method "
                "that plays the rules directly"
            ) from None
    return walk(rules, fits)


def walk(rules: CompiledRules, most: int, before: Survey | None = None, arrays: TreeArrays | None = None) -> Survey:
    """Visit every history. With the counts of an earlier walk, fill in the `arrays` of a tree."""
    from hannan.kernels import walk as kernel

    offsets = np.zeros((3, MOST_DEPTH + 2), np.int64)
    room, sequence_room = 1 << 15, 1 << 17
    if before is not None:
        np.cumsum(before.counts[:, :-1], axis=1, out=offsets[:, 1:])
        room, sequence_room = len(before.sets.player), len(before.sets.action)
    if arrays is None:
        arrays = TreeArrays.empty(0, 0, 0, rules.players)
    rows, width, players = MOST_DEPTH + 2, rules.width, rules.players
    path = (
        np.zeros((rows, rules.state_size), np.int64),
        np.zeros((rows, players, width), np.int64),
        np.zeros((rows, width)),
        np.zeros(players, np.int64),
        np.zeros(players),
    )
    while True:
        buckets = np.full(1 << (2 * room).bit_length(), -1, np.int32)
        tables = [np.empty(room, np.int64) for _ in range(6)] + [np.empty(sequence_room, np.int64)]
        status, steps, counts, kinds, span, sets, sequences = kernel.walker()(
            *rules.compiled(), rules.table, players, most, offsets, *vars(arrays).values(), buckets, *tables, *path
        )
        if status != kernel.TABLES_FULL:
            break
        room, sequence_room = 16 * room, 16 * sequence_room  # what is not touched takes no memory
    if status == kernel.TOO_MANY:
        raise SizeError(f"{rules.name} has more than {most:,} histories")
    if status != kernel.DONE:
        where = f"node {path_text(rules, steps[:12])}" + (" …" if len(steps) > 12 else "")
        sentence = {
            kernel.TOO_DEEP: f"play has not ended after {MOST_DEPTH} moves",
            kernel.ACTIONS_DIFFER: "the actions differ from those at another history of the same information set",
            kernel.NOT_FINITE: "a gain is not a finite number",
            kernel.NO_MOVES: "a player is to move and has no action",
        }.get(status)
        if sentence is None:
            raise ChanceError(f"{where}: the probabilities are negative or do not sum to 1")
        raise RulesError(f"{where}: {sentence}")
    player, parent, observation, base, size, node = (table[:sets].copy() for table in tables[:-1])
    action = tables[-1][:sequences].copy()
    return Survey(counts, kinds, span, FoundSets(player, parent, observation, base, size, node, action))


def constant_sum(span: Floats) -> float | None:
    """Return what utilities add up to, where that is the same at every end of play (to rounding)."""
    scale = max(1.0, float(np.abs(span[:, :-1]).max()))
    low, high = float(span[0, -1]), float(span[1, -1])
    if high - low > 1e-9 * scale:
        return None
    middle = (low + high) / 2
    return 0.0 if abs(middle) <= 1e-9 * scale else middle


def estimate(rules: Rules, plays: int = 300, seed: int = 0) -> float:
    """Estimate the number of histories by random plays (Knuth 1975): the mean size of trees as wide as the play."""
    draw = random.Random(seed)

    def probe() -> float:
        state: Any = rules.start()
        width = total = 1.0
        while True:
            moves = moves_at(rules, state)
            if not moves:
                return total
            width *= len(moves)
            total += width
            state = rules.after(state, draw.choice(moves)[0])

    return fmean(probe() for _ in range(plays))
