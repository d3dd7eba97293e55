"""A playthrough in the form for the kernel: the views of new nodes in numbers, with names replaced by numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.trunk import CHANCE, CHOICE, END, NONE, Trunk
from hannan.kernels.certifying import merge
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying.records import Path
from hannan.rules.box import ChanceMove, View
from hannan.rules.plain import MOST_MOVES

Said = tuple[int, bool, tuple[float, ...] | None]
"""A box's description of the outcomes of a group: their number, whether they are not listed, and their odds."""


class New(NamedTuple):
    """A node to expand."""

    view: View
    move: int
    worth: list[list[float]]
    """The gain, and bounds on later gains."""
    sets: Sequence[int]
    """The information sets of the movers; NONE for new ones."""
    told: Floats | None
    """The box's facts about each child before its first visit."""


def blank_path(trunk: Trunk) -> Path:
    """Return room for the longest path of new nodes."""
    deepest, wide = MOST_MOVES + 2, trunk.utilities
    return Path(
        np.zeros((deepest, rec.ROW), np.int64), np.zeros((deepest, trunk.seats, rec.MOVER), np.int64),
        np.zeros((deepest, rec.WORTH, wide)), np.zeros((0, rec.WORTH, wide)),
    )  # fmt: skip


class PathWriter:
    """Writes the new nodes of playthroughs for the kernel, which adds them to one trunk."""

    def __init__(self, trunk: Trunk) -> None:
        self.trunk, self._path = trunk, blank_path(trunk)
        self._next = [0, 0]  # the numbers of the next new group and slot
        self._slots: dict[tuple[int, int], int] = {}  # slots that are new on the path, by group and outcome

    def merge(self, node: int, above: ChanceMove | None, new: Sequence[New]) -> None:
        """Write the new nodes of a path, and let the kernel add them. above: the outcome that a known node drew."""
        trunk, path, told = self.trunk, self._path, [np.zeros((0, rec.WORTH, self.trunk.utilities))]
        widths = [_width(each.view) for each in new]
        for columns in (trunk.nodes, trunk.slots):
            columns.reserve(columns.used + 1 + sum(widths))
        trunk.groups.reserve(trunk.groups.used + len(new))
        trunk.sheets.reserve(int(trunk.sheets.used.max()) + len(new))
        self._next = [trunk.groups.used, trunk.slots.used]
        self._slots.clear()
        steps = 0
        if above is not None:
            path.row[0] = CHANCE, NONE, NONE, 0, rec.OPEN, *self._slot(int(trunk.nodes.group[node]), above), NONE
            steps = 1
        for step, (view, move, gained, sets, children) in enumerate(new, steps):
            path.worth[step] = gained
            at = NONE
            if children is not None:
                at = sum(map(len, told))
                told.append(children)
            if view.draw is not None:
                path.row[step] = CHANCE, move, *self._group(view.draw), at
            else:
                path.row[step] = CHOICE if view.movers else END, move, NONE, 0, 0, NONE, NONE, at
                path.mover[step, :, rec.SIZE] = 0
                for player, menu, seen, number in zip(view.movers, view.actions, view.observations, sets, strict=True):
                    known_as = trunk.menu(menu) if number == NONE else NONE
                    path.mover[step, player] = number, trunk.observations.code(seen), known_as, len(menu)
        path = path._replace(told=np.concatenate(told))
        merge.merge(node, steps + len(new), trunk.used, trunk.records(), trunk.set_records(), path)

    def _group(self, draw: ChanceMove) -> tuple[int, int, int, int, int]:
        """Return the group of a new chance node, its number of outcomes, how they are counted, slot and outcome."""
        trunk = self.trunk
        count, is_open, odds = said(draw)
        how = rec.OPEN if is_open else rec.COUNTED if odds is None else rec.KNOWN
        group = trunk.find_group(draw.group)
        if group == NONE:
            group, first = self._next
            self._next = [group + 1, first if is_open else first + count]
            if draw.group is not None:
                trunk.grouped[trunk.keys.code(draw.group)] = group
            if trunk.families is not None:
                trunk.families.enter(group, draw.similar, count)
            if odds is not None:
                trunk.slots.odds[first : first + count] = odds
        slot, outcome = self._slot(group, draw) if is_open else (NONE, NONE)
        return group, count, how, slot, outcome

    def _slot(self, group: int, draw: ChanceMove) -> tuple[int, int]:
        """Return the slot that counts an outcome that is not listed, and its number."""
        code, slot = self.trunk.outcomes.code(draw.outcome), self.trunk.open_slot(group, draw.outcome)
        if slot == NONE:
            slot = self._slots.setdefault((group, code), self._next[1])
            self._next[1] += slot == self._next[1]
        return slot, code


def said(draw: ChanceMove) -> Said:
    """Return a box's description of the outcomes of chance."""
    if draw.outcomes is None:
        return int(draw.most or 0), True, None
    return len(draw.outcomes), False, None if draw.odds is None else tuple(map(float, draw.odds))


def _width(view: View) -> int:
    """Return the most children that a node gets when play reaches it."""
    if view.draw is None:
        return math.prod(map(len, view.actions))
    return 1 if view.draw.outcomes is None else len(view.draw.outcomes)
