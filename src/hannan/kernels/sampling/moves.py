"""Joint moves: a number stands for what every mover does, the last mover's action changing fastest."""

from __future__ import annotations

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined
from hannan.kernels.addresses import fetch
from hannan.kernels.sampling import records as rec
from hannan.kernels.sets import home_of


@inlined
def answered(c: int, i: int, movers: Longs, actors: int, strategy: Floats) -> tuple[int, float]:
    """Return the traverser's action in joint move c, and the probability of what the others do in it."""
    action, played = 0, 1.0
    for m in range(actors - 1, -1, -1):
        size = movers[m, rec.SIZE]
        if movers[m, rec.PLAYER] == i:
            action = c % size
        else:
            played *= strategy[movers[m, rec.BEGIN] + c % size]
        c //= size
    return action, played


@inlined
def played_by(player: int, c: int, movers: Longs, actors: int, strategy: Floats) -> float:
    """Return the probability of what one player does in joint move c; 1 where it does not move."""
    for m in range(actors - 1, -1, -1):
        size = movers[m, rec.SIZE]
        if movers[m, rec.PLAYER] == player:
            return strategy[movers[m, rec.BEGIN] + c % size]
        c //= size
    return 1.0


@inlined
def write_move(
    child: int, actors: int, coded: int, movers: Longs, codes: Longs, code_of: Longs, buckets: Longs, choice: Longs,
    last: Longs,
) -> None:  # fmt: skip
    """Write down the joint move with a number, and the sequences to which it leads; no actors: a move of chance.

    The codes of the moves begin at `coded` in `code_of`; they are in `codes` if this is -1. Then the home of each
    sequence among the buckets is asked for: it is read when its player moves again.
    """
    if actors < 2:  # no division
        choice[0] = code_of[coded + child] if coded >= 0 else codes[0, child]
        if actors == 1:
            last[movers[0, rec.PLAYER]] = _sequence(movers[0, rec.BEGIN], movers[0, rec.SIZE], child, coded, buckets)
        return
    for m in range(actors - 1, -1, -1):
        size = movers[m, rec.SIZE]
        choice[m] = codes[m, child % size]
        last[movers[m, rec.PLAYER]] = _sequence(movers[m, rec.BEGIN], size, child % size, coded, buckets)
        child //= size


@inlined
def _sequence(first: int, size: int, action: int, coded: int, buckets: Longs) -> int:
    """Return the cell by which the sequence of an action is known."""
    if first == rec.OUTSIDE:
        return rec.OUTSIDE
    cell = first + 2 * size + action
    if coded < 0:
        fetch(buckets, home_of(cell, buckets.size - 1))
    return cell
