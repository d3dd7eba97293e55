"""Alpha–beta in the two serialised games: one player moves first and is seen, then the other answers.

D. E. Knuth and R. W. Moore (1975), An analysis of alpha–beta pruning; fail-soft, with the action that cut last at this
depth tried first. Numbers of the outer player: where player 1 moves first, all signs are turned.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Longs
from hannan.kernels import inlined
from hannan.kernels.search import records as rec
from hannan.kernels.search.records import Frames


@inlined
def begin(frames: Frames, d: int) -> None:
    """Begin with the first pair, the actions that cut last before all others."""
    place, number, killer = frames.place[d], frames.number[d], frames.killer[d]
    place[rec.OUTER], place[rec.INNER] = 0, 0
    number[rec.BEST], number[rec.INSIDE] = -np.inf, np.inf
    first = place[rec.MODE] == rec.FIRST
    _bring_forward(frames.code[d, 0], place[rec.ROWS], killer[0 if first else 3])
    _bring_forward(frames.code[d, 1], place[rec.COLUMNS], killer[1 if first else 2])


@inlined
def _bring_forward(codes: Longs, count: int, code: int) -> None:
    """Put an action before all others, where it is there."""
    for k in range(1, count):
        if codes[k] == code:
            while k > 0:
                codes[k] = codes[k - 1]
                k -= 1
            codes[0] = code
            return


@inlined
def next_pair(frames: Frames, d: int) -> None:
    """Choose the next pair: the outer player's action, and the inner player's answer to it."""
    place = frames.place[d]
    first = place[rec.MODE] == rec.FIRST
    place[rec.ROW] = place[rec.OUTER] if first else place[rec.INNER]
    place[rec.COLUMN] = place[rec.INNER] if first else place[rec.OUTER]
    place[rec.ASKED] = place[rec.MODE]
    frames.now[rec.PHASE] = rec.ASK


@inlined
def answered(frames: Frames, d: int) -> None:
    """Take the answer to a pair in a serialised game; alpha–beta with fail-soft bounds, for either order of moves."""
    now, place, number = frames.now, frames.place[d], frames.number[d]
    first = place[rec.MODE] == rec.FIRST
    outers, inners = (place[rec.ROWS], place[rec.COLUMNS]) if first else (place[rec.COLUMNS], place[rec.ROWS])
    alpha, beta = (number[rec.ALPHA], number[rec.BETA]) if first else (-number[rec.BETA], -number[rec.ALPHA])
    low, high = (frames.out[0], frames.out[1]) if first else (-frames.out[1], -frames.out[0])
    ceiling = min(beta, number[rec.INSIDE])
    number[rec.INSIDE] = min(number[rec.INSIDE], low if low >= ceiling else high)
    place[rec.INNER] += 1
    cut = number[rec.INSIDE] <= max(alpha, number[rec.BEST])
    killer, outer_codes, inner_codes = (
        frames.killer[d],
        frames.code[d, 0 if first else 1],
        frames.code[d, 1 if first else 0],
    )
    if cut:
        killer[1 if first else 3] = inner_codes[place[rec.INNER] - 1]
        if place[rec.INNER] < inners:
            now[rec.CUTOFFS] += 1
    if number[rec.INSIDE] > number[rec.BEST] and place[rec.INNER] == inners:
        killer[0 if first else 2] = outer_codes[place[rec.OUTER]]
    if cut or place[rec.INNER] == inners:
        number[rec.BEST] = max(number[rec.BEST], number[rec.INSIDE])
        number[rec.INSIDE], place[rec.INNER] = np.inf, 0
        place[rec.OUTER] += 1
        if number[rec.BEST] >= beta and place[rec.OUTER] < outers:
            now[rec.CUTOFFS] += 1
            place[rec.OUTER] = outers
        if place[rec.OUTER] == outers:
            place[rec.OUTER] = -1


@inlined
def outcome(frames: Frames, d: int) -> tuple[float, float]:
    """Return the interval of a node whose pairs are done: its value, or a bound outside of the window."""
    number = frames.number[d]
    best = number[rec.BEST] if frames.place[d, rec.MODE] == rec.FIRST else -number[rec.BEST]
    return best if best > number[rec.ALPHA] else number[rec.LEAST], best if best < number[rec.BETA] else number[
        rec.MOST
    ]
