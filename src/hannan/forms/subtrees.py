"""The second walk over compiled rules, which folds gains into payoffs; threads share the subtrees.

The first walk has met every information set, so this one only reads their table. Histories above a depth are walked
first; histories at the depth are the roots of subtrees, and each free thread walks the next one. Their gains are added
in the order of the subtrees, so the bits do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from queue import Full, Queue, SimpleQueue
from threading import Event
from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import HannanError
from hannan.forms.payoff_runs import LONGEST, Gathering, Run
from hannan.forms.survey import KernelWalk, Seen, new_path, no_record, room_for_gains, written
from hannan.kernels.expansion.walk import NOW, MetTable, Record, Tally, walker
from hannan.kernels.statuses import DONE, FRONTIER, MORE_GAINS
from hannan.rules.complaints import complaint
from hannan.rules.source import Answer, drive

SUBTREES = 256
"""The least number of subtrees to share, if some depth has as many histories."""

MOST_SUBTREES = 1 << 17
"""If a depth has more histories than this, subtrees begin one level above: each subtree takes time to hand over."""

PARTS = 256
"""About the number of parts in which gains are sorted. More parts need less memory and more merging."""

MOST_NOTED = 1 << 20
"""The most gains that are sorted together."""

AHEAD = 2
"""The most subtrees per thread that may be walked before their turn."""

WAITING = 64
"""The most parts of a subtree that may wait for its turn."""

Part = tuple[Run, int]
"""Sorted gains, and the number of histories that were visited for them."""


class Subtree(NamedTuple):
    """A history at which a walk begins."""

    state: Longs
    last: Longs
    reach: float


class Gatherer:
    """A walk over one subtree after another; the first walk has met all its information sets."""

    def __init__(self, walked: KernelWalk) -> None:
        gainful = int(walked.tally.now["gainful"][0])
        self._source = walked.source
        self._sets: MetTable = walked.sets
        players = walked.rules.players
        self.path = new_path(self._source, len(walked.path.step))
        span = np.zeros((2, players + 1))
        self.tally = Tally(np.zeros(1, NOW), np.zeros_like(walked.tally.counts), np.zeros(5, np.int64), span)
        self._gained = room_for_gains(min(max(gainful // PARTS, LONGEST), MOST_NOTED), players)
        self._record = Record._make(no_record(players))

    @property
    def visited(self) -> int:
        """The number of histories of the subtree that were visited so far."""
        return int(self.tally.now["visited"][0])

    def begin(self, depth: int, ceiling: int, root: Subtree | None) -> None:
        """Go to the root of the game, or of a subtree at a depth; do not enter histories at `ceiling`."""
        now = self.tally.now
        now[0] = 0
        now["base"] = now["depth"] = depth
        now["ceiling"], now["edge"] = ceiling, 1.0
        if root is not None:
            self.path.state[depth], self.path.last[depth], self.path.reach[depth] = root

    def go(self, full: Answer, frontier: Answer | None = None) -> int:
        """Walk to the end. `full` is called if the room for gains is full, `frontier` at each history not entered."""
        answers = {MORE_GAINS: full} if frontier is None else {MORE_GAINS: full, FRONTIER: frontier}
        return drive(
            self._source,
            lambda: walker()(*self._source.book, 2**62, self.tally, self._sets, self.path, self._record, self._gained),
            self._error,
            answers,
            lambda: written(self.path),
        )

    def _error(self, status: int) -> HannanError:
        rules, depth = self._source.rules, int(self.tally.now["depth"][0])
        where = f"{rules.name}, walked a second time"
        return complaint(status, rules, where, lambda: self._source.state(self.path.state[depth]))

    def take(self, gathering: Gathering) -> Run:
        """Return the gains since the last call, sorted."""
        count = int(self.tally.now["gained"][0])
        self.tally.now["gained"] = 0
        sequences, depth, gain = self._gained
        return gathering.sorted(sequences[:count], depth[:count], gain[:count])

    def here(self) -> Subtree:
        """Return the next history, and skip it."""
        now = self.tally.now
        depth = int(now["depth"][0])
        now["skip"] = 1
        return Subtree(self.path.state[depth].copy(), self.path.last[depth].copy(), float(self.path.reach[depth]))


class SharedWalk(KernelWalk):
    """A compiled walk whose second pass is shared among threads."""

    def gather(self, gathering: Gathering, seen: Seen) -> None:
        gather(self, gathering, seen)


def gather(walked: KernelWalk, gathering: Gathering, seen: Seen, threads: int | None = None) -> None:
    """Walk a game a second time, with its sets known, and add all gains to `gathering`."""
    threads = threads or cores()
    counts: Floats | Longs = walked.tally.counts[0]
    depth = int(np.argmax(counts >= min(SUBTREES, counts.max())))
    if counts[depth] > MOST_SUBTREES:  # for example a joint move of thousands by thousands
        depth = max(depth - 1, 0)
    trunk, roots = Gatherer(walked), []
    trunk.begin(0, depth, None)
    trunk.go(lambda: gathering.add(trunk.take(gathering)), lambda: roots.append(trunk.here()))
    gathering.add(trunk.take(gathering))
    before = trunk.visited
    for run, visited in _in_turn(walked, gathering, depth, roots, threads):
        gathering.add(run)
        before += visited
        seen(before)


def _runs(walk: Gatherer, gathering: Gathering, depth: int, root: Subtree) -> Iterator[Part]:
    """Walk a subtree; yield its gains and the number of histories visited, part by part."""
    walk.begin(depth, -1, root)
    visited, ended = 0, False
    while not ended:
        ended = walk.go(lambda: True) == DONE
        yield walk.take(gathering), walk.visited - visited
        visited = walk.visited


def _in_turn(
    walked: KernelWalk, gathering: Gathering, depth: int, roots: list[Subtree], threads: int
) -> Iterator[Part]:
    """Yield the parts of all subtrees, in the order of the subtrees."""
    if threads == 1:
        walk = Gatherer(walked)
        for root in roots:
            yield from _runs(walk, gathering, depth, root)
        return
    idle: SimpleQueue[Gatherer] = SimpleQueue()
    for _ in range(threads):
        idle.put(Gatherer(walked))
    stopped = Event()

    def hand_over(out: Queue[Part | None], part: Part | None) -> None:
        """Hand a part over, waiting for room: a large subtree must not fill the memory before its turn."""
        while not stopped.is_set():
            with suppress(Full):
                out.put(part, timeout=0.1)
                return

    def one(root: Subtree, out: Queue[Part | None]) -> None:
        walk = idle.get()
        try:
            for part in _runs(walk, gathering, depth, root):
                hand_over(out, part)
                if stopped.is_set():
                    return
        finally:
            idle.put(walk)
            hand_over(out, None)

    def submitted(pool: ThreadPoolExecutor) -> Iterator[tuple[Queue[Part | None], Future[None]]]:
        for root in roots:
            out: Queue[Part | None] = Queue(WAITING)
            yield out, pool.submit(one, root, out)

    with ThreadPoolExecutor(threads, thread_name_prefix="hannan") as pool:
        begun = submitted(pool)
        ahead = deque(islice(begun, AHEAD * threads))
        try:
            while ahead:
                out, future = ahead.popleft()
                while (part := out.get()) is not None:
                    yield part
                future.result()  # raises the error of the thread, if any
                ahead.extend(islice(begun, 1))
        finally:
            stopped.set()
            for _, future in ahead:
                future.cancel()


def cores() -> int:
    """Return the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
