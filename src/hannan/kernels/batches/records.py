"""What a batch of traversals holds: nodes, and a row for each player who moves at one of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from hannan.arrays import Floats, Longs
from hannan.kernels.signatures import FLOATS, LONGS

ENDED = -1
"""The entry of `Nodes.turn` where play is over; elsewhere it has the movers as bits."""

NO_NODE = -1
"""The parent of a node at which a traversal begins."""

# what `Shape` holds
(
    PLAYERS,  # of the game
    STATE,  # words of a state
    WIDTH,  # the largest number of moves
    FEATURES,  # numbers that the rules write of what a player knows
    STEPS,  # own choices that a row remembers, the present one included; 0: none
    BITS,  # of an observation
    HEADS,  # numbers that a network says of a row: one for each action
    BY_CODE,  # 1 where an action's head is its code, 0 where it is its place in the menu
    EVERYBODY,  # 1 where rows hold what all players know, one after another
    SHAPES,
) = range(10)


class Nodes(NamedTuple):
    """Histories of all traversals, parents before children; the children of one are neighbours."""

    state: Longs  # [nodes, state size]
    key: Any  # [nodes]  where the node's random numbers begin
    parent: Longs  # [nodes]
    place: Longs  # [nodes]  which action leads here: of the traverser where it moves, else of the first mover
    gain: Floats  # [nodes, players]  what is gained on the way from the parent to here
    turn: Longs  # [nodes]
    first: Longs  # [nodes]  the first child
    many: Longs  # [nodes]  how many children
    row: Longs  # [nodes]  the row of the first mover
    value: Floats  # [nodes, players]  what is gained from here on, estimated
    trail: Longs  # [nodes, players, steps, 2]  what each has seen and done at its own choices
    made: Longs  # [nodes, players]  how many choices each has made


class Rows(NamedTuple):
    """What movers know, and what they do."""

    node: Longs  # [rows]
    player: Longs  # [rows]
    seen: Longs  # [rows]  the observation
    size: Longs  # [rows]  how many actions there are
    code: Longs  # [rows, width]
    head: Longs  # [rows, width]
    known: Any  # [rows, row size]  single precision: what a network reads
    policy: Floats  # [rows, width]
    regret: Floats  # [rows, width]
    guess: Floats  # [rows, width]  what actions are guessed to be worth to the traverser


class BatchScratch(NamedTuple):
    """Where rules write before it is known how much."""

    codes: Longs
    odds: Floats
    here: Floats  # [players]
    features: Floats
    choice: Longs  # [players]
    taken: Longs  # [players + width]  places in menus
    random: Any  # [1]


def nodes_type() -> Any:
    """Return numba's type of `Nodes`."""
    words, longs2, floats2 = types.Array(types.uint64, 1, "C"), _longs(2), types.Array(types.float64, 2, "C")
    return types.NamedTuple(
        (longs2, words, LONGS, LONGS, floats2, LONGS, LONGS, LONGS, LONGS, floats2, _longs(4), longs2), Nodes
    )


def rows_type() -> Any:
    """Return numba's type of `Rows`."""
    single, floats2 = types.Array(types.float32, 2, "C"), types.Array(types.float64, 2, "C")
    return types.NamedTuple((LONGS, LONGS, LONGS, LONGS, _longs(2), _longs(2), single, floats2, floats2, floats2), Rows)


def room_type() -> Any:
    """Return numba's type of `BatchScratch`."""
    return types.NamedTuple(
        (LONGS, FLOATS, FLOATS, FLOATS, LONGS, LONGS, types.Array(types.uint64, 1, "C")), BatchScratch
    )


def _longs(dimensions: int) -> Any:
    return types.Array(types.int64, dimensions, "C")
