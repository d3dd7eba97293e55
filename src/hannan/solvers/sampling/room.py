"""Tables that grow with the visits of walks, up to a memory limit: their room, and how they get more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hannan.arrays import lengthen
from hannan.forms.game import PlayedGame
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import Board, Scratch, Tables
from hannan.kernels.sets import bucket_count, rehash
from hannan.kernels.statuses import MORE_HISTORIES, MORE_SETS, TOO_WIDE
from hannan.memory import available, readable
from hannan.rules.source import Answer, Source
from hannan.solvers.sampling.kept import Kept
from hannan.solvers.sampling.streams import WIDENING, Stream
from hannan.solvers.sampling.tables import (
    BY_CELL,
    BY_DEPTH,
    BY_VISITS,
    BY_WIDTH,
    drop_least_visited,
    empty_board,
    held,
    larger,
    wider,
)

RESERVE = 4
"""Without a limit, this many times the size of the tables stays free: for the policy, its plays, copies in files."""

COMPILING = 2**28
"""Additional free bytes for compiling the functions that only the end of a run calls."""

SMALL = 2**25
"""Requests up to this many bytes for all streams skip the check of free memory, which takes a fraction of 1 ms."""

UNLIMITED = 2**62
"""A limit for tables that grow little."""

SPARE = 16
"""Tables that continue at their limit keep 1/SPARE of it for longer walks and for dropping sets."""

STEPS = (2.0, 1.5, 1.25, 1.125)
"""The factors by which tables grow: the first one that the memory limit allows is used."""

MOST_CELLS = 2**31 - 1
"""The most histories or cells, since boards count in 32 bits."""


@dataclass(frozen=True)
class Capacity:
    """The room of tables on rules."""

    sets: int
    cells: int
    histories: int
    slots: int


class GrowingStream(Stream):
    """A stream whose tables grow."""

    game: PlayedGame
    source: Source

    def __init__(
        self, *arguments: Any, by_history: bool, limit: int | None, streams: int, table: Kept = "full"
    ) -> None:
        """As `Stream`. Without a `limit`, tables grow while the machine has room for the tables of `streams` streams.

        by_history: whether every history must be remembered. table: which sets are kept.
        """
        self.table: Kept = table
        self.by_history, self.limit, self.streams = by_history, limit, streams
        super().__init__(*arguments)
        self.doubled = [0, 0, 0]
        """How many times the room for a walk was doubled, for each kind, including before a save and restore."""
        self._made = [0, 0, 0]  # how often in this process: doublings from a file follow when a walk needs them

    def _forget_histories(self) -> None:
        self.board.node[: int(self.tables.counts[rec.HISTORIES])] = 0
        self.tables.counts[rec.HISTORIES] = 1
        self.tables.counts[[rec.SLOTS, rec.PLACED]] = 0

    def _answers(self) -> dict[int, Answer]:
        asked = {status: partial(self._make_room, status) for status in (*WIDENING, MORE_SETS, MORE_HISTORIES)}
        return {**asked, TOO_WIDE: self._broaden}

    def _broaden(self) -> None:
        self.scratch = wider(self.scratch, self.source.width)

    def _make_room(self, status: int) -> bool:
        """Make more room of the kind that a walk needs; return whether there will be no more walks."""
        try:
            if status in WIDENING:
                self._widen(status)
            else:
                self._grow(status)
            if self.full and status == MORE_SETS and self._limits():
                self.full = ""
        except MemoryError:
            self.full = (
                f"no memory is left for more than {len(self.tables.set_parent):,} information sets; "
                "the result so far stands"
            )
        return bool(self.full)

    def _widen(self, status: int) -> bool:
        kind = WIDENING.index(status)
        scratch, granted = larger(self.scratch, status), self._made[kind] < self.doubled[kind]
        if granted or self._fits(held(self.tables, self.board, scratch) + self._awaited(kind, scratch)):
            self.scratch = scratch
            self._made[kind] += 1
            self.doubled[kind] = max(self._made[kind], self.doubled[kind])
        return bool(self.full)

    def _most(self) -> int:
        """Return the most bytes that this stream may hold: its limit, or its share of the machine's free memory."""
        if self.limit is not None:
            return self.limit
        all_streams = self.streams * held(self.tables, self.board, self.scratch)
        return (all_streams + max(available() - COMPILING, 0)) // (1 + RESERVE) // self.streams

    def _awaited(self, doubling: int | None = None, scratch: Scratch | None = None) -> int:
        """Return the bytes of room for a walk that the saved stream had and that this stream does not have yet."""
        made = [times + (kind == doubling) for kind, times in enumerate(self._made)]
        left = [max(times - done, 0) for times, done in zip(self.doubled, made, strict=True)]
        size = 0
        for name, array in (scratch or self.scratch)._asdict().items():
            times = sum(left[kind] for kind, names in enumerate((BY_DEPTH, BY_WIDTH, BY_VISITS)) if name in names)
            size += array.nbytes * (2**times - 1)
        return size

    def _limits(self) -> bool:
        """Let the table continue without more memory, if it can; return whether it can.

        A growing table takes no more sets. A bounded table drops the half of its content with the fewest visits. If it
        dropped sets with up to v visits, new sets enter only in one iteration of v + 1, because most sets with rarer
        visits would be dropped again.
        """
        counts = self.tables.counts
        if self.limit is not None and self.table == "growing":
            counts[rec.TABLE] = rec.SHUT
            return True
        if self.limit is None or counts[rec.LEAD] != rec.COUNTED_LEAD or counts[rec.SETS] == 0:
            return False
        counts[rec.EVERY] = 1 + drop_least_visited(self.tables)
        counts[rec.TABLE] = rec.EDGE
        self._forget_histories()
        return True

    def _fits(self, size: int, spare: int = 0) -> bool:
        """Return whether `size` bytes in all and some to spare fit under the limit; if not, mark the stream as full."""
        if self.limit is None and self.streams * size <= SMALL:
            return True
        most = self._most()
        if size <= most - spare:
            return True
        sets = f"with {int(self.tables.counts[rec.SETS]):,} information sets visited; the result so far stands"
        if self.limit is None:
            self.full = (
                f"the tables of a stream may take {readable(most)} of the memory that is free here, {sets} (the rest "
                "is kept to finish; memory_limit=BYTES sets another limit)"
            )
        else:
            self.full = (
                f"the memory limit of {readable(most)} a stream is reached, {sets}, and a larger memory_limit goes on"
            )
        return False

    def _grow(self, status: int) -> None:
        spare = 0 if self.limit is None or self.table == "full" else self.limit // SPARE
        for factor in STEPS:
            self.full = ""
            if self._fits(self._bytes(wanted := self._larger(status, factor)), spare):
                break
        if self.full:
            return
        if max(wanted.cells, wanted.histories) > MOST_CELLS and len(self.board.node):
            if self.by_history:
                self.full = f"there are more than {MOST_CELLS:,} histories or cells; the result so far stands"
                return
            self._forget_histories()
            self.board = empty_board(self.game.players, 0, 0)
            wanted = replace(wanted, histories=0, slots=0)
        self._resize(wanted)

    @property
    def _room(self) -> Capacity:
        return Capacity(
            len(self.tables.set_parent), len(self.tables.learnt), len(self.board.node), len(self.board.slot)
        )

    def _larger(self, status: int, factor: float) -> Capacity:
        room, counts = self._room, self.tables.counts
        if status == MORE_HISTORIES:
            slots = room.slots if 2 * int(counts[rec.SLOTS]) < room.slots else int(factor * room.slots)
            return Capacity(room.sets, room.cells, int(factor * room.histories), slots)
        all_sets = int(counts[rec.SETS]) == room.sets
        if counts[rec.TABLE] != rec.WHOLE:  # the entries of the unfinished walk were removed
            all_sets = 2 * int(counts[rec.SETS]) >= room.sets or 2 * int(counts[rec.CELLS]) < room.cells
        cells = room.cells if all_sets and 2 * int(counts[rec.CELLS]) < room.cells else int(factor * room.cells)
        return Capacity(int(factor * room.sets) if all_sets else room.sets, cells, room.histories, room.slots)

    def _lengths(self, room: Capacity) -> dict[str, tuple[int, int]]:
        """Return the axis along which each array grows, and its length then."""
        lengths = {name: (-1, room.cells) for name in BY_CELL if getattr(self.tables, name).size}
        lengths["set_row"] = (0, room.sets)
        lengths["buckets"] = (-1, bucket_count(room.sets))
        if self.tables.baseline.size:
            lengths["baseline"] = (-1, room.histories if self.by_history else room.cells)
        if self.tables.given.size:
            lengths["given"] = (-1, room.histories)
        lengths |= dict.fromkeys(("node", "probability", "gain", "code"), (0, room.histories))
        lengths["slot"] = (0, room.slots)
        if not self._guided:
            del lengths["guide"]
        return lengths

    def _array(self, name: str) -> Any:
        return getattr(self.tables if name in Tables._fields else self.board, name)

    def _bytes(self, room: Capacity) -> int:
        """Return the peak of bytes while growing to this much room: arrays grow one after another."""
        size, largest = held(self.tables, self.board, self.scratch) + self._awaited(), 0
        for name, (axis, length) in self._lengths(room).items():
            array = self._array(name)
            if length != array.shape[axis]:
                size += array.nbytes // max(array.shape[axis], 1) * (length - array.shape[axis])
                largest = max(largest, array.nbytes)
        return size + largest

    def _resize(self, room: Capacity) -> None:
        """Make room, one array after another, so that only one exists twice at a time; contents are kept."""
        lengths, guided = self._lengths(room), self._guided
        arrays = {**self.tables._asdict(), **self.board._asdict()}
        if not guided:
            del arrays["guide"]
        del self.tables, self.board
        try:
            for name, (axis, length) in lengths.items():
                if length != arrays[name].shape[axis]:
                    lengthen(arrays, name, length, axis)
        finally:
            arrays.setdefault("guide", arrays["learnt"])
            self.tables = Tables(**{name: arrays[name] for name in Tables._fields})
            self.board = Board(**{name: arrays[name] for name in Board._fields})
        tables = self.tables
        rehash(int(tables.counts[rec.SETS]), tables.set_row, tables.buckets)
