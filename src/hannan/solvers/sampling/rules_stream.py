"""A stream of walks directly on rules, whose tables grow with what it has visited, up to a memory limit."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import HannanError, MismatchError, ParameterError
from hannan.forms.game import PlayedGame
from hannan.forms.walks import try_rules
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import Board, SamplingPlan, Tables
from hannan.kernels.sets import rehash
from hannan.rules.complaints import complaint
from hannan.rules.doors import is_quick, source_of
from hannan.rules.paths import node_text, state_at
from hannan.solvers.sampling.kept import Kept
from hannan.solvers.sampling.room import UNLIMITED, Capacity, GrowingStream
from hannan.solvers.sampling.sound import check_layout, check_numbers, check_tables, joint_slots
from hannan.solvers.sampling.streams import WIDENING, Stream
from hannan.solvers.sampling.tables import (
    copied,
    empty_board,
    held,
    keys_of,
    named_sets,
    planted,
    rules_tables,
)
from hannan.solvers.sampling.texts import recall, spelt
from hannan.strategies.policy import Policy

FIRST_DEPTH = 64
"""The number of frames for which a walk has room at first."""

FIRST_HISTORIES = 1024
"""The first room of a board, in histories, if each must be remembered: for baselines and measurements."""

REMEMBERED = 2**18
"""The number of histories that are remembered otherwise, unless the rules must be called again."""

SHARE = 4
"""1/SHARE of a memory limit may be used for remembered histories."""

MOST_DOUBLED = 40
"""The most doublings of the room for a walk; no machine has more memory."""


class RulesStream(GrowingStream):
    """Walks on rules, whose tables grow with the visits."""

    def __init__(
        self,
        game: PlayedGame,
        plan: SamplingPlan,
        random: int,
        limit: int | None = None,
        guide: Policy | None = None,
        streams: int = 1,
        table: Kept = "full",
    ) -> None:
        """Without a `limit`, tables grow while the machine has room for the tables of all `streams` and to finish."""
        if plan.baseline in (rec.FIXED, rec.ORACLE):
            raise ParameterError("baselines that are known beforehand need the expanded game; use over='tree'")
        by_history = plan.baseline != rec.NO_BASELINE and plan.key == rec.HISTORY
        histories = FIRST_HISTORIES if by_history else 0
        board = empty_board(game.players, histories, histories)
        if is_quick(game.rules):
            try_rules(game.rules)
        self.source = source_of(game.rules, stacked=True, compared=True)
        super().__init__(
            game, plan, board, random, guide, by_history=by_history, limit=limit, streams=streams, table=table
        )
        if guide is not None:
            self._know(guide)
        least = held(self.tables, self.board, self.scratch)
        if limit is not None and limit < least:
            raise ParameterError(f"memory_limit={limit} a stream is below the least that works, {least} bytes")
        if not self.by_history:
            self.board = self._memory(least)

    def _memory(self, used: int) -> Board:
        """Return room for remembered histories; the system gives memory only when it is written to."""
        if self.source.worded:
            return empty_board(self.game.players, 0, 0)
        each = held(empty_board(self.game.players, 4, 1)) // 4
        histories = REMEMBERED if self.limit is None else min(REMEMBERED, (self.limit - used) // SHARE // each)
        return empty_board(self.game.players, histories, histories // 4)

    def forget(self, sets: int, cells: int) -> None:
        """Drop all sets but the first ones, and all remembered histories."""
        self.tables.counts[rec.SETS], self.tables.counts[rec.CELLS] = sets, cells
        rehash(sets, self.tables.set_row, self.tables.buckets)
        self._forget_histories()

    def _depth(self) -> int:
        return FIRST_DEPTH

    def _first_tables(self, random: int, guide: Policy | None) -> Tables:
        plan = self.plan
        kind = rec.EDGE if self.table in ("growing", "bounded") else rec.WHOLE
        counted = self.table == "bounded" or (self.table == "auto" and self.limit is not None)
        tables = rules_tables(self.game.players, random, plan.learner == rec.DISCOUNTED, kind, counted)
        if guide is not None:
            tables = planted(tables, guide, "guide")
        baselines = 0 if plan.baseline == rec.NO_BASELINE else len(self.board.node) or len(tables.learnt)
        return tables._replace(baseline=np.zeros((self.game.players, baselines)))

    def plant(self, policy: Policy, tables: Tables | None = None, *, shared: bool = False) -> None:
        """Let all players play a policy: at its sets as it says, elsewhere uniformly.

        tables: the result of `planted` for another stream, if there is one. It is copied, or used itself if `shared`.
        """
        if set(policy.forgets) - set(self.forgets):
            raise ParameterError(f"players {policy.forgets} of the policy forget, those of the walks do not")
        if tables is None:
            self.tables = planted(self.tables, policy, "learnt")
        else:
            mine = {name: getattr(tables, name).copy() for name in ("counts", "empty", "root")}
            self.tables = (tables if shared else copied(tables))._replace(random=self.tables.random, **mine)
        self._know(policy)

    def _know(self, policy: Policy) -> None:
        """Give the rules the observations and actions of a policy whose sets are in the tables."""
        names = None if policy.names is None else policy.names[self.game.players :]
        named = {} if names is None else named_sets(self.tables, policy.sets, names, self.source)
        self.source.recall(policy.labels or (), policy.met, named)

    def playing(self, plan: SamplingPlan, random: int, learnt: Floats) -> RulesStream:
        """Return a stream without walks that continues by another plan, with other cells and random numbers.

        It reads the sets of this stream, and becomes invalid when this stream continues.
        """
        probe, tables = copy(self), self.tables
        counts = tables.counts.copy()
        counts[[rec.WALKS, rec.SLOTS, rec.PLACED]], counts[rec.HISTORIES] = 0, 1
        close(counts)
        probe.plan, probe.full, probe.limit = plan, "", None
        probe.doubled, probe._made = list(self.doubled), list(self._made)
        probe.tables = tables._replace(
            learnt=learnt, guide=learnt, counts=counts, buckets=tables.buckets.copy(), root=np.zeros_like(tables.root),
            random=np.array([random], np.uint64),
        )  # fmt: skip
        probe.board, probe.source = probe._memory(0), self.source.copied()
        return probe

    def _copy(self) -> Stream:
        probe = super()._copy()
        assert isinstance(probe, RulesStream)
        probe.limit, probe.doubled, probe._made = UNLIMITED, list(self.doubled), list(self._made)
        close(probe.tables.counts)
        if self.by_history:
            probe.board = Board._make(array.copy() for array in self.board)
        else:
            probe.board = empty_board(self.game.players, FIRST_HISTORIES, FIRST_HISTORIES)
            probe._forget_histories()
        probe.source = self.source.copied()
        return probe

    def _error(self, status: int) -> HannanError:
        """Return the error for a status of the rules, with the path of play at which the walk has ended."""
        path = self.scratch.trail[: int(self.tables.counts[rec.DEPTH])].tolist()
        rules = self.game.rules
        return complaint(status, rules, node_text(rules, path), lambda: state_at(rules, path))

    def state(self) -> dict[str, Any]:
        room = np.array([len(self.board.slot), *self.doubled])
        arrays = {**super().state(), "set_row": self.tables.set_row.copy(), "room": room}
        if self.by_history:
            node = self.board.node
            kind = np.where(node[:, rec.KIND] != 0, node[:, rec.KIND], node[:, rec.FIRST])  # rules give the rest again
            arrays |= {
                "child": node[:, rec.CHILD].copy(),
                "kind": np.where(node[:, rec.CHILD] > 0, kind, 0).astype(np.int32),
            }
        if self.source.worded:
            arrays |= {"labels": spelt(self.source.labels()), "names": spelt(self.names().tolist(), "replace")}
        return arrays

    def restore(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        nothing = np.zeros(0, np.int32)
        labels, child, kind = arrays.pop("labels", None), arrays.pop("child", nothing), arrays.pop("kind", nothing)
        names = arrays.pop("names", np.zeros(0, np.uint8))
        slots, *doubled = arrays.pop("room").tolist()
        if child.dtype != np.int32 or kind.dtype != np.int32 or child.shape != kind.shape:
            raise MismatchError("the state holds another kind of histories")
        most = max(len(child), FIRST_HISTORIES, len(self.board.slot)) * self.game.players
        told = len(doubled) == len(WIDENING) and all(0 <= times <= MOST_DOUBLED for times in doubled)
        if not told or not 0 <= slots <= most or not _whole(arrays["counts"]):
            raise MismatchError("the state points to what is not there")
        filled = joint_slots(child, kind, int(arrays["counts"][rec.SLOTS]), self.game.players) if self.by_history else 0
        room = Capacity(len(arrays["set_row"]), len(arrays["learnt"]), len(child), max(slots, filled))
        self._resize(room if self.by_history else replace(self._room, sets=room.sets, cells=room.cells))
        for name, array in arrays.items():
            if array.shape != self._array(name).shape or array.dtype != self._array(name).dtype:
                raise MismatchError(f"the state holds another kind of {name}")
            self._array(name)[...] = array
        histories = int(self.tables.counts[rec.HISTORIES])
        if self.by_history:
            check_numbers(child.astype(np.int64), kind.astype(np.int64), histories)
        self._forget_histories()
        if self.by_history:
            self.tables.counts[rec.HISTORIES], self.tables.counts[rec.SLOTS] = histories, filled
            self.board.node[:, rec.CHILD], self.board.node[:, rec.FIRST] = child, kind  # 0 until they are entered again
        check_layout(self.tables)
        check_tables(self.tables)
        self._resize(self._room)  # fills the buckets
        self.doubled = doubled
        if self.source.worded and labels is not None:
            recall(self.source, self.tables, labels, names)

    def names(self) -> Any:
        """Return the texts of the actions at all sets, [actions]; None if not known.

        A player who forgets may have actions of one number in another order at each history of a set.
        """
        sets, texts = int(self.tables.counts[rec.SETS]), list[str | None]()
        sizes, parents = self.tables.set_size[:sets].tolist(), self.tables.set_parent[:sets].tolist()
        if not self.source.worded:
            return np.full(sum(sizes), None, object)
        for key, size, parent in zip(keys_of(self.tables, sets, self.source), sizes, parents, strict=True):
            texts += (None if parent in self.forgets else self.source.names_at(key)) or [None] * size
        return np.array([*texts, None], object)[:-1]


def close(counts: Longs) -> None:
    """Let no more sets enter a table, unless all sets enter."""
    if counts[rec.TABLE] != rec.WHOLE:
        counts[rec.TABLE] = rec.SHUT


def _whole(counts: Any) -> bool:
    return bool(counts.dtype == np.int64 and counts.shape == (rec.COUNTS,))
