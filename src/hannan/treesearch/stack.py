"""The memory of an exact search: its frames and its tables, under a limit."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.errors import ParameterError
from hannan.kernels.search.records import ENTRIES, FULL, Frames, NodeScratch, Store
from hannan.kernels.search.table import WAYS, move_over
from hannan.memory import available, readable
from hannan.rules.source import fenced, states
from hannan.treesearch.matrix import scratch

DEFAULT_LIMIT = 2**30
"""Bytes that a search may take by default; less if less memory is free."""

FIRST_DEPTHS = 32
FIRST_ENTRIES = 2**10
SETS = 2**16
"""The number of information sets remembered with their position: its hash, or its number with plain rules."""

FILLED = 0.5
"""A table grows when this share of its entries is taken."""

NEVER = 2**62


class Stack:
    """The arrays of a search. They grow as needed; the table stops growing at the limit."""

    def __init__(self, width: int, state_size: int, limit: int | None, tabled: bool) -> None:
        self.limit = min(DEFAULT_LIMIT, available() // 2) if limit is None else limit
        self.tabled = tabled
        self.room = _room(width)
        self.scratch = scratch(width)
        self.frames = _frames(FIRST_DEPTHS, width, state_size)
        sets = SETS
        while sets > 2**8 and 16 * sets > self.limit // 8:
            sets //= 2
        self.store = _store(FIRST_ENTRIES if tabled else WAYS, state_size, sets)
        if self.held > self.limit:
            raise ParameterError(
                f"memory_limit={limit} is below the least that works here, {self.held} bytes ({readable(self.held)})"
            )

    @property
    def held(self) -> int:
        """Bytes of all arrays."""
        records: tuple[Any, ...] = (self.frames, self.store, self.room, self.scratch)
        return sum(array.nbytes for record in records for array in record)

    def grow_table(self) -> None:
        """Double the table if too much of it is taken and the limit allows it; set the next size to check in `now`."""
        now, size = self.frames.now, len(self.store.work)
        entry = self.store.key.itemsize * (self.store.key.shape[1] + 3)
        if self.tabled and now[ENTRIES] >= FILLED * size:
            if self.held + 2 * size * entry > self.limit:
                now[FULL] = NEVER
                return
            larger = _store(2 * size, self.store.key.shape[1] - 2, 0)
            now[ENTRIES] = move_over(self.store, larger.key, larger.bound, larger.work)
            self.store = larger._replace(seen=self.store.seen)
            size *= 2
        now[FULL] = FILLED * size if self.tabled else NEVER

    def size_table(self, size: int) -> None:
        """Make the table, still empty, as large as a saved one was, as far as the limit allows."""
        entry = self.store.key.itemsize * (self.store.key.shape[1] + 3)
        now = len(self.store.work)
        while now < size and self.held + 2 * now * entry <= self.limit:
            now *= 2
        self.store = _store(now, self.store.key.shape[1] - 2, 0)._replace(seen=self.store.seen)

    def deepen(self) -> bool:
        """Double the depth of the path, shrinking the table if necessary; return whether the limit allows it."""
        depths, width, size = *self.frames.x.shape, self.frames.key.shape[1]
        larger = _frames(2 * depths, width, size)
        more = sum(array.nbytes for array in larger)
        while self.held + more > self.limit and len(self.store.work) > FIRST_ENTRIES:
            self._shrink_table()
        if self.held + more > self.limit:
            return False
        for old, new in zip(self.frames, larger, strict=True):
            if old.shape == new.shape:
                new[...] = old
            else:
                new[:depths] = old
        self.frames = larger
        return True

    def widen(self, width: int) -> bool:
        """Make room for nodes of more actions; return whether the limit allows it."""
        depths, size = len(self.frames.x), self.frames.key.shape[1]
        larger = _frames(depths, width, size)
        if self.held + sum(array.nbytes for array in larger) > self.limit:
            return False
        for old, new in zip(self.frames, larger, strict=True):
            new[tuple(slice(0, length) for length in old.shape)] = old
        self.frames, self.room, self.scratch = larger, _room(width), scratch(width)
        return True

    def forget(self) -> None:
        """Empty the table."""
        self.store.key[:] = 0
        self.store.work[:] = 0
        self.frames.now[ENTRIES] = 0

    def _shrink_table(self) -> None:
        """Replace the table by an empty one of half the size. No result depends on its entries."""
        size, words = len(self.store.work) // 2, self.store.key.shape[1] - 2
        seen, self.store = self.store.seen, _store(size, words, 0)
        self.store = self.store._replace(seen=seen)
        self.frames.now[ENTRIES] = 0


def _frames(depths: int, width: int, state_size: int) -> Frames:
    cells = (depths, width, width)
    return Frames(
        now=np.zeros(15, np.int64),
        out=np.zeros(3),
        place=np.zeros((depths, 15), np.int64),
        number=np.zeros((depths, 12)),
        low=np.zeros(cells),
        high=np.zeros(cells),
        stage=np.zeros(cells, np.int8),
        member=np.zeros((depths, 2, width), np.int8),
        x=np.zeros((depths, width)),
        y=np.zeros((depths, width)),
        hope_x=np.zeros((depths, width)),
        hope_y=np.zeros((depths, width)),
        killer=np.full((depths, 4), -1, np.int64),
        code=fenced((depths, 2, width), np.int64),
        odds=fenced((depths, width)),
        state=states(depths, state_size),
        key=fenced((depths, state_size), np.int64),
        info=np.zeros((depths, 4), np.int64),
        choice=fenced(2, np.int64),
        here=fenced(4),
    )


def _store(entries: int, words: int, sets: int) -> Store:
    return Store(
        np.zeros((entries, words + 2), np.int64),
        np.zeros((entries, 2)),
        np.zeros(entries, np.int64),
        np.zeros((sets, 2), np.int64),
    )


def _room(width: int) -> NodeScratch:
    return NodeScratch(
        np.zeros((width, width)),
        np.zeros(width),
        np.zeros(width),
        np.zeros(width, np.int64),
        np.zeros(width, np.int64),
    )
