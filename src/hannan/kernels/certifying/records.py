"""The records that the kernels of Algorithm 7.2 share. Sequence 0 of a player is the empty one."""

from __future__ import annotations

from typing import Any, NamedTuple

from hannan.arrays import Floats, Ints, Longs

# how much of a trunk is in use: nodes, groups, slots, expanded nodes, groups whose odds are not known
NODES, GROUPS, SLOTS, EXPANDED, UNKNOWN, COUNTERS = range(6)

# how much of the tables of an `Index`: information sets, observations, keys of groups, menus, actions in all menus
PLACES, SEEN, KEYS, MENUS, LISTED, TABLES = range(6)

# columns of `Path.row`: the kind of the node and which child comes next; of chance its group, the number of outcomes,
# how they are counted, and where children come one by one the slot and the outcome; where `Path.told` begins, or NONE
KIND, PLACE, GROUP, COUNT, HOW, SLOT, OUTCOME, TOLD, ROW = range(9)

# how outcomes are counted: listed, listed with known odds, as they come
COUNTED, KNOWN, OPEN = range(3)

# columns of `Path.mover`: the set (NONE: a new one), the observation, the menu, its size (0: this player does not move)
SET, OBSERVATION, MENU, SIZE, MOVER = range(5)

# rows of `Path.worth` and `Path.told`
GAIN, LOW, HIGH, WORTH = range(4)

# numbers of a `radius`: 1 for equation 5.2, ln(1/δ), players, and what every radius is multiplied by
PAPER, LOG_FAILURE, PLAYERS, SCALE, RADIUS = range(5)

# numbers of a `manner`, which says how outcome sampling walks: the share of exploration, the power of t that iteration
# t weighs, how far a baseline moves towards each value that is seen (0: no baselines), and 1 for balanced walks
EXPLORATION, POWER, RATE, BALANCED, MANNER = range(5)


class SetColumns(NamedTuple):
    """The information sets of all players."""

    parent: Ints  # [seats, room]
    observation: Ints
    first: Ints
    size: Ints
    menu: Ints
    used: Longs  # [seats]
    sequences: Longs  # [seats]


class Learned(NamedTuple):
    """The state of the regret minimisers."""

    strategy: Floats  # [seats, room of sequences]
    regret: Floats
    total: Floats  # weighted sums of reaches: the average
    baseline: Floats  # about what is gained where each sequence is played; NaN where its set was never met
    rounds: Floats  # weighted sums over the rounds of what a sequence gains: gradients, or estimates from walks
    breadth: Floats  # how many ends of its own play a player can reach after a sequence, at most; 1 at least
    owner: Longs  # the set to which a sequence belongs
    mark: Floats  # [seats, room of sets]  the total of the parent sequence when the set was last brought up to date
    uncertainty: Floats  # [seats]  U of Definition 5.4
    known: Longs  # [seats]  how many sets are entered


class Steps(NamedTuple):
    """Scratch of one walk down the pseudogame: the walker's own choices, and everybody's sets that were met."""

    number: Longs  # [deepest]  the set
    action: Longs
    odds: Floats  # the probability with which the action was sampled
    before: Floats  # the product of the odds before the set
    touched: Longs  # [seats · deepest, 2]  player and set
    random: Any  # [1]  of uint64


class Path(NamedTuple):
    """The new nodes on the path of a playthrough, as the trunk takes them; a row each.

    Groups and slots that are new have the next numbers, in the order of the path. The odds of a new group stand in its
    slots already, where they are known.
    """

    row: Longs  # [deepest, ROW]
    mover: Longs  # [deepest, seats, MOVER]
    worth: Floats  # [deepest, WORTH, utilities]  what was gained on reaching the node, and bounds on what comes
    told: Floats  # [room, WORTH, utilities]  of children: what a box tells before the visit


class Index(NamedTuple):
    """What there is by what leads to it (see `kernels.sets`)."""

    used: Longs  # [2 · TABLES]  rows in use, and before the playthrough under way
    place: Longs  # information sets: sequence · seats + player, the observation, the number of the set, its size
    place_buckets: Longs
    seen: Longs  # observations: 0, what is seen, its number
    seen_buckets: Longs
    key: Longs  # groups of chance: 0, their key, the group
    key_buckets: Longs
    menu: Longs  # lists of actions: two hashes, where the actions begin, how many there are
    menu_buckets: Longs
    listed: Longs  # the actions of all menus
    weights: Floats  # [room of slots]  the odds at the first node of a named group; NaN where it was not met yet


class Play(NamedTuple):
    """Scratch of one playthrough."""

    state: Longs
    codes: Longs  # [(seats + 1) · width]
    odds: Floats  # [width]
    choice: Longs  # [seats]
    gains: Floats  # [seats]
    told: Floats  # [2 · seats]  bounds as the rules write them
    low: Floats  # [utilities]  what is left of the bounds here
    high: Floats
    sequence: Longs  # [seats]  what each player has done so far
    next: Longs  # [2 · seats]  the numbers of each player's next new set, then of its sequences
    drawn: Longs  # [deepest]  the slots that chance drew at nodes of the trunk
    message: Any  # [128] of uint8
    words: Any  # [32] of uint64
    luck: Any  # [1] of uint64
    will: Any  # [1] of uint64
