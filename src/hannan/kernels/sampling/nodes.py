"""Coming to a node: who moves there, and where is what was learnt about it.

On a tree a row of the board says so. On rules the rules do; there a board remembers histories, as many as it has room
for, so that the rules are asked once about each remembered history, except for the state that a move leads to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hannan import turns
from hannan.arrays import Longs
from hannan.kernels import inlined
from hannan.kernels.addresses import address
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.modes import Mode
from hannan.kernels.sampling.records import Board, Scratch, Tables
from hannan.kernels.sets import S_COUNT, S_FIRST, enter, place_of, place_of_size
from hannan.kernels.signatures import Book
from hannan.kernels.statuses import ACTIONS_DIFFER, BROKEN, CHANGED, DONE, MORE_HISTORIES, MORE_SETS
from hannan.kernels.visit import ask_actions, ask_chance, ask_gains, ask_observation, ask_turn

NO_ROOM = -2
"""In place of the number of a set: the tables are too small for a new one."""


class Here(NamedTuple):
    """The node where a walk is. Who moves in a joint node, and where their sets are, is in `Scratch.mover`."""

    status: int
    who: int  # a player, or CHANCE, END, JOINT
    moves: int  # how many there are
    movers: int  # how many players move; on a tree also 1 if none moves
    first: int  # the first cell of the mover's set, or OUTSIDE; at chance, 1 where all outcomes are equally probable
    children: int  # the number of the first child; 0 where children have no numbers
    coded: int  # where the codes of the moves begin in `Board.code`; -1: they are in `Scratch.code`
    gained: float  # by the traverser


@inlined
def _long(number: Any) -> Any:
    """Return a number of 32 bits as one of 64: tuples of different numbers would be of different types."""
    return np.int64(number)


@inlined
def read(h: int, depth: int, i: int, naming: bool, board: Board, scratch: Scratch) -> Here:
    """Come to a node of a tree; `naming` wants a single mover in `Scratch.mover`, too."""
    node, mover = board.node, scratch.mover
    kind, children, first, row = (
        node[h, rec.KIND],
        _long(node[h, rec.CHILD]),
        _long(node[h, rec.FIRST]),
        node[h, rec.GAIN_ROW],
    )
    who, count, actors = _long(kind & (rec.KINDS - 1)), _long(kind // rec.KINDS), _long(1)
    gained = board.gain[row, i] if row >= 0 else 0.0
    if who == rec.JOINT:
        actors = _seat_all(first, depth, board, scratch)
    elif naming and who < rec.JOINT:
        mover[depth, 0, rec.PLAYER], mover[depth, 0, rec.BEGIN], mover[depth, 0, rec.SIZE] = who, first, count
    return Here(DONE, who, count, actors, first, children, -1, gained)


@inlined
def _seat_all(first: int, depth: int, board: Board, scratch: Scratch) -> int:
    """Write the movers of a joint node from its slots on down, and return how many they are."""
    slot, mover = board.slot, scratch.mover
    actors = _long(slot[first, rec.MOVERS])
    for m in range(actors):
        for column in range(3):
            mover[depth, m, column] = slot[first + m, column]
    return actors


@inlined
def meet(
    h: int, depth: int, i: int, must: bool, again: bool, mode: Mode, rules: Book, board: Board, tables: Tables,
    scratch: Scratch,
) -> Here:  # fmt: skip
    """Come to a history of rules, h on the board or -1.

    `must`: its children need numbers, and there is a status where the board is full. `again`: the rules are to be asked
    even about histories that the board remembers.
    """
    if h >= 0 and board.node[h, rec.KIND] != 0 and not again:
        return _recall(h, depth, i, rules, board, scratch)
    here, counts, code, odds = scratch.here, tables.counts, scratch.code, scratch.chance
    now, sets, wide = address(scratch.state, depth * scratch.state.shape[1]), counts[rec.SETS], odds.shape[1]
    status, _ = ask_gains(rules, now, here.size, address(here, 0))
    sound, turned = ask_turn(rules, now, here.size)
    who, count, actors, first, children = rec.END, 0, 0, 0, 0
    if status != DONE or sound != DONE:
        status = BROKEN
    elif turned == turns.NO_MOVERS:
        who, out = rec.CHANCE, address(code, depth * code.shape[1] * wide)
        status, count, even = ask_chance(rules, now, wide, out, address(odds, depth * wide))
        first = 1 if even else 0
    elif turned > 0:
        status, who, count, actors, first = _ask_movers(turned, depth, now, mode, rules, tables, scratch)
    if h >= 0 and status == DONE:
        if board.node[h, rec.KIND] != 0:
            children = board.node[h, rec.CHILD]
        elif must or (counts[rec.SETS] == sets and 0 <= first < counts[rec.FRESH]):  # the new may never be seen again
            status = _remember(h, who, count, actors, first, depth, board, counts, scratch)
            if status == MORE_HISTORIES and not must:
                status = DONE
            elif status == DONE:
                children = board.node[h, rec.CHILD]
    return Here(status, who, count, actors, first, children, -1, here[i])


@inlined
def _recall(h: int, depth: int, i: int, rules: Book, board: Board, scratch: Scratch) -> Here:
    """Read what the board remembers of a history; of joint moves it has no codes."""
    node, mover, code = board.node, scratch.mover, scratch.code
    kind, children, first, actors = node[h, rec.KIND], _long(node[h, rec.CHILD]), _long(node[h, rec.FIRST]), _long(0)
    who, count, coded = _long(kind & (rec.KINDS - 1)), _long(kind // rec.KINDS), children
    if who == rec.JOINT:
        actors, coded = _seat_all(first, depth, board, scratch), -1
        now = address(scratch.state, depth * scratch.state.shape[1])
        for m in range(actors):
            out = address(code, (depth * code.shape[1] + m) * code.shape[2])
            rules.actions(rules.table, now, mover[depth, m, rec.PLAYER], out)
    elif who < rec.JOINT:
        actors = 1
        mover[depth, 0, rec.PLAYER], mover[depth, 0, rec.BEGIN], mover[depth, 0, rec.SIZE] = who, first, count
    return Here(DONE, who, count, actors, first, children, coded, board.gain[h, i])


@inlined
def _ask_movers(
    turned: int, depth: int, now: Any, mode: Mode, rules: Book, tables: Tables, scratch: Scratch
) -> tuple[int, int, int, int, int]:
    """Return a status, who moves, the numbers of joint moves and of movers, and the first cell of the last one's set.

    Of several movers it is the last one of their first cells, and `OUTSIDE` if one of their sets is. Sets that are met
    for the first time are entered into the tables, if they may be.
    """
    code, mover, row = scratch.code, scratch.mover, tables.set_row
    players, wide = code.shape[1], code.shape[2]
    who, count, actors, first, known, entering = rec.END, 1, 0, 0, 0, tables.counts[rec.ENTERS]
    for p in range(players):
        if (turned >> p) & 1 == 0:
            continue
        status, size = ask_actions(rules, now, p, wide, address(code, (depth * players + actors) * wide))
        seen, forgetful = 0, (mode.forgets >> p) & 1 == 1
        before = tables.empty[p] if forgetful else scratch.last[depth, p]
        if status == DONE and before != rec.OUTSIDE:
            status, seen = ask_observation(rules, now, p)
        if status != DONE:
            return status, who, count, actors, first
        if entering != rec.WHOLE:
            place = _kept_at(before, seen, size, tables)
        elif (mode.strange >> p) & 1 == 1:
            place = _known_at(p, before, seen, size, forgetful, tables)
        else:
            place = _set_at(before, seen, size, forgetful, tables)
        if place == NO_ROOM:
            return MORE_SETS, who, count, actors, first
        first = rec.OUTSIDE
        if place >= 0:
            if row[place, S_COUNT] != size:
                return ACTIONS_DIFFER + p, who, count, actors, first
            first = row[place, S_FIRST]
        mover[depth, actors, rec.PLAYER], mover[depth, actors, rec.BEGIN], mover[depth, actors, rec.SIZE] = (
            p,
            first,
            size,
        )
        who = p if actors == 0 else rec.JOINT
        known = min(known, first) if first < 0 or known < 0 else max(known, first)
        count *= size
        actors += 1
    return DONE, who, count, actors, known


@inlined
def _known_at(p: int, before: int, seen: int, size: int, forgetful: bool, tables: Tables) -> int:
    """Return the number of a set that is known, or of the one that stands for all others of `size` actions."""
    if forgetful:
        place, _ = place_of_size(before, seen, size, tables.set_row, tables.buckets)
    else:
        place, _ = place_of(before, seen, tables.set_row, tables.buckets)
    return place if place >= 0 else _set_at(tables.empty[p], rec.STRANGE, size, True, tables)


@inlined
def _set_at(before: int, seen: int, size: int, forgetful: bool, tables: Tables) -> int:
    """Return the number of the set after a sequence and an observation, a new one where it is met first; or `NO_ROOM`.

    `size` is its number of actions; the caller compares it with the set's. Only the sets of a player who is
    `forgetful` differ by it.
    """
    row = tables.set_row
    if forgetful:
        place, spot = place_of_size(before, seen, size, row, tables.buckets)
    else:
        place, spot = place_of(before, seen, row, tables.buckets)
    if place >= 0:
        return place
    return _enter(before, seen, size, spot, tables)


@inlined
def _kept_at(before: int, seen: int, size: int, tables: Tables) -> int:
    """Return the number of a set in a table that does not take all: `OUTSIDE` where it is not there, and may not enter.

    A set may enter below what was there before this walk. So what may enter is known before anything is drawn.
    """
    if before == rec.OUTSIDE:
        return rec.OUTSIDE
    counts = tables.counts
    place, spot = place_of(before, seen, tables.set_row, tables.buckets)
    if place >= 0 or counts[rec.ENTERS] == rec.SHUT or before >= counts[rec.FRESH]:
        return place
    place = _enter(before, seen, size, spot, tables)
    if place >= 0:  # the average begins here: what was played before is forgotten, if it was ever known
        tables.learnt[tables.set_row[place, S_FIRST] - 1] = tables.learnt[before]
    return place


@inlined
def _enter(before: int, seen: int, size: int, spot: int, tables: Tables) -> int:
    """Return the number of a new set, played uniformly, with the bucket that a search has found; or `NO_ROOM`."""
    row, learnt, guide, counts = tables.set_row, tables.learnt, tables.guide, tables.counts
    place, first = counts[rec.SETS], counts[rec.CELLS] + counts[rec.LEAD]
    if place == row.shape[0] or first + 3 * size > learnt.size:
        return NO_ROOM
    enter(place, spot, before, seen, first, size, row, tables.buckets)
    counts[rec.SETS] += 1
    counts[rec.CELLS] = first + 3 * size
    for s in range(first, first + size):
        learnt[s] = guide[s] = 1.0 / size
    return place


@inlined
def _remember(
    h: int, who: int, count: int, actors: int, first: int, depth: int, board: Board, counts: Longs, scratch: Scratch
) -> int:
    """Enter a history into the board and number its children; those that were numbered before it was saved stay so."""
    node, slot, mover = board.node, board.slot, scratch.mover
    children, place, slots = counts[rec.HISTORIES], counts[rec.PLACED], actors if who == rec.JOINT else 0
    if count > turns.MOST_JOINT:
        return BROKEN
    if node[h, rec.CHILD] > 0:
        children = node[h, rec.CHILD]
        if (
            node[h, rec.FIRST] != count * rec.KINDS + who or place + slots > slot.shape[0]
        ):  # not what it was when it was saved
            return CHANGED
    elif children + count > node.shape[0] or counts[rec.SLOTS] + slots > slot.shape[0]:
        return MORE_HISTORIES
    else:
        counts[rec.SLOTS] += slots
    for p in range(scratch.here.size):
        board.gain[h, p] = scratch.here[p]
    node[h, rec.GAIN_ROW], node[h, rec.FIRST] = h, first
    if who == rec.JOINT:
        node[h, rec.FIRST] = place
        counts[rec.PLACED] += actors
        for m in range(actors):
            slot[place + m, rec.PLAYER], slot[place + m, rec.BEGIN] = (
                mover[depth, m, rec.PLAYER],
                mover[depth, m, rec.BEGIN],
            )
            slot[place + m, rec.SIZE], slot[place + m, rec.MOVERS] = mover[depth, m, rec.SIZE], actors
    else:
        for c in range(count):
            board.code[children + c] = scratch.code[depth, 0, c]
            board.probability[children + c] = scratch.chance[depth, c] if who == rec.CHANCE else 1.0
    if count > 0 and node[h, rec.CHILD] == 0:
        node[h, rec.CHILD] = children
        counts[rec.HISTORIES] += count
    node[h, rec.KIND] = count * rec.KINDS + who
    return DONE
