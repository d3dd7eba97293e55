"""The records and the numbers that stand for choices in the sampling kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

from hannan.arrays import Floats, Ints, Longs

# status codes
DONE, MORE_SETS, MORE_HISTORIES, MORE_DEPTH, MORE_WIDTH, MORE_VISITS = range(6)
ACTIONS_DIFFER, NOT_A_DISTRIBUTION, NO_MOVES, TOO_DEEP, TOO_WIDE = range(6, 11)

# columns of `Board.node`. KIND is the number of moves times KINDS plus a player, or plus one of the three below.
# FIRST is the first cell of the mover's set, or the first slot of a joint node, or 1 at a chance node
# whose outcomes are equally probable. GAIN_ROW is -1 where nobody gains. On rules, KIND is 0 at what was not entered
KIND, CHILD, FIRST, GAIN_ROW = range(4)
KINDS = 32
CHANCE, END, JOINT = 31, 30, 29

# columns of `Board.slot` and of `Scratch.mover`
PLAYER, BEGIN, SIZE, MOVERS = range(4)

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

# `Plan.measuring`: learn; or learn nothing and record every estimate, or the value of the root alone
LEARNING, ESTIMATES, ROOT = range(3)

# columns of the frames of the stack; child k of a frame is BASE + k·STRIDE, by own action ACTION + k, unless LISTED
(CHILDREN, BASE, STRIDE, ACTION, LISTED, PICKS, CURSOR, SEQUENCE, OWN_SIZE, OWN, AT, TOUCHED, BASIS, ACTORS,
 STEPS, CODED, FRAME) = range(17)  # fmt: skip
GAINED, SCALE, WEIGHT, RHO, XI, SUM, REACH, DRAWN, REALS = range(9)

# columns of `Scratch.touched`, of `Scratch.worth` and of `Tables.set_row`, and entries of `Tables.counts`
T_FIRST, T_COUNT, T_AT, T_OWN, T_CHILD, T_STRIDE, TOUCHES = range(7)
W_WEIGHT, W_VALUE, WORTHS = range(3)
S_PARENT, S_SEEN, S_FIRST, S_COUNT, SET_ROW = range(5)
SETS, CELLS, VISITED, WALKS, DEPTH, HISTORIES, SLOTS, PLACED, COUNTS = range(9)


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
    measuring: int  # one of the three above
    only: int  # the player whose walks are made; -1 where all take turns
    epsilon: float
    alpha: float
    beta: float
    power: float  # iteration t weighs t**power in the average
    rate: float  # of learned baselines


class Board(NamedTuple):
    """A tree, packed for walks; or the part of one that walks on rules remember.

    There the children of a history are numbered, one after another, when it is first passed; the root is 0.
    """

    node: Ints  # [nodes, 4]
    probability: Floats  # [nodes]
    gain: Floats  # [different gains, players]
    slot: Ints  # [slots, 4]  the movers at joint nodes: player, first cell, size, number of movers
    code: Longs  # [nodes]  the rules' code of the move that leads to a node; nothing on a tree


class Tables(NamedTuple):
    """All that is learnt.

    What belongs to one information set of n actions lies together, so that a visit reads few places: n cells with the
    strategy, from the set's first cell on, then n with the regrets, then n with the sums of the average strategy. The
    cell before them is the reach of the parent that those sums have counted (lazy averaging). A sequence is known by
    the cell of its sum.
    """

    learnt: Floats  # [cells]  see above
    guide: (
        Floats  # [cells]  in the strategies' cells: what draws at own sets follow; `learnt` itself, or a given policy
    )
    clock: Floats  # [cells]  at a set's first cell: updates so far; nothing but for discounted learners
    stamp: Longs  # [cells]  at a set's first cell: the walk of the last update, from 1; nothing but for those
    empty: Longs  # [players]  the empty sequence of each player: a cell with the sum of all weights
    baseline: Floats  # [players, nodes] or [players, cells]; nothing without baselines
    measure: Floats  # [2, cells]  sums and squares of estimates; nothing but while measuring
    given: Floats  # [3 a player, nodes]  by history and own action: visits, sums and squares of values given the visit
    root: Floats  # [3, players]  plays, and sums and squares of the traverser's value of the whole game
    set_row: Longs  # [sets, 4]  last sequence, observation, first cell, number of actions: one place for a search
    buckets: Ints  # [a power of 2]  where a search for a set begins
    counts: Longs  # [COUNTS]  sets, cells, visits, walks, depth at which a walk failed; of a board, nodes and slots
    random: Any  # [1]  the state of the random numbers, uint64

    @property
    def set_parent(self) -> Longs:
        """The last sequence before each set."""
        return self.set_row[:, S_PARENT]

    @property
    def set_observation(self) -> Longs:
        """What its player sees there."""
        return self.set_row[:, S_SEEN]

    @property
    def set_base(self) -> Longs:
        """The first cell of each set."""
        return self.set_row[:, S_FIRST]

    @property
    def set_size(self) -> Longs:
        """The number of actions at each set."""
        return self.set_row[:, S_COUNT]


class Scratch(NamedTuple):
    """Room for one walk."""

    frame: Longs  # [depth, FRAME]
    real: Floats  # [depth, REALS]
    pick: Longs  # [depth, most children listed, 2]  of listed frames: the children to visit, and the traverser's action
    ratio: Floats  # [depth, most children listed]  and what they count for
    mover: Longs  # [depth, players, 4]
    touched: Longs  # [visits of own sets, TOUCHES]
    worth: Floats  # [visits of own sets, WORTHS]
    value: Floats  # [their actions]  zero between walks
    shown: Longs  # [visits of the next player's sets, 2]
    counted: Floats  # [these visits]  what they count for in its average
    visited: Longs  # [visits]  nodes, where baselines want them
    note: Longs  # [visits]  entries of the baseline
    noted: Floats  # [visits]  and what was seen there
    state: Longs  # [depth, state size]  this and what follows only where rules are walked
    trail: Longs  # [longest play]  the numbers of the children that lead here
    last: Longs  # [depth, players]
    code: Longs  # [depth, players, width]
    chance: Floats  # [depth, width]
    here: Floats  # [players]  gains
    choice: Longs  # [players]  a joint move
