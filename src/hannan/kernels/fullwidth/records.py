"""The records that the kernels of full-width methods share: two layouts of a game, a state, and words for numbers.

All players lie end to end: sequence s of player p is number `sequence_begin[p] + s`, set j is `set_begin[p] + j`.
"""

from __future__ import annotations

from typing import NamedTuple

from hannan.arrays import Floats, Ints, Longs
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


class Tiled(NamedTuple):
    """A sequence form in buckets, tiles and blocks (see `tiled_passes`); sequence numbers are the layout's own."""

    sequence_begin: Longs  # [players + 1]  where a player's sequences begin, with the empty one
    bucket_begin: Longs  # [players + 1]  a player's buckets, from the root down
    first: Longs  # [buckets]  the first sequence
    sets: Longs  # [buckets]
    actions: Longs  # [buckets]
    parents: Longs  # [buckets]  where the bucket's part of `parent` begins
    tile_begin: Longs  # [buckets + 1]
    tile: Longs  # [tiles, 2]  first set in the bucket and one past the last; no two tiles share a parent
    parent: Ints  # [sets]  the sequence that leads to the set
    piece: Longs  # [pieces, 6]  rows, columns and number of equal blocks, and where their rows, columns and cells begin
    rows: Ints  # for each piece [rows, blocks]: sequences of player 0
    columns: Ints  # for each piece [columns, blocks]: sequences of player 1
    block: Floats  # [1 or 2, cells]  for each piece [rows, columns, blocks]: payoffs to player 0 (and to player 1)
    row_begin: Longs  # [players + 1]  a player's rows outside of blocks
    row: Ints  # [rows]  the sequence
    entry_begin: Longs  # [rows + 1]
    other: Ints  # [players - 1, entries]
    payoff: Floats  # [entries]
    scratch: Floats  # [SIDE + 1, longest tile, piece or side of factors]  for one thread's use
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
