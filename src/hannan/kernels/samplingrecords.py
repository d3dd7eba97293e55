"""The records and the numbers that stand for choices in the sampling kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

from hannan.arrays import Floats, Ints, Longs

# status codes
DONE, MORE_SETS, MORE_SCRATCH, ACTIONS_DIFFER, NOT_A_DISTRIBUTION, NO_MOVES = range(6)

# columns of `Board.node`; WHO is a player, or one of the three below; at joint nodes FIRST is the first slot
WHO, CHILD, COUNT, FIRST, SET, GAIN_ROW = range(6)
CHANCE, END, JOINT = -1, -2, -3

# columns of `Board.slot` and of `Scratch.mover`
PLAYER, BEGIN, SIZE, PLACE = range(4)

# `Plan.own`: how many own actions are taken (a larger number is a number of actions)
ONE = 0
ALL = 2**31 - 1

# `Plan.averaging`
LAZY, WEIGHTED, SIMPLE = range(3)

# `Plan.learner`
MATCHING, MATCHING_PLUS, DISCOUNTED = range(3)

# `Plan.baseline`, and what it is kept for
NO_BASELINE, LEARNED, FIXED, PREDICTIVE, ORACLE = range(5)
HISTORY, INFORMATION_SET = range(2)

# columns of the frames of the stack
(NODE, MOVER, CHILDREN, SEQUENCE, OWN_SET, OWN, CURSOR, PICKS, STRIDE, OWN_SIZE, AT, TOUCHED, FIRST_CHILD, ACTORS,
 BASIS, FRAME) = range(16)  # fmt: skip
GAINED, WEIGHT, REACH, DRAWN, XI, SUM, DRAW, REALS = range(8)

# columns of `Scratch.touched`, of `Scratch.worth`, and entries of `Tables.count`
T_SET, T_FIRST, T_COUNT, T_AT, T_OWN, TOUCHES = range(6)
W_WEIGHT, W_VALUE, W_REACH, WORTHS = range(4)
SETS, SEQUENCES, VISITED, WALKS, COUNTS = range(5)


class Plan(NamedTuple):
    """What kind of walk: a record of numbers."""

    players: int
    own: int
    others: int  # 1 where all moves of the other players are taken
    averaging: int
    learner: int
    baseline: int
    key: int
    explore: int  # 1 where the other players' moves are drawn with exploration too
    measuring: int  # 1 where estimates are recorded and nothing is learnt
    epsilon: float
    alpha: float
    beta: float
    power: float  # iteration t weighs t**power in the average
    rate: float  # of learned baselines


class Board(NamedTuple):
    """A tree, packed for walks."""

    node: Ints  # [nodes, 6]
    probability: Floats  # [nodes]
    gain: Floats  # [gainful, players]
    slot: Ints  # [slots, 4]  of the movers at joint nodes


class Tables(NamedTuple):
    """All that is learnt."""

    regret: Floats  # [sequences]
    strategy: Floats  # [sequences]
    total: Floats  # [sequences]  sums of the average strategy
    mass: Floats  # [sets]  the reach of the parent sequence that `total` has already counted (lazy averaging)
    clock: Floats  # [sets]  updates so far (discounted learners)
    stamp: Longs  # [sets]  the walk of the last update, counted from 1
    empty: Longs  # [players]  the empty sequence of each player
    baseline: Floats  # [players, nodes] or [players, sequences]; nothing without baselines
    measure: Floats  # [5, sequences]  sums and squares of estimates, the same given the visit, visits
    set_parent: Longs  # [sets]  this and what follows only where rules are walked
    set_observation: Longs  # [sets]
    set_base: Longs  # [sets]
    set_size: Longs  # [sets]
    buckets: Longs  # [a power of 2]
    count: Longs  # [4]  sets, sequences, histories visited, walks done
    random: Any  # [1]  the state of the random numbers, uint64


class Scratch(NamedTuple):
    """Room for one walk."""

    frame: Longs  # [depth, FRAME]
    real: Floats  # [depth, REALS]
    pick: Longs  # [depth, width, 2]  children to visit: their offset, and the traverser's action
    ratio: Floats  # [depth, width]
    mover: Longs  # [depth, players, 4]
    touched: Longs  # [visits of own sets, TOUCHES]
    worth: Floats  # [visits of own sets, WORTHS]
    value: Floats  # [their actions]
    shown: Longs  # [visits of the next player's sets, 2]
    visited: Longs  # [visits]  nodes, where baselines want them
    note: Longs  # [visits]  entries of the baseline
    noted: Floats  # [visits]  and what was seen there
    state: Longs  # [depth, state size]  this and what follows only where rules are walked
    last: Longs  # [depth, players]
    code: Longs  # [depth, players, width]
    chance: Floats  # [depth, width]
