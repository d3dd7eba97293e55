"""The state of a search as arrays, and back: it goes on where it stopped.

Of plain-Python rules the states on the path are played again; the table of positions, whose keys are Python objects, is
filled anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hannan.errors import MismatchError
from hannan.kernels.search import records as rec
from hannan.kernels.search.records import Frames, Store
from hannan.rules.plain import MOST_MOVES
from hannan.treesearch.engine import CompiledEngine, Engine
from hannan.treesearch.plain import PlainEngine
from hannan.treesearch.positions import state_after
from hannan.treesearch.sound import check_frames, check_path

FIXED = ("now", "out", "choice", "here")
"""Arrays of `Frames` without a row for each depth."""


def kept(engine: Engine) -> dict[str, Any]:
    """Return the frames down to the deepest one, and the table."""
    frames, store = engine.stack.frames, engine.stack.store
    used = max(int(frames.now[rec.DEPTH]), 0) + 2
    arrays = {name: (array if name in FIXED else array[:used]).copy() for name, array in frames._asdict().items()}
    arrays["limit"] = np.array([engine.plan.limit])
    if isinstance(engine, CompiledEngine):
        taken = store.key[:, 0] != 0
        arrays |= {f"table_{name}": getattr(store, name)[taken] for name in ("key", "bound", "work")}
        arrays["table_size"] = np.array([len(store.work)])
    elif isinstance(engine, PlainEngine) and frames.now[rec.PHASE] != rec.ENTER and frames.now[rec.DEPTH] >= 0:
        arrays["order"] = engine.order()
    return arrays


def taken_over(engine: Engine, state: Mapping[str, Any]) -> None:
    """Put a saved search in the place of one that has not begun."""
    saved = {name: np.asarray(state[name]) for name in Frames._fields if name in state}
    frames, limit = engine.stack.frames, np.asarray(state.get("limit", ()))
    named = len(saved) == len(Frames._fields) and saved["now"].shape == frames.now.shape and saved["x"].ndim == 2
    if not named or limit.shape != (1,) or limit.dtype != np.int64 or not -1 <= limit[0] <= MOST_MOVES:
        raise MismatchError("the state is not that of a search")
    used = len(saved["x"])
    while used > len(engine.stack.frames.x):
        if not engine.stack.deepen():
            raise MismatchError("the state does not fit into the memory limit")
    width = saved["x"].shape[1]
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
    check_frames(frames, used)
    engine.plan = engine.plan._replace(limit=int(limit[0]))
    if isinstance(engine, CompiledEngine):
        check_path(frames, engine.rules, state_after(engine.rules, engine.prefix))
        _take_table(engine, state)
    else:
        assert isinstance(engine, PlainEngine)
        frames.now[rec.ENTRIES] = 0
        if "order" in state:
            order = np.asarray(state["order"])
            if order.dtype != np.int64 or order.ndim != 3 or order.shape[1:] != frames.code.shape[1:]:
                raise MismatchError("the state holds another kind of order")
            engine.replay(order)
        elif frames.now[rec.PHASE] != rec.ENTER and frames.now[rec.DEPTH] >= 0:
            raise MismatchError("the state does not say in which order moves were")
    engine.stack.grow_table()


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
