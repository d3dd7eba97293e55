"""Depth-first search over pairs of faces, one of each best-response polytope, that together hold all equilibria.

C. Audet, P. Hansen, B. Jaumard, G. Savard (2001), Enumeration of all extreme equilibria of bimatrix games: of every
label, the slack is zero (the strategy is a best response) or the variable is zero (the strategy is not played). A node
of the search has decided some labels; it is left as soon as one of its two faces is proven empty.

Here the second child of a label asks, besides, that the slack is not zero on all of its face: if it is, the first child
holds everything that the second one does. So every equilibrium has one leaf, in which its own best responses are the
decided ones, and a game in which all payoffs are equal has one leaf. The caller is asked whether a slack is zero
throughout, and decides it in whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from hannan.arrays import Bools, Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.bimatrix.dictionary import (
    ACTIVE,
    NEAR,
    ROWS,
    SLACK,
    Sides,
    copy,
    drop,
    entry,
    limiting,
    pivot,
    proven_empty,
)

OVER, LEAF, ASK, ENOUGH = range(4)
"""What `advance` returns: all was searched; `fixed` describes a leaf; a question; enough for now."""

DEPTH, ENTERED, POINTER, ANSWER, SIDE, LABEL, NODES, PIVOTS = range(8)
"""Places in `State.now`."""

UNKNOWN, ZERO, POSITIVE = range(3)
"""Values of `ANSWER`: not known yet; the slack of the question is zero on all of the face; or it is not."""

MOST_PIVOTS = 400
"""Pivots after which a variable is taken to be zero without proof, which is safe: it leaves nothing out."""


class State(NamedTuple):
    """Where a search stands."""

    fixed: Bools  # [side, labels]
    decided: Bools  # [labels]
    label: Longs  # [depth]  what is decided there
    stage: Longs  # [depth]  how many of its children were begun
    level: Longs  # [side, depth]  where its dictionary is
    now: Longs


@inlined
def slack_side(sides: Sides, label: int) -> int:
    """Return the side on which a label is a slack."""
    first = sides.shape[0, SLACK]
    return 0 if first <= label < first + sides.shape[0, ROWS] else 1


@kernel
def advance(sides: Sides, state: State, budget: int) -> int:
    """Search on until there is something to say, or `budget` pivots were made."""
    now, labels, limit = state.now, len(state.decided), state.now[PIVOTS] + budget
    while now[DEPTH] >= 0:
        depth = now[DEPTH]
        if now[ENTERED]:
            verdict = covered(sides, state)
            if verdict == UNKNOWN:
                return ASK
            now[ENTERED] = 0
            if verdict == ZERO or depth == labels:
                now[DEPTH] -= 1
                if verdict != ZERO:
                    return LEAF
                continue
            now[NODES] += 1
            state.label[depth] = chosen(sides, state)
            state.stage[depth] = 0
            state.decided[state.label[depth]] = True
        descend(sides, state)
        if now[PIVOTS] > limit:
            return ENOUGH
    return OVER


@inlined
def descend(sides: Sides, state: State) -> None:
    """Begin the next child of the deepest node, or leave the node."""
    depth = state.now[DEPTH]
    label, stage = state.label[depth], state.stage[depth]
    first = slack_side(sides, label)
    if stage > 0:
        state.fixed[first if stage == 1 else 1 - first, label] = False
    if stage == 2:
        state.decided[label] = False
        state.now[DEPTH] -= 1
        return
    state.stage[depth] += 1
    side = first if stage == 0 else 1 - first
    level = state.level[side, depth]
    state.fixed[side, label] = True
    place = sides.place[side, level, label]
    if blocked(sides.first, sides.second, sides.width, side, level, place) and proven_empty(
        sides, side, level, -1 - place, state.fixed[side]
    ):
        return
    copy(sides, side, level, level + 1)
    if fix(sides, side, level + 1, label, state):
        state.level[side, depth + 1] = level + 1
        state.level[1 - side, depth + 1] = state.level[1 - side, depth]
        state.now[DEPTH] += 1
        state.now[ENTERED], state.now[POINTER] = 1, 0


@inlined
def chosen(sides: Sides, state: State) -> int:
    """Return the label to decide next: one with a child that ends at once, else the one with the largest product."""
    first, second, places, width = sides.first, sides.second, sides.place, sides.width
    decided, levels, depth, best, most = state.decided, state.level, state.now[DEPTH], -1, -1.0
    for label in range(len(decided)):
        if decided[label]:
            continue
        ends, score = 0, 1.0
        for side in range(2):
            level = levels[side, depth]
            place = places[side, level, label]
            score *= entry(first, second, side, level, -1 - place, 0) if place < 0 else 0.0
            ends += blocked(first, second, width, side, level, place)
        if ends == 2:
            return label
        score += 1e6 * ends
        if score > most:
            best, most = label, score
    return best


@inlined
def blocked(first: Floats, second: Floats, width: Longs, side: int, level: int, place: int) -> bool:
    """Return whether the variable at a place is positive here and nothing that may grow makes it smaller."""
    row = -1 - place
    if row < 0 or entry(first, second, side, level, row, 0) <= NEAR:
        return False
    column, active = 1, width[side, level, ACTIVE]
    while column <= active and entry(first, second, side, level, row, column) >= -NEAR:
        column += 1
    return column > active


@inlined
def fix(sides: Sides, side: int, level: int, label: int, state: State) -> bool:
    """Bring a variable down to zero by the simplex method and fix it; return False if that is proven impossible."""
    tables = sides.first if side == 0 else sides.second
    table, place = tables[level], sides.place[side, level]
    count = 0
    while place[label] < 0:
        row, active = -1 - place[label], sides.width[side, level, ACTIVE]
        column, least = 0, -NEAR
        for c in range(1, active + 1):
            if table[row, c] < least:
                column, least = c, table[row, c]
                if count > MOST_PIVOTS // 4:  # the first one rather than the steepest
                    break
        if column == 0 or count > MOST_PIVOTS:
            if column == 0 and proven_empty(sides, side, level, row, state.fixed[side]):
                return False
            least = NEAR
            for c in range(1, active + 1):
                if abs(table[row, c]) > least:
                    column, least = c, abs(table[row, c])
            if column == 0:
                return True  # zero throughout, as far as floats see
            pivot(sides, side, level, row, column)
        else:
            pivot(sides, side, level, limiting(sides, side, level, column, row), column)
        count += 1
        state.now[PIVOTS] += 1
    drop(sides, side, level, place[label])
    return True


@inlined
def covered(sides: Sides, state: State) -> int:
    """Return ZERO if the first child of some label holds all of this node, POSITIVE if not, UNKNOWN to ask.

    A side that did not change was looked at before, but for the label that was decided last.
    """
    first, second, places, shape = sides.first, sides.second, sides.place, sides.shape
    now, levels, fixed, depth = state.now, state.level, state.fixed, state.now[DEPTH]
    begin, rows = shape[0, SLACK], shape[0, ROWS]
    while now[POINTER] < len(state.decided):
        label = now[POINTER]
        side = 0 if begin <= label < begin + rows else 1
        if fixed[1 - side, label]:  # so it is decided: the variable is zero, and the slack should not be
            level = levels[side, depth]
            new = level != levels[side, depth - 1] or label == state.label[depth - 1]
            answer, now[ANSWER] = now[ANSWER], UNKNOWN
            if answer == ZERO:
                return ZERO
            if (
                answer == UNKNOWN
                and new
                and not grows(first, second, side, level, places[side, level, label], shape[side, ROWS])
                and maybe_zero(sides, state, side, level, label)
            ):
                now[SIDE], now[LABEL] = side, label
                return UNKNOWN
        now[POINTER] += 1
    return POSITIVE


@inlined
def grows(first: Floats, second: Floats, side: int, level: int, place: int, rows: int) -> bool:
    """Return whether the slack at a place is seen to be positive here, or as soon as it enters the basis."""
    if place < 0:
        return entry(first, second, side, level, -1 - place, 0) > NEAR
    row = 0
    while row < rows and (
        entry(first, second, side, level, row, place) >= -NEAR or entry(first, second, side, level, row, 0) > NEAR
    ):
        row += 1
    return row == rows


@inlined
def maybe_zero(sides: Sides, state: State, side: int, level: int, label: int) -> bool:
    """Return whether floats see a slack to be zero on all of a face; its last dictionary is at the last level then."""
    last = len(sides.first) - 1
    copy(sides, side, level, last)
    tables = sides.first if side == 0 else sides.second
    table, place, nonbasic = tables[last], sides.place[side, last], sides.nonbasic[side, last]
    for _ in range(MOST_PIVOTS):
        column = place[label]
        if column < 0:
            row, column = -1 - column, 0
            if table[row, 0] > NEAR:
                return False
            for c in range(1, sides.width[side, last, ACTIVE] + 1):
                if table[row, c] > NEAR and (column == 0 or nonbasic[c] < nonbasic[column]):
                    column = c
            if column == 0:
                return True
        row = limiting(sides, side, last, column, -1)
        if row < 0:
            return False
        pivot(sides, side, last, row, column)
        state.now[PIVOTS] += 1
    return False
