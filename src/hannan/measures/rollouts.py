"""Values of a strategy, estimated by playing it against itself: for games too large for exact values.

Bounds hold with the stated probability whatever the distribution within the range of payoffs (`measures.bounds`).
Intervals use the normal approximation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from hannan.arguments import between, whole
from hannan.arguments import seed as checked_seed
from hannan.arguments import stop as check_stop
from hannan.arrays import Floats, Known
from hannan.errors import SizeError
from hannan.forms.workers import hired
from hannan.interrupts import go_on
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import SamplingPlan
from hannan.measures.bounds import Range, half_width
from hannan.measures.means import Mean, normal_half_width
from hannan.measures.piecework import Cut, Stop, cuts, growing_cuts, taken
from hannan.measures.players import playing
from hannan.measures.plays import PlayTable
from hannan.measures.ranges import check_range, given_range, payoff_range
from hannan.pieces.packing import check_travels
from hannan.pieces.workers import Workers
from hannan.solvers.sampling.room import UNLIMITED
from hannan.solvers.sampling.rules_stream import RulesStream
from hannan.splitmix import first_random
from hannan.strategies.given import Given, strategy_of
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy

PLAYS, PLAIN_PLAYS = 100_000, 2_000
"""The default number of plays per player: for compiled rules, and for plain Python."""
FIRST_SLICE = 100
"""Plays per player that are always made: fewer would not show the variance."""
SLICE = 0.1
"""Seconds of playing between two checks whether to stop."""
MOST_PIECE = 5000
"""The largest number of plays per player in a piece; the first pieces have `FIRST_SLICE`."""

BATCHED_SLICE = 4096
"""Plays in a piece, for a strategy that is not a table and plays in batches."""


@dataclass(frozen=True)
class Rollouts:
    """The mean earnings of each player, estimated from `plays` plays per player."""

    plays: int
    confidence: float
    means: tuple[Mean, ...]
    ranges: tuple[Range, ...] | None
    """The least and the most that each player can earn in a play; None if unknown."""

    @property
    def values(self) -> tuple[float, ...]:
        """The mean earnings of each player."""
        return tuple(mean.value for mean in self.means)

    @property
    def standard_errors(self) -> Known:
        """The standard error of each value; None for a single play."""
        return tuple(mean.standard_error for mean in self.means) if self.plays > 1 else None

    @property
    def half_widths(self) -> Known:
        """Bounds on the errors of the values, which hold together with probability `confidence`.

        None if the range of payoffs is not known: then no bound is possible.
        """
        if self.ranges is None:
            return None
        failure = (1 - self.confidence) / (2 * len(self.means))
        return tuple(half_width(mean, ends, failure) for mean, ends in zip(self.means, self.ranges, strict=True))

    @property
    def interval_half_widths(self) -> Known:
        """Half widths of normal intervals, which hold together with probability of about `confidence`; not bounds.

        None for a single play.
        """
        if self.standard_errors is None:
            return None
        each = 1 - (1 - self.confidence) / len(self.means)
        return tuple(normal_half_width(error, each) for error in self.standard_errors)


class Part(NamedTuple):
    """The result of one piece of plays."""

    means: tuple[Mean | None, ...]  # [players]  None for a player that is not measured
    whole: bool
    """Whether all plays were made; if not, the memory was full."""


class Plays:
    """Plays of a strategy against itself, for one player or (-1) for all in turn.

    Each piece of plays has its own random numbers, so that any worker can make it.
    """

    def __init__(self, policy: Policy, player: int, random: int) -> None:
        self._policy, self._player, self._random = policy, player, random
        self._laid: RulesStream | None = None
        self._size = FIRST_SLICE
        """Plays between two checks whether to stop."""
        self._means: tuple[Mean | None, ...] = (None,) * policy.game.players

    @classmethod
    def of(cls, stream: RulesStream, policy: Policy, player: int, random: int) -> Plays:
        """Return plays on existing tables, made with a plan of `playing_plan`. They stay in this process."""
        plays = cls(policy, player, random)
        plays._laid = stream
        return plays

    def __reduce__(self) -> tuple[Any, ...]:
        return Plays, (self._policy, self._player, self._random)

    @property
    def _stream(self) -> RulesStream:
        """The tables, made at the first access."""
        if self._laid is None:
            policy = self._policy
            plan = plan_of(policy, measuring=rec.ROOT, only=self._player, strange=(1 << policy.game.players) - 1)
            self._laid = RulesStream(policy.game.played(), plan, self._random, UNLIMITED)
            self._laid.plant(policy)
        return self._laid

    @property
    def made(self) -> int:
        """The number of plays for each measured player."""
        return min((mean.plays for mean in self._means if mean is not None), default=0)

    def make(self, plays: int, stop: Stop | None = None, workers: Workers | None = None) -> None:
        """Make `plays` plays per player, or fewer if `stop` returns true; forget earlier plays."""
        if workers is not None and workers.on != "serial":  # compile here once, not in all workers at the same time
            Plays(Policy.uniform(self._policy.game.played()), self._player, 0).piece((0, 1))
        pieces = growing_cuts(plays, FIRST_SLICE, MOST_PIECE)
        parts = taken(Plays.piece, pieces, self, workers, stop=stop, last=lambda part: not part.whole)
        self._means = tuple(map(_joined, zip(*(part.means for part in parts), strict=True)))

    def piece(self, cut: Cut) -> Part:
        """Make the plays of one piece.

        Plays do not depend on earlier ones: these only add sets to the tables, and play there is uniform in any case.
        """
        (number, plays), stream = cut, self._stream
        turns = stream.game.players if self._player < 0 else 1
        stream.tables.random[0] = first_random(self._random, number)
        stream.tables.root[:], stream.tables.counts[rec.WALKS] = 0.0, 0
        made = 0
        while made < plays:
            if made:
                go_on()
            size, before = min(self._size, plays - made), perf_counter()
            stream.walk((made + size) * turns)
            made += size
            most = int(size * SLICE / max(perf_counter() - before, 1e-9))
            self._size = max(1, min(2 * self._size, most))
        columns = stream.tables.root.T.tolist()
        means = tuple(Mean(int(count), *moments) if count else None for count, *moments in columns)
        return Part(means, not stream.full)

    def mean(self, player: int) -> Mean:
        """Return the mean earnings of a player."""
        mean = self._means[player]
        if mean is None:
            raise SizeError(f"there is not enough memory for a single play of {self._policy.game.address}")
        return mean


def _joined(means: Sequence[Mean | None]) -> Mean | None:
    """Return the mean of the plays of several pieces; None if there were none."""
    known = [mean for mean in means if mean is not None]
    return reduce(Mean.joined, known) if known else None


def usual_plays(strategy: Strategy) -> int:
    """Return the default number of plays per player of an estimate."""
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
    on: str = "serial",
    workers: int | Workers | None = None,
) -> Rollouts:
    """Estimate the values of a strategy: play it against itself, and average the earnings of each player.

    Parameters
    ----------
    strategy : Strategy, Result or path
        The strategies of all players.
    plays : int, optional
        Plays for each player. Default: 100,000; 2,000 for rules or strategies in plain Python.
    seed : int, default: 0
        The seed of the random numbers.
    confidence : float, default: 0.95
        The probability with which all error bounds hold together.
    bounds : two numbers, optional
        The least and the most that any player can earn in a play. Default: what the tree or the rules say.
    stop : function, optional
        Called about every tenth of a second. If it returns true, the plays made until then are the result.
    on : {"serial", "processes", "ray"} or "ray://HOST:PORT", default: "serial"
        Where plays are made. It changes no number.
    workers : int, optional
        How many workers make plays. It changes no number.

    Returns
    -------
    Rollouts
        The mean earned by each player, with `half_widths` that bound the error.

    Examples
    --------
    >>> import hannan as hn
    >>> result = hn.rollouts(hn.uniform("kuhn_poker"), plays=10_000, seed=1)
    >>> abs(result.means[0].value - 0.125) < 0.1  # the exact value is 1/8
    True
    """
    strategy = strategy_of(strategy)
    plays = usual_plays(strategy) if plays is None else whole("plays", plays)
    confidence, seed = between("confidence", confidence), checked_seed(seed)
    ranges = payoff_range(strategy.game.played(), given_range(bounds))
    check_stop(stop)
    with hired(on, workers) as crew:
        if crew.on != "serial":
            check_travels("the strategy", strategy)
        if strategy.is_table:
            made = Plays(strategy.policy(), -1, first_random(seed, 0))
            made.make(plays, stop, crew)
            means = tuple(made.mean(player) for player in range(strategy.game.players))
        else:
            means = _asked(strategy, plays, seed, stop, crew)
    for player, mean in enumerate(means):
        check_range(mean, player, ranges)
    return Rollouts(min(mean.plays for mean in means), confidence, means, ranges)


def _asked(strategy: Strategy, plays: int, seed: int, stop: Stop | None, workers: Workers | None) -> tuple[Mean, ...]:
    """Return the means of `rollouts` for a strategy that is not a table: all players are measured in the same plays."""
    size = BATCHED_SLICE if strategy.batched else FIRST_SLICE
    parts = taken(_AskedPlays.piece, cuts(plays, size), _AskedPlays(strategy, seed), workers, stop=stop)
    return tuple(Mean.of(earned) for earned in np.concatenate(parts).T)


class _AskedPlays:
    """Plays of a strategy that is not a table against itself."""

    def __init__(self, strategy: Strategy, seed: int) -> None:
        self._strategy, self._seed = strategy, seed
        self._table: PlayTable | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _AskedPlays, (self._strategy, self._seed)

    def piece(self, cut: Cut) -> Floats:
        """Return the earnings in the plays of one piece, [plays, players]."""
        number, plays = cut
        seed = first_random(self._seed, number) >> 1
        return self._strategy.earned(plays, seed) if self._strategy.batched else self._stepped(plays, seed)

    def _stepped(self, plays: int, seed: int) -> Floats:
        """Make plays by plain steps."""
        if self._table is None:
            game = self._strategy.game.played()
            seats = np.zeros((1, game.players), np.int64)
            self._table = PlayTable(game, [playing(game, "the strategy", self._strategy)], seats)
        chances, draws = (
            np.array([[first_random(seed, 2 * k + part)] for k in range(plays)], np.uint64) for part in (0, 1)
        )
        batch = self._table.batch(chances, draws)
        if batch.failure is not None:
            raise batch.failure
        return batch.earned[:, 0]


def playing_plan(plan: SamplingPlan, player: int) -> SamplingPlan:
    """Return a plan of plays for one player on the tables of other walks."""
    return plan._replace(
        own=rec.ONE, others=0, learner=rec.MATCHING_PLUS, measuring=rec.ROOT, only=player,
        strange=(1 << plan.players) - 1, level=0, epsilon=0.0, power=0.0,
    )  # fmt: skip


def plan_of(policy: Policy, *, measuring: int, only: int, strange: int) -> SamplingPlan:
    """Return the simplest plan of walks in which the players who forget are those of the policy."""
    return SamplingPlan(
        players=policy.game.players, own=rec.ONE, others=0, averaging=rec.LAZY, learner=rec.MATCHING_PLUS,
        baseline=rec.NO_BASELINE, key=rec.HISTORY, explore=0, measuring=measuring, only=only,
        forgets=sum(1 << p for p in policy.forgets), strange=strange, level=0, epsilon=0.0,
        alpha=0.0, beta=0.0, power=0.0, rate=1.0,
    )  # fmt: skip
