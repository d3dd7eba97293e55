"""Competition of several ways to learn a response: each gets the same time, and the better half goes on.

Separate plays choose the winner; their results are not quoted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf
from time import perf_counter
from typing import TypeVar

from hannan.measures.means import Mean
from hannan.measures.piecework import Stop, taken
from hannan.measures.responses.field import Field
from hannan.measures.responses.learners import Learner, Recipe, learned_recipes
from hannan.pieces.workers import Workers
from hannan.splitmix import first_random
from hannan.strategies.policy import Policy

BEFORE = 0.08
"""The share of the time in which the given strategy is measured, after its tables are made."""
STAGES = (0.4, 0.7)
"""Shares of the learning time after which only the better half goes on; making the tables does not count."""
STAGE = 0.04
"""The share of the time in which the better half is chosen: its plays must distinguish small gains."""
CHOOSING_PLAYS = 100_000
"""The largest number of plays of a response by which it is chosen."""
MOST_WALKS = 2**62
CHOICE, LEARN = 3, 100
"""Numbers of streams of random numbers."""


@dataclass(frozen=True)
class Shares:
    """Shares of the time after which learning ends, and after which one response is chosen."""

    learning: float
    choosing: float


EARLY, LATE = Shares(0.6, 0.65), Shares(0.8, 0.88)
"""The shares if a search follows, and if not."""


@dataclass(frozen=True)
class Trial:
    """One response that was tried."""

    method: str
    gain: float
    """The gain in the plays for choosing. Do not quote it: the best of several estimates is biased upwards."""
    walks: int
    seconds: float


class Clock:
    """Time budget: start, length (None: unlimited), and a stop flag."""

    def __init__(self, began: float, seconds: float | None, stop: Stop) -> None:
        """stop: returns true once the caller wants the result so far."""
        self.began, self.seconds, self._stop = began, seconds, stop
        self._stopped: float | None = None

    @property
    def share(self) -> float:
        """The share of the time that is over; 0 if unlimited."""
        return 0.0 if self.seconds is None else (perf_counter() - self.began) / self.seconds

    @property
    def stopped(self) -> float | None:
        """The time at which the request to stop was first noticed; None before."""
        if self._stopped is None and self._stop():
            self._stopped = perf_counter()
        return self._stopped

    def left(self, share: float) -> float | None:
        """Return the seconds until a share of the time is over; None if unlimited."""
        return None if self.seconds is None else max(share - self.share, 0.0) * self.seconds

    def over(self, share: float, patience: float = 0.0) -> Stop:
        """Return a function: whether a share of the time, or `patience` seconds after a request to stop, are over."""
        return self._after(inf if self.seconds is None else self.began + share * self.seconds, patience)

    def over_part(self, share: float, part: float) -> Stop:
        """Return a function: whether a part of the time between now and a share of the whole time is over."""
        now = perf_counter()
        return self._after(inf if self.seconds is None else now + part * (self.began + share * self.seconds - now), 0.0)

    def _after(self, end: float, patience: float) -> Stop:
        def asked() -> bool:
            stopped = self.stopped
            return perf_counter() >= (end if stopped is None else min(end, stopped + patience))

        return asked


@dataclass(frozen=True)
class Learnt:
    """A response that a worker has learnt, and its earnings in plays for choosing."""

    recipe: Recipe
    walks: int
    seconds: float
    policy: Policy
    mean: Mean

    def response(self) -> Policy:
        """Return the response."""
        return self.policy


@dataclass(frozen=True)
class Contest:
    """The data that workers need to learn responses; each worker learns in one way."""

    policy: Policy
    player: int
    seed: int
    recipes: tuple[Recipe, ...]
    walks: int | None
    plays: int
    """The number of plays by which a response is chosen."""
    learning: float | None
    """Seconds for learning; None: unlimited."""
    choosing: float | None
    """Seconds for the plays; None: unlimited."""

    def learnt(self, k: int) -> Learnt:
        """Learn a response in the k-th way."""
        field, recipe = Field(self.policy), self.recipes[k]
        over, recipes = _alarm(self.learning), len(self.recipes)
        learner = Learner(field, self.player, recipe, first_random(self.seed, LEARN + k), recipes)
        learner.learn(self.walks or MOST_WALKS, over)
        mean = learner.earned(first_random(self.seed, 1000 * CHOICE), self.plays, _alarm(self.choosing))
        return Learnt(recipe, learner.walks, learner.seconds, learner.response(), mean)


def _alarm(seconds: float | None) -> Stop:
    """Return a function: whether `seconds` seconds from now are over."""
    end = inf if seconds is None else perf_counter() + seconds
    return lambda: perf_counter() >= end


L = TypeVar("L", Learner, Learnt)


class Trying:
    """Ways to learn a response, and their results."""

    def __init__(
        self,
        field: Field,
        player: int,
        seed: int,
        clock: Clock,
        walks: int | None,
        before: Mean,
        shares: Shares,
        workers: Workers,
    ) -> None:
        """before: the mean earnings of the player under the strategy itself."""
        self.field, self.player, self.seed, self.shares, self._workers = field, player, seed, shares, workers
        self._clock, self._walks, self._before = clock, walks, before
        self.tried: tuple[Trial, ...] = ()

    def best(self, plays: int) -> tuple[Learner | Learnt, Mean]:
        """Learn until the time or the walks are over; return the winner, and its earnings in plays for choosing."""
        field, player = self.field, self.player
        recipes = learned_recipes(field.policy, player, self._clock.seconds)
        if self._workers.on != "serial" and (learnt := self._learnt(recipes, min(plays, CHOOSING_PLAYS))):
            means = [one.mean for one in learnt]
            (first,) = self._kept(learnt, means, 1)
            self.tried += (self._trial(first, first.mean),)
            return first, first.mean
        going = [
            Learner(field, player, recipe, first_random(self.seed, LEARN + k), len(recipes))
            for k, recipe in enumerate(recipes)
        ]
        timed, begun = self._clock.seconds is not None, self._clock.share
        end = max(self.shares.learning, begun)
        for stage, share in enumerate((*STAGES, 1.0) if timed else (1.0,)):
            if stage:
                means = self._earned(going, stage, min(plays, CHOOSING_PLAYS), min(self._clock.share + STAGE, end))
                going = self._kept(going, means, (len(going) + 1) // 2)
            self._learn(going, begun + share * (end - begun))
        means = self._earned(going, 0, min(plays, CHOOSING_PLAYS), self.shares.choosing)
        (winner,) = self._kept(going, means, 1)
        mean = means[going.index(winner)]
        self.tried += (self._trial(winner, mean),)
        return winner, mean

    def _learnt(self, recipes: Sequence[Recipe], plays: int) -> list[Learnt]:
        """Let workers learn, each in one way for the whole time; return the finished responses after a request to stop.

        Without a time limit, the responses have the same bits as those that this process would learn.
        """
        clock, turns = self._clock, ceil(len(recipes) / self._workers.count)
        left, then = clock.left(self.shares.learning), clock.left(self.shares.choosing)
        learning = None if left is None else left / turns
        choosing = None if left is None or then is None else (then - left) / turns
        contest = Contest(
            self.field.policy, self.player, self.seed, tuple(recipes), self._walks, plays, learning, choosing
        )  # fmt: skip
        return taken(
            Contest.learnt, range(len(recipes)), contest, self._workers, stop=lambda: clock.stopped is not None, least=0
        )  # fmt: skip

    def _learn(self, going: Sequence[Learner], share: float) -> None:
        """Let every learner learn for the same part of the time until `share` of the whole time is over."""
        for k, learner in enumerate(going):
            learner.learn(self._walks or MOST_WALKS, self._clock.over_part(share, 1 / (len(going) - k)))

    def _earned(self, going: Sequence[Learner], stage: int, plays: int, share: float) -> list[Mean]:
        """Return the mean earnings of the responses, all with the same seed; each gets an equal part of the time."""
        means = []
        for k, learner in enumerate(going):
            stop = self._clock.over_part(share, 1 / (len(going) - k))
            means.append(learner.earned(first_random(self.seed, 1000 * CHOICE + 100 * stage), plays, stop))
        return means

    def _kept(self, going: Sequence[L], means: Sequence[Mean], most: int) -> list[L]:
        """Return the best `most` learners, and record a trial for each of the others."""
        order = sorted(range(len(going)), key=lambda k: -means[k].value)
        self.tried += tuple(self._trial(going[k], means[k]) for k in sorted(order[most:]))
        return [going[k] for k in sorted(order[:most])]

    def _trial(self, learner: Learner | Learnt, mean: Mean) -> Trial:
        return Trial(learner.recipe.name, mean.value - self._before.value, learner.walks, learner.seconds)
