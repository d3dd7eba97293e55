"""The public view of a game: the tree of public play, vectors over types at its nodes, operators at its ends.

`public_form(rules)` asks rules of the third door (`hannan.rules.public`) everything once, and writes the arrays of
`hannan.kernels.public.records`. Deals that a mirror maps onto each other share one stage.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs, frozen
from hannan.errors import RulesError, SizeError
from hannan.kernels.public import records as rec
from hannan.kernels.public.records import Public
from hannan.rules.plain import CHANCE, END
from hannan.rules.public import Fold, Mirror, PublicRules, Showdown, Table

LANES = 16
USUAL_POWER = 10
"""Weights whose largest one is between 2^-10 and 2^10 are taken as they are."""
CONSTANT = 1e-12
"""By which share of the largest payoff sums of gains may differ that are taken for one number."""
ODDS = 1e-9
"""How far from 1 the probabilities of a deal may sum."""
MOST_TYPES = 32_000
"""Types of a player, at most: their numbers are kept in 16 bits."""


@dataclass(frozen=True, eq=False)
class Template:
    """The public play between two deals, for all lines that lead there, without the cards."""

    lines: tuple[Any, ...]
    """The lines at which its nodes begin, then those of all other nodes."""
    nodes: Longs  # [nodes, N_COLUMNS]
    actions: tuple[tuple[Hashable, ...], ...]
    """What may be done at each node; nothing at leaves and ends."""
    leaves: Longs
    ends: tuple[int, ...]
    """Nodes at which play ends: showdowns, folds, tables."""
    kinds: tuple[int, int, int]
    """How many of each."""
    rows: tuple[int, int]
    slots: tuple[int, int]
    parent: Longs  # [nodes]  the node before, -1 where a line begins

    @cached_property
    def depth(self) -> int:
        """Actions on the longest way from a line to its end."""
        depths = np.zeros(len(self.parent), np.int64)
        for n in np.flatnonzero(self.parent >= 0):
            depths[n] = depths[self.parent[n]] + 1
        return int(depths.max())


class Deal(NamedTuple):
    """A stage as people know it: the outcomes dealt, and which stage comes before."""

    board: tuple[Hashable, ...]
    before: int


@dataclass(frozen=True, eq=False)
class PublicForm:
    """All that methods need of the public view."""

    rules: PublicRules
    arrays: Public
    templates: tuple[Template, ...]
    deals: tuple[Deal, ...]
    """By stage; of deals that are mirrors of each other, the first."""
    links: tuple[dict[Hashable, tuple[int, Mirror | None]], ...]
    """For each stage and outcome: the stage that follows, and the mirror that makes the outcome of its own one."""
    entries: int
    """Places of a state: actions times types, over all nodes of both players, and some between stages."""
    lowest: tuple[float, float]
    highest: tuple[float, float]
    total: float | None
    """What both players gain together at every end, if that is one number."""
    ties: bool = True
    """Whether types with the same two cards count at showdowns: a tie pays something, or their strengths differ."""
    players: int = field(default=2, init=False)

    @property
    def competitive(self) -> bool:
        """Whether interests are opposed."""
        return self.total is not None

    @property
    def largest(self) -> float:
        """The largest gain or loss."""
        return max(map(abs, (*self.lowest, *self.highest)))

    @property
    def slots(self) -> int:
        """Actions at all nodes of all stages."""
        last = self.arrays.stage[-1]
        return int(last[rec.S_SLOT + 1]) + self.templates[last[rec.S_TEMPLATE]].slots[1]

    @property
    def types(self) -> tuple[int, int]:
        """The types of each player at the start."""
        first = self.arrays.stage[0]
        return int(first[rec.S_TYPES]), int(first[rec.S_TYPES + 1])

    def types_at(self, stage: int, player: int) -> Longs:
        """Return which types of the game those of a stage are, in the order of its places."""
        row = self.arrays.stage[stage]
        first = row[rec.S_ROW + player]
        found: Longs = self.arrays.alive[first : first + row[rec.S_TYPES + player]].astype(np.int64)
        return found

    def block(self, stage: int, player: int) -> Longs:
        """Return where the state of a stage is, slot after slot, for a player."""
        row = self.arrays.stage[stage]
        size = row[rec.S_TYPES + player] * self.templates[row[rec.S_TEMPLATE]].slots[player]
        return int(row[rec.S_STATE + player]) + np.arange(size)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Decision nodes of each player, ends, deals and entries: after mirrored deals were joined."""
        stages = np.bincount(self.arrays.stage[:, rec.S_TEMPLATE], minlength=len(self.templates))
        kinds = np.array([[np.sum(t.nodes[:, rec.N_KIND] == kind) for kind in range(4)] for t in self.templates])
        players, leaves, ends = kinds[:, :2].T @ stages, kinds[:, rec.LEAF] @ stages, kinds[:, rec.OVER] @ stages
        names = ("decisions_0", "decisions_1", "deals", "ends")
        slots = np.array([t.slots for t in self.templates])[self.arrays.stage[:, rec.S_TEMPLATE]]
        entries = int((slots * self.arrays.stage[:, rec.S_TYPES : rec.S_TYPES + 2]).sum())
        return dict(zip(names, map(int, (*players, leaves, ends)), strict=True)) | {"entries": entries}

    @cached_property
    def histories(self) -> int:
        """Histories that plain rules of the same game have: pairs of types times nodes, mirrored deals one by one."""
        tree, total, times = self.arrays, 1, np.ones(len(self.deals))
        cards = [np.asarray(_card_rows(self.rules, p, n)) for p, n in enumerate(self.types)]
        meet = _meeting(cards) & (tree.weight[0, : self.types[0], None] * tree.weight[1, None, : self.types[1]] > 0)
        total += int(meet.any(axis=1).sum())
        for s, row in enumerate(tree.stage):
            if (before := self.deals[s].before) >= 0:
                times[s] = times[before] * row[rec.S_MIRRORS]
            alive = [tree.alive[row[rec.S_ROW + p] : row[rec.S_ROW + p] + row[rec.S_TYPES + p]] for p in (0, 1)]
            total += int(times[s]) * int(meet[np.ix_(*alive)].sum()) * len(self.templates[row[rec.S_TEMPLATE]].nodes)
        return total

    @cached_property
    def hash(self) -> str:
        """A digest of the tree, the payoffs and the deal."""
        digest = hashlib.sha256()
        for name in ("stage", "odds", "node", "end", "weigh", "table", "gains", "alive", "weight", "card", "group"):
            digest.update(np.ascontiguousarray(getattr(self.arrays, name)).tobytes())
        return digest.hexdigest()[:32]


def public_form(rules: PublicRules, *, mirrored: bool = True, most: int | None = None) -> PublicForm:
    """Return the public view of rules.

    Parameters
    ----------
    rules
        Rules of the third door.
    mirrored
        Whether deals that are mirrors of each other share one stage.
    most
        Refuse a tree with more entries.
    """
    builder = _Builder(rules, mirrored)
    builder.grow(most)
    return builder.form()


class _Builder:
    """Collects the stages of a tree, depth first."""

    def __init__(self, rules: PublicRules, mirrored: bool) -> None:
        self.rules, self.mirrored = rules, mirrored
        self.names = [list(rules.types(p)) for p in (0, 1)]
        for p in (0, 1):
            if not 1 <= len(self.names[p]) <= MOST_TYPES:
                raise RulesError(f"types({p}) has {len(self.names[p])} types; expected 1 to {MOST_TYPES:,}")
            if len(set(self.names[p])) < len(self.names[p]):
                raise RulesError(f"types({p}) has a name twice; every type needs a name of its own")
        self.cards = [_card_rows(rules, p, len(self.names[p])) for p in (0, 1)]
        self.weights = [_weights(rules, p, len(self.names[p])) for p in (0, 1)]
        highest = max(int(rows.max(initial=-1)) for rows in self.cards)
        self.card_count = highest + 3
        self.templates: list[Template] = []
        self.endings: list[list[Any]] = []
        self.stages: list[list[int]] = []
        self.odds: list[float] = []
        self.ways: list[float] = []
        self.deals: list[Deal] = []
        self.children: list[list[int]] = []
        self.links: list[dict[Hashable, tuple[int, Mirror | None]]] = []
        self.rows: list[np.ndarray] = []
        self.alive: list[np.ndarray] = []
        self.groups: list[np.ndarray] = []
        self.down: list[np.ndarray] = []
        self.down_at: list[list[int]] = []
        self.back: list[np.ndarray] = []
        self.back_at: list[list[int]] = []
        self.twin: list[np.ndarray] = []
        self.twin_at: list[list[int]] = []
        self.uneven = False  # whether types with the same two cards differ in strength somewhere
        self.checked: dict[int, Mirror] = {}  # mirrors by identity
        self.used = dict.fromkeys(("row", "group", "down", "back", "twin", "slot", "state"), 0)

    def grow(self, most: int | None) -> None:
        """Ask the rules for the templates, then for all stages."""
        lines: tuple[Any, ...] = (self.rules.opening(),)
        board: tuple[Hashable, ...] = ()
        while True:
            template, endings = _template(self.rules, lines)
            self.templates.append(template)
            self.endings.append(endings)
            if not len(template.leaves):
                break
            outcomes = self._outcomes(board)
            lines = tuple(self.rules.dealt(template.lines[n], outcomes[0][0]) for n in template.leaves)
            board = (*board, outcomes[0][0])
        everyone = [np.arange(len(names), dtype=np.int64) for names in self.names]
        root = self._stage((), 0, -1, 1.0, everyone)
        stack = [(root, everyone, iter(self._next(root, (), everyone)))]
        while stack:
            stage, types, waiting = stack[-1]
            step = next(waiting, None)
            if step is None:
                stack.pop()
                continue
            board, odds, kept, shared = step
            child = self._stage(board, len(stack), stage, odds, kept)
            self.links[stage] |= {outcome: (child, mirror) for outcome, mirror in shared}
            self._link(stage, types, child, [mirror for _, mirror in shared])
            if most is not None and self.used["state"] > most:
                raise SizeError(f"the public tree has more than {most:,} entries (actions times types)")
            sorted_types = [self.alive[2 * child + p] for p in (0, 1)]
            stack.append((child, sorted_types, iter(self._next(child, board, sorted_types))))

    def _stage(self, board: tuple[Hashable, ...], depth: int, before: int, odds: float, kept: list[np.ndarray]) -> int:
        """Add a stage, its types sorted by strength where a showdown is possible."""
        number, template = len(self.stages), self.templates[depth]
        group_at, groups = self.used["group"], 0
        if template.kinds[0]:
            strengths = [self._strengths(board, p)[kept[p]] for p in (0, 1)]
            orders = [np.argsort(values, kind="stable") for values in strengths]
            kept = [types[order] for types, order in zip(kept, orders, strict=True)]
            strengths = [values[order] for values, order in zip(strengths, orders, strict=True)]
            levels = np.unique(np.concatenate(strengths))
            table = np.stack([np.searchsorted(values, levels, side="right") for values in strengths], axis=1)
            self.groups.append(table.astype(np.int16))
            groups = len(levels)
            self.used["group"] += groups
            same = _same(*(self.cards[p][kept[p]] for p in (0, 1)))
            meet = np.flatnonzero(same >= 0)
            self.uneven |= bool(np.any(strengths[0][meet] != strengths[1][same[meet]]))
        counts = [len(types) for types in kept]
        row: list[int] = []
        for p in (0, 1):
            same = _same(self.cards[p][kept[p]], self.cards[1 - p][kept[1 - p]])
            cards = np.where(self.cards[p][kept[p]] < 0, self.card_count - 2, self.cards[p][kept[p]])
            self.rows.append(np.column_stack([cards, same]).astype(np.int16))
            self.alive.append(kept[p])
            row.append(self.used["row"])
            self.used["row"] += counts[p]
        state: list[int] = []
        slot: list[int] = []
        for p in (0, 1):
            state.append(self.used["state"])
            slot.append(self.used["slot"])
            self.used["slot"] += template.slots[p]
            size = template.slots[p] * counts[p]
            self.used["state"] += size + LANES if size else 0  # threads may write whole vectors at the end
        widths = [(count + LANES) // LANES * LANES for count in counts]
        self.stages.append(
            [depth, depth, *counts, *widths, *state, *row, group_at, groups, 0, 0, len(self.back_at), 0, *slot]
        )
        self.odds.append(odds)
        self.ways.append(odds * (self.ways[before] if before >= 0 else 1.0))
        self.deals.append(Deal(board, before))
        self.children.append([])
        self.links.append({})
        self.down_at.append([0, 0])
        self.twin_at.append([-1, -1])
        mirrors = self._mirrors(board) if self.mirrored and len(template.leaves) else []
        for p in (0, 1) if mirrors else ():
            first = np.min([kept[p], *(np.asarray(mirror.types[p], np.int64)[kept[p]] for mirror in mirrors)], axis=0)
            place = np.zeros(len(self.names[p]), np.int64)
            place[kept[p]] = np.arange(counts[p])
            self.twin_at[number][p] = self.used["twin"]
            self.twin.append(place[first].astype(np.int16))
            self.used["twin"] += counts[p]
        return number

    def _next(self, stage: int, board: tuple[Hashable, ...], types: list[np.ndarray]) -> Any:
        """Yield the stages that follow: board, odds, types that are left, and the mirrors that share the stage."""
        depth = self.stages[stage][rec.S_DEPTH]
        template = self.templates[depth]
        if not len(template.leaves):
            return
        outcomes = self._outcomes(board)
        self._check_odds(board, outcomes, types)
        mirrors = self._mirrors(board) if self.mirrored and len(outcomes) > 1 else []
        known = {outcome for outcome, _ in outcomes}
        taken: set[Hashable] = set()
        lines = self.templates[depth + 1].lines
        for outcome, odds in outcomes:
            if outcome in taken:
                continue
            for k, leaf in enumerate(template.leaves):
                if self.rules.dealt(template.lines[leaf], outcome) != lines[k]:
                    raise RulesError(
                        f"dealt() returns another line after {self.rules.outcome_text(outcome)}: play must not depend "
                        "on which card was dealt"
                    )
            taken.add(outcome)
            shared: list[tuple[Hashable, Mirror | None]] = [(outcome, None)]
            for mirror in mirrors:
                image = mirror.outcomes.get(outcome)
                if image in known and image not in taken:
                    taken.add(image)
                    shared.append((image, mirror))
            held = set(self.rules.outcome_cards(outcome))
            kept = []
            for p in (0, 1):
                cards = self.cards[p][types[p]]
                alive = types[p][~np.isin(cards, list(held)).any(axis=1)] if held else types[p]
                kept.append(np.sort(alive))
            yield (*board, outcome), float(odds), kept, shared

    def _outcomes(self, board: tuple[Hashable, ...]) -> list[tuple[Hashable, float]]:
        """Ask what may be dealt."""
        outcomes = [(outcome, float(odds)) for outcome, odds in self.rules.outcomes(board)]
        if not outcomes:
            raise RulesError(f"outcomes({board!r}) is empty; a line waits for a card there")
        for outcome, odds in outcomes:
            if not 0 < odds <= 1 + ODDS:
                raise RulesError(f"outcomes({board!r}) gives {outcome!r} the probability {odds}; expected more than 0")
        if len(dict(outcomes)) < len(outcomes):
            raise RulesError(f"outcomes({board!r}) lists an outcome twice")
        return outcomes

    def _check_odds(
        self, board: tuple[Hashable, ...], outcomes: list[tuple[Hashable, float]], types: list[np.ndarray]
    ) -> None:
        """Refuse outcomes whose probabilities do not sum to 1; two types that meet are tried, the first ones."""
        for i in types[0]:
            mine = self.cards[0][i]
            free = ~(np.isin(self.cards[1][types[1]], mine[mine >= 0]).any(axis=1))
            if free.any():
                j = types[1][np.flatnonzero(free)[0]]
                held = {*mine.tolist(), *self.cards[1][j].tolist()}
                total = sum(odds for outcome, odds in outcomes if held.isdisjoint(self.rules.outcome_cards(outcome)))
                if abs(total - 1) > ODDS:
                    raise RulesError(
                        f"outcomes({board!r}): after types {self.names[0][i]} and {self.names[1][j]}, probabilities "
                        f"sum to {total:.12g}, not 1"
                    )
                return

    def _strengths(self, board: tuple[Hashable, ...], player: int) -> Longs:
        """Ask how strong the types are."""
        types = len(self.names[player])
        try:
            given = np.asarray(self.rules.strengths(board, player))
        except TypeError as error:
            raise RulesError(f"strengths({board!r}, {player}): {error}") from error
        if given.shape != (types,) or given.dtype.kind not in "iu":
            raise RulesError(
                f"strengths({board!r}, {player}) has shape {given.shape} and type {given.dtype}; expected one whole "
                f"number for each of the {types} types"
            )
        return given.astype(np.int64)

    def _mirrors(self, board: tuple[Hashable, ...]) -> list[Mirror]:
        """Ask for the symmetries; each maps types to types that are dealt equally often."""
        mirrors = list(self.rules.mirrors(board))
        for mirror in mirrors:
            if id(mirror) in self.checked:
                continue
            for p in (0, 1):
                image = np.asarray(mirror.types[p])
                if not np.array_equal(np.sort(image), np.arange(len(self.names[p]))):
                    raise RulesError(
                        f"mirrors({board!r}): a mirror does not map the types of player {p} onto themselves"
                    )
                if not np.array_equal(self.weights[p][image], self.weights[p]):
                    raise RulesError(
                        f"mirrors({board!r}): a mirror maps a type of player {p} onto one with another weight"
                    )
            self.checked[id(mirror)] = mirror
        return mirrors

    def _link(self, stage: int, types: list[np.ndarray], child: int, mirrors: list[Mirror | None]) -> None:
        """Say where the types of a stage are in the one before, and the other way round for each mirror."""
        self.children[stage].append(child)
        row, above = self.stages[child], self.stages[stage]
        row[rec.S_MIRROR], row[rec.S_MIRRORS] = len(self.back_at), len(mirrors)
        for p in (0, 1):
            mine = self.alive[2 * child + p]
            place = np.full(len(self.names[p]), -1, np.int64)
            place[types[p]] = np.arange(len(types[p]))
            down = np.full(row[rec.S_WIDTH + p], above[rec.S_WIDTH + p] - 1, np.int64)
            down[: len(mine)] = place[mine]
            self.down_at[child][p] = self.used["down"]
            self.down.append(down.astype(np.int16))
            self.used["down"] += len(down)
        for mirror in mirrors:
            at = []
            for p in (0, 1):
                width = row[rec.S_WIDTH + p]
                place = np.full(len(self.names[p]), width - 1, np.int64)
                image = self.alive[2 * child + p]
                moved = image if mirror is None else np.asarray(mirror.types[p], np.int64)[image]
                place[moved] = np.arange(len(image))
                back = np.full(above[rec.S_WIDTH + p], width - 1, np.int64)
                back[: len(types[p])] = place[types[p]]
                at.append(self.used["back"])
                self.back.append(back.astype(np.int16))
                self.used["back"] += len(back)
            self.back_at.append(at)

    def form(self) -> PublicForm:
        """Return the form."""
        stages, child = self.stages, list[int]()
        for row, children in zip(stages, self.children, strict=True):
            row[rec.S_CHILD], row[rec.S_CHILDREN] = len(child), len(children)
            child += children
        templates = np.zeros((len(self.templates), rec.T_COLUMNS), np.int64)
        node_at = leaf_at = end_at = 0
        for columns, template in zip(templates, self.templates, strict=True):
            columns[:] = [
                node_at, len(template.nodes), leaf_at, len(template.leaves), end_at, *template.kinds,
                sum(template.parent < 0), *template.rows, *template.slots,
            ]  # fmt: skip
            node_at, leaf_at, end_at = (
                node_at + len(template.nodes),
                leaf_at + len(template.leaves),
                end_at + len(template.ends),
            )
        endings = [ending for some in self.endings for ending in some]
        weigh, table, gains = _weighed(endings, self.cards)
        pairs, weight = _pairs(self.weights, self.cards), np.zeros((2, max(map(len, self.names))))
        for p in (0, 1):
            weight[p, : len(self.names[p])] = self.weights[p]
        if not pairs > 0:
            raise RulesError("the types cannot meet: every pair shares a card, or has weight 0")
        if self.used["state"] >= 2**62:
            raise SizeError("the public tree is too large")
        stage = np.array(stages, np.int64)
        arrays = Public(
            stage=stage,
            odds=np.array(self.odds),
            way=np.array(self.ways),
            child=np.array(child, np.int64),
            template=templates,
            node=np.concatenate([t.nodes for t in self.templates]).astype(np.int32),
            leaf=np.concatenate([t.leaves for t in self.templates]).astype(np.int32),
            end=np.concatenate([np.array(t.ends, np.int64) for t in self.templates]).astype(np.int32),
            weigh=weigh,
            table=table,
            gains=gains,
            card=np.concatenate(self.rows),
            alive=np.concatenate(self.alive).astype(np.int16),
            group=np.concatenate([*self.groups, np.zeros((0, 2), np.int16)]),
            down=np.concatenate([*self.down, np.zeros(0, np.int16)]),
            down_at=np.array(self.down_at, np.int64),
            back=np.concatenate([*self.back, np.zeros(0, np.int16)]),
            back_at=np.array(self.back_at, np.int64).reshape(-1, 2),
            twin=np.concatenate([*self.twin, np.zeros(0, np.int16)]),
            twin_at=np.array(self.twin_at, np.int64),
            cards=self.card_count,
            scratch=_scratch(stage, templates),
            weight=weight,
            pairs=pairs,
        )
        for array in arrays:
            if isinstance(array, np.ndarray):
                frozen(array)
        low, high, total = _extremes(endings, _meeting(self.cards))
        parts = (tuple(self.templates), tuple(self.deals), tuple(self.links), self.used["state"])
        ties = self.uneven or any(isinstance(ending, Showdown) and any(ending.tie) for ending in endings)
        return PublicForm(self.rules, arrays, *parts, low, high, total, ties)


def _template(rules: PublicRules, lines: tuple[Any, ...]) -> tuple[Template, list[Any]]:
    """Ask for all nodes that follow some lines before the next deal."""
    all_lines, parent = list(lines), [-1] * len(lines)
    nodes = [[0, 0, 0, 0, k, k] for k in range(len(lines))]
    actions: list[tuple[Hashable, ...]] = []
    rows, slots, leaves, ends = [len(lines)] * 2, [0, 0], [], []
    n = 0
    while n < len(all_lines):
        line, mover = all_lines[n], rules.mover(all_lines[n])
        options: tuple[Hashable, ...] = ()
        if mover == END:
            nodes[n][rec.N_KIND] = rec.OVER
            ends.append((n, rules.ending(line)))
        elif mover == CHANCE:
            nodes[n][rec.N_KIND] = rec.LEAF
            leaves.append(n)
        elif mover in (0, 1):
            options = tuple(rules.options(line))
            if not options:
                raise RulesError(f"options({line!r}) is empty; player {mover} acts there")
            nodes[n][: rec.N_ROW] = [mover, len(all_lines), len(options), slots[mover]]
            for option in options:
                reached = list(nodes[n][rec.N_ROW :])
                reached[mover] = rows[mover]
                rows[mover] += 1
                nodes.append([0, 0, 0, 0, *reached])
                all_lines.append(rules.following(line, option))
                parent.append(n)
            slots[mover] += len(options)
        else:
            raise RulesError(f"mover({line!r}) returned {mover!r}; expected 0, 1, CHANCE or END")
        actions.append(options)
        n += 1
    order = {Showdown: 0, Fold: 1, Table: 2}
    for _, ending in ends:
        if type(ending) not in order:
            raise RulesError(f"ending() returned {ending!r}; expected a Fold, a Showdown or a Table")
        if not isinstance(ending, Table):
            _check_pay(ending)
    ends.sort(key=lambda pair: order[type(pair[1])])
    kinds = [sum(order[type(ending)] == k for _, ending in ends) for k in range(3)]
    template = Template(
        tuple(all_lines), np.array(nodes, np.int64), tuple(actions), np.array(leaves, np.int64),
        tuple(number for number, _ in ends), (kinds[0], kinds[1], kinds[2]), (rows[0], rows[1]), (slots[0], slots[1]),
        np.array(parent, np.int64),
    )  # fmt: skip
    return template, [ending for _, ending in ends]


def _check_pay(ending: Fold | Showdown) -> None:
    """Refuse an end that does not say one finite number for each player."""
    pays = (ending.gains,) if isinstance(ending, Fold) else (ending.win, ending.lose, ending.tie)
    for pay in pays:
        given = np.asarray(pay, np.float64)
        if given.shape != (2,) or not np.isfinite(given).all():
            raise RulesError(f"ending() returned {ending!r}; expected one finite number for each of the two players")


def _weighed(endings: list[Any], cards: list[np.ndarray]) -> tuple[Floats, Longs, Floats]:
    """Return what ends pay as coefficients of sums of reach, and the tables of those that are tables."""
    weigh = np.zeros((len(endings), 2, rec.W_COLUMNS))
    table, gains = np.full(len(endings), -1, np.int64), list[Floats]()
    meet = _meeting(cards)
    for k, ending in enumerate(endings):
        if isinstance(ending, Fold):
            weigh[k, :, rec.W_SAME] = ending.gains
        elif isinstance(ending, Showdown):
            for p in (0, 1):
                win, lose, tie = ending.win[p], ending.lose[p], ending.tie[p]
                if win == lose:
                    raise RulesError(
                        f"a showdown pays player {p} {win!r} if it wins and if it loses; use a Fold or a Table"
                    )
                weigh[k, p] = [win - tie, tie - lose, lose / (win - lose), tie]
        else:
            table[k] = len(gains)
            given = np.asarray(ending.gains, np.float64)
            if given.shape != (2, *meet.shape):
                raise RulesError(f"a Table of gains has shape {given.shape}; expected {(2, *meet.shape)}")
            if not np.isfinite(given[:, meet]).all():
                raise RulesError("a Table of gains has a number that is not finite, for types that can meet")
            gains.append(np.where(meet, given, 0.0))
    return weigh, table, np.array(gains).reshape(len(gains), 2, *meet.shape) if gains else np.zeros((0, 2, 1, 1))


def _extremes(endings: list[Any], meet: np.ndarray) -> tuple[tuple[float, float], tuple[float, float], float | None]:
    """Return the least and the most that each player gains, and the sum of gains if it is one number."""
    low, high, sums = [np.inf, np.inf], [-np.inf, -np.inf], list[float]()
    for ending in endings:
        if isinstance(ending, Table):
            given = np.asarray(ending.gains, np.float64)[:, meet]  # what is written for others is never paid
            for p in (0, 1):
                low[p], high[p] = min(low[p], given[p].min()), max(high[p], given[p].max())
            sums += np.unique(given.sum(axis=0)).tolist()
            continue
        if isinstance(ending, Fold):
            pairs = [tuple(ending.gains)]
        else:
            pairs = [(ending.win[0], ending.lose[1]), (ending.lose[0], ending.win[1]), tuple(ending.tie)]
        for pair in pairs:
            for p in (0, 1):
                low[p], high[p] = min(low[p], pair[p]), max(high[p], pair[p])
            sums.append(pair[0] + pair[1])
    size = max(map(abs, (*low, *high)))
    constant = max(sums) - min(sums) <= CONSTANT * size
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1])), float(sums[0]) if constant else None


def _scratch(stage: Longs, templates: Longs) -> Longs:
    """Return where each part of the scratch of a depth begins; the last row is the end."""
    scratch, at = np.zeros((len(templates) + 1, rec.X_COLUMNS), np.int64), 0
    for depth, template in enumerate(templates):
        for p in (0, 1):
            width = stage[stage[:, rec.S_DEPTH] == depth, rec.S_WIDTH + p].max()
            sizes = {
                rec.X_REACH: template[rec.T_ROWS + p],
                rec.X_PLAY: template[rec.T_SLOTS + p],
                rec.X_VALUE: template[rec.T_NODES],
                rec.X_BEST: template[rec.T_NODES],
            }
            for part, many in sizes.items():
                scratch[depth, part + p] = at
                at += int(many * width)
    scratch[-1] = at
    return scratch


def _card_rows(rules: PublicRules, player: int, types: int) -> np.ndarray:
    """Return the cards of each type of a player, [types, 2]; -1 for none."""
    given = list(rules.cards(player))
    if len(given) != types or any(len(cards) > 2 for cards in given):
        raise RulesError(f"cards({player}) should list up to two cards for each of the {types} types")
    pairs = [tuple(sorted(cards)) for cards in given if len(cards) == 2]
    if any(one == two for one, two in pairs) or len(set(pairs)) < len(pairs):
        raise RulesError(f"cards({player}) has a card twice in one type, or two types with the same two cards")
    rows = np.full((types, 2), -1, np.int64)
    for row, cards in zip(rows, given, strict=True):
        row[: len(cards)] = sorted(cards)
    if (rows < -1).any() or rows.max(initial=0) > 30_000:
        raise RulesError(f"cards({player}) has a card that is no whole number from 0 to 30,000")
    return rows


def _weights(rules: PublicRules, player: int, types: int) -> Floats:
    weights = np.asarray(rules.weights(player), np.float64)
    if weights.shape != (types,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise RulesError(f"weights({player}) should be one number, 0 or more, for each of the {types} types")
    power = int(np.frexp(weights.max())[1])
    # only their ratios count, and products of very large or small ones do not fit into 32 bits; powers of 2 are exact
    return np.ldexp(weights, -power) if abs(power) > USUAL_POWER else weights


def _meeting(cards: list[np.ndarray]) -> np.ndarray:
    """Return which pairs of types hold no card in common."""
    one, two = cards
    shared = np.zeros((len(one), len(two)), bool)
    for a in range(2):
        for b in range(2):
            shared |= (one[:, None, a] == two[None, :, b]) & (one[:, None, a] >= 0)
    return ~shared


def _pairs(weights: list[Floats], cards: list[np.ndarray]) -> float:
    return float(weights[0] @ _meeting(cards) @ weights[1])


def _same(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return for each type the number of the other player's type with the same two cards; -1 if there is none."""
    if not len(theirs):
        return np.full(len(mine), -1, np.int64)
    codes = [np.where((rows >= 0).all(axis=1), rows[:, 0] << 32 | rows[:, 1], -1) for rows in (mine, theirs)]
    order = np.argsort(codes[1])
    at = np.minimum(np.searchsorted(codes[1][order], codes[0]), len(theirs) - 1)
    return np.where((codes[1][order][at] == codes[0]) & (codes[0] >= 0), order[at], -1)
