"""The records of beliefs and of simulated plays."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from hannan.arrays import Floats, Longs
from hannan.kernels.signatures import FLOATS, LONGS


class Cloud(NamedTuple):
    """Histories that a player cannot tell apart, with weights: its belief at one of its sets."""

    state: Longs  # [room, state size]
    last: Longs  # [room, players]  the last sequence of each seat
    weight: Floats  # [room]
    many: Longs  # [1]  how many there are


class Pending(NamedTuple):
    """Histories whose continuations are still to be followed."""

    state: Longs  # [depth, state size + BESIDE]
    last: Longs  # [depth, players]
    weight: Floats  # [depth]
    share: Floats  # [depth]  how many particles may come of it
    moves: Longs  # [depth]  how many moves were followed to it


class ResponseTree(NamedTuple):
    """Own sets that simulated plays came to; the first one is where the player is."""

    row: Longs  # [sets, 4]  see `kernels.sets`; a sequence is 1 + the cell of an action
    buckets: Longs  # [a power of two]
    visits: Longs  # [cells]  how often each action was taken
    total: Floats  # [cells]  what was gained from there on
    trail: Longs  # [own choices of a play]  the cells that it went through
    before: Floats  # [own choices of a play]  what it had gained before


class Aim(NamedTuple):
    """Who looks ahead, how far and how often."""

    seat: int
    width: int
    most_moves: int
    simulations: int
    ahead: int  # 1: only the own choice at hand, every action equally often; 2: a tree below it
    c: float  # of the upper confidence bounds, in units of the range of what was gained


def _longs2() -> Any:
    return types.Array(types.int64, 2, "C")


CLOUD = types.NamedTuple((_longs2(), _longs2(), FLOATS, LONGS), Cloud)
STACK = types.NamedTuple((_longs2(), _longs2(), FLOATS, FLOATS, LONGS), Pending)
TREE = types.NamedTuple((_longs2(), LONGS, LONGS, FLOATS, LONGS, FLOATS), ResponseTree)
AIM = types.NamedTuple((*(types.int64,) * 5, types.float64), Aim)
