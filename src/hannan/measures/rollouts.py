"""What everybody earns, by playing: for games too large for exact values.

Bounds hold with the stated probability whatever the distribution within the range of payoffs (`measures.bounds`).
Intervals are of the normal approximation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from hannan.arguments import between, whole
from hannan.arguments import seed as checked_seed
from hannan.arguments import stop as check_stop
from hannan.arrays import Floats, Known
from hannan.errors import SizeError
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import SamplingPlan
from hannan.measures.bounds import Range, half_width
from hannan.measures.means import Mean, normal_half_width
from hannan.measures.players import playing
from hannan.measures.plays import PlayTable
from hannan.measures.ranges import check_range, given_range, payoff_range
from hannan.solvers.sampling.room import UNLIMITED
from hannan.solvers.sampling.rules_stream import RulesStream
from hannan.splitmix import first_random
from hannan.strategies.given import Given, strategy_of
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy

PLAYS, PLAIN_PLAYS = 100_000, 2_000
"""Plays for each player from which a number is estimated by default: of compiled rules, and of plain Python."""
FIRST_SLICE = 100
"""Plays for each player that are made in any case: fewer say nothing about their spread."""
SLICE = 0.1
"""Seconds of playing between two questions whether to stop."""
MOST_SLICE = 50_000
"""Plays between two such questions, at most."""

BATCHED_SLICE = 4096
"""The same, of a strategy that is no table and makes many plays at once."""

Stop = Callable[[], int]
"""Says whether to stop: 0 is no."""


@dataclass(frozen=True)
class Rollouts:
    """What everybody earns, estimated from `plays` plays for each player."""

    plays: int
    confidence: float
    means: tuple[Mean, ...]
    ranges: tuple[Range, ...] | None
    """The least and the most that each player can earn in a play; None where that is not known."""

    @property
    def values(self) -> tuple[float, ...]:
        """What each player earns on average."""
        return tuple(mean.value for mean in self.means)

    @property
    def standard_errors(self) -> Known:
        """Of each value; None for a single play, which says nothing about its error."""
        return tuple(mean.standard_error for mean in self.means) if self.plays > 1 else None

    @property
    def half_widths(self) -> Known:
        """No value is off by more than this, all together with probability `confidence`: a bound.

        None where the range of payoffs is not known, so that there is no bound.
        """
        if self.ranges is None:
            return None
        failure = (1 - self.confidence) / (2 * len(self.means))
        return tuple(half_width(mean, ends, failure) for mean, ends in zip(self.means, self.ranges, strict=True))

    @property
    def interval_half_widths(self) -> Known:
        """Normal intervals, all together about with probability `confidence`: approximations, not bounds.

        None for a single play.
        """
        if self.standard_errors is None:
            return None
        each = 1 - (1 - self.confidence) / len(self.means)
        return tuple(normal_half_width(error, each) for error in self.standard_errors)


class Plays:
    """Plays of a strategy against itself, one after another, for one player or (-1) for all in turn."""

    def __init__(self, policy: Policy, player: int, random: int) -> None:
        everybody = (1 << policy.game.players) - 1
        plan = plan_of(policy, measuring=rec.ROOT, only=player, strange=everybody)
        self._stream = RulesStream(policy.game.played(), plan, random, UNLIMITED)
        self._stream.plant(policy)
        self._begin(player)

    @classmethod
    def of(cls, stream: RulesStream, player: int) -> Plays:
        """Return plays on tables that are laid out already, by a plan of `playing_plan`."""
        plays = cls.__new__(cls)
        plays._stream = stream
        plays._begin(player)
        return plays

    def _begin(self, player: int) -> None:
        self._turns = self._stream.game.players if player < 0 else 1
        self._size, self.made = FIRST_SLICE, 0

    def make(self, plays: int, stop: Stop | None = None) -> None:
        """Make plays until there were so many for each player, or `stop` says true, which it is asked after a slice."""
        while self.made < plays and not (self.made and stop is not None and stop()):
            size = min(self._size, plays - self.made, max(MOST_SLICE // self._turns, 1))
            before = perf_counter()
            self._stream.walk((self.made + size) * self._turns)
            self.made += size
            self._size = max(1, min(2 * size, int(size * SLICE / max(perf_counter() - before, 1e-9))))

    def mean(self, player: int) -> Mean:
        """Return what a player has earned."""
        count, *moments = self._stream.tables.root[:, player].tolist()
        if count == 0:
            raise SizeError(f"there is not enough memory for a single play of {self._stream.game.address}")
        return Mean(int(count), *moments)


def usual_plays(strategy: Strategy) -> int:
    """Return how many plays for each player an estimate is made from by default."""
    quick = strategy.game.played().compiled and (strategy.is_table or strategy.batched)
    return PLAYS if quick else PLAIN_PLAYS


def rollouts(
    strategy: Given,
    *,
    plays: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    bounds: Range | None = None,
    stop: Stop | None = None,
) -> Rollouts:
    """Play a strategy against itself and average what everybody earns.

    `plays`: for each player; 100,000, or 2,000 of rules or strategies that are plain Python. `bounds` are the least and
    the most that anybody can earn in a play. Default: what the tree or the rules say.
    `stop` is asked about every tenth of a second: once it says true, the plays made until then are all there are.
    """
    strategy = strategy_of(strategy)
    plays = usual_plays(strategy) if plays is None else whole("plays", plays)
    confidence, seed = between("confidence", confidence), checked_seed(seed)
    ranges = payoff_range(strategy.game.played(), given_range(bounds))
    check_stop(stop)
    if strategy.is_table:
        made = Plays(strategy.policy(), -1, first_random(seed, 0))
        made.make(plays, stop)
        means = tuple(made.mean(player) for player in range(strategy.game.players))
    else:
        means = _asked(strategy, plays, seed, stop)
    for player, mean in enumerate(means):
        check_range(mean, player, ranges)
    return Rollouts(min(mean.plays for mean in means), confidence, means, ranges)


def _asked(strategy: Strategy, plays: int, seed: int, stop: Stop | None) -> tuple[Mean, ...]:
    """As `rollouts`, of a strategy that is no table: the plays of all players are the same ones."""
    parts: list[Floats] = []
    made, most = 0, BATCHED_SLICE if strategy.batched else FIRST_SLICE
    earned = strategy.earned if strategy.batched else _stepped(strategy)
    while made < plays and not (made and stop is not None and stop()):
        size = min(most, plays - made)
        parts.append(earned(size, first_random(seed, len(parts)) >> 1))
        made += size
    return tuple(Mean.of(earned) for earned in np.concatenate(parts).T)


def _stepped(strategy: Strategy) -> Callable[[int, int], Floats]:
    """Return what makes so many plays of a strategy against itself by plain steps."""
    game = strategy.game.played()
    table = PlayTable(game, [playing(game, "the strategy", strategy)], np.zeros((1, game.players), np.int64))

    def earned(plays: int, seed: int) -> Floats:
        chances, draws = (
            np.array([[first_random(seed, 2 * k + part)] for k in range(plays)], np.uint64) for part in (0, 1)
        )
        batch = table.batch(chances, draws)
        if batch.failure is not None:
            raise batch.failure
        return batch.earned[:, 0]

    return earned


def playing_plan(plan: SamplingPlan, player: int) -> SamplingPlan:
    """Return plays for one player on the tables of other walks."""
    return plan._replace(
        own=rec.ONE, others=0, learner=rec.MATCHING_PLUS, measuring=rec.ROOT, only=player,
        strange=(1 << plan.players) - 1, level=0, epsilon=0.0, power=0.0,
    )  # fmt: skip


def plan_of(policy: Policy, *, measuring: int, only: int, strange: int) -> SamplingPlan:
    """Return walks in which players forget who do so in a policy, and all else is as plain as can be."""
    return SamplingPlan(
        players=policy.game.players, own=rec.ONE, others=0, averaging=rec.LAZY, learner=rec.MATCHING_PLUS,
        baseline=rec.NO_BASELINE, key=rec.HISTORY, explore=0, measuring=measuring, only=only,
        forgets=sum(1 << p for p in policy.forgets), strange=strange, level=0, epsilon=0.0,
        alpha=0.0, beta=0.0, power=0.0, rate=1.0,
    )  # fmt: skip
