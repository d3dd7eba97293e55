"""Build the tree of public play from rules, stage by stage, as flat arrays.

`public_form(rules)` calls public rules (`hannan.rules.public`) and fills the arrays of `hannan.kernels.public.records`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from hannan.arrays import Longs, frozen
from hannan.errors import RulesError, SizeError
from hannan.forms.public import Deal, PublicForm, Template
from hannan.forms.public_ends import extremes, weighed
from hannan.forms.public_promises import (
    card_rows,
    check_mirror,
    check_odds,
    dealt_outcomes,
    meeting,
    type_names,
    type_strengths,
    type_weights,
)
from hannan.forms.public_templates import play_from
from hannan.kernels.public import records as rec
from hannan.kernels.public.records import Public
from hannan.rules.public import Mirror, PublicRules, Showdown

LANES = 16


def public_form(rules: PublicRules, *, mirrored: bool = True, most: int | None = None) -> PublicForm:
    """Return the public view of rules.

    Parameters
    ----------
    rules
        Public rules.
    mirrored
        Whether deals that are mirrors of each other share one stage.
    most
        Refuse a tree with more entries. Default: no limit.
    """
    builder = _Builder(rules, mirrored)
    builder.grow(most)
    return builder.form()


class _Builder:
    """Collects the stages of a tree, depth first."""

    def __init__(self, rules: PublicRules, mirrored: bool) -> None:
        self.rules, self.mirrored = rules, mirrored
        self.names = [type_names(rules, p) for p in (0, 1)]
        self.cards = [card_rows(rules, p, len(self.names[p])) for p in (0, 1)]
        self.weights = [type_weights(rules, p, len(self.names[p])) for p in (0, 1)]
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
        self.uneven = False  # whether types with the same two cards differ in strength at some stage
        self.checked: dict[int, Mirror] = {}  # mirrors by identity
        self.used = dict.fromkeys(("row", "group", "down", "back", "twin", "slot", "state"), 0)

    def grow(self, most: int | None) -> None:
        """Build the templates, then all stages."""
        lines: tuple[Any, ...] = (self.rules.opening(),)
        board: tuple[Hashable, ...] = ()
        while True:
            template, endings = play_from(self.rules, lines)
            self.templates.append(template)
            self.endings.append(endings)
            if not len(template.leaves):
                break
            outcomes = dealt_outcomes(self.rules, board)
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
        """Add a stage and return its number. Its types are sorted by strength if a showdown is possible."""
        number, template = len(self.stages), self.templates[depth]
        group_at, groups = self.used["group"], 0
        if template.kinds[0]:
            strengths = [type_strengths(self.rules, board, p, len(self.names[p]))[kept[p]] for p in (0, 1)]
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
        """Yield each next stage: board, odds, remaining types, and the outcomes that share it with their mirrors."""
        depth = self.stages[stage][rec.S_DEPTH]
        template = self.templates[depth]
        if not len(template.leaves):
            return
        outcomes = dealt_outcomes(self.rules, board)
        check_odds(self.rules, board, outcomes, self.cards, types)
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

    def _mirrors(self, board: tuple[Hashable, ...]) -> list[Mirror]:
        """Return the mirrors at a board; check each mirror once."""
        mirrors = list(self.rules.mirrors(board))
        for mirror in mirrors:
            if id(mirror) not in self.checked:
                check_mirror(mirror, board, self.weights)
                self.checked[id(mirror)] = mirror
        return mirrors

    def _link(self, stage: int, types: list[np.ndarray], child: int, mirrors: list[Mirror | None]) -> None:
        """Map the places of types in a stage to those in the stage before, and back for each mirror."""
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
        """Return the public form of all stages."""
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
        meet = meeting(self.cards)
        weigh, table, gains = weighed(endings, meet)
        pairs = float(self.weights[0] @ meet @ self.weights[1])
        weight = np.zeros((2, max(map(len, self.names))))
        for p in (0, 1):
            weight[p, : len(self.names[p])] = self.weights[p]
        if not pairs > 0:
            raise RulesError("the types cannot meet: every pair shares a card, or has weight 0")
        if self.used["state"] >= 2**62:
            raise SizeError("the public tree is too large: its entries (actions times types) do not fit into 62 bits")
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
        low, high, total = extremes(endings, meet)
        parts = (tuple(self.templates), tuple(self.deals), tuple(self.links), self.used["state"])
        ties = self.uneven or any(isinstance(ending, Showdown) and any(ending.tie) for ending in endings)
        return PublicForm(self.rules, arrays, *parts, low, high, total, ties)


def _scratch(stage: Longs, templates: Longs) -> Longs:
    """Return where each part of a depth's scratch begins, for each depth; the last row is the end."""
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


def _same(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return for each type the number of the other player's type with the same two cards; -1 if there is none."""
    if not len(theirs):
        return np.full(len(mine), -1, np.int64)
    codes = [np.where((rows >= 0).all(axis=1), rows[:, 0] << 32 | rows[:, 1], -1) for rows in (mine, theirs)]
    order = np.argsort(codes[1])
    at = np.minimum(np.searchsorted(codes[1][order], codes[0]), len(theirs) - 1)
    return np.where((codes[1][order][at] == codes[0]) & (codes[0] >= 0), order[at], -1)
