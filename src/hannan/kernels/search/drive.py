"""The driver of the search: it makes the moves and fills the frames."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import types

from hannan.arrays import Longs
from hannan.kernels import inlined, pointed, signed
from hannan.kernels.addresses import address
from hannan.kernels.lent import borrowed
from hannan.kernels.search import choices, matrix
from hannan.kernels.search import records as rec
from hannan.kernels.search.machine import step
from hannan.kernels.search.matrix import Scratch
from hannan.kernels.search.records import ExactPlan, Frames, NodeScratch, Store
from hannan.kernels.search.table import hashed, mix, watch
from hannan.kernels.signatures import BESIDE, FLOATS, FUNCTIONS, LONGS, OPTIONAL, TABLE, Book
from hannan.kernels.statuses import CHOOSE, DONE, EXPAND, HIDDEN, PAUSE
from hannan.kernels.visit import (
    ask_actions,
    ask_bounds,
    ask_chance,
    ask_gains,
    ask_observation,
    ask_position,
    ask_turn,
)
from hannan.turns import END as OVER
from hannan.turns import NO_MOVERS


@inlined
def _moved(frames: Frames, d: int) -> None:
    """Enter into the frame at depth d what its parent's cell says of each player's own history."""
    place = frames.place[d - 1]
    for p in range(2):
        k = place[rec.ROW] if p == 0 else place[rec.COLUMN]
        if place[rec.KIND] == rec.MATRIX and frames.info[d - 1, 2 + p] != 0:
            frames.info[d, p] = mix(frames.info[d - 1, 2 + p], frames.code[d - 1, p, k])
        else:
            frames.info[d, p] = frames.info[d - 1, p]


def _search(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Longs, bounds: Any,
    position: Any, bounding: bool, placing: bool, choose: Any, solve: Any,
    frames: Frames, store: Store, room: NodeScratch, scratch: Scratch, plan: ExactPlan,
) -> Any:  # fmt: skip
    frames, store, room, scratch = borrowed(frames), borrowed(store), borrowed(room), borrowed(scratch)
    now, place, number, code, info = frames.now, frames.place, frames.number, frames.code, frames.info
    here, choice, odds = frames.here, frames.choice, frames.odds
    book = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    size, width, words = frames.state.shape[1] - BESIDE, frames.x.shape[1], frames.key.shape[1]
    while True:
        status = step(frames, store, plan)
        if status == CHOOSE:
            choose(frames, room, scratch, plan, solve)
            continue
        if status != EXPAND:
            return status
        d = now[rec.DEPTH]
        state = address(frames.state, d * (size + BESIDE))
        if d > 0:
            for k in range(size):
                frames.state[d, k] = frames.state[d - 1, k]
            r, c = place[d - 1, rec.ROW], place[d - 1, rec.COLUMN]
            if place[d - 1, rec.KIND] == rec.CHANCE:
                choice[0] = code[d - 1, 0, c]
            else:
                movers = 0
                if info[d - 1, 2] != 0:
                    choice[0] = code[d - 1, 0, r]
                    movers = 1
                if info[d - 1, 3] != 0:
                    choice[movers] = code[d - 1, 1, c]
            _moved(frames, d)
            move(book.table, state, address(choice, 0))
        status, _ = ask_gains(book, state, 2, address(here, 0))
        if status != DONE:
            return status
        number[d, rec.GAIN] = here[0]
        number[d, rec.TOTAL] = here[0] + here[1] + (number[d - 1, rec.TOTAL] if d > 0 else 0.0)
        number[d, rec.LEAST], number[d, rec.MOST] = -np.inf, np.inf
        status, turned = ask_turn(book, state, 2)
        if status != DONE:
            return status
        info[d, 2], info[d, 3] = 0, 0
        place[d, rec.ROWS], place[d, rec.COLUMNS] = 1, 1
        hidden = -1
        if turned == OVER:
            place[d, rec.KIND] = rec.END
        else:
            if bounding:
                status = ask_bounds(bounds, book, state, 2, address(here, 0))
                if status != DONE:
                    return status
                number[d, rec.LEAST], number[d, rec.MOST] = here[0], here[1]
            if not (plan.tabled or plan.watched):
                pass
            elif placing:
                status, place[d, rec.WORDS] = ask_position(position, book, state, words, address(frames.key, d * words))
                if status != DONE:
                    return status
            else:
                place[d, rec.WORDS] = size
                for k in range(size):
                    frames.key[d, k] = frames.state[d, k]
            if turned == NO_MOVERS:
                place[d, rec.KIND] = rec.CHANCE
                at, out = address(code, 2 * d * width), address(odds, d * width)
                status, place[d, rec.COLUMNS], _ = ask_chance(book, state, width, at, out)
                if status != DONE:
                    return status
            else:
                place[d, rec.KIND] = rec.MATRIX
                where = hashed(frames.key[d], place[d, rec.WORDS], 0) if plan.watched else 0
                for p in range(2):
                    if (turned >> p) & 1:
                        status, count = ask_actions(book, state, p, width, address(code, (2 * d + p) * width))
                        if status != DONE:
                            return status
                        place[d, rec.ROWS if p == 0 else rec.COLUMNS] = count
                        status, seen = ask_observation(book, state, p)
                        if status != DONE:
                            return status
                        info[d, 2 + p] = mix(info[d, p], seen) | 1
                        if plan.watched and watch(store, info[d, 2 + p], where):
                            hidden = p
        now[rec.PHASE] = rec.OPEN
        now[rec.VISITS] += 1
        if hidden >= 0:
            now[rec.WHO] = hidden
            return HIDDEN
        if now[rec.VISITS] >= now[rec.UNTIL] or now[rec.ENTRIES] >= now[rec.FULL]:
            return PAUSE


_FLOATS2, _FLOATS3 = types.Array(types.float64, 2, "C"), types.Array(types.float64, 3, "C")
_LONGS2, _LONGS3 = types.Array(types.int64, 2, "C"), types.Array(types.int64, 3, "C")
_BYTES3 = types.Array(types.int8, 3, "C")
FRAMES = types.NamedTuple(
    (
        *(LONGS, FLOATS, _LONGS2, _FLOATS2, _FLOATS3, _FLOATS3, _BYTES3, _BYTES3, *(_FLOATS2,) * 4),
        *(_LONGS2, _LONGS3, _FLOATS2, _LONGS2, _LONGS2, _LONGS2, LONGS, FLOATS),
    ),
    Frames,
)
STORE = types.NamedTuple((_LONGS2, _FLOATS2, LONGS, _LONGS2), Store)
ROOM = types.NamedTuple((_FLOATS2, FLOATS, FLOATS, LONGS, LONGS), NodeScratch)
SCRATCH = types.NamedTuple((_FLOATS2, _FLOATS2, _LONGS2), Scratch)
PLAN = types.NamedTuple((types.int64,) * 7 + (types.float64,) * 3, ExactPlan)
SOLVE = types.UniTuple(types.float64, 2)(_FLOATS2, types.int64, types.int64, FLOATS, FLOATS, SCRATCH)
CHOICE = types.int64(FRAMES, ROOM, SCRATCH, PLAN, types.FunctionType(SOLVE))


def _plain(compiled: Any) -> Any:
    """Return the Python function behind a kernel, to compile it for one signature."""
    return compiled.py_func


@cache
def solver() -> Any:
    """Return the solver of matrices as a first-class function, compiled (or loaded from the cache) once."""
    return pointed(_plain(matrix.solve), SOLVE)


@cache
def chooser() -> Any:
    """Return `choose` as a first-class function: it is large, and would be compiled into every caller."""
    return pointed(_plain(choices.choose), CHOICE)


@cache
def searcher() -> Any:
    """Return the compiled driver; compiled (or loaded from the cache) on the first call."""
    optional = [types.FunctionType(OPTIONAL[name]) for name in ("bounds", "position")]
    chosen = [types.FunctionType(function) for function in (CHOICE, SOLVE)]
    source = (*FUNCTIONS, TABLE, *optional, types.boolean, types.boolean, *chosen)
    signature = (*source, FRAMES, STORE, ROOM, SCRATCH, PLAN)
    return signed(_search, signature)
