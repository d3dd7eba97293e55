"""Factored payoffs: the blocks of a sequence form that need fewer numbers as factors than as entries.

Blocks are the connected parts of the payoff matrix, as in `blocks`. Showdowns of poker (the higher hand wins), counts
of liar's dice (enough dice, or not) and gains that depend on one player's secret alone become a few corners and single
cells. Two-player zero-sum games only: all others keep their entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Ints, Longs, offsets
from hannan.forms.sequence import SequenceForm
from hannan.kernels.expansion.entries import stable_order
from hannan.kernels.fullwidth import blocks as block_kernels
from hannan.kernels.fullwidth import factors as kernels
from hannan.kernels.fullwidth.factors import F_BLOCK, Factored, FactorScratch, Parts

LONGEST = 4096
"""The most rows or columns of a block."""

FULLEST = 0.3
"""The least share of a block's cells that are entries."""

DENSE = 32
"""Blocks with at most this many rows and columns are fast without factors."""

SHARE = 0.25
"""The least share of all entries that must be in factors to be worth their own loop."""

PAYS, PAYS_DENSE = 2.0, 5.0
"""How many times fewer numbers factors should have than a block, and than a small block."""


@dataclass(frozen=True)
class Factors:
    """The entries of a form as factors and remaining entries."""

    factored: Factored  # sequences are each player's own numbers
    left: Ints | None  # the entries outside all factors, ascending; None: all entries
    entries: int

    @staticmethod
    def none(form: SequenceForm) -> Factors:
        """Return factors of a form without any entry in a factor."""
        empty = np.zeros(0, np.int64)
        return Factors(_room(empty, empty, np.zeros((0, 3), np.int64)), None, form.entries)

    @property
    def numbers(self) -> int:
        """The count of numbers in factors and remaining entries together."""
        stayed = self.entries if self.left is None else len(self.left)
        factored = self.factored
        return stayed + sum(len(part) for part in (factored.row, factored.column, factored.corner, factored.cell))


def factor(form: SequenceForm) -> Factors:
    """Find the blocks that need far fewer numbers as factors, and return their factors."""
    if form.players != 2 or form.rows != 1 or form.entries == 0:
        return Factors.none(form)
    rows, columns = form.sequence(0), form.sequence(1)
    row_count, column_count = (plex.sequences for plex in form.treeplexes)
    label = block_kernels.components(rows, columns, row_count, column_count)
    count = int(label.max()) + 1
    rank, height, width = block_kernels.sizes(label, row_count, count)
    many = block_kernels.entries_of(label, rows, count)
    begin = offsets(many)
    full = (height <= LONGEST) & (width <= LONGEST) & (many >= FULLEST * height * width)
    least = np.where((height <= DENSE) & (width <= DENSE), PAYS_DENSE, PAYS)
    wanted = np.flatnonzero(full & (many > least * (height + width)))
    if many[wanted].sum() < max(1, SHARE * form.entries):
        return Factors.none(form)
    payoff = form.payoff(0)
    order = stable_order(label[rows], count, np.arange(form.entries, dtype=np.int32))
    parts = Parts(begin, order, rank, height, width)
    cells, longest = int((height * width)[wanted].max()), int(np.maximum(height, width)[wanted].max())
    tables, weights, orders = np.empty((3, cells)), np.empty((2, longest)), np.empty((2, longest), np.int64)
    room = FactorScratch(tables[0], tables[1], tables[2], weights[0], weights[1], orders[0], orders[1])
    sizes = np.zeros((len(wanted), 3), np.int64)
    kernels.measure(wanted, parts, rows, columns, row_count, payoff, room, sizes)
    numbers = height[wanted] + width[wanted] + sizes[:, 0] + sizes[:, 1]
    pays = many[wanted] >= least[wanted] * numbers
    if many[wanted][pays].sum() < SHARE * form.entries:
        return Factors.none(form)
    chosen, sizes = wanted[pays], sizes[pays]
    out = _room(height[chosen], width[chosen], sizes)
    kernels.write(chosen, sizes[:, 2].copy(), parts, rows, columns, row_count, payoff, room, out)
    _name(out, chosen, label, rank, row_count, count)
    stays = np.ones(count, np.bool_)
    stays[chosen] = False
    del order, parts
    return Factors(out, np.flatnonzero(stays[label[rows]]).astype(np.int32), form.entries)


def _name(out: Factored, chosen: Longs, label: Ints, rank: Ints, row_count: int, count: int) -> None:
    """Turn places in a part into numbers of sequences."""
    place = np.full(count, -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    for side, (begin, array) in enumerate(((kernels.F_ROW_AT, out.row), (kernels.F_COLUMN_AT, out.column))):
        labels = label[:row_count] if side == 0 else label[row_count:]
        members = np.flatnonzero(labels >= 0)
        members = members[place[labels[members]] >= 0]
        ranks = rank[members + side * row_count]
        named = np.empty(len(array), np.int32)
        named[out.block[place[labels[members]], begin] + ranks] = members
        first = np.repeat(out.block[:-1, begin], np.diff(out.block[:, begin]))
        array[:] = named[first + array]


def _room(height: Longs, width: Longs, sizes: Longs) -> Factored:
    """Return room for the factors of blocks with these rows, columns, corners and cells."""
    block = np.zeros((len(height) + 1, F_BLOCK), np.int64)
    block[:-1, kernels.F_ROWS], block[:-1, kernels.F_COLUMNS] = height, width
    block[1:, kernels.F_ROW_AT :] = np.cumsum(np.column_stack((height, width, sizes[:, :2])), axis=0)
    rows, columns, corners, cells = (int(end) for end in block[-1, kernels.F_ROW_AT :])
    sides = ((size, kind) for size in (rows, columns) for kind in (np.int32, np.float64))
    few = ((size, kind) for size in (corners, cells) for kind in (np.int16, np.int16, np.float64))
    parts: Any = [np.empty(size, kind) for size, kind in (*sides, *few)]
    return Factored(block, *parts)
