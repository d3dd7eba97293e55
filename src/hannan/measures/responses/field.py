"""Tables of a policy for walks, made once: learners append their own sets to them instead of copying them.

A learner that forgets shares no set with the policy, and its empty sequence has its own number, so learners share no
sets with each other either. They run one after another: each takes over the tables from the one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hannan.arrays import longer
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import SamplingPlan, Tables
from hannan.measures.means import Mean
from hannan.measures.piecework import Stop
from hannan.measures.rollouts import Plays, plan_of
from hannan.solvers.sampling.room import UNLIMITED
from hannan.solvers.sampling.rules_stream import RulesStream
from hannan.solvers.sampling.tables import planted, rules_tables
from hannan.strategies.policy import Policy

SPARE = 2**15
"""The initial capacity for sets of learners."""


class Field:
    """A policy, and the tables that walks against it share."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._tables: Tables | None = None

    @property
    def tables(self) -> Tables:
        """The current tables."""
        self.lay_out()
        assert self._tables is not None
        return self._tables

    def lay_out(self) -> None:
        """Make the tables, unless they exist."""
        if self._tables is None:
            first = rules_tables(self.policy.game.players, 0, False)
            self._tables = planted(first, self.policy, "learnt", SPARE)

    def join(self, stream: RulesStream, player: int) -> int:
        """Let a stream walk on the shared tables, without sets of its player; return the player's empty sequence."""
        tables = self.tables
        empty = int(tables.counts[rec.CELLS])
        if empty == len(tables.learnt):
            learnt = longer(tables.learnt, 2 * empty)
            tables = self._tables = tables._replace(learnt=learnt, guide=learnt)
        tables.counts[rec.CELLS] += 1
        stream.plant(self.policy, tables, shared=True)
        stream.tables.empty[player] = empty
        return empty

    @contextmanager
    def lent(self, stream: RulesStream) -> Iterator[None]:
        """Lend the tables to a stream that has joined, so that it can add sets."""
        shared, counts = self.tables, stream.tables.counts
        stream.tables = _with(stream.tables, shared)
        counts[[rec.SETS, rec.CELLS]] = shared.counts[[rec.SETS, rec.CELLS]]
        try:
            yield
        finally:
            self._tables = _with(shared, stream.tables)
            shared.counts[[rec.SETS, rec.CELLS]] = stream.tables.counts[[rec.SETS, rec.CELLS]]

    def earned(self, player: int, random: int, plays: int, stop: Stop | None = None) -> Mean:
        """Return the mean earnings of a player under the policy, from `plays` plays or until `stop` returns true."""
        policy = self.policy
        plan = plan_of(policy, measuring=rec.ROOT, only=player, strange=(1 << policy.game.players) - 1)
        stream = RulesStream(policy.game.played(), plan, random, UNLIMITED)
        stream.plant(policy, self.tables, shared=True)
        return self.mean(stream, plan, player, random, plays, stop)

    def mean(
        self, stream: RulesStream, plan: SamplingPlan, player: int, random: int, plays: int, stop: Stop | None
    ) -> Mean:
        """Return the mean earnings of a player under the current tables; `stream` has joined and has the player's sets.

        The plays leave no sets in the tables for other streams.
        """
        learnt, begin = self.tables.learnt, int(self.tables.counts[rec.CELLS])
        with self.lent(stream):
            probe = stream.playing(plan, random, learnt)
        made = Plays.of(probe, self.policy, player, random)
        try:
            made.make(plays, stop)
        finally:
            learnt[begin : int(probe.tables.counts[rec.CELLS])] = 0.0  # new sets must start with zeros
        return made.mean(player)


def _with(tables: Tables, shared: Tables) -> Tables:
    """Return tables with the shared arrays of others."""
    return tables._replace(
        learnt=shared.learnt, guide=shared.learnt, set_row=shared.set_row, buckets=shared.buckets
    )  # fmt: skip
