"""Meeting a history of compiled rules: who moves there, and where is what was learnt about it.

A board remembers histories, as many as it has room for: what the rules have said once of one of these is not asked
again, but for the state that a move leads to.
"""

from __future__ import annotations

from typing import Any

from hannan import turns
from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import inlined
from hannan.kernels.borrow import address
from hannan.kernels.sampling.parts import set_found, shape_of
from hannan.kernels.sampling.records import (
    ACTIONS_DIFFER,
    BEGIN,
    CHANCE,
    CHILD,
    DONE,
    END,
    FIRST,
    GAIN_ROW,
    HISTORIES,
    JOINT,
    KIND,
    KINDS,
    MORE_HISTORIES,
    MORE_SETS,
    MOVERS,
    NO_MOVES,
    NOT_A_DISTRIBUTION,
    PLACED,
    PLAYER,
    S_COUNT,
    S_FIRST,
    SETS,
    SIZE,
    SLOTS,
    TOO_WIDE,
)  # fmt: skip


@inlined
def met(
    h: int, depth: int, i: int, players: int, turn: Any, actions: Any, chance: Any, observe: Any, gains: Any,
    table: Any, now: Any, code: Longs, odds: Floats, here: Floats, mover: Longs, last: Longs, must: bool,
    node: Ints, probability: Floats, gain: Floats, slot: Ints, code_of: Longs,
    set_row: Longs, buckets: Ints, learnt: Floats, guide: Floats, count_of: Longs,
) -> tuple[int, int, int, int, int, int, int, float]:  # fmt: skip
    """Return a status, who moves, the numbers of moves and movers, cell, child, codes, and what i gains.

    The cell is the first one of the mover's set; at chance, 1 where all outcomes are equally probable. The child is the
    first one, 0 where children have no numbers, and there is a status for that if they `must`. The codes of the moves
    begin there in `code_of`; they are in `code` if this is -1.
    """
    wide = odds.shape[1]
    if h >= 0 and node[h, KIND] != 0:
        who, count = node[h, KIND] & (KINDS - 1), node[h, KIND] // KINDS
        children, first, actors = node[h, CHILD], node[h, FIRST], 0
        coded = children
        if who == JOINT:
            actors, coded = slot[first, MOVERS], -1
            for m in range(actors):
                for column in range(3):
                    mover[depth, m, column] = slot[first + m, column]
                actions(table, now, mover[depth, m, PLAYER], address(code, (depth * players + m) * wide))
        elif who < JOINT:
            actors = 1
            mover[depth, 0, PLAYER], mover[depth, 0, BEGIN], mover[depth, 0, SIZE] = who, first, count
        return DONE, who, count, actors, first, children, coded, gain[h, i]
    for p in range(players):
        if here[p] != 0.0:  # a test, because a loop of stores becomes a call that takes longer
            here[p] = 0.0
    gains(table, now, address(here, 0))
    turned = turn(table, now)
    status, who, count, actors, first, children, sets = DONE, END, 1, 0, 0, 0, count_of[SETS]
    if turned in (turns.NO_MOVERS, turns.CHANCE):
        who = CHANCE
        count = chance(table, now, address(code, depth * players * wide), address(odds, depth * wide))
        if count > wide:
            status = TOO_WIDE
        else:
            first = shape_of(odds[depth], count)
            if first < 0:
                status = NOT_A_DISTRIBUTION
    elif turned > 0:
        for p in range(players):
            if (turned >> p) & 1 == 0:
                continue
            size = actions(table, now, p, address(code, (depth * players + actors) * wide))
            if size < 1 or size > wide:
                status = NO_MOVES if size < 1 else TOO_WIDE
                break
            seen = observe(table, now, p)
            place = set_found(last[depth, p], seen, size, set_row, buckets, learnt, guide, count_of)
            if place < 0:
                status = MORE_SETS
                break
            if set_row[place, S_COUNT] != size:
                status = ACTIONS_DIFFER
                break
            first = set_row[place, S_FIRST]
            mover[depth, actors, PLAYER], mover[depth, actors, BEGIN], mover[depth, actors, SIZE] = p, first, size
            who = p if actors == 0 else JOINT
            count *= size
            actors += 1
    if h >= 0 and status == DONE and (must or count_of[SETS] == sets):  # what is all new may never be seen again
        moves = 0 if who == END else count
        status = remembered(
            h, who, moves, actors if who == JOINT else 0, first, mover[depth], odds[depth], code[depth], here, node,
            probability, gain, slot, code_of, count_of,
        )  # fmt: skip
        if status == MORE_HISTORIES and not must:
            status = DONE
        elif status == DONE:
            children = node[h, CHILD]
    return status, who, count, actors, first, children, -1, here[i]


@inlined
def remembered(
    h: int, who: int, count: int, actors: int, first: int, movers: Longs, odds: Floats, codes: Longs, gained: Floats,
    node: Ints, probability: Floats, gain: Floats, slot: Ints, code_of: Longs, count_of: Longs,
) -> int:  # fmt: skip
    """Enter a history into a board and number its children; those that were numbered before it was saved stay so."""
    children, place = count_of[HISTORIES], count_of[PLACED]
    if node[h, CHILD] > 0:
        children = node[h, CHILD]
        if node[h, FIRST] != count * KINDS + who or place + actors > slot.shape[0]:  # not what it was when it was saved
            return ACTIONS_DIFFER
    elif children + count > node.shape[0] or count_of[SLOTS] + actors > slot.shape[0]:
        return MORE_HISTORIES
    else:
        count_of[SLOTS] += actors
    for p in range(gained.size):
        gain[h, p] = gained[p]
    node[h, GAIN_ROW], node[h, FIRST] = h, first
    if who == JOINT:
        node[h, FIRST] = place
        count_of[PLACED] += actors
        for m in range(actors):
            slot[place + m, PLAYER], slot[place + m, BEGIN] = movers[m, PLAYER], movers[m, BEGIN]
            slot[place + m, SIZE], slot[place + m, MOVERS] = movers[m, SIZE], actors
    elif who != END:
        for c in range(count):
            code_of[children + c] = codes[0, c]
            probability[children + c] = odds[c] if who == CHANCE else 1.0
    if count > 0 and node[h, CHILD] == 0:
        node[h, CHILD] = children
        count_of[HISTORIES] += count
    node[h, KIND] = count * KINDS + who
    return DONE
