"""Rebuild a trunk from what a box shows: nodes, information sets, groups of chance, counts and names.

Nodes, sets, groups and names are numbered in the order in which play discovers them, as in a file.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from hannan.verifier.reader import Arrays
from hannan.verifier.schema import FAMILIES, NAMES, table
from hannan.verifier.structure import CHANCE, CHOICE, END, LEAF, NONE
from hannan.verifier.texts import text_of
from hannan.verifier.verdict import RejectedError, need

SLACK = 1e-9
"""How far gains and bounds may be off by rounding, as a share of the largest of them."""

Pair = tuple[float, float]


class _Names:
    """Numbers objects in the order in which they come; equal objects get the same number."""

    def __init__(self) -> None:
        self.codes: dict[Hashable, int] = {}

    def code(self, thing: Hashable) -> int:
        return self.codes.setdefault(thing, len(self.codes))

    def texts(self, part: str) -> list[str]:
        texts = [text_of(thing) for thing in self.codes]
        need(len(set(texts)) == len(texts), f"two {part} of the box have the same text")
        return texts


class Trunk:
    """A trunk that grows as play discovers it, and what the box showed at each node."""

    def __init__(self, players: int, utilities: int, first_only: bool, similar: bool) -> None:
        self.similar = similar
        self.players, self.seats, self.utilities, self.first_only = players, max(players, 2), utilities, first_only
        self.column: dict[str, list[Any]] = {name: [] for name in table(players, utilities, similar)}
        self.names = {part: _Names() for part in (*NAMES, *([FAMILIES] if similar else []))}
        self._wide = [""] if utilities == 1 else [str(player) for player in range(utilities)]
        self._shown: dict[int, Any] = {}  # what the box showed at each node that was expanded
        self._sets: list[dict[tuple[int, int], int]] = [{} for _ in range(self.seats)]
        self._sequences = [1] * self.seats
        self._menus: dict[tuple[int, ...], int] = {}
        self._keyed: dict[int, int] = {}  # groups by the number of their name
        self._drawn: dict[int, Any] = {}  # what the first node of each group states about its outcomes
        self._begins: dict[int, int] = {}  # the first slot of each group whose outcomes are listed
        self._unknown = 0  # groups whose odds are not known
        self._sizes: list[int] = []  # of families
        self._slots: dict[int, dict[int, int]] = {}  # of open groups, by the number of the outcome
        self._late: dict[tuple[int, int], int] = {}  # children of open chance nodes, by node and slot

    def _add(self, prefix: str, row: dict[str, Any]) -> int:
        """Append a row to some columns; return its number."""
        for name, value in row.items():
            self.column[f"{prefix}{name}"].append(value)
        return len(self.column[f"{prefix}{next(iter(row))}"]) - 1

    def _bounds(self, node: int) -> list[Pair]:
        return [(self.column[f"node_low{k}"][node], self.column[f"node_high{k}"][node]) for k in self._wide]

    def begin(self, view: Any, given: list[float] | None) -> None:
        """Make the root, with the range of all gains."""
        low, high = (-math.inf, math.inf) if given is None else given
        bounds: list[Pair] = [(low, high)] * self.utilities
        if view.bounds is not None:
            bounds = [
                self._meet(pair, (float(view.gains[k]) + least, float(view.gains[k]) + most), "the root")
                for k, (pair, (least, most)) in enumerate(zip(bounds, self._worth(view.bounds), strict=True))
            ]
        need(
            all(math.isfinite(bound) for pair in bounds for bound in pair), "the box does not bound what can be gained"
        )
        self._leaf(NONE, 0, [0] * self.seats, bounds)

    def _leaf(
        self, parent: int, move: int, sequences: Sequence[int], bounds: Sequence[Pair], slot: int = NONE,
        gains: Sequence[float] | None = None,
    ) -> int:  # fmt: skip
        told = [math.nan] * self.utilities if gains is None else gains
        row: dict[str, Any] = {"parent": parent, "move": move, "kind": LEAF, "first": NONE, "group": NONE, "slot": slot}
        for k, (low, high), gain in zip(self._wide, bounds, told, strict=True):
            row |= {f"gain{k}": gain, f"low{k}": low, f"high{k}": high}
        for seat in range(self.seats):
            row |= {f"set{seat}": NONE, f"sequence{seat}": sequences[seat]}
        return self._add("node_", row)

    def _worth(self, bounds: Any) -> list[Pair]:
        """Return the bounds as a trunk keeps them: of player 0 alone if gains are zero-sum for two."""
        need(len(bounds) == self.players, "the box bounds the gains of another number of players")
        pairs = [(float(low), float(high)) for low, high in bounds]
        need(all(math.isfinite(x) for pair in pairs for x in pair), "the box states bounds that are not finite")
        if self.utilities == 1 and self.players == 2:
            (low, high), (least, most) = pairs
            return [(max(low, -most), min(high, -least))]
        return pairs

    @staticmethod
    def _meet(one: Pair, other: Pair, where: str) -> Pair:
        """Return the intersection of two pairs of bounds; if rounding has crossed them, their middle."""
        low, high = max(one[0], other[0]), min(one[1], other[1])
        if low > high:
            need(low <= high + SLACK * max(1.0, abs(low), abs(high)), f"{where}: a utility leaves its bounds")
            low = high = (low + high) / 2
        return low, high

    def visit(self, node: int, view: Any, where: str) -> bool:
        """Compare a view with what the box showed here before. At the first visit, expand the node and return True."""
        shown = _content(view)
        if node in self._shown:
            need(self._shown[node] == shown, f"{where}: the box shows something else than before at the same history")
            return False
        self._shown[node] = shown
        self._expand(node, view, where)
        return True

    def _expand(self, node: int, view: Any, where: str) -> None:
        need(len(view.gains) == self.players, f"{where}: the box states the gains of another number of players")
        gains = [float(gain) for gain in view.gains]
        need(all(map(math.isfinite, gains)), f"{where}: a gain is not a finite number")
        if self.utilities == 1 and self.players == 2:
            rounding = SLACK * max(1.0, abs(gains[0]), abs(gains[1]))
            need(
                abs(gains[0] + gains[1]) <= rounding,
                f"{where}: gains are not zero-sum, but the file says that they are",
            )
        over = view.draw is None and not view.movers
        told = [(-math.inf, math.inf)] * self.utilities if not over else [(0.0, 0.0)] * self.utilities
        if view.bounds is not None:
            told = self._worth(view.bounds)
        bounds = []
        for k, (low, high) in enumerate(self._bounds(node)):
            before = self.column[f"node_gain{self._wide[k]}"][node]
            need(math.isnan(before) or before == gains[k], f"{where}: another gain than the box stated before")
            pair = self._meet((low - gains[k], high - gains[k]), told[k], where)
            slack = SLACK * max(1.0, abs(pair[0]), abs(pair[1]))
            need(not over or (pair[0] <= slack and pair[1] >= -slack), f"{where}: a utility leaves its bounds")
            bounds.append((0.0, 0.0) if over else pair)
        column = self.column
        for part, gain, (low, high) in zip(self._wide, gains, bounds, strict=False):
            column[f"node_gain{part}"][node] = gain
            column[f"node_low{part}"][node], column[f"node_high{part}"][node] = low, high
        column["node_kind"][node] = END if over else CHANCE if view.draw is not None else CHOICE
        if view.draw is not None:
            need(not view.movers, f"{where}: chance and players move at once")
            self._expand_chance(node, view, bounds, where)
        elif not over:
            self._expand_choice(node, view, bounds, where)

    def _children(self, node: int, view: Any, many: int, bounds: list[Pair], slot: int | None, where: str) -> list[int]:
        """Add the children of a node, one for each move, with the gains and bounds that the box states for them."""
        need(view.children is None or len(view.children) == many, f"{where}: the box states another number of children")
        self.column["node_first"][node] = len(self.column["node_parent"])
        sequences = [self.column[f"node_sequence{seat}"][node] for seat in range(self.seats)]
        children = []
        for move in range(many):
            gains, inside = None, bounds
            if view.children is not None:
                gains = [float(gain) for gain in view.children[move][0]][: self.utilities]
                told = self._worth(view.children[move][1])
                inside = [
                    self._meet(pair, (gain + least, gain + most), where)
                    for pair, gain, (least, most) in zip(bounds, gains, told, strict=True)
                ]
            place = NONE if slot is None else slot + move
            children.append(self._leaf(node, move, sequences, inside, place, gains))
        return children

    def _expand_choice(self, node: int, view: Any, bounds: list[Pair], where: str) -> None:
        movers, sets = [*view.movers], [NONE] * self.seats
        sound = movers == sorted(set(movers)) and movers[0] >= 0 and movers[-1] < self.players
        need(sound, f"{where}: the movers are not different players in ascending order")
        for player, menu, seen in zip(movers, view.actions, view.observations, strict=True):
            need(len(menu) > 0 and len(set(menu)) == len(menu), f"{where}: player {player} has no action, or one twice")
            code = self.names["observations"].code(seen)
            sequence = self.column[f"node_sequence{player}"][node]
            number = self._sets[player].get((sequence, code))
            if number is None:
                number = self._add_set(player, sequence, code, menu)
                self._sets[player][sequence, code] = number
            known = self.column[f"set{player}_menu"][number]
            same = self._menus.get(tuple(self.names["actions"].codes.get(action, NONE) for action in menu)) == known
            need(same, f"{where}: player {player} has other actions than elsewhere in the same information set")
            sets[player] = number
            self.column[f"node_set{player}"][node] = number
        sizes = [1 if n == NONE else self.column[f"set{p}_size"][n] for p, n in enumerate(sets)]
        for child in self._children(node, view, math.prod(sizes), bounds, None, where):
            left = self.column["node_move"][child]
            for player in reversed(range(self.seats)):
                if sets[player] != NONE:
                    first = self.column[f"set{player}_first"][sets[player]]
                    self.column[f"node_sequence{player}"][child] = first + left % sizes[player]
                    left //= sizes[player]

    def _add_set(self, player: int, sequence: int, seen: int, menu: Sequence[Hashable]) -> int:
        codes = tuple(self.names["actions"].code(action) for action in menu)
        if codes not in self._menus:
            self._menus[codes] = len(self._menus)
            self.column["menu_size"].append(len(codes))
            self.column["menu_action"].extend(codes)
        first, self._sequences[player] = self._sequences[player], self._sequences[player] + len(codes)
        row = {"parent": sequence, "observation": seen, "first": first, "size": len(codes), "menu": self._menus[codes]}
        return self._add(f"set{player}_", row)

    def _expand_chance(self, node: int, view: Any, bounds: list[Pair], where: str) -> None:
        draw = view.draw
        outcomes = None if draw.outcomes is None else [*draw.outcomes]
        if outcomes is None:
            whole = isinstance(draw.most, int) and draw.most >= 1 and draw.odds is None
            need(whole, f"{where}: chance states neither its outcomes nor their number")
        else:
            need(len(set(outcomes)) == len(outcomes) > 0, f"{where}: an outcome of chance is listed twice")
            need(
                draw.odds is None or len(draw.odds) == len(outcomes),
                f"{where}: chance has more or fewer odds than outcomes",
            )
        size = draw.most if outcomes is None else len(outcomes)
        odds = None if draw.odds is None else [float(weight) for weight in draw.odds]
        kin = _kin(draw)
        need(kin is None or self.similar, f"{where}: the box names a family of chance nodes, but the file has none")
        told = kin is None or (outcomes is not None and odds is None)
        need(told, f"{where}: a chance node with a family has unlisted outcomes or known odds")
        said = size, outcomes is None, odds, kin
        group = self._keyed.get(NONE if draw.group is None else self.names["keys"].codes.get(draw.group, NONE), NONE)
        if group == NONE:
            group = self._add_group(draw.group, size, outcomes is None, odds)
            self._add_family(kin, size, where)
            self._drawn[group] = said
        need(self._drawn[group] == said, f"{where}: other outcomes than elsewhere in the same group of chance")
        self.column["node_group"][node] = group
        if outcomes is not None:
            self._children(node, view, size, bounds, self._begins[group], where)
        else:
            need(view.children is None, f"{where}: the box states children of outcomes that it cannot list")

    def _add_group(self, key: Hashable | None, size: int, is_open: bool, odds: list[float] | None) -> int:
        self._unknown += odds is None
        index = 0 if odds is not None else self._unknown
        row = {"size": size, "index": index, "samples": 0, "open": is_open, "known": odds is not None}
        group = self._add("group_", row)
        if not is_open:
            self._begins[group] = len(self.column["slot_group"])
            for place in range(size):
                weight = math.nan if odds is None else odds[place]
                self._add("slot_", {"group": group, "outcome": place, "count": 0, "odds": weight})
        if key is not None:
            code = self.names["keys"].code(key)
            self._keyed[code] = group
            self.column["group_key"].append([code, group])
        return group

    def _add_family(self, kin: tuple[Hashable, float] | None, size: int, where: str) -> None:
        """Record the family of a new group."""
        if not self.similar:
            return
        family = NONE
        if kin is not None:
            family = self.names[FAMILIES].code(kin[0])
            if family == len(self._sizes):
                self._sizes.append(size)
                self.column["family_apart"].append(kin[1])
            same = self._sizes[family] == size and self.column["family_apart"][family] == kin[1]
            need(same, f"{where}: chance has other outcomes, or states another distance, than elsewhere in its family")
        self.column["group_family"].append(family)

    def after(self, node: int, view: Any, choice: list[int], where: str) -> int:
        """Return the node after the moves, or after the outcome that chance has drawn, which is counted."""
        if view.draw is not None:
            return self.drawn(node, view.draw, where)
        move = 0
        for menu, k in zip(view.actions, choice, strict=True):
            move = move * len(menu) + k
        return int(self.column["node_first"][node]) + move

    def drawn(self, node: int, draw: Any, where: str) -> int:
        """Count an outcome of chance; return the node after it."""
        group = self.column["node_group"][node]
        if draw.outcomes is not None:
            need(draw.outcome in [*draw.outcomes], f"{where}: chance drew an outcome that it does not list")
            move = [*draw.outcomes].index(draw.outcome)
            slot, child = self._begins[group] + move, self.column["node_first"][node] + move
        else:
            slot, child = self._late_child(node, group, draw.outcome, where)
        self.column["slot_count"][slot] += 1
        self.column["group_samples"][group] += 1
        return int(child)

    def _late_child(self, node: int, group: int, outcome: Hashable, where: str) -> tuple[int, int]:
        """Return the place and the child of an outcome that is not listed; create both the first time."""
        code = self.names["outcomes"].code(outcome)
        slots = self._slots.setdefault(group, {})
        if code not in slots:
            most = self.column["group_size"][group]
            need(len(slots) < most, f"{where}: chance has more outcomes than the box says")
            slots[code] = self._add("slot_", {"group": group, "outcome": code, "count": 0, "odds": math.nan})
        slot = slots[code]
        child = self._late.get((node, slot))
        if child is None:
            sequences = [self.column[f"node_sequence{seat}"][node] for seat in range(self.seats)]
            child = self._late[node, slot] = self._leaf(node, slot, sequences, self._bounds(node), slot)
        return slot, child

    def compare(self, arrays: Arrays, names: dict[str, list[str]]) -> None:
        """Reject a file in which any number or name differs from the rebuilt ones."""
        for name, kind in table(self.players, self.utilities, self.similar).items():
            mine = np.array(self.column[name], kind)
            if name == "group_key":
                mine = mine.reshape(-1, 2)
            theirs = arrays[name]
            need(
                mine.shape == theirs.shape,
                f"the file has {len(theirs)} rows of {name}, but playing again gives {len(mine)}",
            )
            same = (mine == theirs) | ((mine != mine) & (theirs != theirs))  # NaN counts as equal to NaN
            other = np.flatnonzero(~same)
            if len(other):
                row = int(other[0]) // max(mine.size // max(len(mine), 1), 1)
                raise RejectedError(
                    f"{name} of row {row} is {theirs[row].tolist()} in the file, and {mine[row].tolist()} when every "
                    "playthrough is played again"
                )
        for part, known in self.names.items():
            need(known.texts(part) == names[part], f"the {part} have other names in the file than the box shows")


def _content(view: Any) -> tuple[Any, ...]:
    """Return all parts of a view except the outcome that was drawn, so that two views can be compared."""
    draw, children = view.draw, view.children
    return (
        tuple(map(float, view.gains)),
        None if view.bounds is None else tuple(map(tuple, view.bounds)),
        tuple(view.movers),
        tuple(map(tuple, view.actions)),
        tuple(view.observations),
        None if draw is None else (_tupled(draw.outcomes), draw.most, draw.group, _tupled(draw.odds), _kin(draw)),
        None if children is None else tuple((tuple(gains), tuple(map(tuple, bounds))) for gains, bounds in children),
    )


def _kin(draw: Any) -> tuple[Hashable, float] | None:
    """Return the family of a chance node and the distance that it states; None without a family."""
    similar = getattr(draw, "similar", None)
    if similar is None:
        return None
    name, apart = similar
    return name, float(apart)


def _tupled(part: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if part is None else tuple(part)
