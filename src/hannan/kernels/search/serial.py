"""Alpha–beta in the two serialised games: one player moves first and is seen, then the other answers.

D. E. Knuth and R. W. Moore (1975), An analysis of alpha–beta pruning; fail-soft, with the action that cut last at this
depth tried first. Numbers of the outer player: where player 1 moves first, all signs are turned.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Longs
from hannan.kernels import inlined
from hannan.kernels.search.records import (
    ALPHA,
    ASK,
    ASKED,
    BEST,
    BETA,
    COLUMN,
    COLUMNS,
    CUTOFFS,
    FIRST,
    INNER,
    INSIDE,
    LEAST,
    MODE,
    MOST,
    OUTER,
    PHASE,
    ROW,
    ROWS,
    Frames,
)


@inlined
def begin(frames: Frames, d: int) -> None:
    """Begin with the first pair, the actions that cut last before all others."""
    place, number, killer = frames.place[d], frames.number[d], frames.killer[d]
    place[OUTER], place[INNER] = 0, 0
    number[BEST], number[INSIDE] = -np.inf, np.inf
    first = place[MODE] == FIRST
    _bring_forward(frames.code[d, 0], place[ROWS], killer[0 if first else 3])
    _bring_forward(frames.code[d, 1], place[COLUMNS], killer[1 if first else 2])


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
    first = place[MODE] == FIRST
    place[ROW] = place[OUTER] if first else place[INNER]
    place[COLUMN] = place[INNER] if first else place[OUTER]
    place[ASKED] = place[MODE]
    frames.now[PHASE] = ASK


@inlined
def answered(frames: Frames, d: int) -> None:
    """Take the answer to a pair in a serialised game; alpha–beta with fail-soft bounds, for either order of moves."""
    now, place, number = frames.now, frames.place[d], frames.number[d]
    first = place[MODE] == FIRST
    outers, inners = (place[ROWS], place[COLUMNS]) if first else (place[COLUMNS], place[ROWS])
    alpha, beta = (number[ALPHA], number[BETA]) if first else (-number[BETA], -number[ALPHA])
    low, high = (frames.out[0], frames.out[1]) if first else (-frames.out[1], -frames.out[0])
    ceiling = min(beta, number[INSIDE])
    number[INSIDE] = min(number[INSIDE], low if low >= ceiling else high)
    place[INNER] += 1
    cut = number[INSIDE] <= max(alpha, number[BEST])
    killer, outer_codes, inner_codes = (
        frames.killer[d],
        frames.code[d, 0 if first else 1],
        frames.code[d, 1 if first else 0],
    )
    if cut:
        killer[1 if first else 3] = inner_codes[place[INNER] - 1]
        if place[INNER] < inners:
            now[CUTOFFS] += 1
    if number[INSIDE] > number[BEST] and place[INNER] == inners:
        killer[0 if first else 2] = outer_codes[place[OUTER]]
    if cut or place[INNER] == inners:
        number[BEST] = max(number[BEST], number[INSIDE])
        number[INSIDE], place[INNER] = np.inf, 0
        place[OUTER] += 1
        if number[BEST] >= beta and place[OUTER] < outers:
            now[CUTOFFS] += 1
            place[OUTER] = outers
        if place[OUTER] == outers:
            place[OUTER] = -1


@inlined
def outcome(frames: Frames, d: int) -> tuple[float, float]:
    """Return the interval of a node whose pairs are done: its value, or a bound outside of the window."""
    number = frames.number[d]
    best = number[BEST] if frames.place[d, MODE] == FIRST else -number[BEST]
    return best if best > number[ALPHA] else number[LEAST], best if best < number[BETA] else number[MOST]
