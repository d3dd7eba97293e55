"""Payoffs from the gains of a walk: gains are sorted and folded into entries during the walk.

Memory is in proportion to the entries, not to the gains. In the first run, gains with one key are added up as soon as
another run follows; the other runs, together no longer than the first, hold gains one by one. Two neighbouring runs are
merged when the later one is longer than half of the earlier one. So gains with one key are added one after another in
the breadth-first order of histories, and the bits do not depend on how the walk was cut into runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats, Ints, Longs, Shorts, new_pages, pages_of
from hannan.errors import SizeError
from hannan.forms.sequence import Numbering, SequenceForm
from hannan.forms.treeplex import Numbered
from hannan.kernels.expansion import runs as kernels
from hannan.kernels.expansion.runs import Chunk, Packing
from hannan.memory import require

LONGEST = 1 << 16
"""The most gains in a chunk."""

MOST_SPARE = 16
"""The most chunks whose pages are kept for others."""

MOST = 2**31 - 1
"""The most payoffs of a sequence form, which numbers them with 32 bits."""

WORD = 63
"""The bits that a word of a key holds."""

Run = list[Chunk]


class Gathering:
    """Collects the gains of a walk and folds them into the payoffs of a sequence form."""

    def __init__(self, numbered: Numbered, rows: int, shallow: Shorts) -> None:
        """rows: the players whose payoffs are kept. shallow: for each sequence of the walk, see `Survey.shallow`."""
        self._treeplexes, self._number, self._rows = numbered.treeplexes, numbered.sequence, rows
        self._packing, self._words = _packing(numbered, shallow)
        self._runs: list[Run] = []
        self._folding = False  # whether the gains of the first run have been added up
        self._spare: list[Any] = []

    @property
    def gains(self) -> int:
        """The number of gains that are held."""
        return sum(map(_length, self._runs))

    def sorted(self, sequences: Ints, depth: Shorts, gain: Floats) -> Run:
        """Return gains of a walk as a run. Arguments: [gains, players], [gains] and [gains, players], in walk order.

        Safe to call from several threads.
        """
        key, chunk = np.empty((len(depth), self._words), np.int64), self._chunk(len(depth))
        kernels.pack(sequences, self._number, self._packing, key)
        kernels.arrange(kernels.order_of(key, depth), key, depth, gain, chunk)
        return [chunk]

    def add(self, run: Run) -> None:
        """Add a run whose gains come after all gains that were added before."""
        if not _length(run):
            return
        self._runs.append(run)
        if len(self._runs) == 1:  # it stays as it is if no other follows
            return
        if not self._folding:
            self._folding, self._runs[0] = True, self._merged(self._runs[0], [], folding=True)
        while len(self._runs) > 1 and 2 * _length(self._runs[-1]) > _length(self._runs[-2]):
            later, earlier = self._runs.pop(), self._runs.pop()
            self._runs.append(self._merged(earlier, later, folding=not self._runs))

    def form(self, total: float | None) -> SequenceForm:
        """Return the sequence form of all gains that were added, and release them."""
        while len(self._runs) > 1:
            later, earlier = self._runs.pop(), self._runs.pop()
            self._runs.append(self._merged(earlier, later, folding=not self._runs))
        run = self._runs.pop() if self._runs else []
        players, entries = len(self._packing.word), self._count(run)
        if entries > MOST:
            raise SizeError(f"the game has {entries:,} payoffs, and a sequence form holds at most {MOST:,}")
        require(entries * (4 * players + 8 * self._rows), "the payoffs of the sequence form")
        others, numbering = np.empty((players - 1, entries), np.int32), Numbering(self._rows, entries)
        many = np.zeros(self._treeplexes[0].sequences, np.int32)  # entries of each sequence of player 0
        held, used = self._held(), 0
        longest = max(map(_size, run), default=0) + 1
        part, payoffs = np.empty((players, longest), np.int32), np.empty((self._rows, longest))
        run.reverse()
        ended = False
        while not ended:
            ended = not run
            chunk = self._chunk(0) if ended else run.pop()  # released on the way
            count = kernels.fold(chunk, self._packing, 0, held, part, payoffs)
            others[:, used : used + count] = part[1:, :count]
            if count:  # they ascend
                low, high = part[0, 0], part[0, count - 1] + 1
                many[low:high] += np.bincount(part[0, :count] - low, minlength=high - low)
            numbering.add(payoffs[:, :count])
            used += count
        first = np.concatenate(([0], np.cumsum(many))).astype(np.int32)
        return SequenceForm(self._treeplexes, first, others, numbering.numbers, total)

    def _count(self, run: Run) -> int:
        """Count the entries of a run."""
        held, count = self._held(), 0
        sequences, payoffs = np.empty((len(self._packing.word), 0), np.int32), np.empty((self._rows, 0))
        for chunk in (*run, self._chunk(0)):
            count = kernels.fold(chunk, self._packing, count, held, sequences, payoffs)
        return count

    def _held(self) -> Chunk:
        """Return an empty chunk of size 1, the place for a gain that is being added up."""
        held = self._chunk(1)
        held.depth[0] = -1
        return held

    def _merged(self, left: Run, right: Run, *, folding: bool) -> Run:
        """Merge two runs; release each chunk as soon as it is used up."""
        sides = [left[::-1], right[::-1]]
        left.clear()
        right.clear()
        nothing = self._chunk(0)
        now = [side.pop() if side else nothing for side in sides]
        longest = min(LONGEST, sum(len(chunk.depth) for side in sides for chunk in side) + sum(map(_size, now)))
        places, out, merged = np.zeros(3, np.int64), self._chunk(longest), []
        while True:
            ends = np.array([not side for side in sides], np.int64)
            status = kernels.merge(now[0], now[1], out, places, ends, folding, self._packing)
            if status in (kernels.MORE_LEFT, kernels.MORE_RIGHT):
                side = 0 if status == kernels.MORE_LEFT else 1
                self._keep(now[side])
                now[side], places[side] = sides[side].pop(), 0
                continue
            merged.append(_cut(out, int(places[2])))
            if status == kernels.MERGED:
                return merged
            out, places[2] = self._chunk(longest), 0

    def _chunk(self, size: int) -> Chunk:
        if size < LONGEST:
            key, value = np.empty((size, self._words), np.int64), np.empty((size, self._rows))
            return Chunk(key, np.empty(size, np.int16), value)
        # its own pages: the system gets them back as soon as this chunk is released, even if its neighbours stay
        words = size * (self._words + self._rows)
        length = 8 * words + 2 * size
        try:
            pages = self._spare.pop() if size == LONGEST else None
        except IndexError:
            pages = None
        if pages is None:
            require(4 * length, "folding gains into payoffs: the gains so far, and a copy of a part of them")
            pages = new_pages(length)
        key = np.frombuffer(pages, np.int64, size * self._words).reshape(size, self._words)
        value = np.frombuffer(pages, np.float64, size * self._rows, key.nbytes).reshape(size, self._rows)
        return Chunk(key, np.frombuffer(pages, np.int16, size, 8 * words), value)

    def _keep(self, chunk: Chunk) -> None:
        """Keep the pages of a chunk that nothing refers to any more: new pages take a third of the time of folding."""
        pages = pages_of(chunk.depth)
        if pages is not None and len(chunk.depth) == LONGEST and len(self._spare) < MOST_SPARE:
            self._spare.append(pages)


def _packing(numbered: Numbered, shallow: Shorts) -> tuple[Packing, int]:
    """Pack sequences into as few words as possible, player 0's on top; also return the number of words."""
    sequences = [plex.sequences for plex in numbered.treeplexes]
    bits = [max(1, (count - 1).bit_length()) for count in sequences]
    word, shift = np.zeros(len(bits), np.int64), np.zeros(len(bits), np.int64)
    words = used = 0
    for player in reversed(range(len(bits))):
        if used + bits[player] > WORD:
            words, used = words + 1, 0
        word[player], shift[player] = words, used
        used += bits[player]
    begin = np.concatenate(([0], np.cumsum(sequences)[:-1])).astype(np.int64)
    mine = np.empty_like(shallow)
    mine[begin[numbered.owner] + numbered.sequence] = shallow
    mask: Longs = (np.int64(1) << np.array(bits, np.int64)) - 1
    return Packing(words - word, shift, mask, begin, mine), words + 1


def _cut(chunk: Chunk, size: int) -> Chunk:
    """Return the first `size` gains of a chunk; release the rest."""
    if size == len(chunk.depth):
        return chunk
    return Chunk(chunk.key[:size].copy(), chunk.depth[:size].copy(), chunk.value[:size].copy())


def _size(chunk: Chunk) -> int:
    return len(chunk.depth)


def _length(run: Run) -> int:
    return sum(map(_size, run))
