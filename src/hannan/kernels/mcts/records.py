"""The tree of a search, the room for one walk, and what the walk is told."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import inlined
from hannan.kernels.addresses import address
from hannan.kernels.signatures import FLOATS, LONGS

# kinds of nodes
END, CHANCE, MOVES = range(3)

# columns of `SearchTree.node`
KIND, ROWS, COLUMNS, CELLS, STATS, LEFT, WHO = range(7)
FIELDS = 8

# columns of `SearchTree.number`: visits, the sum of what they returned, and what both players have gained down to here
VISITS, SUM, GAIN, OTHER = range(4)
NUMBERS = 4

# parts of the numbers of one player at a node of `size` actions, each kept for all actions in turn
LEARNT, COUNT, AVERAGE = range(3)
KEPT = 3

# columns of `SearchWalk.step` and `SearchWalk.probability`: the path of a walk. If a walk left off, the row after its
# last move holds the reach, and as FIRST_P whether the last node was visited for the first time
NODE, ROW, COLUMN = range(3)
FIRST_P, SECOND_P, REACH = range(3)
STEPS = 3

# `SearchWalk.now`. PENDING: the moves down to where the last call left off; WHOSE: the player who does not see all;
# TRUSTED: whether what is pending was looked at and is all right
NODES, USED_CELLS, USED_STATS, ITERATIONS, UNTIL, LENGTH, SUMMED, FULL, PENDING, WHOSE, TRUSTED = range(11)
NOW = 11

# selection rules
RM, RM_PLUS, EXP3, EXP3_IX, HEDGE, UCT, UCT_RANDOM, OOS, RANDOM, USERS = range(10)

# exploration: the rule's own, or wrapped around it, without an update (A* and A+)
OWN, STAR, PLUS = range(3)

# first visits. COUNTED: each cell of a node is tried before the rule selects, and the node's mean counts these visits;
# PRINTED: its mean does not, as Algorithm 1 is printed; SELECTED: the rule selects from the first visit of a node on
COUNTED, PRINTED, SELECTED = range(3)

# what judges a new leaf
RANDOM_PLAY, POLICY, EVALUATION = range(3)

# how positions are told apart: by the whole state, by what the rules say matters of it, or not at all
BY_STATE, BY_POSITION, NOT_APART = range(3)


class SearchTree(NamedTuple):
    """A tree that grows. A missing child is 0: the first node is not a child."""

    node: Ints  # [nodes, 8]  the last is empty: no record lies in two lines of the cache
    number: Floats  # [nodes, 4]
    cell: Ints  # [cells]  children, by row and column; by outcome at chance
    mean: Floats  # [cells]  of what the visits of a child returned; NaN before the first
    stat: Floats  # [stats]  KEPT numbers an action for each player with a choice; the odds at chance
    known: Longs  # [nodes, 2]  a hash of what each player has seen and done, what it sees here included


class SearchWalk(NamedTuple):
    """Room for one walk."""

    now: Longs  # [11]
    random: Any  # [2]  uint64: the state of the generator, and that before the walk left the tree
    state: Longs  # [2, size + BESIDE]  where the search begins, and where the walk is
    code: Longs  # [2, width]
    odds: Floats  # [width]
    choice: Longs  # [2]
    here: Floats  # [4]  what both have just gained; their sum at the first end, and at the last
    step: Longs  # [moves, 3]
    probability: Floats  # [moves, 3]  of each player's choice, and the explorer's reach before it
    trail: Longs  # [moves]  numbers of moves from where the search begins
    position: Longs  # [size]  what matters of a state
    met: Longs  # [sets, 2]  information sets met lately, and the hash of their position


class SearchPlan(NamedTuple):
    """What does not change during a search."""

    rule: int
    mean: int  # whether a node returns the mean of its visits, not the sample
    explore: int
    judge: int
    apart: int  # how positions are told apart
    gamma: float
    constant: float  # of UCT
    margin: float  # UCT with random ties: actions this close to the best are tied
    low: float  # the least that player 0 can gain
    scale: float  # 1 / (the most − the least)
    unvisited: float  # what a cell without a visit counts, scaled; NaN: it is left out
    first_visits: int = COUNTED
    play: int = 0  # of a user's rule: the addresses of its two functions, of its constants, and of room for weights
    learn: int = 0
    constants: int = 0
    weights: int = 0


class Ground(NamedTuple):
    """Where the arrays of a walk lie: an address needs no check for indices below 0."""

    node: Any
    number: Any
    cell: Any
    mean: Any
    stat: Any
    random: Any
    step: Any
    probability: Any


class Played(NamedTuple):
    """What one player did at a node, and what came of it: all that a rule learns from."""

    first: int  # where the player's numbers lie
    size: int  # of its actions
    taken: int
    cells: int  # the cell of its first action, given what the other did
    stride: int  # from there to the cell of the next one
    turned: bool  # whether the other player's gains are kept in the tree
    returned: float  # as the tree keeps it
    own: float  # the same to the player
    probability: float  # with which the action was drawn
    visits: float  # of the node, this one included


@inlined
def ground_of(tree: SearchTree, walk: SearchWalk) -> Ground:
    """Return the addresses of a walk's arrays."""
    return Ground(
        address(tree.node, 0), address(tree.number, 0), address(tree.cell, 0), address(tree.mean, 0),
        address(tree.stat, 0), address(walk.random, 0), address(walk.step, 0), address(walk.probability, 0),
    )  # fmt: skip


_INTS2, _FLOATS2, _LONGS2 = (types.Array(kind, 2, "C") for kind in (types.int32, types.float64, types.int64))
TREE = types.NamedTuple((_INTS2, _FLOATS2, types.Array(types.int32, 1, "C"), FLOATS, FLOATS, _LONGS2), SearchTree)
WALK = types.NamedTuple(
    (
        LONGS, types.Array(types.uint64, 1, "C"), _LONGS2, _LONGS2, FLOATS, LONGS, FLOATS, _LONGS2, _FLOATS2, LONGS,
        LONGS, _LONGS2,
    ),
    SearchWalk,
)  # fmt: skip
PLAN = types.NamedTuple((*(types.int64,) * 5, *(types.float64,) * 6, *(types.int64,) * 5), SearchPlan)
