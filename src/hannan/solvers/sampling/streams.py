"""A stream of walks, with its own tables and random numbers, and running streams side by side on threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.errors import HannanError, MismatchError
from hannan.forms.game import PlayedGame
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import Board, SamplingPlan, Tables
from hannan.kernels.statuses import MORE_DEPTH, MORE_VISITS, MORE_WIDTH
from hannan.rules.complaints import complaint
from hannan.rules.source import Answer, Source, drive
from hannan.solvers.sampling.sound import check_tables
from hannan.solvers.sampling.tables import cells_of, copied, larger, part_cells, scratch_for, tree_tables
from hannan.strategies.policy import Policy

WIDENING = (MORE_DEPTH, MORE_WIDTH, MORE_VISITS)
"""The kinds of room that every walk may need."""


def run_all(work: Sequence[Callable[[], None]], threads: int) -> None:
    """Do independent parts of the work, on several threads if `threads` says so. `rounds.py` does so on workers."""
    if threads == 1 or len(work) == 1:
        for piece in work:
            piece()
        return
    with ThreadPoolExecutor(min(threads, len(work))) as pool:
        for done in [pool.submit(piece) for piece in work]:
            done.result()


def players_of(bits: int) -> tuple[int, ...]:
    """Return the players whose bits are set."""
    return tuple(player for player in range(bits.bit_length()) if bits >> player & 1)


class Stream:
    """Walks on an expanded game."""

    full = ""
    """Why there will be no more walks, as a sentence; empty if there will be."""
    source: Source | None = None
    """The rules that are walked; None: the tree is walked."""

    def __init__(
        self, game: PlayedGame, plan: SamplingPlan, board: Board, random: int, guide: Policy | None = None
    ) -> None:
        self.game, self.plan, self.board = game, plan, board
        self.tables = self._first_tables(random, guide)
        self.scratch = scratch_for(game.players, self._depth(), plan.baseline != rec.NO_BASELINE, self.source)

    @property
    def forgets(self) -> tuple[int, ...]:
        """The players who forget; see `Policy`."""
        return players_of(self.plan.forgets)

    def _depth(self) -> int:
        """Return how many frames a walk has room for at first."""
        return len(self.game.expanded().tree.depth_begin) + 1

    def _first_tables(self, random: int, guide: Policy | None) -> Tables:
        tree, plan = self.game.expanded().tree, self.plan
        cells = tree.players + sum(plex.sets + 3 * (plex.sequences - 1) for plex in tree.treeplexes)
        baselines = 0 if plan.baseline == rec.NO_BASELINE else tree.nodes if plan.key == rec.HISTORY else cells
        tables = tree_tables(tree, random, baselines, plan.learner == rec.DISCOUNTED)
        if guide is not None:
            tables = tables._replace(guide=tables.learnt.copy())
            place = cells_of(tree)
            tables.guide[place[place >= 0]] = np.concatenate(guide.profile().strategies)[place >= 0]
        if plan.baseline == rec.FIXED:
            _value_all(self.board, tables)  # under uniform play
        return tables

    def walk(self, until: int) -> None:
        """Make walks up to `until` in all, or until the memory is full."""
        if not self.full:
            drive(self.source, partial(self._walks, until), self._error, self._answers(), self._written)

    def _walks(self, until: int) -> int:
        from hannan.kernels.sampling.modes import lean
        from hannan.kernels.sampling.walks import walker

        light, source = lean(self.plan), self.source
        book, again = ((None,) * 8, False) if source is None else (source.book, source.worded)
        record = (self.board, self.plan, self.tables, self.scratch, until, None if light else True, again)
        return int(walker(source is not None, light)(*book, *record))

    def _answers(self) -> dict[int, Answer]:
        return {status: partial(self._widen, status) for status in WIDENING}

    def _widen(self, status: int) -> bool:
        """Make more room of the kind that a walk needs; return whether there will be no more walks."""
        self.scratch = larger(self.scratch, status)
        return False

    def _written(self) -> tuple[Sequence[Any], Sequence[Any]]:
        scratch = self.scratch
        return (scratch.code, scratch.chance, scratch.here, scratch.choice), (scratch.state,)

    def _error(self, status: int) -> HannanError:
        """Return the error for a status."""
        return complaint(status, self.game.rules, self.game.address, self.game.rules.start)

    def measured(self, walks: int) -> Stream:
        """Return a copy that has made `walks` walks per player without learning, and has recorded every estimate."""
        probe = self._copy()
        probe.plan, probe.full = self.plan._replace(measuring=rec.ESTIMATES), ""
        tables, sets = probe.tables, int(self.tables.counts[rec.SETS])
        regrets = part_cells(tables.set_base[:sets], tables.set_size[:sets], 1)
        tables.learnt[regrets] = 0.0  # estimates are added up in the cells of regrets
        tables.random[0] ^= np.uint64(0x5DEECE66D)
        measure, given = np.zeros((2, len(tables.learnt))), np.zeros((3 * self.game.players, len(probe.board.node)))
        probe.tables = tables._replace(measure=measure, given=given)
        probe.walk(int(tables.counts[rec.WALKS]) + walks * self.game.players)
        return probe

    def _copy(self) -> Stream:
        probe = copy(self)
        probe.tables = copied(self.tables)
        return probe

    @property
    def _guided(self) -> bool:
        return self.tables.guide is not self.tables.learnt

    def totals(self) -> Floats:
        """Return the learnt numbers, with the sums that lazy averaging has postponed."""
        from hannan.kernels.sampling.updates import flush

        tables = self.tables
        learnt = tables.learnt.copy()
        if self.plan.averaging == rec.LAZY:
            flush(int(tables.counts[rec.SETS]), tables.set_row, learnt)
        return learnt

    def state(self) -> dict[str, Any]:
        """Return copies of the arrays that change, and of a given policy."""
        names = ["learnt", "clock", "baseline", "counts", "random", *(["guide"] if self._guided else [])]
        return {name: getattr(self.tables, name).copy() for name in names}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the arrays of `state`."""
        counts, ours = state["counts"], self.tables.counts
        same = counts.shape == ours.shape and all(counts[k] == ours[k] for k in (rec.SETS, rec.CELLS))
        if not same:
            raise MismatchError("the state belongs to tables of another size")
        for name, array in state.items():
            ours = getattr(self.tables, name)
            if array.shape != ours.shape or array.dtype != ours.dtype:
                raise MismatchError(f"the state holds another kind of {name}")
            ours[...] = array
        check_tables(self.tables)


def _value_all(board: Board, tables: Tables) -> None:
    """Set every history's baseline to its value under current play."""
    from hannan.kernels.sampling.baselines import back_up

    for h in range(len(board.node) - 1, -1, -1):
        back_up(board, tables, len(tables.empty), h)
