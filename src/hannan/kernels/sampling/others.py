"""What chance and the other players do at a node, and what their play adds to the next player's average."""

from __future__ import annotations

from typing import Any, NamedTuple

from hannan.kernels import inlined
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.draws import draw, draw_evenly, draw_exploring
from hannan.kernels.sampling.modes import Mode
from hannan.kernels.sampling.nodes import Here
from hannan.kernels.sampling.records import Board, Scratch, Tables
from hannan.kernels.statuses import DONE, MORE_VISITS


class Road(NamedTuple):
    """What the moves so far come to. The value of the child on the stack is lead + scale·(value of the node here)."""

    own: int  # the traverser's last sequence
    weight: float  # the others' reach over the probability of the draw
    reach: float  # that of the player whose average this walk is for; kept only where it weighs
    drawn: float  # the probability of the draw; kept only then, too
    lead: float
    scale: float


class Moved(NamedTuple):
    """What was drawn at a node. The child by the traverser's action a is `offset` + a·`stride`."""

    status: int
    ours: bool  # whether the traverser moves
    first: int  # the first cell of its set
    size: int  # and how many actions it has
    stride: int
    offset: int
    rho: float  # what the moves drawn count for: played over drawn
    reach: float  # as in `Road`, these moves included
    drawn: float


@inlined
def let_move(
    here: Here, i: int, j: int, depth: int, road: Road, mode: Mode, rules: Any, board: Board, tables: Tables,
    scratch: Scratch,
) -> Moved:  # fmt: skip
    """Draw the moves of chance and of all players but the traverser i; j is the player whose average this walk is for.

    Where everybody's moves are taken, only the sets of j are written down.
    """
    if here.who == rec.CHANCE:
        offset, drawn = _chance(here, depth, road.drawn, mode, rules, board, tables, scratch)
        return Moved(DONE, False, here.first, here.moves, 1, offset, 1.0, road.reach, drawn)
    if here.who < rec.JOINT and here.first == rec.OUTSIDE:
        offset = draw_evenly(tables.random, here.moves)
        return Moved(DONE, False, 0, here.moves, 1, offset, 1.0, road.reach, road.drawn / here.moves)
    if here.who == i:
        return Moved(DONE, True, here.first, here.moves, 1, 0, 1.0, road.reach, road.drawn)
    if here.who < rec.JOINT and mode.drawing:
        offset = draw(tables.random, tables.learnt, here.first, here.moves)
        return Moved(DONE, False, here.first, here.moves, 1, offset, 1.0, road.reach, road.drawn)
    return _movers(here, i, j, depth, road, mode, tables, scratch)


@inlined
def _chance(
    here: Here, depth: int, drawn: float, mode: Mode, rules: Any, board: Board, tables: Tables, scratch: Scratch
) -> tuple[int, float]:
    """Draw an outcome; return it, and the probability of the draw with it."""
    on_board = True
    if rules is not None:
        on_board = here.coded >= 0
    offset = 0
    if here.first == 1:
        offset = draw_evenly(tables.random, here.moves)
    elif on_board:
        offset = draw(tables.random, board.probability, here.children, here.moves)
    else:
        offset = draw(tables.random, scratch.chance[depth], 0, here.moves)
    if mode.weighting:
        drawn *= board.probability[here.children + offset] if on_board else scratch.chance[depth, offset]
    return offset, drawn


@inlined
def _movers(here: Here, i: int, j: int, depth: int, road: Road, mode: Mode, tables: Tables, scratch: Scratch) -> Moved:
    """Go through the movers, the last one first, and draw for all but the traverser."""
    learnt, guide, mover = tables.learnt, tables.guide, scratch.mover
    ours, first, size, stride, offset, many = False, here.first, here.moves, 1, 0, 1
    rho, reach, drawn = 1.0, road.reach, road.drawn
    for m in range(here.movers - 1, -1, -1):
        p, begin, count = mover[depth, m, rec.PLAYER], mover[depth, m, rec.BEGIN], mover[depth, m, rec.SIZE]
        if begin == rec.OUTSIDE:
            offset += draw_evenly(tables.random, count) * many
            drawn /= count
        elif p == i:
            ours, first, size, stride = True, begin, count, many
        else:
            if mode.showing and p == j:
                worth = road.reach / road.drawn if mode.weighting else 1.0
                if not show(begin, count, worth, scratch):
                    return Moved(MORE_VISITS, ours, first, size, stride, offset, rho, reach, drawn)
            if not mode.everybody:
                k = 0
                if mode.wandering > 0.0 and count > 1:
                    even, keep = mode.wandering / count, 1.0 - mode.wandering
                    k = draw_exploring(tables.random, guide, begin, count, even, keep)
                    xi = even + keep * guide[begin + k]
                    rho *= learnt[begin + k] / xi
                    drawn *= xi
                elif count > 1:
                    k = draw(tables.random, learnt, begin, count)
                    if mode.weighting:
                        drawn *= learnt[begin + k]
                if mode.weighting and p == j:
                    reach *= learnt[begin + k]
                offset += k * many
        many *= count
    return Moved(DONE, ours, first, size, stride, offset, rho, reach, drawn)


@inlined
def show(first: int, count: int, worth: float, scratch: Scratch) -> bool:
    """Write down that a set of the player whose average this walk is for was visited; False if the room is full."""
    used = scratch.used[0]
    k = used.shown
    if k == scratch.shown.shape[0]:
        return False
    scratch.shown[k, 0], scratch.shown[k, 1], scratch.counted[k] = first, count, worth
    used.shown = k + 1
    return True
