"""The public view of a game: the tree of public play, vectors over types at its nodes, operators at its ends.

`hannan.forms.public_tree` makes it from public rules (`hannan.rules.public`). Deals that a mirror maps onto each other
share one stage.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Longs
from hannan.forms.public_promises import card_rows, meeting
from hannan.forms.sizes import Sizes
from hannan.kernels.public import records as rec
from hannan.kernels.public.records import Public
from hannan.rules.public import Mirror, PublicRules

CONSTANT = 1e-12
"""Sums of gains that differ by at most this share of the largest payoff are taken as one number."""


@dataclass(frozen=True, eq=False)
class Template:
    """The public play between two deals, without the cards, after all lines that lead there."""

    lines: tuple[Any, ...]
    """The line of each node: first the lines at which the template begins, then all others."""
    nodes: Longs  # [nodes, N_COLUMNS]
    actions: tuple[tuple[Hashable, ...], ...]
    """The actions at each node; empty at leaves and ends."""
    leaves: Longs
    ends: tuple[int, ...]
    """Nodes at which play ends: showdowns, folds, tables."""
    kinds: tuple[int, int, int]
    """The number of showdowns, folds and tables."""
    rows: tuple[int, int]
    slots: tuple[int, int]
    parent: Longs  # [nodes]  the node before, -1 at the beginning of a line

    @cached_property
    def depth(self) -> int:
        """The most actions from the beginning of a line to a leaf or an end."""
        depths = np.zeros(len(self.parent), np.int64)
        for n in np.flatnonzero(self.parent >= 0):
            depths[n] = depths[self.parent[n]] + 1
        return int(depths.max())


class Deal(NamedTuple):
    """The deal that leads to a stage: all outcomes dealt so far, and the number of the stage before (-1: none)."""

    board: tuple[Hashable, ...]
    before: int


@dataclass(frozen=True, eq=False)
class PublicForm:
    """The public view of a game, with all that methods need."""

    rules: PublicRules
    arrays: Public
    templates: tuple[Template, ...]
    deals: tuple[Deal, ...]
    """The deal of each stage; if several deals are mirrors of each other, the first of them."""
    links: tuple[dict[Hashable, tuple[int, Mirror | None]], ...]
    """For each stage and outcome: the next stage, and the mirror from that stage's own outcome to this one, or None."""
    entries: int
    """The size of a state: actions times types over all nodes of both players, plus padding between stages."""
    lowest: tuple[float, float]
    highest: tuple[float, float]
    total: float | None
    """The sum of both players' gains, if it is the same at every end; else None."""
    ties: bool = True
    """Whether types with the same two cards matter at showdowns: a tie pays something, or their strengths differ."""
    players: int = field(default=2, init=False)

    @property
    def competitive(self) -> bool:
        """Whether the sum of both players' gains is constant."""
        return self.total is not None

    @property
    def largest(self) -> float:
        """The largest gain or loss of a player."""
        return max(map(abs, (*self.lowest, *self.highest)))

    @property
    def slots(self) -> int:
        """The number of actions at all nodes of all stages."""
        last = self.arrays.stage[-1]
        return int(last[rec.S_SLOT + 1]) + self.templates[last[rec.S_TEMPLATE]].slots[1]

    @property
    def types(self) -> tuple[int, int]:
        """The number of types of each player at the start."""
        first = self.arrays.stage[0]
        return int(first[rec.S_TYPES]), int(first[rec.S_TYPES + 1])

    def types_at(self, stage: int, player: int) -> Longs:
        """Return the types of the game that remain at a stage, in the order of the stage's places."""
        row = self.arrays.stage[stage]
        first = row[rec.S_ROW + player]
        found: Longs = self.arrays.alive[first : first + row[rec.S_TYPES + player]].astype(np.int64)
        return found

    def block(self, stage: int, player: int) -> Longs:
        """Return the indices of a player's numbers of a stage in the state, slot after slot."""
        row = self.arrays.stage[stage]
        size = row[rec.S_TYPES + player] * self.templates[row[rec.S_TEMPLATE]].slots[player]
        return int(row[rec.S_STATE + player]) + np.arange(size)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Decision nodes of each player, deals, ends and entries, counted after mirrored deals are joined."""
        stages = np.bincount(self.arrays.stage[:, rec.S_TEMPLATE], minlength=len(self.templates))
        kinds = np.array([[np.sum(t.nodes[:, rec.N_KIND] == kind) for kind in range(4)] for t in self.templates])
        players, leaves, ends = kinds[:, :2].T @ stages, kinds[:, rec.LEAF] @ stages, kinds[:, rec.OVER] @ stages
        names = ("decisions_0", "decisions_1", "deals", "ends")
        slots = np.array([t.slots for t in self.templates])[self.arrays.stage[:, rec.S_TEMPLATE]]
        entries = int((slots * self.arrays.stage[:, rec.S_TYPES : rec.S_TYPES + 2]).sum())
        return dict(zip(names, map(int, (*players, leaves, ends)), strict=True)) | {"entries": entries}

    @property
    def histories(self) -> int:
        """The number of histories of the plain game."""
        return self.sizes.histories

    @cached_property
    def sizes(self) -> Sizes:
        """The counts of the plain game: pairs of types times nodes, with mirrored deals counted one by one.

        `entries` and `gainful` are upper bounds: the number of ends. If no pair of types reaches the end that pays most
        or least, `highest` or `lowest` is only a bound. Sets that are presented alike are not counted.
        """
        tree, times, lengths = self.arrays, [1] * len(self.deals), self._lengths()
        cards = [card_rows(self.rules, p, n) for p, n in enumerate(self.types)]
        meet = meeting(cards) & (tree.weight[0, : self.types[0], None] * tree.weight[1, None, : self.types[1]] > 0)
        kinds = [np.bincount(template.nodes[:, rec.N_KIND], minlength=4).tolist() for template in self.templates]
        counts, sets, sequences = [0] * 4, [0, 0], [1, 1]
        depth = 2  # both types are dealt
        for s, row in enumerate(tree.stage):
            if (before := self.deals[s].before) >= 0:
                times[s] = times[before] * int(row[rec.S_MIRRORS])
            together = meet[np.ix_(*(self.types_at(s, p) for p in (0, 1)))]
            number = int(row[rec.S_TEMPLATE])
            pairs = times[s] * int(together.sum())
            counts = [count + pairs * many for count, many in zip(counts, kinds[number], strict=True)]
            for p in (0, 1):
                met = times[s] * int(together.any(axis=1 - p).sum())
                sets[p] += met * kinds[number][p]
                sequences[p] += met * self.templates[number].slots[p]
            if pairs:
                depth = max(depth, 2 + lengths[number])
        deals = 1 + int(meet.any(axis=1).sum())  # of a type to player 0, then to player 1
        nothing = self.total is not None and abs(self.total) <= CONSTANT * self.largest
        histories, ends, decisions = deals + sum(counts), counts[rec.OVER], counts[0] + counts[1]
        return Sizes(
            players=2,
            histories=histories,
            serialised=histories,
            terminal=ends,
            chance=deals + counts[rec.LEAF],
            decision=decisions,
            joint=0,
            depth=depth,
            sets=(sets[0], sets[1]),
            sequences=(sequences[0], sequences[1]),
            entries=ends,
            gainful=ends,
            lowest=self.lowest,
            highest=self.highest,
            total=0.0 if nothing else self.total,
            slots=decisions,
        )

    def _lengths(self) -> list[int]:
        """Return for each template the most moves from the opening to one of its nodes."""
        lengths, begin = list[int](), np.zeros(1, np.int64)
        for template in self.templates:
            depths = np.zeros(len(template.parent), np.int64)
            depths[: len(begin)] = begin
            for n in np.flatnonzero(template.parent >= 0):
                depths[n] = depths[template.parent[n]] + 1
            lengths.append(int(depths.max()))
            begin = depths[template.leaves] + 1
        return lengths

    @cached_property
    def hash(self) -> str:
        """A digest of the tree, the payoffs and the deal."""
        digest = hashlib.sha256()
        for name in ("stage", "odds", "node", "end", "weigh", "table", "gains", "alive", "weight", "card", "group"):
            digest.update(np.ascontiguousarray(getattr(self.arrays, name)).tobytes())
        return digest.hexdigest()[:32]
