"""Learn a response by sampling: one player learns while the strategies of the others are fixed.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games:
a walk takes every action of the player (external sampling), one action (outcome sampling), or every action of all
players (chance sampling). If a walk takes every action, the player's strategy stays fixed while regrets are added up,
and a best response to the sample is computed from them at the end. If it takes one action, regret matching chooses it.
The player identifies its sets by its full memory, or forgets all but its last observation and the number of its
actions. The latter is a strategy too, so its gain is a lower bound, and in a large game only such a strategy can be
learnt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.forms.outline import walk_size
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.best_play import back_up_best, take_best
from hannan.kernels.sampling.updates import flush
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN
from hannan.measures.means import Mean
from hannan.measures.piecework import Stop
from hannan.measures.responses.field import Field
from hannan.measures.rollouts import SLICE, Plays, plan_of, playing_plan
from hannan.memory import available
from hannan.solvers.sampling.policy import gathered
from hannan.solvers.sampling.rules_stream import RulesStream
from hannan.solvers.sampling.tables import part_cells
from hannan.strategies.policy import Policy

LONGEST_WALK, LONGEST_FULL_WALK = 1000, 100_000
"""The largest number of histories in a walk with all actions of the player, and in a walk with those of all players."""
COPIED = 30_000
"""The largest number of sets of a strategy, per second of the time limit, that may be copied. For a larger strategy,
ways with full memory and searches are not tried, because both copy it."""
LEAST_WALKS = 10
"""The number of walks that are always made, even if the time is over."""
LEAST_MEMORY = 2**26
"""A learner stops when it has filled its share of the free memory, or this number of bytes if that is more; its result
counts."""


@dataclass(frozen=True)
class Recipe:
    """One way to learn a response."""

    name: str
    forgets: bool
    own: int = rec.ONE
    others: bool = False
    """Whether a walk takes all actions of the other players and draws only chance."""
    epsilon: float = 0.0
    """The probability with which a walk of one action takes a uniformly random action."""
    level: bool = False
    """Whether all visits of a set have equal weight. This reduces the variance; otherwise weights grow with depth."""
    learner: int = rec.MATCHING_PLUS


EVERY_MOVE = Recipe("full memory, everybody's moves", False, rec.ALL, others=True, learner=rec.STILL)
EVERY_ACTION = Recipe("full memory, every action", False, rec.ALL, learner=rec.STILL)
ONE_ACTION = Recipe("full memory, one action", False, epsilon=0.2)
FORGETTING_EVERY = Recipe("forgetting, every action", True, rec.ALL, learner=rec.MATCHING)
EXPLORING = Recipe("forgetting, one action, exploring", True, epsilon=0.2, level=True, learner=rec.MATCHING)
ON_POLICY = Recipe("forgetting, one action, on policy", True, epsilon=0.05, level=True, learner=rec.MATCHING)


def learned_recipes(policy: Policy, player: int, seconds: float | None) -> list[Recipe]:
    """Return the recipes to try in a game: the shorter its walks are, the more actions a walk takes.

    seconds: the time limit; None: unlimited.
    """
    rules = policy.game.played().rules
    if walk_size(rules, player, rec.ALL, False) > LONGEST_WALK:
        return [EXPLORING, ON_POLICY] if _large(policy, seconds) else [EXPLORING, ON_POLICY, ONE_ACTION]
    if walk_size(rules, player, rec.ALL, True) > LONGEST_FULL_WALK:
        return [EVERY_ACTION, FORGETTING_EVERY, ONE_ACTION]
    return [EVERY_MOVE, EVERY_ACTION, FORGETTING_EVERY]


def searching_helps(policy: Policy, player: int, seconds: float | None) -> bool:
    """Return whether a search on top of a learnt response may pay: if walks do not take every action."""
    return not _large(policy, seconds) and walk_size(policy.game.played().rules, player, rec.ALL, False) > LONGEST_WALK


def _large(policy: Policy, seconds: float | None) -> bool:
    return seconds is not None and policy.sets > COPIED * seconds


class Learner:
    """A response that is being learnt."""

    def __init__(self, field: Field, player: int, recipe: Recipe, random: int, share: int) -> None:
        """share: the number of learners that share the free memory."""
        policy = field.policy
        self.recipe, self.player, self.seconds = recipe, player, 0.0
        others = ((1 << policy.game.players) - 1) ^ (1 << player)
        forgets = recipe.forgets or player in policy.forgets
        plan = plan_of(policy, measuring=0, only=player, strange=others)
        plan = plan._replace(
            own=recipe.own, others=int(recipe.others), epsilon=recipe.epsilon, level=int(recipe.level),
            learner=recipe.learner, power=1.0, forgets=plan.forgets | (1 << player if forgets else 0),
        )  # fmt: skip
        if forgets and recipe.learner == rec.STILL:
            plan = plan._replace(learner=rec.MATCHING)  # with forgetting, the best response below a set is not known
        self._still, self._field = plan.learner == rec.STILL, field
        self._stream = RulesStream(policy.game.played(), plan, random, max(available() // (2 * share), LEAST_MEMORY))
        self._empty = field.join(self._stream, player) if recipe.forgets else None
        if self._empty is None:
            self._stream.plant(policy, field.tables)
        self._size = 1

    @property
    def walks(self) -> int:
        """The number of walks made."""
        return int(self._stream.tables.counts[rec.WALKS])

    @property
    def full(self) -> bool:
        """Whether the memory is full, so that learning has ended."""
        return bool(self._stream.full)

    def learn(self, until: int, stop: Stop) -> None:
        """Make walks until their number is `until` or `stop`, called about every tenth of a second, returns true."""
        with nullcontext() if self._empty is None else self._field.lent(self._stream):
            began, least = perf_counter(), self.walks + LEAST_WALKS
            while self.walks < until and not self.full and not (self.walks >= least and stop()):
                before, size = perf_counter(), min(self._size, until - self.walks)
                self._stream.walk(self.walks + size)
                self._size = max(1, min(2 * size, int(size * SLICE / max(perf_counter() - before, 1e-9))))
            self.seconds += perf_counter() - began

    def earned(self, random: int, plays: int, stop: Stop | None = None) -> Mean:
        """Return the mean earnings of the response so far, from `plays` plays or until `stop` returns true."""
        stream = self._stream
        plan = playing_plan(stream.plan, self.player)
        if self._empty is not None:
            with self._best_in_place():
                return self._field.mean(stream, plan, self.player, random, plays, stop)
        made = Plays.of(stream.playing(plan, random, self._best()), self._field.policy, self.player, random)
        made.make(plays, stop)
        return made.mean(self.player)

    def response(self) -> Policy:
        """Return the policy with the best learnt action at each of the player's sets; elsewhere the given policy."""
        return self.written()()

    def written(self) -> Callable[[], Policy]:
        """Return a function that makes the present `response` at a later time; it does not keep the tables."""
        stream, policy = self._stream, self._field.policy
        facts = {"method": "response", "player": self.player, "learnt": self.recipe.name, "walks": self.walks}
        if self._empty is None:
            response = gathered(stream.game, [stream], [self._best()], 0, facts)
            return lambda: response
        with self._best_in_place() as rows:
            size = rows[:, S_COUNT].copy()
            plays = self._field.tables.learnt[part_cells(rows[:, S_FIRST], size, 0)]
        players, (labels, met) = stream.game.players, stream.source.vocabulary()
        mine = Policy(
            stream.game, np.full(len(rows), self.player), rows[:, S_SEEN].copy(), players + np.cumsum(size) - size,
            size, np.concatenate((np.ones(players), plays)), labels, facts, met, (self.player,),
        )  # fmt: skip
        return partial(policy.taking, self.player, mine)

    def _best(self) -> Floats:
        """Return a copy of the learnt cells, with the response in the cells of strategies."""
        tables = self._stream.tables
        sets = int(tables.counts[rec.SETS])
        learnt = tables.learnt.copy() if self._still else self._stream.totals()
        if self._still:
            back_up_best(sets, tables.set_row, learnt)
        take_best(sets, tables.set_row, learnt)
        return learnt

    @contextmanager
    def _best_in_place(self) -> Iterator[Longs]:
        """Write the response into the shared tables temporarily; yield the rows of the player's sets."""
        learnt, row = self._field.tables.learnt, self._field.tables.set_row
        added = row[self._field.policy.sets : int(self._field.tables.counts[rec.SETS])]
        rows = added[(added[:, S_PARENT] == self._empty) & (added[:, S_SEEN] != rec.STRANGE)]
        first, size = rows[:, S_FIRST], rows[:, S_COUNT]
        cells = np.concatenate((first - 1, *(part_cells(first, size, part) for part in range(3))))
        kept = learnt[cells]
        flush(len(rows), rows, learnt)
        take_best(len(rows), rows, learnt)
        try:
            yield rows
        finally:
            learnt[cells] = kept
