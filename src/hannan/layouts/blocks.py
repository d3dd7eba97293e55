"""Payoffs as blocks and rows, for `kernels.fullwidth.tiled_passes`.

Blocks follow from the payoffs: sequences of the two players that meet in an entry belong together, and in
games with private information such a group is a dense matrix, hands against hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Bools, Ints, Longs, Numbers, offsets
from hannan.forms.sequence import LARGE, SLICE, SequenceForm
from hannan.kernels.fullwidth import blocks as block_kernels
from hannan.kernels.fullwidth.records import P_WIDTH
from hannan.kernels.vectors import EIGHT

PIECE = 256
"""Blocks in a piece, whose numbers then stay in the nearest cache."""

SIDE = 32
"""The most rows or columns of a block that is interleaved with others of its shape."""

FEWEST = 8
"""The fewest such blocks that are worth a loop of their own."""

FULLEST = 0.3
"""The least share of such a block's cells that are entries."""

PANEL_SIDE, PANEL_LEAST = 1024, 4
"""The most and the fewest rows or columns of a block in panels."""

PANEL_FULLEST, PANEL_FULLEST_WIDE = 0.5, 0.67
"""The least share of a panel's cells that are entries, if a cell takes up to 4 bytes, and if it takes 8."""

ALIKE = 1e-13
"""The largest relative rounding error of a payoff that is a whole number of units."""

MOST, PARTS = 127, 12
"""The most units of a payoff, and the most units of the smallest one."""


def unit_of(form: SequenceForm) -> float | None:
    """Return a number of which all payoffs are small whole multiples; None if there is none."""
    numbers, largest = form.numbers, form.largest
    if form.numbers.dtype == np.int8 or form.entries == 0:
        return 1.0
    least = min(
        (float(np.abs(row[row != 0]).min(initial=np.inf)) for row in _slices(numbers)),
        default=np.inf,
    )
    if not 0 < least < np.inf:
        return 1.0
    for parts in range(1, PARTS + 1):
        unit = least / parts
        if largest > (MOST + 0.5) * unit:
            return None
        if all(_whole(row, unit) for row in _slices(numbers)):
            return unit
    return None


def _slices(numbers: Numbers) -> Any:
    return (numbers[:, low : low + SLICE] for low in range(0, numbers.shape[1], SLICE))


def _whole(numbers: Numbers, unit: float) -> bool:
    exact = np.rint(numbers / unit) * unit
    return bool(np.all(np.abs(numbers - exact) <= ALIKE * np.abs(exact)))


@dataclass(frozen=True)
class Rest:
    """The entries outside all factors, as in the form, and the layout's numbers of sequences."""

    sequences: tuple[Ints, ...]  # [entries] of each player
    payoffs: Numbers  # [rows, entries]
    place: Ints  # [sequences]
    unit: float
    begin: Longs  # [players + 1]

    @staticmethod
    def of(form: SequenceForm, place: Ints, begin: Longs, left: Ints | None, kind: np.dtype[Any]) -> Rest:
        """Return the remaining entries of a form, in units if there is a unit, else with payoffs of a kind."""
        unit = unit_of(form)
        sequences, payoffs = tuple(map(form.sequence, range(form.players))), form.numbers
        if left is not None:
            sequences, payoffs = tuple(mine[left] for mine in sequences), payoffs[:, left]
        if unit is not None and payoffs.dtype != np.int8:
            counted = np.empty(payoffs.shape, np.int8)
            for low in range(0, payoffs.shape[1], SLICE):
                counted[:, low : low + SLICE] = np.rint(payoffs[:, low : low + SLICE] / unit)
            payoffs, kind = counted, counted.dtype
        return Rest(sequences, payoffs.astype(kind, copy=False), place, 1.0 if unit is None else unit, begin)

    @property
    def players(self) -> int:
        return len(self.sequences)

    @property
    def entries(self) -> int:
        return self.payoffs.shape[1]

    def places(self, player: int) -> tuple[Ints, int]:
        """Return the layout's numbers of a player's sequences, and the first number."""
        return self.place[self.begin[player] : self.begin[player + 1]], int(self.begin[player])


@dataclass(frozen=True)
class Blocks:
    """Dense blocks; `Tiled` describes the arrays."""

    piece: Longs
    rows: Ints
    columns: Ints
    cells: Numbers
    inside: Bools  # [entries]  whether they are in a block


def _no_blocks(rest: Rest) -> Blocks:
    empty, cells = np.zeros(0, np.int32), np.zeros((len(rest.payoffs), 0), rest.payoffs.dtype)
    return Blocks(np.zeros((0, P_WIDTH), np.int64), empty, empty, cells, np.zeros(rest.entries, np.bool_))


@dataclass(frozen=True)
class _Shapes:
    """The blocks of each shape, cut into pieces; arrays over shapes."""

    rows: Longs
    columns: Longs
    many: Longs
    panels: Bools  # whether blocks are stored one after another, in panels

    @property
    def size(self) -> Longs:
        """The number of blocks in a piece."""
        longest = np.maximum(np.maximum(self.rows, self.columns), 1)
        size: Longs = np.maximum(8, np.minimum(PIECE, 16 * PIECE // longest))
        return size

    @property
    def first_copy(self) -> Longs:
        """The cells of a block in the only copy, or in that of player 0."""
        cells: Longs = np.where(self.panels, _padded(self.rows), self.rows) * self.columns
        return cells

    @property
    def second_copy(self) -> Longs:
        """The cells of a block in the copy for player 1."""
        cells: Longs = np.where(self.panels, self.rows * _padded(self.columns), 0)
        return cells

    def begins(self, side: int) -> Longs:
        """Return where the rows, columns or cells of each shape begin, and the end of all."""
        each = (self.rows, self.columns, self.first_copy + self.second_copy)[side]
        return offsets(each * self.many)

    def pieces(self) -> Longs:
        """Return the rows of `Tiled.piece`."""
        begins, sizes, first, second = [self.begins(side) for side in range(3)], self.size, *self._copies()
        found = []
        for k in range(len(self.rows)):
            m, n, size = int(self.rows[k]), int(self.columns[k]), int(sizes[k])
            for low in range(0, int(self.many[k]), size):
                count = min(size, int(self.many[k]) - low)
                at = int(begins[2][k]) + low * (first[k] + second[k])
                turned = at + count * first[k] if self.panels[k] else -1
                found.append((m, n, count, begins[0][k] + low * m, begins[1][k] + low * n, at, turned))
        return np.array(found, np.int64).reshape(-1, P_WIDTH)

    def _copies(self) -> tuple[list[int], list[int]]:
        return self.first_copy.tolist(), self.second_copy.tolist()


def _padded(size: Longs) -> Longs:
    return -(-size // EIGHT) * EIGHT


@dataclass(frozen=True)
class _Where:
    """The block of each component of the payoff matrix."""

    shapes: _Shapes
    shape: Longs  # [components]  -1: in no block
    block: Longs  # [components]  the place among the components of its shape

    def _piece(self, component: Ints) -> tuple[Longs, Longs, Longs, Longs]:
        """Return the shapes of components, where their pieces begin, their places in these, and the pieces' sizes."""
        shape = self.shape[component]
        size = self.shapes.size[shape]
        low = self.block[component] // size * size
        return shape, low, self.block[component] - low, np.minimum(size, self.shapes.many[shape] - low)

    def line(self, side: int, component: Ints, line: Ints) -> Longs:
        """Return where the given rows (side 0) or columns of components are stored."""
        shape, low, block, count = self._piece(component)
        each = (self.shapes.rows, self.shapes.columns)[side][shape]
        inside = np.where(self.shapes.panels[shape], block * each + line, line * count + block)
        where: Longs = self.shapes.begins(side)[shape] + low * each + inside
        return where

    def cells(self, component: Ints, row: Ints, column: Ints) -> tuple[Longs, Longs]:
        """Return where cells of components are stored, in the only copy or the first, and in the second one."""
        shapes = self.shapes
        shape, low, block, count = self._piece(component)
        m, n, first, second = (each[shape] for each in (shapes.rows, shapes.columns, *self._sizes()))
        at = shapes.begins(2)[shape] + low * (first + second)
        interleaved = (row * n + column) * count + block
        panel = block * first + (row // EIGHT * n + column) * EIGHT + row % EIGHT
        turned = count * first + block * second + (column // EIGHT * m + row) * EIGHT + column % EIGHT
        panels = shapes.panels[shape]
        return at + np.where(panels, panel, interleaved), at + np.where(panels, turned, interleaved)

    def _sizes(self) -> tuple[Longs, Longs]:
        return self.shapes.first_copy, self.shapes.second_copy


def blocks_of(rest: Rest) -> Blocks:
    """Group entries into dense blocks by the connected parts of the payoff matrix, and blocks by their shape."""
    if rest.entries == 0 or rest.players != 2:
        return _no_blocks(rest)
    begin, (mine, theirs) = rest.begin, rest.sequences
    rows_total, columns_total = int(begin[1]), int(begin[2] - begin[1])
    label = block_kernels.components(mine, theirs, rows_total, columns_total)
    count = int(label.max()) + 1
    label, filled = block_kernels.relabel(label, rest.place, block_kernels.entries_of(label, mine, count))
    rank, height, width = block_kernels.sizes(label, rows_total, count)
    where = _shaped(rest, filled, height, width)
    index = []
    for side in (0, 1):
        first, last = int(begin[side]), int(begin[side + 1])
        held = first + np.flatnonzero((label[first:last] >= 0) & (where.shape[label[first:last]] >= 0))
        array = np.empty(int(where.shapes.begins(side)[-1]), np.int32)
        array[where.line(side, label[held], rank[held])] = held
        index.append(array)
    cells = np.zeros((len(rest.payoffs), int(where.shapes.begins(2)[-1])), rest.payoffs.dtype)
    inside = np.empty(rest.entries, np.bool_)
    for low in range(0, rest.entries, SLICE):
        part = slice(low, low + SLICE)
        rows, columns = rest.place[mine[part]], rest.place[begin[1] + theirs[part]]
        inside[part] = here = where.shape[label[rows]] >= 0
        rows, columns = rows[here], columns[here]
        for place in where.cells(label[rows], rank[rows], rank[columns]):
            cells[:, place] = rest.payoffs[:, part][:, here]
    return Blocks(where.shapes.pieces(), index[0], index[1], cells, inside)


def _shaped(rest: Rest, filled: Longs, height: Longs, width: Longs) -> _Where:
    """Return which components become blocks, and which blocks are stored in panels."""
    narrow = rest.payoffs.dtype.itemsize <= 4
    least = PANEL_FULLEST if narrow else PANEL_FULLEST_WIDE
    widest = np.maximum(_padded(height) * width, height * _padded(width))
    panel = (np.maximum(height, width) <= PANEL_SIDE) & (np.minimum(height, width) >= PANEL_LEAST)
    panel &= (filled >= least * widest) & (len(rest.payoffs) == 1) & (narrow or rest.entries < LARGE)
    interleaved = (height <= SIDE) & (width <= SIDE) & (filled >= FULLEST * height * width)
    kind = np.where(panel | interleaved, (height * (PANEL_SIDE + 1) + width) * 2 + panel, -1)
    kinds, which, amounts = np.unique(kind, return_inverse=True, return_counts=True)
    usable = (kinds >= 0) & ((amounts >= FEWEST) | (kinds % 2 == 1))
    shape = np.where(usable, np.cumsum(usable) - 1, -1)[which]
    sides = kinds[usable] // 2
    shapes = _Shapes(sides // (PANEL_SIDE + 1), sides % (PANEL_SIDE + 1), amounts[usable], kinds[usable] % 2 == 1)
    # the place of each component among the components of its shape
    order = np.argsort(shape, kind="stable")
    starts = np.searchsorted(shape[order], np.arange(len(sides)))
    block = np.empty(len(shape), np.int64)
    block[order] = np.arange(len(shape)) - np.where(shape[order] >= 0, starts[shape[order]] if len(sides) else 0, 0)
    return _Where(shapes, shape, block)


def _begins(sequence: Ints, place: Ints, least: int, inside: Bools) -> tuple[Ints, Ints, Longs]:
    """Count the entries outside of blocks that each of a player's sequences has, by its place; the first is `least`.

    Returns where those of each place begin, [places]; the places that have some; where those begin, and one past all.
    """
    many = np.zeros(len(place), np.int32)
    for low in range(0, len(sequence), SLICE):
        part = slice(low, low + SLICE)
        block_kernels.tally(sequence[part][~inside[part]], place, least, many)
    some, first = np.flatnonzero(many).astype(np.int32), np.cumsum(many, dtype=np.int32)
    begin = np.concatenate(([0], first[some])).astype(np.int64)
    first -= many
    some += least
    return first, some, begin


def rows_of(rest: Rest, inside: Bools) -> dict[str, Any]:
    """Lay out the entries outside all blocks as rows, once for each player; return the arrays of `Tiled`."""
    players, size = rest.players, rest.entries - int(np.count_nonzero(inside))
    begins, rows, entries = [0], [], [np.zeros(1, np.int64)]
    other, payoff = np.empty((players - 1, players * size), np.int32), np.empty(players * size, rest.payoffs.dtype)
    for p in range(players):
        mine = (rest.sequences[p], *rest.places(p), inside)
        first, row, begin = _begins(*mine)
        rows.append(row)
        begins.append(begins[-1] + len(row))
        entries.append(p * size + begin[1:])
        part = slice(p * size, (p + 1) * size)
        for k, q in enumerate(q for q in range(players) if q != p):
            block_kernels.lay_out(*mine, first.copy(), rest.sequences[q], rest.places(q)[0], other[k, part])
        block_kernels.lay_out(*mine, first.copy(), rest.payoffs[p if p < len(rest.payoffs) else 0], None, payoff[part])
        if p >= len(rest.payoffs):
            np.negative(payoff[part], out=payoff[part])
    begin, row, entry_begin = np.array(begins, np.int64), np.concatenate(rows), np.concatenate(entries)
    return {"row_begin": begin, "row": row, "entry_begin": entry_begin, "other": other, "payoff": payoff}
