"""How much one player can gain at least: a response, and its gain measured in plays that were not used to find it.

F. Timbers, N. Bard, E. Lockhart, M. Lanctot, M. Schmid, N. Burch, J. Schrittwieser, T. Hubert, M. Bowling (2022),
Approximate exploitability: learning a best response: the gain of any response is a lower bound on what a best response
gains, and a strong response makes it a close one. Several ways to learn are tried side by side; the one that seems best
by plays kept for choosing is measured in fresh plays, so the stated confidence holds whatever was tried. Intervals are
of the normal approximation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist
from time import perf_counter
from typing import Any, Literal, get_args

from hannan.arguments import between, choice, positive, whole
from hannan.arguments import seed as checked_seed
from hannan.errors import MismatchError
from hannan.measures import evaluation
from hannan.measures.players import Rule
from hannan.measures.responses.learning import ON_POLICY, Learner, learned_recipes, local_recipes
from hannan.measures.responses.ruled import earned_by
from hannan.measures.responses.tabulating import tabulated
from hannan.measures.rollouts import FIRST_SLICE, Mean, Plays, Stop, as_policy
from hannan.solvers.sampling.tables import first_random
from hannan.strategies.asked import Asked
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

Method = Literal["auto", "exact", "learned", "local"]

SECONDS = 10.0
"""Where nobody says how long or how many walks."""
LEARNING, CHOOSING = 0.75, 0.1
"""Shares of the time; what is left goes into the last plays."""
STAGES = (0.4, 0.7)
"""Shares of the learning after which only the better half goes on learning."""
FIRST_WALKS = 1000
MOST_PLAYS = 2_000_000
"""Plays to measure a gain where there is time for them and nobody says how many."""
PLAYS, PLAIN_PLAYS = 100_000, 2_000
"""And where no clock is asked: of compiled rules, and of plain Python."""
CHOOSING_PLAYS = 100_000
"""Plays of a response, at most, by which one of several is chosen."""
BEFORE, AFTER, CHOICE, LEARN = 1, 2, 3, 100
"""Numbers of streams of random numbers: of what the strategy and the response earn, of choosing, of learning."""


@dataclass(frozen=True)
class Trial:
    """One response that was tried."""

    method: str
    gain: float
    """What it seemed to gain in the plays for choosing: no estimate to quote, the best of several looks too good."""
    walks: int
    seconds: float


@dataclass(frozen=True)
class MeasuredResponse:
    """A response of one player, and what it gains: a lower bound on what a best response gains."""

    player: int
    method: str
    """`exact`, `given`, or the way to learn that won."""
    gain: float
    """What the response gains, from plays that were not used to find or choose it; exact where `half_width` is 0."""
    half_width: float
    """The interval of the gain is gain ± half_width, with probability `confidence`."""
    lower_bound: float
    """With probability `confidence`, a best response gains at least this much; never below 0."""
    confidence: float
    plays: int
    seconds: float
    tried: tuple[Trial, ...]
    strategy: Policy | Profile | Asked | Rule
    """The response of the player, beside the given strategy of the others; or the rule that was given.

    Where the strategy is no table, beside one of the sets that plays came to."""

    def record(self) -> dict[str, Any]:
        """Return the numbers as JSON names them."""
        names = ("player", "method", "gain", "half_width", "lower_bound", "plays", "seconds")
        return {**{name: getattr(self, name) for name in names}, "tried": [vars(trial) for trial in self.tried]}


def respond(
    strategy: Policy | Profile | Asked,
    player: int,
    method: Method | Policy | Profile | Asked | Rule = "auto",
    *,
    seconds: float | None = None,
    walks: int | None = None,
    seed: int = 0,
    plays: int | None = None,
    confidence: float = 0.95,
    before: Mean | None = None,
) -> MeasuredResponse:
    """Return a response of a player to the others' strategies, and what it gains by fresh plays.

    method: `exact` is a best response, for expanded games; `learned` learns by sampling, with the player's full memory
    and with one that forgets; `local` looks one step ahead; `auto` is exact for a profile, and tries all others for a
    policy. A response may also be given: a profile or a policy, of which the player's part is measured, or a rule, any
    callable from a `Sight` (what the player has seen) to an action or a distribution. Where the strategy is no table
    (networks), responses are learnt from a table of the sets that plays came to, and what they gain is measured against
    the strategy itself.

    seconds: for all of it, 10 where neither this nor `walks` is given. walks: how many of each way to learn; without
    `seconds` no clock is asked, and the same seed gives the same bits. plays: how many measure the gain. before: what
    the player earns by the strategy itself, where that is known from plays with another seed.
    """
    began = perf_counter()
    strategy.game.check_player(player)
    confidence, seed = between("confidence", confidence), checked_seed(seed)
    walks = None if walks is None else whole("walks", walks)
    if seconds is not None:
        seconds = positive("seconds", seconds)
    elif walks is None:
        seconds = SECONDS
    if plays is not None:
        plays = whole("plays", plays, FIRST_SLICE)
    elif seconds is not None:
        plays = MOST_PLAYS
    else:
        plays = PLAYS if strategy.game.played().compiled else PLAIN_PLAYS
    learning = isinstance(method, str)
    if isinstance(method, str):
        choice("method", method, get_args(Method))
    if method == "exact" or (method == "auto" and isinstance(strategy, Profile)):
        return _exact(strategy, player, confidence, began)
    policy = tabulated(strategy, seed) if isinstance(strategy, Asked) else as_policy(strategy)
    began = _warmed(policy, player, began, learning)
    trying = _Trying(policy, player, seed, began, seconds, walks)
    response: Policy | Asked | Rule
    if isinstance(method, str):
        trying.learn(method)
        name, response = trying.best(min(plays, CHOOSING_PLAYS))
    elif isinstance(method, Policy | Profile):
        name, response = "given", _taking(policy, player, as_policy(method))
    else:
        name, response = "given", method
    if before is None and isinstance(strategy, Asked):
        before = earned_by(strategy, player, strategy, first_random(seed, BEFORE), plays, trying.late(0.5))
    elif before is None:
        before = _earned(policy, player, first_random(seed, BEFORE), plays, trying.late(0.5))
    if isinstance(response, Policy) and not isinstance(strategy, Asked):
        after = _earned(response, player, first_random(seed, AFTER), plays, trying.late(1.0))
    else:
        others = strategy if isinstance(strategy, Asked) else policy
        after = earned_by(others, player, response, seed, plays, trying.late(1.0))
    if isinstance(response, Policy):
        response = replace(response, facts={**response.facts, "gain": after.value - before.value})
    gain, error = after.value - before.value, sqrt(after.deviation**2 + before.deviation**2)
    normal = NormalDist()
    return MeasuredResponse(
        player=player,
        method=name,
        gain=gain,
        half_width=normal.inv_cdf(0.5 + confidence / 2) * error,
        lower_bound=max(gain - normal.inv_cdf(confidence) * error, 0.0),
        confidence=confidence,
        plays=after.plays,
        seconds=perf_counter() - began,
        tried=trying.tried,
        strategy=response,
    )


def _exact(strategy: Policy | Profile | Asked, player: int, confidence: float, began: float) -> MeasuredResponse:
    profile = strategy if isinstance(strategy, Profile) else strategy.profile()
    best = evaluation.best_response(profile.game, profile, player)
    gain = evaluation.evaluate(profile.game, profile).gains[player]
    strategies = [*profile.strategies]
    strategies[player] = best.strategy
    response = Profile(profile.game, tuple(strategies), {"method": "response", "player": player, "gain": gain})
    return MeasuredResponse(player, "exact", gain, 0.0, gain, confidence, 0, perf_counter() - began, (), response)


def _warmed(policy: Policy, player: int, began: float, learning: bool) -> float:
    """Let walks compile, and return when the time begins: it does not count that."""
    before = perf_counter()
    if learning:
        Learner(policy, player, ON_POLICY, 0, 1).learn(1, lambda: False)
    Plays(policy, player, 0).make(1)
    return began + perf_counter() - before


def _earned(policy: Policy, player: int, random: int, plays: int, stop: Stop) -> Mean:
    made = Plays(policy, player, random)
    made.make(plays, stop)
    return made.mean(player)


def _taking(policy: Policy, player: int, other: Policy) -> Policy:
    """Return a policy with the part of one player from another; one of another game is refused."""
    ours, theirs = policy.game.played(), other.game.played()
    if ours.rules is not theirs.rules and (ours.name, ours.parameters) != (theirs.name, theirs.parameters):
        raise MismatchError(f"the response is for {theirs.address}, not for {ours.address}")
    return policy.taking(player, other)


class _Trying:
    """Several ways to learn a response, side by side: effort doubles, and the better half goes on."""

    def __init__(
        self, policy: Policy, player: int, seed: int, began: float, seconds: float | None, walks: int | None
    ) -> None:
        self.policy, self.player, self.seed = policy, player, seed
        self._began, self._seconds, self._walks = began, seconds, walks
        self._learners: list[Learner] = []
        self.tried: tuple[Trial, ...] = ()

    def late(self, share: float) -> Stop:
        """Return what says whether a share of the last part of the time, after choosing, is over."""
        first = LEARNING + CHOOSING
        return self._over(first + share * (1.0 - first))

    def _over(self, share: float) -> Stop:
        seconds, began = self._seconds, self._began
        if seconds is None:
            return lambda: False
        return lambda: perf_counter() - began >= share * seconds

    def learn(self, method: str) -> None:
        """Learn responses in all ways of a method until the time or the walks are over."""
        recipes = [] if method == "local" else learned_recipes(self.policy, self.player)
        recipes += [] if method == "learned" else local_recipes()
        going = [
            Learner(self.policy, self.player, recipe, first_random(self.seed, LEARN + k), len(recipes))
            for k, recipe in enumerate(recipes)
        ]
        shares = [share * LEARNING for share in (*STAGES, 1.0)] if self._seconds is not None else [LEARNING]
        for stage, share in enumerate(shares):
            if stage:
                going = self._better_half(going, stage)
            self._double(going, self._over(share))
        self._learners = going

    def _double(self, going: Sequence[Learner], over: Stop) -> None:
        most = self._walks
        effort = max(FIRST_WALKS, *(learner.walks for learner in going))
        while True:
            until = effort if most is None else min(effort, most)
            for learner in going:
                learner.learn(until, over)
            if over() or all(learner.full or learner.walks == most for learner in going):
                return
            effort *= 2

    def _better_half(self, going: Sequence[Learner], stage: int) -> list[Learner]:
        """Return the better half; the others are written down, and what they have learnt is dropped."""
        gains = self._gains([learner.response() for learner in going], stage, CHOOSING_PLAYS // 50, LEARNING)
        order = sorted(range(len(going)), key=lambda k: -gains[k])
        most = (len(going) + 1) // 2
        self.tried += tuple(_trial(going[k], gains[k]) for k in sorted(order[most:]))
        return [going[k] for k in sorted(order[:most])]

    def _gains(
        self, responses: Sequence[Policy], stage: int, plays: int, share: float, more: float = 0.0
    ) -> list[float]:
        """Return what responses seem to gain, all measured before a share of the time is over; each gets its part."""
        earned, each = [], more / (len(responses) + 1)
        for k, policy in enumerate([*responses, self.policy]):
            random, over = first_random(self.seed, 1000 * CHOICE + 100 * stage + k), self._over(share + (k + 1) * each)
            earned.append(_earned(policy, self.player, random, plays, over).value)
        return [value - earned[-1] for value in earned[:-1]]

    def best(self, plays: int) -> tuple[str, Policy]:
        """Return the response that earns most in plays for choosing, and how it was learnt."""
        responses = [learner.response() for learner in self._learners]
        gains = self._gains(responses, 0, plays, LEARNING, CHOOSING)
        self.tried += tuple(_trial(learner, gain) for learner, gain in zip(self._learners, gains, strict=True))
        winner = max(range(len(gains)), key=gains.__getitem__)
        return self._learners[winner].recipe.name, responses[winner]


def _trial(learner: Learner, gain: float) -> Trial:
    return Trial(learner.recipe.name, gain, learner.walks, learner.seconds)
