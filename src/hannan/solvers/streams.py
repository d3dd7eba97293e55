"""One stream of walks: its own tables and random numbers. And the seam behind which streams run side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import ChanceError, HannanError, ParameterError, RulesError
from hannan.game import Game
from hannan.kernels import samplingrecords as records
from hannan.kernels.samplingrecords import (
    CELLS,
    DEPTH,
    DISCOUNTED,
    FIXED,
    HISTORY,
    LAZY,
    NO_BASELINE,
    SETS,
    WALKS,
    Board,
    Plan,
    Tables,
)  # fmt: skip
from hannan.memory import readable
from hannan.policy import Policy
from hannan.rules import MOST_MOVES, CompiledRules
from hannan.solvers.plainwalker import PlainWalker
from hannan.solvers.samplingtables import (
    BY_SET,
    grown,
    larger,
    rules_tables,
    scratch_for,
    table_bytes,
    tree_tables,
)  # fmt: skip
from hannan.tree import path_text


def run_all(work: Sequence[Callable[[], None]], threads: int) -> None:
    """Do independent pieces of work, on several threads where that is asked for. A cluster can take this place."""
    if threads == 1 or len(work) == 1:
        for piece in work:
            piece()
        return
    with ThreadPoolExecutor(min(threads, len(work))) as pool:
        for done in [pool.submit(piece) for piece in work]:
            done.result()


def make_stream(game: Game, plan: Plan, board: Board | None, random: int, limit: int | None) -> Stream:
    """Return a stream on a packed tree where there is one, else on the rules."""
    if board is not None:
        return Stream(game, plan, board, random)
    if plan.baseline != NO_BASELINE and plan.key == HISTORY:
        raise ParameterError("baselines for histories need the expanded game; use key='set', or on='tree'")
    return RulesStream(game, plan, random, limit)


class Stream:
    """Walks on an expanded game."""

    full = ""
    """Why there will be no more walks: a sentence."""

    def __init__(self, game: Game, plan: Plan, board: Board | None, random: int) -> None:
        self.game, self.plan, self.board = game, plan, board
        self.baselined = plan.baseline != NO_BASELINE
        tree = game.tree if board is not None else None
        discounted = plan.learner == DISCOUNTED
        if tree is None:
            self.tables = rules_tables(game.players, random, self.baselined, discounted)
        else:
            cells = tree.players + sum(plex.sets + 3 * (plex.sequences - 1) for plex in tree.treeplexes)
            baselines = (tree.nodes if plan.key == HISTORY else cells) if self.baselined else 0
            self.tables = tree_tables(tree, random, baselines, discounted)
        self.scratch = scratch_for(game, tree, self.baselined)
        if plan.baseline == FIXED:
            self._value_uniform_play()

    def _value_uniform_play(self) -> None:
        """Set every history's baseline to its value while everybody plays uniformly."""
        from hannan.kernels.samplingparts import back_up

        assert self.board is not None
        for h in range(self.game.tree.nodes - 1, -1, -1):
            back_up(self.board, self.tables, self.game.players, h)

    def walk(self, until: int) -> None:
        """Make walks until there were so many in all."""
        while (status := self._walks(self.plan, self.tables, until)) != records.DONE:
            self._make_room(status)

    def _walks(self, plan: Plan, tables: Tables, until: int) -> int:
        from hannan.kernels.sampling import walker

        nothing = (None,) * 8
        return int(walker(False)(*nothing, self.board, plan, tables, self.scratch, until))

    def _make_room(self, status: int) -> None:
        assert status == records.MORE_SCRATCH
        self.scratch = larger(self.scratch)

    def measured(self, walks: int) -> Tables:
        """Return copies of the tables in which `walks` walks a player have recorded their estimates."""
        sets, cells = int(self.tables.counts[SETS]), len(self.tables.learnt)
        learnt = self.tables.learnt.copy()
        for first, size in zip(self.tables.set_base[:sets], self.tables.set_size[:sets], strict=True):
            learnt[first + size : first + 2 * size] = 0.0  # estimates are added up where regrets were
        tables = self.tables._replace(
            learnt=learnt,
            measure=np.zeros((2, cells)),
            given=np.zeros((3, self.game.tree.nodes)),
            counts=self.tables.counts.copy(),
            random=self.tables.random ^ np.uint64(0x5DEECE66D),
            baseline=self.tables.baseline.copy(),
        )
        until = int(tables.counts[WALKS]) + walks * self.game.players
        while (status := self._walks(self.plan._replace(measuring=records.ESTIMATES), tables, until)) != records.DONE:
            self._make_room(status)
        return tables

    def totals(self) -> Floats:
        """Return what was learnt, with the sums that lazy averaging has put off."""
        from hannan.kernels.samplingparts import flush

        tables = self.tables
        learnt = tables.learnt.copy()
        if self.plan.averaging == LAZY:
            flush(int(tables.counts[SETS]), tables.set_parent, tables.set_base, tables.set_size, learnt)
        return learnt

    def state(self) -> dict[str, Any]:
        """Return copies of the arrays that change."""
        names = ["learnt", "clock", "baseline", "counts", "random"]
        return {name: getattr(self.tables, name).copy() for name in names}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over such arrays."""
        for name, array in state.items():
            getattr(self.tables, name)[...] = array


class RulesStream(Stream):
    """Walks on rules; the tables grow with what is visited."""

    def __init__(self, game: Game, plan: Plan, random: int, limit: int | None) -> None:
        super().__init__(game, plan, None, random)
        self.limit = limit
        self.plain = None if isinstance(game.rules, CompiledRules) else PlainWalker(game.rules, plan)
        least = self._bytes(len(self.tables.set_parent), len(self.tables.learnt))
        if limit is not None and limit < least:
            raise ParameterError(f"memory_limit={limit} a stream is below the least that works, {least} bytes")

    def _bytes(self, sets: int, cells: int) -> int:
        return table_bytes(sets, cells, self.baselined, self.plan.learner == DISCOUNTED, self.game.players)

    def walk(self, until: int) -> None:
        while not self.full and (status := self._walks(self.plan, self.tables, until)) != records.DONE:
            self._make_room(status)

    def _walks(self, plan: Plan, tables: Tables, until: int) -> int:
        rules = self.game.rules
        if self.plain is not None:
            return self.plain.walks(tables, self.scratch, until)
        assert isinstance(rules, CompiledRules)
        from hannan.kernels.sampling import walker

        return int(walker(True)(*rules.compiled(), rules.table, None, plan, tables, self.scratch, until))

    def _make_room(self, status: int) -> None:
        if status == records.MORE_SETS:
            self._grow()
        elif status == records.MORE_SCRATCH:
            self.scratch = larger(self.scratch)
        else:
            raise self._error(status)

    def _grow(self) -> None:
        sets, cells = len(self.tables.set_parent), len(self.tables.learnt)
        known, used = int(self.tables.counts[SETS]), int(self.tables.counts[CELLS])
        more_sets = 2 * sets if known == sets else sets
        more_cells = cells if known == sets and 2 * used < cells else 2 * cells
        if self.limit is not None and self._bytes(more_sets, more_cells) > self.limit:
            self.full = (
                f"the memory limit of {readable(self.limit)} a stream is reached, with {known:,} information sets "
                "visited; the result so far stands, and a larger memory_limit goes on"
            )
            return
        self.tables = grown(self.tables, more_sets, more_cells)

    def _error(self, status: int) -> HannanError:
        path = self.scratch.trail[: int(self.tables.counts[DEPTH])].tolist()
        where = f"node {path_text(self.game.rules, path[:12])}" + (" …" if len(path) > 12 else "")
        sentence = {
            records.ACTIONS_DIFFER: "the actions differ from those at another history of the same information set",
            records.NO_MOVES: "a player is to move and has no action",
            records.TOO_DEEP: f"play has not ended after {MOST_MOVES} moves",
        }.get(status)
        if sentence is None:
            return ChanceError(f"{where}: the probabilities are negative or do not sum to 1")
        return RulesError(f"{where}: {sentence}")

    def state(self) -> dict[str, Any]:
        arrays = {**super().state(), **{name: getattr(self.tables, name).copy() for name in BY_SET}}
        if self.plain is not None:
            arrays["labels"] = np.frombuffer("\0".join(self.plain.labels()).encode(), np.uint8).copy()
        return arrays

    def restore(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        labels = arrays.pop("labels", None)
        sets, cells = len(arrays["set_parent"]), len(arrays["learnt"])
        self.tables = grown(self.tables, sets, cells)
        super().restore(arrays)
        self.tables = grown(self.tables, sets, cells)  # fills the buckets
        if self.plain is not None and labels is not None:
            self.plain.restore(self.tables, labels.tobytes().decode().split("\0") if labels.size else [])


def gathered(
    game: Game, streams: Sequence[Stream], learnt: Sequence[Floats], part: int, facts: Mapping[str, Any]
) -> Policy:
    """Return a part of what streams have learnt (0: the strategy, 2: the sums of the average) as one policy."""
    first, *others = [_numbered(stream, cells, part) for stream, cells in zip(streams, learnt, strict=True)]
    found = first
    for other in others:
        found = _merged(found, other)
    base = game.players + np.concatenate(([0], np.cumsum(found.size)[:-1])).astype(np.int64)[: len(found.size)]
    probability = np.ones(game.players + int(found.size.sum()))
    if len(base):
        scale = np.repeat(np.add.reduceat(found.total, base - game.players), found.size)
        even = np.repeat(1.0 / found.size, found.size)
        probability[game.players :] = np.divide(found.total, scale, out=even, where=scale > 0)
    labels = None if isinstance(game.rules, CompiledRules) else found.labels
    return Policy(game, found.parent, found.observation, base, found.size, probability, labels, facts)


class _Numbered(NamedTuple):
    """Sets in the order in which they were found; a set's actions follow one another."""

    players: int
    parent: Longs  # [sets]  the last sequence: a player's empty one, or players + a place in `total`
    observation: Longs  # [sets]
    size: Longs  # [sets]
    total: Floats  # [actions]
    labels: tuple[str, ...]


def _numbered(stream: Stream, cells: Floats, part: int) -> _Numbered:
    tables, players = stream.tables, stream.game.players
    sets = int(tables.counts[SETS])
    base, size = tables.set_base[:sets], tables.set_size[:sets]
    inside = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    wide, start = np.repeat(size, size), np.repeat(base, size)
    goes = np.zeros(len(cells), np.int64)
    goes[:players] = np.arange(players)
    goes[start + 2 * wide + inside] = players + np.arange(len(inside))
    plain = stream.plain if isinstance(stream, RulesStream) else None
    labels = () if plain is None else tuple(plain.labels())
    total = cells[start + part * wide + inside]
    return _Numbered(players, goes[tables.set_parent[:sets]], tables.set_observation[:sets].copy(), size.copy(), total,
                     labels)  # fmt: skip


def _merged(one: _Numbered, other: _Numbered) -> _Numbered:
    """Add the other's sums to the one's; sets that only the other has found come last."""
    names = {name: code for code, name in enumerate(one.labels)}
    place_of = {key: j for j, key in enumerate(zip(one.parent.tolist(), one.observation.tolist(), strict=True))}
    begins = (np.cumsum(one.size) - one.size).tolist()
    parent, observation, size = one.parent.tolist(), one.observation.tolist(), one.size.tolist()
    total = [float(number) for number in one.total]
    goes = list(range(one.players))
    begin = 0
    for before, seen, count in zip(other.parent.tolist(), other.observation.tolist(), other.size.tolist(), strict=True):
        code = names.setdefault(other.labels[seen], len(names)) if other.labels else seen
        key = goes[before], code
        place = place_of.setdefault(key, len(size))
        if place == len(size):
            parent.append(key[0])
            observation.append(code)
            size.append(count)
            begins.append(len(total))
            total.extend([0.0] * count)
        for k in range(count):
            total[begins[place] + k] += float(other.total[begin + k])
            goes.append(one.players + begins[place] + k)
        begin += count
    return _Numbered(one.players, np.array(parent, np.int64), np.array(observation, np.int64),
                     np.array(size, np.int64), np.array(total), tuple(names))  # fmt: skip
