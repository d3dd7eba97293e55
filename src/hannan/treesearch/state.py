"""Save the state of an exact search as arrays and restore it, so that the search continues where it stopped.

The moves on the path are played again, so its states and positions come from the rules. The codes of plain rules are
numbers of one process only. For such rules, a file holds the places of actions in the lists of the rules instead, and
no table of positions: the table is filled anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hannan.errors import MismatchError
from hannan.kernels.search import records as rec
from hannan.kernels.search.records import Frames, Store
from hannan.rules.paths import menus_at
from hannan.rules.plain import CHANCE, END, MOST_MOVES, movers
from hannan.rules.positions import numbers_of, state_after
from hannan.treesearch.engine import CHOSEN, Engine
from hannan.treesearch.sound import check_frames, demand

SIZES = {0: rec.ROWS, 1: rec.COLUMNS, CHANCE: rec.COLUMNS}
"""The column of `Frames.place` with the number of moves of each player, or of chance."""

FIXED = ("now", "out", "choice", "here")
"""Arrays of `Frames` without a row for each depth."""

FIELDS = tuple(name for name in Frames._fields if name not in ("state", "key"))
"""Arrays of `Frames` that are kept; states and positions are computed again."""


def kept(engine: Engine) -> dict[str, Any]:
    """Return the frames down to the deepest one, and the table."""
    frames, store = engine.stack.frames, engine.stack.store
    used = max(int(frames.now[rec.DEPTH]), 0) + 2
    arrays = {name: getattr(frames, name)[: None if name in FIXED else used].copy() for name in FIELDS}
    arrays["limit"] = np.array([engine.plan.limit])
    if engine.source.worded:
        for d in range(_filled(frames)):
            for row, _, size, codes in _offered(engine, d, engine.source.state(frames.state[d])):
                arrays["code"][d, row, :size] = [codes.index(code) for code in frames.code[d, row, :size]]
    else:
        taken = store.key[:, 0] != 0
        arrays |= {f"table_{name}": getattr(store, name)[taken] for name in ("key", "bound", "work")}
        arrays["table_size"] = np.array([len(store.work)])
    return arrays


def _filled(frames: Frames) -> int:
    """Return how many frames have been filled in from the rules."""
    return int(frames.now[rec.DEPTH]) + int(frames.now[rec.PHASE] != rec.ENTER)


def _offered(engine: Engine, d: int, state: Any) -> Iterator[tuple[int, int, int, list[int]]]:
    """Yield for each mover of a frame the row of its codes, the mover, the number of codes, and the rules' codes."""
    for mover, menu in menus_at(engine.rules, state):
        size = int(engine.stack.frames.place[d, SIZES[mover]])
        yield max(mover, 0), mover, size, list(engine.source.coded(mover, menu))


def taken_over(engine: Engine, state: Mapping[str, Any]) -> None:
    """Load a saved search into an engine that has not begun."""
    saved = {name: np.asarray(state[name]) for name in FIELDS if name in state}
    frames, limit = engine.stack.frames, np.asarray(state.get("limit", ()))
    named = len(saved) == len(FIELDS) and saved["now"].shape == frames.now.shape and saved["x"].ndim == 2
    if not named or limit.shape != (1,) or limit.dtype != np.int64 or not -1 <= limit[0] <= MOST_MOVES:
        raise MismatchError("the state is not that of a search")
    used = len(saved["x"])
    while used > len(engine.stack.frames.x):
        if not engine.stack.deepen():
            raise MismatchError("the state does not fit into the memory limit")
    width = saved["x"].shape[1]
    if width > engine.stack.frames.x.shape[1]:
        if not (engine.source.worded and engine.stack.widen(width)):
            raise MismatchError("the state holds wider nodes than the rules have")
        engine.source.width = width
    frames, order = engine.stack.frames, np.asarray(state.get("order", saved["code"]))
    if order.shape[1:] != saved["code"].shape[1:]:
        raise MismatchError("the state holds another kind of order")
    saved["code"] = np.concatenate((order, saved["code"][len(order) :]))  # older files hold the places in `order`
    for name, array in saved.items():
        target = getattr(frames, name)
        part = target if name in FIXED else target[:used]
        part = part[tuple(slice(0, length) for length in array.shape)] if part.ndim == array.ndim else part
        if part.shape != array.shape or part.dtype != array.dtype:
            raise MismatchError(f"the state holds another kind of {name}")
        part[...] = array
    check_frames(frames, used)
    engine.plan = engine.plan._replace(limit=int(limit[0]))
    _play_again(engine)
    if engine.source.worded:
        frames.now[rec.ENTRIES] = 0
    else:
        _take_table(engine, state)
    engine.stack.grow_table()


def _play_again(engine: Engine) -> None:
    """Play the moves of a path again; refuse moves, and kinds and sizes of frames, that the rules do not have."""
    rules, frames, source = engine.rules, engine.stack.frames, engine.source
    line, moves, depth = [state_after(rules, engine.prefix)], list(engine.prefix), int(frames.now[rec.DEPTH])
    for d in range(_filled(frames)):
        state, place = line[d], frames.place[d]
        turn = rules.turn(state)
        demand(place[rec.KIND] == (rec.CHANCE if turn == CHANCE else rec.END if turn == END else rec.MATRIX))
        demand(turn != END or d == depth)
        sizes = {rec.ROWS: 1, rec.COLUMNS: 1}
        for row, mover, size, codes in _offered(engine, d, state):
            sizes[SIZES[mover]] = len(codes)
            demand(size == len(codes) and (d == depth or int(place[CHOSEN[mover]]) < size))
            told = frames.code[d, row, :size].tolist()
            if source.worded:
                demand(sorted(told) == list(range(size)))
                told = frames.code[d, row, :size] = [codes[k] for k in told]
            demand(sorted(told) == sorted(codes))
        demand(all(place[k] == size for k, size in sizes.items()))
        demand(all((frames.info[d, 2 + p] != 0) == (p in movers(turn)) for p in range(2)))
        if turn != END:
            key = source.place(state)
            place[rec.WORDS], frames.key[d, : len(key)] = len(key), key
        if d < depth:
            moves.append(engine.move(d, state))
            line.append(rules.after(state, moves[-1]))
    source.put_line(frames.state, line, numbers_of(rules, moves))


def _take_table(engine: Engine, state: Mapping[str, Any]) -> None:
    from hannan.kernels.search.table import move_over

    stack = engine.stack
    key, bound, work = (np.ascontiguousarray(state[f"table_{name}"]) for name in ("key", "bound", "work"))
    words = stack.store.key.shape[1]
    shaped = key.ndim == 2 and key.shape[1] == words and bound.shape == (len(key), 2) and work.shape == (len(key),)
    size = np.asarray(state["table_size"])
    shaped &= size.shape == (1,) and size.dtype == np.int64 and not bool(np.isnan(bound).any())
    if not shaped or key.dtype != np.int64 or bound.dtype != np.float64 or work.dtype != np.int64:
        raise MismatchError("the state holds another kind of table")
    stack.size_table(int(size[0]))
    saved = Store(key, bound, work, stack.store.seen)
    stack.frames.now[rec.ENTRIES] = move_over(saved, stack.store.key, stack.store.bound, stack.store.work)
