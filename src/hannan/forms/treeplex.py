"""The strategy space of one player: its information sets and sequences, numbered so that memory is read in order.

Also flow constraints, reach from the root down and worth from the leaves up, in NumPy, level by level. They are for
work that is done once and should not wait for a compiler; iterations use `hannan.kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from hannan.arrays import Bools, Floats, Ints, Longs, Numbers, Shorts, frozen

EMPTY = 0
"""The sequence of a player who has not acted yet."""

MANY = 1_000_000
"""From this many sequences on, action codes are stored in a narrower type."""


@dataclass(frozen=True)
class Treeplex:
    """Information sets and sequences of one player.

    Sets are numbered level by level (a level counts the player's own earlier choices), and inside a level by their
    parent sequence. So parents come before children, and the sets that follow one sequence are consecutive, as are the
    sequences of one set. Sequence 0 is the empty one.
    """

    begin: Ints  # [sets + 1]  sequences begin[j] … begin[j+1]-1 are the actions of set j; begin[0] = 1
    parent: Ints  # [sets]  the player's last sequence before set j
    child_begin: Ints  # [sequences + 1]  sets child_begin[s] … child_begin[s+1]-1 follow sequence s
    level_begin: Ints  # [levels + 1]  sets of level l are level_begin[l] … level_begin[l+1]-1
    action: Numbers  # [sequences]  the code of the last action, -1 for the empty sequence; int64, or narrower if many
    observation: Longs  # [sets]  the code of what the player sees at the set
    node: Longs  # [sets]  the first history, breadth first, that lies in the set

    def __post_init__(self) -> None:
        for array in vars(self).values():
            frozen(array)

    def __repr__(self) -> str:
        return f"Treeplex({self.sets:,} information sets, {self.sequences:,} sequences, {self.levels} levels)"

    @property
    def sets(self) -> int:
        """The number of information sets of the player."""
        return len(self.parent)

    @property
    def sequences(self) -> int:
        """The number of sequences of the player, including the empty one."""
        return len(self.action)

    @property
    def levels(self) -> int:
        """The largest number of choices that the player makes in one play."""
        return len(self.level_begin) - 1

    @cached_property
    def sizes(self) -> Ints:
        """The number of actions at each set, [sets]."""
        sizes: Ints = np.diff(self.begin)
        return sizes

    @cached_property
    def set_of(self) -> Ints:
        """The set in which each sequence ends, [sequences]; -1 for the empty sequence."""
        owner = np.full(self.sequences, -1, np.int32)
        owner[1:] = np.repeat(np.arange(self.sets, dtype=np.int32), self.sizes)
        return owner


@dataclass(frozen=True)
class MetSets:
    """Information sets in the order in which a walk met them. Sequence p, below `players`, is p's empty one."""

    player: Longs  # [sets]
    parent: Longs  # [sets]  the player's last sequence
    observation: Longs  # [sets]
    base: Longs  # [sets]  the first of the set's sequences
    size: Longs  # [sets]
    node: Longs  # [sets]  the first history, breadth first, in the set
    action: Longs  # [sequences]


@dataclass(frozen=True)
class Numbered:
    """Treeplexes, and the places in them of the sets and sequences of a walk."""

    treeplexes: tuple[Treeplex, ...]
    set: Ints  # [sets]  the number of each set within its player's treeplex
    sequence: Ints  # [sequences]  the number of each sequence within its player's treeplex
    owner: Shorts  # [sequences]  the player of each sequence


def number(met: MetSets, players: int) -> Numbered:
    """Return one treeplex per player; its numbers depend on the game alone, not on the order in which sets were met."""
    renumbered = np.empty(len(met.player), np.int32)
    sequence = np.zeros(len(met.action), np.int32)  # new number of each sequence
    owner = np.zeros(len(met.action), np.int16)
    owner[:players] = np.arange(players)
    plexes = []
    for player in range(players):
        (mine,) = (met.player == player).nonzero()
        by_parent = mine[_order(met.parent[mine], met.node[mine])]
        children = np.bincount(met.parent[mine], minlength=len(met.action))  # sets that follow each sequence
        begins = children.cumsum() - children
        order: list[Longs] = []
        parent_numbers: list[Longs] = []
        level_sizes: list[int] = []
        last_level = np.array([player], np.int64)  # sequences of the level above, in new order
        count, used = 0, 1
        while True:
            many = children[last_level]
            if many.sum() == 0:
                break
            level = by_parent[ranges(begins[last_level], many)]
            sizes = met.size[level]
            renumbered[level] = count + np.arange(len(level))
            last_level_next = ranges(met.base[level], sizes)
            parent_numbers.append(np.repeat(sequence[last_level], many))
            sequence[last_level_next] = used + np.arange(len(last_level_next))
            owner[last_level_next] = player
            order.append(level)
            level_sizes.append(len(level))
            count, used, last_level = count + len(level), used + len(last_level_next), last_level_next
        sets = np.concatenate(order) if order else np.zeros(0, np.int64)
        parent = np.concatenate(parent_numbers) if parent_numbers else np.zeros(0, np.int64)
        action = np.full(used, -1, np.int64)
        sizes = met.size[sets]
        action[1:] = met.action[ranges(met.base[sets], sizes)]
        plexes.append(
            Treeplex(
                begin=np.concatenate(([1], 1 + sizes.cumsum())).astype(np.int32),
                parent=parent.astype(np.int32),
                child_begin=np.concatenate(([0], np.bincount(parent, minlength=used).cumsum())).astype(np.int32),
                level_begin=np.concatenate(([0], np.cumsum(level_sizes))).astype(np.int32),
                action=narrowed(action),
                observation=met.observation[sets],
                node=met.node[sets],
            )
        )
    return Numbered(tuple(plexes), renumbered, sequence, owner)


def narrowed(codes: Longs) -> Numbers:
    """Return codes in the narrowest type that holds them, if there are at least `MANY`; else unchanged."""
    if len(codes) < MANY:
        return codes
    return codes.astype(np.promote_types(np.min_scalar_type(codes.min()), np.min_scalar_type(-1 - codes.max())))


def _order(parent: Longs, node: Longs) -> Longs:
    """Return the order of sets by parent, then node; no two sets agree in both."""
    if node.max(initial=0) < 2**32:
        order: Longs = ((parent << 32) + node).argsort()  # parents are below 2**31
        return order
    return np.lexsort((node, parent))


def ranges(first: Longs, many: Longs) -> Longs:
    """Return first[0] … first[0]+many[0]-1, first[1] … and so on, as one array."""
    ends = many.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    result: Longs = np.repeat(first - (ends - many), many)
    result += np.arange(total)
    return result


def even(plex: Treeplex) -> Floats:
    """Return the strategy that takes every action of a set with equal probability."""
    strategy = np.ones(plex.sequences)
    strategy[1:] = np.repeat(1.0 / plex.sizes, plex.sizes)
    return strategy


def flow(plex: Treeplex) -> Any:
    """Return the matrix that subtracts each set's parent sequence from the sum of its actions, [sets, sequences]."""
    from scipy.sparse import csr_array

    rows = np.concatenate((plex.set_of[1:], np.arange(plex.sets)))
    columns = np.concatenate((np.arange(1, plex.sequences), plex.parent))
    signs = np.repeat([1.0, -1.0], [plex.sequences - 1, plex.sets])
    return csr_array((signs, (rows, columns)), shape=(plex.sets, plex.sequences))


def reaches(plex: Treeplex, strategy: Floats) -> Floats:
    """Return the product of a strategy's probabilities along each sequence."""
    reach = strategy.copy()
    for first, last in zip(plex.level_begin[:-1], plex.level_begin[1:], strict=True):
        reach[plex.begin[first] : plex.begin[last]] *= np.repeat(reach[plex.parent[first:last]], plex.sizes[first:last])
    return reach


def worth(plex: Treeplex, gradient: Floats) -> Floats:
    """Return the value of each sequence with best play after it; at the empty one, the value of a best response."""
    result = gradient.copy()
    for first, last in zip(plex.level_begin[-2::-1], plex.level_begin[:0:-1], strict=True):
        begin = plex.begin[first:last]
        best = np.maximum.reduceat(result[begin[0] : plex.begin[last]], begin - begin[0])
        np.add.at(result, plex.parent[first:last], best)
    return result


def best_actions(plex: Treeplex, gradient: Floats) -> Floats:
    """Return 1 for each action that is best at its set, ties within rounding included, and 0 for the others."""
    if plex.sets == 0:
        return np.ones(1)
    values = worth(plex, gradient)
    best = np.repeat(np.maximum.reduceat(values, plex.begin[:-1]), plex.sizes)
    return np.concatenate(([1.0], values[1:] >= best - 1e-12 * np.abs(gradient).max()))


def idle_sets(plex: Treeplex, pays: Bools) -> Bools:
    """Return at which sets nothing is at stake: no payoff depends on actions there or later.

    Such a set has gradients of 0. If its regrets are 0 too, its strategy stays as it is, so iterations leave it out,
    and its average is computed when it is read. `pays` says which sequences of the player have payoffs.
    """
    stakes, idle = pays.copy(), np.zeros(plex.sets, np.bool_)
    for low, high in reversed(list(pairwise(plex.level_begin.tolist()))):
        first, last = int(plex.begin[low]), int(plex.begin[high])
        if low < high:
            some = np.logical_or.reduceat(stakes[first:last], plex.begin[low:high] - first)
            idle[low:high] = ~some
            stakes[plex.parent[low:high][some]] = True
    return idle


def listed(plex: Treeplex, idle: Bools) -> Longs:
    """Return these sets of a player, parents first: first sequence, size, parent, [idle sets, 3]."""
    found = np.flatnonzero(idle)
    return np.stack((plex.begin[found], plex.sizes[found], plex.parent[found]), axis=1).astype(np.int64)
