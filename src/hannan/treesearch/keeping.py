"""The state of a search as arrays, and back: it goes on where it stopped.

Of plain-Python rules the states on the path are played again; the table of positions, whose keys are Python objects, is
filled anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hannan.errors import MismatchError
from hannan.kernels.search.records import (
    COLUMN,
    COLUMNS,
    DEPTH,
    ENTER,
    ENTRIES,
    KIND,
    MATRIX,
    PHASE,
    RETURN,
    ROW,
    ROWS,
    Frames,
    Store,
)
from hannan.treesearch.engine import CompiledEngine, Engine
from hannan.treesearch.plain import PlainEngine

FIXED = ("now", "out", "choice", "here")
"""Arrays of `Frames` without a row for each depth."""


def kept(engine: Engine) -> dict[str, Any]:
    """Return the frames down to the deepest one, and the table."""
    frames, store = engine.stack.frames, engine.stack.store
    used = max(int(frames.now[DEPTH]), 0) + 2
    arrays = {name: (array if name in FIXED else array[:used]).copy() for name, array in frames._asdict().items()}
    arrays["limit"] = np.array([engine.plan.limit])
    if isinstance(engine, CompiledEngine):
        taken = store.key[:, 0] != 0
        arrays |= {f"table_{name}": getattr(store, name)[taken] for name in ("key", "bound", "work")}
        arrays["table_size"] = np.array([len(store.work)])
    elif isinstance(engine, PlainEngine) and frames.now[PHASE] != ENTER and frames.now[DEPTH] >= 0:
        arrays["order"] = engine.order()
    return arrays


def taken_over(engine: Engine, state: Mapping[str, Any]) -> None:
    """Put a saved search in the place of one that has not begun."""
    saved = {name: np.asarray(state[name]) for name in Frames._fields if name in state}
    frames = engine.stack.frames
    if len(saved) < len(Frames._fields) or saved["now"].shape != frames.now.shape:
        raise MismatchError("the state is not that of a search")
    used = len(saved["x"])
    while used > len(engine.stack.frames.x):
        if not engine.stack.deepen():
            raise MismatchError("the state does not fit into the memory limit")
    width = saved["x"].shape[1] if saved["x"].ndim == 2 else 0
    if width > engine.stack.frames.x.shape[1] and (isinstance(engine, CompiledEngine) or not engine.stack.widen(width)):
        raise MismatchError("the state holds wider nodes than the rules have")
    frames = engine.stack.frames
    for name, array in saved.items():
        target = getattr(frames, name)
        part = target if name in FIXED else target[:used]
        part = part[tuple(slice(0, length) for length in array.shape)] if part.ndim == array.ndim else part
        if part.shape != array.shape or part.dtype != array.dtype:
            raise MismatchError(f"the state holds another kind of {name}")
        part[...] = array
    _check(frames, used)
    engine.plan = engine.plan._replace(limit=int(state["limit"][0]))
    if isinstance(engine, CompiledEngine):
        _take_table(engine, state)
    else:
        assert isinstance(engine, PlainEngine)
        frames.now[ENTRIES] = 0
        if "order" in state:
            engine.replay(np.asarray(state["order"]))
    engine.stack.grow_table()


def _check(frames: Frames, used: int) -> None:
    """Refuse frames in which the kernels would read or write what is not there."""
    width, place = frames.x.shape[1], frames.place[:used]
    sizes, cells = place[:, [ROWS, COLUMNS]], place[:, [ROW, COLUMN]]
    sound = -1 <= frames.now[DEPTH] < used and 0 <= frames.now[PHASE] <= RETURN
    sound &= bool(np.all((sizes >= 0) & (sizes <= width)) and np.all((cells >= 0) & (cells < max(width, 1))))
    sound &= bool(np.all((place[:, KIND] >= 0) & (place[:, KIND] <= MATRIX)))
    if not sound:
        raise MismatchError("the state points to what is not there")


def _take_table(engine: Engine, state: Mapping[str, Any]) -> None:
    from hannan.kernels.search.table import move_over

    stack = engine.stack
    key, bound, work = (np.ascontiguousarray(state[f"table_{name}"]) for name in ("key", "bound", "work"))
    words = stack.store.key.shape[1]
    shaped = key.ndim == 2 and key.shape[1] == words and bound.shape == (len(key), 2) and work.shape == (len(key),)
    if not shaped or key.dtype != np.int64 or bound.dtype != np.float64 or work.dtype != np.int64:
        raise MismatchError("the state holds another kind of table")
    stack.size_table(int(state["table_size"][0]))
    saved = Store(key, bound, work, stack.store.seen)
    stack.frames.now[ENTRIES] = move_over(saved, stack.store.key, stack.store.bound, stack.store.work)
