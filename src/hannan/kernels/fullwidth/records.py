"""The records that the kernels of full-width methods share: two layouts of a game, a state, and words for numbers.

All players lie end to end: sequence s of player p is number `sequence_begin[p] + s`, set j is `set_begin[p] + j`.
"""

from __future__ import annotations

from typing import NamedTuple

from hannan.arrays import Bytes, Floats, Ints, Longs, Numbers
from hannan.kernels.fullwidth.factors import Factored

# the learners: regrets at every information set (CFR); log weights of whole plans, with exp(rate · sum of gradients)
# (EINR, KOMWU); the same with a factor 1 + rate · utility an iteration; the same with log weights that are floored
REGRETS, WEIGHTS, FACTORS, FLOORED = range(4)

# columns of the schedule, in the order of the fields of `hannan.layouts.backend.Step`, which says what they mean
POSITIVE, NEGATIVE, FLOOR, KEEP, PREDICT, RATE, DECAY, WEIGHT, NOISE, COLUMNS = range(10)

# what is tracked of the correlated average play: its values only (enough where one opponent's play is its average),
# or the gradients that it leaves for each player too
VALUES, GRADIENTS = range(2)


class Flat(NamedTuple):
    """A sequence form for plain loops."""

    sequence_begin: Longs  # [players + 1]
    set_begin: Longs  # [players + 1]
    first: Ints  # [sets]  the first sequence of the set
    size: Ints  # [sets]
    parent: Ints  # [sets]  the sequence that leads to the set
    row_begin: Longs  # [sequences + 1]  the payoffs of a sequence are entries row_begin[s] … row_begin[s+1]-1
    other: Ints  # [players - 1, entries]  the sequences of the others, in order of player
    payoff: Floats  # [entries]


# columns of `Tiled.tile`: the first place, groups of LANES sets, actions of each set, and where the tile's parts of
# `parent` and `use` begin
T_FIRST, T_GROUPS, T_ACTIONS, T_PARENTS, T_USE, T_COLUMNS = range(6)

# columns of `Tiled.chunk`: its first tile, the first tile of sets at which nothing is at stake, and one past all
C_BEGIN, C_IDLE, C_END, C_COLUMNS = range(4)

# bits of `Tiled.use`: some of the sequences have payoffs or sets after them, so that they earn something and their
# reach is read; some have sets after them and no payoffs, so that what they earn begins at 0
EARNS, GATHERS = 1, 2

# columns of `Tiled.piece`: rows, columns and number of equal blocks; where their rows, columns and cells begin; and
# where the copy for player 1 begins, -1 if the blocks lie side by side and have one copy
P_ROWS, P_COLUMNS, P_COUNT, P_ROW_AT, P_COLUMN_AT, P_CELL_AT, P_TURNED, P_WIDTH = range(8)


class Tiled(NamedTuple):
    """A sequence form in tiles and blocks (see `tiled_passes`); a sequence is known by its place in the state."""

    sequence_begin: Longs  # [players + 1]  where a player's places begin, with that of the empty sequence
    level_begin: Longs  # [players + 1]  a player's levels, from the root down
    chunk_begin: Longs  # [levels + 1]
    chunk: Longs  # [chunks, C_COLUMNS]  tiles; no two chunks share a parent
    tile: Longs  # [tiles, T_COLUMNS]
    parent: Ints  # for each tile [groups, LANES]: the place of the sequence that leads to the set
    use: Bytes  # for each tile [actions]: EARNS, GATHERS
    piece: Longs  # [pieces, P_WIDTH]
    rows: Ints  # for each piece [rows, blocks], or [blocks, rows] with two copies: places of player 0
    columns: Ints  # the same of columns: places of player 1
    block: Numbers  # [1 or 2, cells]  payoffs to player 0 (and to player 1), in units; see `tiled_passes`
    row_begin: Longs  # [players + 1]  a player's rows outside of blocks
    row: Ints  # [rows]  the place
    entry_begin: Longs  # [rows + 1]
    other: Ints  # [players - 1, entries]
    payoff: Numbers  # [entries]  in units
    unit: float  # what payoffs are counted in
    scratch: Floats  # [SIDE + 1, longest row of blocks or side of factors]  for one thread's use
    factored: Factored  # blocks that are stored as factors


Weighted = tuple[Floats, Floats]
"""Of plans with weights, two arrays over sequences: the log prior of each sequence's last action, given its set; and
what later sets add to the log weight of each sequence, 0 between iterations."""

Plans = Weighted | None
"""None where the learner keeps regrets."""


class Learning(NamedTuple):
    """The state of a full-width method; kernels modify it in place."""

    strategy: Floats  # [sequences]  probability of the last action, given its set
    reach: Floats  # [sequences]  product of the player's own probabilities
    regret: Floats  # [sequences]  regrets; sums of gradients or of log factors, where plans have weights
    total: Floats  # [sequences]  weighted sum of reaches: the average strategy; empty if none is kept
    played: Floats  # [sequences]  weighted sum of gradients: what the correlated average play leaves; may be empty
    value: Floats  # [players + 1]  weighted sum of values of play, then of weights
