"""How much one player can gain at least: a response, and its gain measured in plays that were not used to find it.

F. Timbers, N. Bard, E. Lockhart, M. Lanctot, M. Schmid, N. Burch, J. Schrittwieser, T. Hubert, M. Bowling (2022),
Approximate exploitability: learning a best response: the gain of any response is a lower bound on what a best response
gains, and a strong response makes it a close one. Several ways to learn are tried side by side; the one that seems best
by plays kept for choosing is measured in fresh plays, so the stated confidence holds whatever was tried. Bounds hold
within the range of payoffs (`measures.bounds`), also where the clock ends the plays; intervals are of the normal
approximation.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import sqrt
from time import perf_counter
from typing import Any, Literal, get_args

from hannan.arguments import between, choice, positive, shown, whole
from hannan.arguments import seed as checked_seed
from hannan.arguments import stop as check_stop
from hannan.errors import MismatchError, ParameterError
from hannan.interrupts import interrupts
from hannan.measures import evaluation
from hannan.measures.bounds import Range, difference_bound, lower_bound
from hannan.measures.means import Mean, normal_half_width
from hannan.measures.players import Player, playing, rule_player
from hannan.measures.ranges import check_range, given_range, payoff_range
from hannan.measures.responses.field import Field
from hannan.measures.responses.learners import ON_POLICY, Learner, searching_helps
from hannan.measures.responses.responder import Responder, found, responder_of
from hannan.measures.responses.ruled import SteppedPlays
from hannan.measures.responses.search import LOCAL, SEARCH, LookAhead, LookAheadPlayer
from hannan.measures.responses.tabulation import tabulated
from hannan.measures.responses.trials import BEFORE, EARLY, LATE, Clock, Trial, Trying
from hannan.measures.rollouts import FIRST_SLICE, PLAIN_PLAYS, Plays, Stop, usual_plays
from hannan.splitmix import first_random
from hannan.strategies.given import Given, strategy_of
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile
from hannan.strategies.ruled import Rule
from hannan.strategies.strategy import Strategy

Method = Literal["auto", "exact", "learned", "search", "local"]

SECONDS = 10.0
"""Where nobody says how long or how many walks."""
MOST_PLAYS = 2_000_000
"""Plays to measure a gain where there is time for them and nobody says how many."""
BEFORE_STREAM, AFTER_STREAM, CHOICE_STREAM, OWN_STREAM = 1, 2, 3, 4
"""Numbers of streams of random numbers: of what the strategy and the response earn, of choosing, of a user's way."""
CHANCE_STREAM, DRAWN_STREAM = 11, 12
"""The same of plain steps."""
SIMULATIONS, LEAST_SIMULATIONS, MOST_SIMULATIONS = 1000, 64, 16_384
"""Simulated plays from each choice: where no clock is asked, and the fewest and the most by the clock."""
PROBES, WANTED_PLAYS = 3, 400
"""Plays that tell how long one takes, and how many there should be time for."""
BEFORE_PATIENCE, AFTER_PATIENCE = 0.5, 1.0
"""Seconds after a wish to stop in which the strategy and the response are measured all the same."""
SEARCH_CHOOSING = 0.8
"""The share of the time after which `auto` has chosen between what it learnt and a search on top of that."""


Found = Strategy | Rule | Player
"""What a response can be."""


@dataclass(frozen=True)
class MeasuredResponse:
    """A response of one player, and what it gains: a lower bound on what a best response gains."""

    player: int
    method: str
    """`exact`, `given`, `search`, `local`, the way to learn that won, or the name of a user's way."""
    gain: float
    """What the response gains, from plays that were not used to find or choose it; exact where `half_width` is 0."""
    half_width: float | None
    """With probability `confidence`, the response gains at least gain - half_width: a bound.

    None where the range of payoffs is not known, so that there is no bound.
    """
    interval_half_width: float
    """About with probability `confidence`, the response gains gain ± this much: a normal interval, not a bound."""
    lower_bound: float | None
    """With probability `confidence`, a best response gains at least this much; never below 0. None: no bound."""
    confidence: float
    plays: int
    seconds: float
    tried: tuple[Trial, ...]
    interrupted: bool
    """Whether less was tried and fewer plays were made than was asked for; what is stated holds all the same."""
    _made: Callable[[], Found] = field(repr=False)

    @cached_property
    def strategy(self) -> Found:
        """The response of the player, beside the given strategy of the others; made at the first question.

        Where that strategy is no table, it stands beside one of the sets that plays came to. Or the rule or player that
        was given; or the `LookAheadPlayer`, which `gathered` makes a policy of.
        """
        return self._made()

    def __repr__(self) -> str:
        gain = f"player {self.player} gains about {self.gain:.6g} by {self.method!r}"
        bound = "no bound, as the range of payoffs is not known"
        if self.lower_bound is not None:
            bound = f"a best response at least {self.lower_bound:.6g} with probability {self.confidence:.6g}"
        return f"MeasuredResponse({gain}, {bound})"

    def record(self) -> dict[str, Any]:
        """Return the numbers as JSON names them."""
        names = ("player", "method", "gain", "half_width", "interval_half_width", "lower_bound", "plays", "seconds")
        return {**{name: getattr(self, name) for name in names}, "tried": [vars(trial) for trial in self.tried]}


def respond(
    strategy: Given,
    player: int,
    method: Method | Strategy | Rule | Player | Responder | type[Responder] = "auto",
    *,
    seconds: float | None = None,
    walks: int | None = None,
    seed: int = 0,
    plays: int | None = None,
    confidence: float = 0.95,
    bounds: Range | None = None,
    before: Mean | None = None,
    field: Field | None = None,
    stop: Stop | None = None,
) -> MeasuredResponse:
    """Return a response of a player to the others' strategies, and what it gains by fresh plays.

    method: `exact` is a best response, for expanded games; `learned` learns by sampling, with the player's full memory
    and with one that forgets; `search` looks ahead while it plays, `local` one step; `auto` is exact for a profile,
    and tries the others for any other strategy. A response may also be given: a strategy, of which the player's part is
    measured, or a rule, any callable from a `Sight` (what the player has seen) to an action or a distribution; or
    whatever else can take a seat in a match. A `hannan.methods.Responder`, its class or `file.py:Class` finds one in a
    way of your own. Where the strategy is no table (networks), responses are learnt from a table of the sets that plays
    came to, and what they gain is measured against the strategy itself.

    seconds: for all of it, 10 where neither this nor `walks` is given. walks: how many of each way to learn, or at
    each choice of a search; without `seconds` no clock is asked, and the same seed gives the same bits. plays: how
    many measure the gain. bounds: the least and the most that anybody can earn in a play. Default: what the tree or the
    rules say; where they say nothing, there is no bound. before: what the player earns by the strategy itself, where
    that is known from plays with another seed. field: the policy laid out, where that was done for another player's
    response already. stop: says true once the caller wants what there is, which is then measured for a second; without
    it, the first Ctrl-C says so.

    A rule that gives no legal answer raises a `PlayerError`; its `partial` is what the rule earned in plays before.
    """
    began = perf_counter()
    strategy = strategy_of(strategy)
    check_stop(stop)
    strategy.game.check_player(player)
    player = int(player)
    if before is not None and not isinstance(before, Mean):
        raise ParameterError(f"before={shown(before)} should be the mean of earlier plays")
    if field is not None and not isinstance(field, Field):
        raise ParameterError(f"field={shown(field)} should be the policy laid out by an earlier response")
    confidence, seed, given = between("confidence", confidence), checked_seed(seed), given_range(bounds)
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
        plays = usual_plays(strategy)
    method = responder_of(method) or method
    if isinstance(method, str):
        choice("method", method, get_args(Method))
    named = method if isinstance(method, str) else ""
    if named == "exact" or (named == "auto" and evaluation.is_exact(strategy)):
        return _exact(strategy, player, confidence, began)
    with interrupts(1) if stop is None else nullcontext(stop) as stopped:
        clock = Clock(began, seconds, stopped)
        return _measured(strategy, player, method, clock, walks, seed, plays, confidence, given, before, field)


def _measured(
    strategy: Strategy,
    player: int,
    method: Method | Strategy | Rule | Player | Responder,
    clock: Clock,
    walks: int | None,
    seed: int,
    plays: int,
    confidence: float,
    given: Range | None,
    before: Mean | None,
    field: Field | None,
) -> MeasuredResponse:
    """Find a response and measure it, both by playing."""
    _ = strategy.game.played().rules  # a game with locks refuses: a response by plays would pass over them
    ranges = payoff_range(strategy.game.played(), given)
    ends = None if ranges is None else ranges[player]
    policy = strategy.policy() if strategy.is_table else tabulated(strategy, seed)
    named = method if isinstance(method, str) else "given"
    searches = named in ("search", "local") or (
        named == "auto" and clock.seconds is not None and searching_helps(policy, player, clock.seconds)
    )
    clock.began += _warmed(policy, player, named in ("auto", "learned"), searches)
    others = policy if strategy.is_table else strategy
    laid = field if field is not None and field.policy is policy else Field(policy)
    responding = _Responding(laid, others, player, seed, clock, walks, plays)
    if before is None:
        if others is policy:
            laid.lay_out()
        before = responding.measure(others, BEFORE_STREAM, clock.over(clock.share + BEFORE, BEFORE_PATIENCE))
    responding.before = before
    name: str
    response: Learner | Strategy | Rule | Player
    if isinstance(method, str):
        name, response = responding.look(method, searches, confidence, ends)
    elif isinstance(method, Responder):
        name, response = method.name, found(method, strategy, player, clock.left(LATE.learning), responding.own_seed)
    else:
        name, response = "given", method
    if isinstance(response, Strategy) and response.is_table:
        response = _taking(policy, player, response.policy())
    after = responding.measure(response, AFTER_STREAM, clock.over(1.0, AFTER_PATIENCE))
    for mean in (before, after):
        check_range(mean, player, ranges)
    gain, width = after.value - before.value, None
    if ends is not None:
        width = max(gain - difference_bound(after, ends, before, ends, 1 - confidence), 0.0)
    return MeasuredResponse(
        player=player,
        method=name,
        gain=gain,
        half_width=width,
        interval_half_width=normal_half_width(sqrt(after.standard_error**2 + before.standard_error**2), confidence),
        lower_bound=None if width is None else max(gain - width, 0.0),
        confidence=confidence,
        plays=after.plays,
        seconds=perf_counter() - clock.began,
        tried=responding.tried,
        interrupted=clock.stopped is not None,
        _made=partial(_told, response.written() if isinstance(response, Learner) else lambda: response, gain),
    )


def _told(made: Callable[[], Found], gain: float) -> Found:
    """Return a response that knows what it gains."""
    response = made()
    return replace(response, facts={**response.facts, "gain": gain}) if isinstance(response, Policy) else response


def _exact(strategy: Strategy, player: int, confidence: float, began: float) -> MeasuredResponse:
    best = evaluation.best_response(strategy, player)
    gain, response = best.gain, best.profile
    if isinstance(response, Profile):
        response = replace(response, facts={"method": "response", "player": player, "gain": gain})
    return MeasuredResponse(
        player, "exact", gain, 0.0, 0.0, gain, confidence, 0, perf_counter() - began, (), False, lambda: response
    )


def _warmed(policy: Policy, player: int, learns: bool, searches: bool) -> float:
    """Let what is used compile, and return how long that took: it does not count."""
    before, uniform = perf_counter(), Policy.uniform(policy.game.played())
    if learns:
        learner = Learner(Field(uniform), player, ON_POLICY, 0, 1)
        learner.learn(1, lambda: False)
        learner.earned(0, 1)
    if searches:
        warm = LookAheadPlayer("", uniform, LookAhead(simulations=2, particles=2))
        SteppedPlays(uniform, player, warm, 0, 0).make(1, lambda: False)
    Plays(uniform, player, 0).make(1)
    return perf_counter() - before


def _taking(policy: Policy, player: int, other: Policy) -> Policy:
    """Return a policy with the part of one player from another; one of another game is refused."""
    ours, theirs = policy.game.played(), other.game.played()
    if ours.rules is not theirs.rules and (ours.name, ours.parameters) != (theirs.name, theirs.parameters):
        raise MismatchError(f"the response is for {theirs.address}, not for {ours.address}")
    return policy.taking(player, other)


def _promise(mean: Mean, confidence: float, ends: Range | None) -> float:
    """Return about where the lower bound will be if the rest of the time goes into measuring this response."""
    if ends is None:
        return mean.value - normal_half_width(mean.standard_error, 2 * confidence - 1)
    return lower_bound(mean, ends, 1 - confidence)


class _Responding:
    """One response in the making, and the time for it."""

    before: Mean
    """What the player earns by the strategy itself."""

    def __init__(
        self,
        field: Field,
        others: Strategy,
        player: int,
        seed: int,
        clock: Clock,
        walks: int | None,
        plays: int,
    ) -> None:
        """field: what is learnt from; others: what gains are measured against."""
        self.field, self.policy, self.others, self.player = field, field.policy, others, player
        self.seed, self.clock = seed, clock
        self.walks, self.plays = walks, plays
        self.tried: tuple[Trial, ...] = ()
        self.own_seed = first_random(seed, OWN_STREAM) >> 1

    def look(
        self, method: str, searches: bool, confidence: float, ends: Range | None
    ) -> tuple[str, Learner | LookAheadPlayer]:
        """Return the name of a response, and the response. ends: what the player can earn, where that is known."""
        if method in ("search", "local"):
            search = self._search(self.policy, LOCAL if method == "local" else SEARCH, BEFORE, 1.0)
            return search.name, search
        shares = EARLY if searches else LATE
        trying = Trying(self.field, self.player, self.seed, self.clock, self.walks, self.before, shares)
        learner, mean = trying.best(self.plays)
        self.tried, name = trying.tried, learner.recipe.name
        if not searches or self.clock.stopped is not None:
            return name, learner
        search = self._search(learner.response(), SEARCH, EARLY.choosing, SEARCH_CHOOSING)
        began = perf_counter()
        plays = self._stepped(search, CHOICE_STREAM)
        plays.make(self.plays, self.clock.over(SEARCH_CHOOSING))
        other = plays.mean()
        assert other is not None
        simulations = search.search.simulations
        self.tried += (Trial(search.name, other.value - self.before.value, simulations, perf_counter() - began),)
        wins = _promise(other, confidence, ends) > _promise(mean, confidence, ends)
        return (f"search, then {name}", search) if wins else (name, learner)

    def _search(self, policy: Policy, ahead: int, start: float, end: float) -> LookAheadPlayer:
        """Return a player that searches as much as leaves time for enough plays between two shares of the time."""
        if self.clock.seconds is None:
            simulations = SIMULATIONS if self.walks is None else self.walks
        else:
            probe = LookAheadPlayer("", policy, LookAhead(ahead, LEAST_SIMULATIONS))
            began = perf_counter()
            SteppedPlays(policy, self.player, probe, 0, 0).make(PROBES, lambda: False)
            each = max(perf_counter() - began, 1e-6) / PROBES
            wanted = (end - start) * self.clock.seconds / (WANTED_PLAYS * each)
            simulations = min(max(int(LEAST_SIMULATIONS * wanted), LEAST_SIMULATIONS), MOST_SIMULATIONS)
        return LookAheadPlayer("local" if ahead == LOCAL else "search", policy, LookAhead(ahead, simulations))

    def _stepped(self, player: Player, stream: int) -> SteppedPlays:
        chance, drawn = (first_random(self.seed, number) for number in (CHANCE_STREAM, DRAWN_STREAM))
        return SteppedPlays(self.others, self.player, player, first_random(chance, stream), first_random(drawn, stream))

    def measure(self, response: Learner | Strategy | Rule | Player, stream: int, over: Stop) -> Mean:
        """Return what a response earns in plays that were not used to find it."""
        random = first_random(self.seed, stream)
        if isinstance(self.others, Policy) and response is self.policy:
            return self.field.earned(self.player, random, self.plays, over)
        if isinstance(response, Learner):
            if isinstance(self.others, Policy):
                return response.earned(random, self.plays, over)
            response = response.response()
        if isinstance(response, Policy) and isinstance(self.others, Policy):
            made = Plays(response, self.player, random)
            made.make(self.plays, over)
            return made.mean(self.player)
        plays = self._stepped(self._seated(response), stream)
        timed = self.clock.seconds is not None or not isinstance(response, LookAheadPlayer)
        plays.make(self.plays if timed else min(self.plays, PLAIN_PLAYS), over)
        mean = plays.mean()
        assert mean is not None
        return mean

    def _seated(self, response: Strategy | Rule | Player) -> Player:
        game = self.policy.game.played()
        if isinstance(response, Strategy):
            return playing(game, "the response", response)
        if isinstance(response, Player):
            return response
        return rule_player(game, str(getattr(response, "__name__", type(response).__name__)), response)
