"""The first walk over compiled rules, if a game is large: threads share its subtrees.

One thread walks the trunk, the histories above a depth. Histories at the depth are the roots of subtrees. Each thread
begins with a copy of the trunk's table of sets, and enters what it meets. Neighbouring subtrees have many sets in
common, so each thread has a stretch of neighbours; when that is done, it takes the last subtree of the longest stretch
that is left. In the end, the tables are added up.

Which thread met a set first does not matter. What the sets are numbered by is the first history of each, and that is
known by its subtree and its number there. Anything unusual, such as a broken promise, ends the shared walk: then one
thread walks on, finds the same, and says where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise
from threading import Event, Lock
from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import HannanError, RulesError
from hannan.forms.subtrees import MOST_SUBTREES, SUBTREES, SharedWalk, cores
from hannan.forms.survey import EVERY, Seen
from hannan.kernels.expansion.walk import NODES, MetTable
from hannan.kernels.statuses import DONE, FRONTIER, MORE_SETS, TOO_MANY
from hannan.rules.plain import MOST_MOVES, Rules
from hannan.rules.source import drive

LEAST = 16_000_000
"""Walks that are limited to fewer histories are not shared: what one thread has walked already is walked again."""

MOST_THREADS = 8
"""The most threads: each has a table of its own."""

DEEPEST = 64
"""The greatest depth at which subtrees begin."""

MANY = 1 << 13
"""If a depth has more histories than this, subtrees begin one level above, if that level has some for each thread."""

PAUSE = 1 << 20
"""The histories of a thread between two looks at the others."""

RANK_BITS = 27
"""The bits of the number of a history among those of its depth in its subtree; above them is the subtree's number."""


class Root(NamedTuple):
    """A history at which a subtree begins."""

    state: Longs
    last: Longs
    total: Floats  # the utilities of the history above


class Part(SharedWalk):
    """A walk over the trunk of a game, or over some of its subtrees."""

    rows = MOST_MOVES + 2

    def __init__(self, rules: Rules, trunk: Part | None = None, threads: int = 1) -> None:
        super().__init__(rules)
        self.tables = threads
        if trunk is not None:
            self.sets = MetTable._make(array.copy() for array in trunk.sets)
            for name in ("sets", "sequences"):
                self.tally.now[name] = trunk.so_far(name)

    def roots(self, ceiling: int) -> list[Root]:
        """Walk the histories above a depth; return those at the depth, at most one more than MOST_SUBTREES."""
        roots: list[Root] = []

        def add() -> bool:
            total = self.path.total[ceiling - 1].copy()
            roots.append(Root(self.path.state[ceiling].copy(), self.path.last[ceiling].copy(), total))
            self.tally.now["skip"] = 1
            return len(roots) > MOST_SUBTREES

        self.tally.now["ceiling"] = ceiling
        self._drive(lambda: 2**62, {FRONTIER: add})
        return roots

    def walk(self, number: int, root: Root, depth: int, pause: Callable[[int], bool]) -> Longs | None:
        """Walk a subtree; return how many histories it has at each depth, None if `pause` has ended the walk.

        pause: called now and then with the histories since the last call; it returns whether to end the walk.
        """
        now, nodes, begun = self.tally.now, self.tally.counts[NODES], number << RANK_BITS
        now["base"], now["depth"], now["ceiling"], now["visited"] = depth, depth, -1, 0
        self.path.state[depth], self.path.last[depth], self.path.total[depth - 1] = root
        nodes[:] = begun
        counted = 0

        def stop() -> int:
            return counted + PAUSE

        def many() -> bool:
            nonlocal counted
            more, counted = self.so_far("visited") - counted, self.so_far("visited")
            return pause(more) or int(nodes.max()) - begun >= (1 << RANK_BITS) - PAUSE

        if self._drive(stop, {TOO_MANY: many}) != DONE or pause(self.so_far("visited") - counted):
            return None
        return np.trim_zeros(nodes - begun, "b")

    def add(self, other: Part) -> None:
        """Add what another part has counted and met."""
        from hannan.kernels.expansion.tables import add_table

        players, sets, now = self.rules.players, other.so_far("sets"), self.tally.now
        used = np.array([0, self.so_far("sets"), self.so_far("sequences")])
        goes = np.arange(other.so_far("sequences"))
        low, high = self.tally.span

        def more() -> None:
            now["sets"], now["sequences"] = used[1:]
            self._roomier(4 * len(self.sets.player))

        drive(
            None,
            lambda: add_table(sets, other.sets, self.sets, used, goes),
            lambda status: RulesError("two threads have met a set with different actions"),
            {MORE_SETS: more},
            lambda: ((), ()),
        )
        now["sets"], now["sequences"] = used[1:]
        empty = slice(0, players)
        np.minimum(self.sets.shallow[empty], other.sets.shallow[empty], out=self.sets.shallow[empty])
        self.tally.counts[:] += other.tally.counts
        self.tally.kinds[:] += other.tally.kinds
        np.minimum(low, other.tally.span[0], out=low)
        np.maximum(high, other.tally.span[1], out=high)
        for name in ("slots", "gainful"):
            now[name] += other.tally.now[name]


class _Shares:
    """Which subtrees are still to be walked: a stretch of neighbours for each thread."""

    def __init__(self, subtrees: int, threads: int) -> None:
        ends = [subtrees * t // threads for t in range(threads + 1)]
        self._left, self._lock = [list(stretch) for stretch in pairwise(ends)], Lock()

    def take(self, thread: int) -> int | None:
        """Return the next subtree of a thread; None if all are taken."""
        with self._lock:
            mine = self._left[thread]
            if mine[0] < mine[1]:
                mine[0] += 1
                return mine[0] - 1
            longest = max(self._left, key=lambda stretch: stretch[1] - stretch[0])
            if longest[0] == longest[1]:
                return None
            longest[1] -= 1
            return longest[1]


def share(walked: SharedWalk, most: int, seen: Seen | None = None, threads: int | None = None) -> bool:
    """Walk all histories of a game, at most `most`, on several threads; return whether `walked` now has it all.

    If it returns False, `walked` is as it was. threads: default: all cores, at most MOST_THREADS.
    """
    threads = threads or min(cores(), MOST_THREADS)
    if threads == 1:
        return False
    try:
        trunk, ceiling, roots = _trunk(walked.rules, threads)
        histories = _shared(walked, trunk, ceiling, roots, most, seen, threads) if len(roots) >= 2 * threads else None
    except (HannanError, MemoryError, RuntimeError):  # also: no thread can be started
        return False
    if histories is not None and histories > most:
        raise walked.too_many(most)
    return histories is not None


def _trunk(rules: Rules, threads: int) -> tuple[Part, int, list[Root]]:
    """Return a walk over the trunk, the depth at which subtrees begin, and their roots."""
    trunk, ceiling, roots = Part(rules), 0, list[Root]()
    while len(roots) < SUBTREES and ceiling < DEEPEST:
        part = Part(rules)
        found = part.roots(ceiling + 1)
        if not found or len(found) > (MANY if len(roots) >= 4 * threads else MOST_SUBTREES):
            break
        trunk, ceiling, roots = part, ceiling + 1, found
    return trunk, ceiling, roots


def _shared(
    walked: SharedWalk, trunk: Part, ceiling: int, roots: list[Root], most: int, seen: Seen | None, threads: int
) -> int | None:
    """Walk the subtrees and add up the tables; return the number of histories, None if it could not be done.

    `walked` gets the result unless there are more than `most` histories.
    """
    counts: list[Longs] = [np.zeros(0, np.int64)] * len(roots)
    shares, stopped, lock, visited = _Shares(len(roots), threads), Event(), Lock(), [trunk.so_far("visited")]

    def pause(more: int) -> bool:
        with lock:
            visited[0] += more
        return stopped.is_set() or visited[0] > most

    def one(thread: int, part: Part) -> bool:
        complete = False
        try:
            while (k := shares.take(thread)) is not None:
                nodes = part.walk(k, roots[k], ceiling, pause)
                if nodes is None:
                    return False
                counts[k] = nodes
            part.tally.counts[NODES] = 0
            complete = True
        finally:
            if not complete:
                stopped.set()
        return True

    parts, begun = [Part(walked.rules, trunk, threads) for _ in range(threads)], list[Future[bool]]()
    with ThreadPoolExecutor(threads, thread_name_prefix="hannan") as pool:
        try:
            begun += [pool.submit(one, thread, part) for thread, part in enumerate(parts)]
            _report(begun, visited, seen)
            complete = all(map(Future.result, begun))  # no variable refers to a future, which refers to its error
            while complete and len(parts) > 1:
                half = len(parts) // 2
                list(pool.map(Part.add, parts[:half], parts[half : 2 * half]))
                parts = parts[:half] + parts[2 * half :]
        except BaseException:
            begun.clear()  # an error refers to this call, and a result to its error: the tables would stay in memory
            parts.clear()
            raise
        finally:
            stopped.set()
    if visited[0] > most:
        return visited[0]
    if not complete:
        return None
    parts[0].add(trunk)
    _settle(parts[0], ceiling, counts)
    parts[0].tally.now["visited"] = visited[0]
    walked.tally, walked.sets, walked.path = parts[0].tally, parts[0].sets, parts[0].path
    return visited[0]


def _report(begun: list[Future[bool]], visited: list[int], seen: Seen | None) -> None:
    """Wait for threads, and report the histories visited so far, about every EVERY histories."""
    told, running = 0, set(begun)
    while running:
        _, running = wait(running, timeout=0.1)
        if seen is not None and visited[0] >= told + EVERY:
            told = visited[0]
            seen(told)


def _settle(whole: Part, ceiling: int, counts: list[Longs]) -> None:
    """Count the histories of all subtrees, and number the first histories of sets by them."""
    from hannan.kernels.expansion.tables import settle

    before = np.zeros((len(counts) + 1, max(map(len, counts))), np.int64)
    for k, nodes in enumerate(counts):
        before[k + 1, : len(nodes)] = nodes
    np.cumsum(before, axis=0, out=before)
    whole.tally.counts[NODES, : before.shape[1]] += before[-1]
    settle(whole.sets.first[: whole.so_far("sets")], ceiling, RANK_BITS, before)
