"""The records and the numbers that stand for choices in the sampling kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN
from hannan.turns import UNSEEN

# columns of `Board.node`. KIND is the number of moves times KINDS plus a player, or plus one of the three below.
# FIRST is the first cell of the mover's set, or the first slot of a joint node, or 1 at a chance node
# whose outcomes are equally probable. GAIN_ROW is -1 if no player gains. On rules, KIND is 0 at what was not entered
KIND, CHILD, FIRST, GAIN_ROW = range(4)
KINDS = 32
CHANCE, END, JOINT = 31, 30, 29

# columns of `Board.slot` and of `Scratch.mover`
PLAYER, BEGIN, SIZE, MOVERS = range(4)

# `SamplingPlan.own`: how many own actions are taken (a larger number is a number of actions)
ONE = 0
ALL = 2**31 - 1

# `SamplingPlan.averaging`
LAZY, WEIGHTED, SIMPLE = range(3)

# `SamplingPlan.learner`; STILL adds regrets up and goes on playing what is played; PLANS is Hedge over whole plans
MATCHING, MATCHING_PLUS, DISCOUNTED, STILL, PLANS = range(5)

# `SamplingPlan.baseline`, and what it is kept for
NO_BASELINE, LEARNED, FIXED, PREDICTIVE, ORACLE = range(5)
HISTORY, INFORMATION_SET = range(2)

# `SamplingPlan.measuring`: learn; or learn nothing and record every estimate, or the value of the root alone
LEARNING, ESTIMATES, ROOT = range(3)

STRANGE = UNSEEN
"""The observation of the set that stands for all unknown sets of a size; see `SamplingPlan.strange`."""

# entries of `Tables.counts`. TABLE is one of the three below; sets enter in one iteration of EVERY; LEAD is the number
# of cells before a set's strategy. The last two are set as a walk begins: what may enter in this walk, and the first
# cell that was free before it
SETS, CELLS, VISITED, WALKS, DEPTH, HISTORIES, SLOTS, PLACED, TABLE, EVERY, LEAD, ENTERS, FRESH, COUNTS = range(14)

# `counts[TABLE]`: a walk enters every set that it meets; on each path, and for each player, the first one that is not
# known; or none. Sets that do not enter are outside the table: their players play uniformly there, and learn nothing
WHOLE, EDGE, SHUT = range(3)

OUTSIDE = -1
"""The first cell of every set outside the table, and the sequence of every action there."""

PLAIN_LEAD, COUNTED_LEAD = 1, 2
"""The cells before a set's strategy: the reach that its sums have counted; before it the visits, if they count."""


class SamplingPlan(NamedTuple):
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
    forgets: int  # the players, as bits, whose sets are known by the observation and the number of actions alone
    strange: int  # the players, as bits, whose sets that are not known are one set for each number of actions
    level: int  # 1 where every visit of a set counts alike, however it was drawn
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
    cell before them is the reach of the parent that those sums have counted (lazy averaging). Where visits are counted,
    the cell before that is the number of times that the set was learnt at. A sequence is known by the cell of its sum.
    """

    learnt: Floats  # [cells]  see above; of Hedge over plans, log weights stand in place of regrets
    guide: (
        Floats  # [cells]  in the strategies' cells: what draws at own sets follow; `learnt` itself, or a given policy
    )
    clock: Floats  # [cells]  at a set's first cell: updates so far; nothing but for discounted learners
    stamp: Longs  # [cells]  at a set's first cell: the walk of the last update, from 1; nothing but for those
    empty: Longs  # [players]  the empty sequence of each player: a cell with the sum of all weights
    baseline: Floats  # [players, nodes] or [players, cells]; nothing without baselines
    measure: Floats  # [2, cells]  sums and squares of estimates; nothing but while measuring
    given: Floats  # [3 a player, nodes]  by history and own action: visits, sums and squares of values given the visit
    terms: Floats  # [2, players]  Hedge over plans: what ends of play are counted from, and the rate; else 0 and 1
    root: Floats  # [5, players]  of the traverser's value of the game: plays, mean, squared distances, least, most
    set_row: Longs  # [sets, 4]  see `kernels.sets`: last sequence, observation, first cell, number of actions
    buckets: Longs  # [a power of 2]  where a search for a set begins
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


def _record(whole: str, real: str) -> np.dtype[Any]:
    """Return a record of named numbers: whole ones first."""
    return np.dtype([(name, np.int64) for name in whole.split()] + [(name, np.float64) for name in real.split()])


FRAME = _record(
    "children base stride action listed picks cursor first size own at touched basis movers steps coded",
    "gained scale weight rho xi sum reach drawn",
)
"""A node on the stack whose children are being visited.

`picks` children are visited, `cursor` of them so far. Where they are not `listed` in `Scratch.pick`, child k is
`base` + k·`stride`, by the traverser's action `action` + k, and counts `rho`. `children` is the number of the first
child on the board. `first` and `size` are the traverser's set, `own` its last sequence before it, `at` where values of
its actions begin in `Scratch.value` (-1 where it does not move), `touched` which visit of an own set this is. `basis`
is the first entry of the baseline, or -1; `movers` how many players move; `steps` and `coded` belong to rules.

The value of the node is `gained` + `scale`·`sum`. `weight`, `reach` and `drawn` are those of `Road`, and `xi` is the
probability with which each own action that is visited was drawn.
"""

TOUCH = _record("first count at own child stride above", "weight value")
"""A visit of one of the traverser's sets: the set's first cell and size, where the values of its actions begin, the
last own sequence before it, the first child with its stride (for measuring), which visit is that of the own set before
(-1: none; Hedge over plans alone), what the values count for, and their mean.
"""

USED = _record("touched values shown visited noted", "")
"""How much of the room for one walk is used."""


class Scratch(NamedTuple):
    """Room for one walk."""

    frame: Any  # [depth] of FRAME: the stack
    pick: Longs  # [depth, most children listed, 2]  of listed frames: the children to visit, and the traverser's action
    ratio: Floats  # [depth, most children listed]  and what they count for
    mover: Longs  # [depth, players, 4]
    touched: Any  # [visits of own sets] of TOUCH
    value: Floats  # [their actions]  zero between walks
    shown: Longs  # [visits of the next player's sets, 2]
    counted: Floats  # [these visits]  what they count for in its average
    visited: Longs  # [visits]  nodes, where baselines want them
    note: Longs  # [visits]  entries of the baseline
    noted: Floats  # [visits]  and what was seen there
    used: Any  # [1] of USED
    state: Longs  # [depth, state size + BESIDE]  this and what follows only where rules are walked
    trail: Longs  # [longest play]  the numbers of the children that lead here
    last: Longs  # [depth, players]
    code: Longs  # [depth, players, width]
    chance: Floats  # [depth, width]
    here: Floats  # [players]  gains
    choice: Longs  # [players]  a joint move
