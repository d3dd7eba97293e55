"""All roots of the equilibrium conditions of supports, by halving boxes of mixed strategies.

A box without a root is excluded by bounds of the rows over it, or because Newton's method with bounds leads out of it.
A box in which Newton's map contracts has one root at most; the caller proves the root. Any other box is tightened by
Newton's method and halved. See R. B. Kearfott (1996), Rigorous global search: continuous problems, chapter 4.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import kernel
from hannan.kernels.supports.bounds import HAIR, row_range, trim
from hannan.kernels.supports.newton import newton
from hannan.kernels.supports.records import (
    AT,
    DEPTH,
    EXCLUDED,
    FOUND,
    OPEN,
    RESOLVED,
    SPLIT,
    TOTAL,
    USED,
    Game,
    Search,
    Work,
)
from hannan.kernels.supports.restriction import restrict

NARROW = 2.0**-16
"""A box of this width that is neither excluded nor resolved is undecided."""

PATIENCE = 64
"""A support with this many undecided boxes is given up: there is a component of equilibria, and it has many more."""

CLOSE = 1e-8
"""A candidate lies this close to its root in every probability that is not eliminated."""

SAME = 0.5 * CLOSE
"""Candidates of one support that lie this close together are one."""


@kernel
def sweep(game: Game, work: Work, search: Search, budget: int, most: int, trust: float) -> None:
    """Look at supports until all are done, `budget` boxes are, or there are candidates of one support.

    `trust` is 1 for proofs. Smaller numbers take bounds less seriously, and may lose roots. A support that takes more
    than `most` boxes is undecided.
    """
    state = search.state
    while state[AT] < len(search.masks):
        at = state[AT]
        fresh = state[DEPTH] < 0
        if not restrict(game, search.masks[at], work):
            state[AT] += 1
            state[DEPTH] = -1
            continue
        over, size = _shape(work)
        if fresh:
            if over >= 0 and trust < 1.0:
                state[AT] += 1
                continue
            state[DEPTH], state[USED] = 1, 0
            for e in range(work.begin[len(work.size)]):
                search.boxes[0, 0, e], search.boxes[0, 1, e] = 0.0, 1.0
        while state[DEPTH] > 0:
            if budget <= 0:
                return
            if state[USED] >= most or state[DEPTH] + 1 >= len(search.boxes) or search.verdict[at] >= PATIENCE:
                search.verdict[at] += 1
                break
            budget -= 1
            state[USED] += 1
            state[TOTAL] += 1
            state[DEPTH] -= 1
            low, high = search.boxes[state[DEPTH], 0], search.boxes[state[DEPTH], 1]
            if trust < 1.0 and size > 0 and trim(work, low, high):
                _aim(work, low, high, over)
                if _follow(work, over, size) and _promising(game, work, -1, 0.0) == RESOLVED:
                    _keep(work, search)
            done = _decide(game, work, low, high, over, size, trust)
            if done == RESOLVED:
                _keep(work, search)
            elif done == SPLIT:
                if _halve(work, low, high, search.boxes[state[DEPTH] + 1], over):
                    state[DEPTH] += 2
                else:
                    search.verdict[at] += 1
            elif done == OPEN:
                search.verdict[at] += 1
            if state[FOUND] == len(search.found):
                return
        if state[FOUND] > 0:
            state[DEPTH] = 0
            return
        state[AT] += 1
        state[DEPTH] = -1


@kernel
def _shape(work: Work) -> tuple[int, int]:
    """Return the player with more equations than unknowns (or -1), and the number of equations to solve."""
    players = len(work.size)
    total = work.begin[players] - players
    for i in range(players):
        own = work.size[i] - 1
        if own > total - own:
            return i, total - own
    return -1, total


@kernel
def _halve(work: Work, low: Floats, high: Floats, other: Floats, over: int) -> bool:
    """Halve the widest side of a box, the second half into `other`; return False if the box is too narrow."""
    widest, which = 0.0, -1
    for i in range(len(work.size)):
        if i == over:
            continue
        for e in range(work.begin[i], work.begin[i + 1]):
            wide = high[e] - low[e]
            if wide > NARROW and wide * (1e-9 + work.blame[e]) > widest:
                widest, which = wide * (1e-9 + work.blame[e]), e
    if which < 0:
        return False
    for e in range(work.begin[len(work.size)]):
        other[0, e], other[1, e] = low[e], high[e]
    middle = 0.5 * (low[which] + high[which])
    high[which] = middle
    other[0, which] = middle
    return True


@kernel
def _decide(game: Game, work: Work, low: Floats, high: Floats, over: int, size: int, trust: float) -> int:
    """Exclude, resolve or tighten a box."""
    for turn in range(8):
        if not trim(work, low, high) or (turn == 0 and _excluded(game, work, low, high, 0.5 + 0.5 * trust)):
            return EXCLUDED
        if size == 0:
            return OPEN if over >= 0 else _pure(work)
        _aim(work, low, high, over)
        if not newton(work, over, size, trust):
            return SPLIT
        before, after, contracts = 1.0, 1.0, True
        for e in range(work.begin[len(work.size)]):
            k = work.number[e]
            if k < 0:
                continue
            wide = high[e] - low[e]
            middle = work.centre[e] - work.step[k]
            contracts = contracts and work.slope[k] < 0.7 * work.radius[e]
            low[e] = max(low[e], middle - work.spread[k] - HAIR)
            high[e] = min(high[e], middle + work.spread[k] + HAIR)
            if low[e] > high[e]:
                return EXCLUDED
            before, after = before * wide, after * (high[e] - low[e])
        if contracts:
            status = _settle(game, work, over, size, trust)
            if status != SPLIT:
                return status
        if not after < 0.6 * before:
            return SPLIT
    return SPLIT


@kernel
def _pure(work: Work) -> int:
    for e in range(work.begin[len(work.size)]):
        work.guess[e] = 1.0
    return RESOLVED


@kernel
def _aim(work: Work, low: Floats, high: Floats, over: int) -> None:
    """Put the centre into the middle of a box, and eliminate the widest entry of each player."""
    number = 0
    for i in range(len(work.size)):
        begin, end = work.begin[i], work.begin[i + 1]
        gone = begin
        for e in range(begin, end):
            if high[e] - low[e] > high[gone] - low[gone]:
                gone = e
        work.eliminated[i] = gone
        rest = 1.0
        for e in range(begin, end):
            work.number[e] = -1
            if e != gone:
                work.centre[e] = 0.5 * (low[e] + high[e])
                work.radius[e] = 0.5 * (high[e] - low[e]) + HAIR
                rest -= work.centre[e]
                if i != over:
                    work.number[e] = number
                    work.width[number] = work.radius[e]
                    number += 1
        work.centre[gone], work.radius[gone] = rest, 0.0


@kernel
def _excluded(game: Game, work: Work, low: Floats, high: Floats, rows: float) -> bool:
    """Return whether bounds of a row over a box exclude an equilibrium."""
    rounding = 2.0**-46
    for j in range(len(work.size)):
        rounding *= 2.0 + work.size[j]
    for i in range(len(work.size)):
        for r in range(game.shape[i] - 1):
            below, above = row_range(work, i, r, low, high)
            if rows < 1.0:
                middle, half = 0.5 * (below + above), 0.5 * rows * (above - below)
                below, above = middle - half, middle + half
            if below > rounding or (r < work.size[i] - 1 and above < -rounding):
                return True
    return False


@kernel
def _keep(work: Work, search: Search) -> None:
    """Add the guess to what was found, unless it is there.

    Two guesses within SAME have one root: each has a root within CLOSE, and no other within twice as much.
    """
    entries, many = work.begin[len(work.size)], search.state[FOUND]
    for k in range(many):
        apart = 0.0
        for e in range(entries):
            apart = max(apart, abs(search.found[k, e] - work.guess[e]))
        if apart < SAME:
            return
    for e in range(entries):
        search.found[many, e] = work.guess[e]
    search.state[FOUND] += 1


@kernel
def _follow(work: Work, over: int, size: int) -> bool:
    """Follow Newton's method from the centre until it stands still; return False if it does not."""
    for e in range(work.begin[len(work.size)]):
        work.radius[e] = 0.0
    for k in range(size):
        work.width[k] = 0.0
    for _ in range(12):
        if not newton(work, over, size, 1.0):
            return False
        moved = 0.0
        for i in range(len(work.size)):
            rest = 1.0
            for e in range(work.begin[i], work.begin[i + 1]):
                k = work.number[e]
                if k >= 0:
                    moved = max(moved, abs(work.step[k]))
                    work.centre[e] -= work.step[k]
                if e != work.eliminated[i]:
                    rest -= work.centre[e]
            work.centre[work.eliminated[i]] = rest
        if not moved < 4.0:
            return False
        if moved < 1e-12:
            return True
    return False


@kernel
def _promising(game: Game, work: Work, over: int, close: float) -> int:
    """Exclude a root within `close` of the centre if it is not an equilibrium; else leave the centre in `guess`."""
    for i in range(len(work.size)):
        for e in range(work.begin[i], work.begin[i + 1]):
            away = close * work.size[i] + HAIR if e == work.eliminated[i] else close
            work.near[0, e], work.near[1, e] = 0.0, 1.0
            if i != over:
                if work.centre[e] + away < 0.0:
                    return EXCLUDED
                work.near[0, e], work.near[1, e] = max(work.centre[e] - away, 0.0), work.centre[e] + away
            work.guess[e] = work.centre[e]
    if not trim(work, work.near[0], work.near[1]) or _excluded(game, work, work.near[0], work.near[1], 1.0):
        return EXCLUDED
    return RESOLVED


@kernel
def _settle(game: Game, work: Work, over: int, size: int, trust: float) -> int:
    """Follow Newton's method from the centre of a box; see whether it contracts on all of the box from there.

    If it does, the box has one root at most, and there is one within CLOSE of the end of the way. Leave that end in
    `guess`, or exclude the box if the root is not an equilibrium.
    """
    entries = work.begin[len(work.size)]
    for e in range(entries):
        work.near[0, e], work.near[1, e] = work.centre[e], work.radius[e]
    if not _follow(work, over, size):
        return SPLIT
    for e in range(entries):
        k = work.number[e]
        if k >= 0:
            work.radius[e] = max(work.near[1, e] + abs(work.centre[e] - work.near[0, e]), 2.0 * CLOSE) + HAIR
            work.width[k] = work.radius[e]
    if not newton(work, over, size, trust):
        return SPLIT
    for k in range(size):  # one root at most
        if not work.slope[k] < 0.9 * work.width[k]:
            return SPLIT
    for e in range(entries):
        k = work.number[e]
        if k >= 0:
            work.radius[e] = CLOSE
            work.width[k] = CLOSE
    if not newton(work, over, size, 1.0):
        return SPLIT
    for k in range(size):  # it is close
        if not abs(work.step[k]) + work.noise[k] + work.slope[k] < CLOSE:
            return SPLIT
    status = _promising(game, work, over, CLOSE)
    return OPEN if status == RESOLVED and over >= 0 else status
