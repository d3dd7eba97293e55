"""A lower bound on the gain of one player: a response, and its gain measured in plays that were not used to find it.

F. Timbers, N. Bard, E. Lockhart, M. Lanctot, M. Schmid, N. Burch, J. Schrittwieser, T. Hubert, M. Bowling (2022),
Approximate exploitability: learning a best response: the gain of any response is a lower bound on the gain of a best
response, and a strong response makes the bound close. Several ways to learn are tried; separate plays choose the best
one, and fresh plays measure its gain, so the stated confidence holds whatever was tried. Bounds hold within the range
of payoffs (`measures.bounds`), even if the clock ends the plays; intervals use the normal approximation.
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
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.forms.workers import hired
from hannan.interrupts import interrupts
from hannan.measures import evaluation
from hannan.measures.bounds import Range, difference_bound
from hannan.measures.means import Mean, normal_half_width
from hannan.measures.piecework import Stop
from hannan.measures.players import Player
from hannan.measures.ranges import check_range, given_range, payoff_range
from hannan.measures.responses.field import Field
from hannan.measures.responses.learners import ON_POLICY, Learner, searching_helps
from hannan.measures.responses.responder import Responder, found, responder_of
from hannan.measures.responses.responding import Responding
from hannan.measures.responses.ruled import SteppedPlays
from hannan.measures.responses.search import LookAhead, LookAheadPlayer
from hannan.measures.responses.tabulation import tabulated
from hannan.measures.responses.trials import BEFORE, LATE, Clock, Learnt, Trial
from hannan.measures.rollouts import FIRST_SLICE, Plays, usual_plays
from hannan.pieces.packing import check_travels
from hannan.pieces.workers import Workers
from hannan.strategies.given import Given, strategy_of
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile
from hannan.strategies.ruled import Rule
from hannan.strategies.strategy import Strategy

Method = Literal["auto", "exact", "learned", "search", "local"]

SECONDS = 10.0
"""The default time limit, if neither `seconds` nor `walks` is given."""
MOST_PLAYS = 2_000_000
"""The default number of plays that measure a gain under a time limit."""
BEFORE_STREAM, AFTER_STREAM = 1, 2
"""Numbers of the streams of random numbers that measure the strategy and the response."""
BEFORE_PATIENCE, AFTER_PATIENCE = 0.5, 1.0
"""Seconds for which the strategy and the response are still measured after a request to stop."""

Found = Strategy | Rule | Player
"""The possible types of a response."""


@dataclass(frozen=True)
class MeasuredResponse:
    """A response of one player, and its gain: a lower bound on the gain of a best response."""

    player: int
    method: str
    """`exact`, `given`, `search`, `local`, the way to learn that was chosen, or the name of a user's responder."""
    gain: float
    """The gain of the response in plays that were not used to find or choose it; exact if `half_width` is 0."""
    half_width: float | None
    """With probability `confidence`, the response gains at least gain - half_width: a bound.

    None if the range of payoffs is not known: then no bound is possible.
    """
    interval_half_width: float
    """With probability of about `confidence`, the response gains gain ± this number: a normal interval, not a bound."""
    lower_bound: float | None
    """With probability `confidence`, a best response gains at least this number; never below 0. None: no bound."""
    confidence: float
    plays: int
    seconds: float
    tried: tuple[Trial, ...]
    interrupted: bool
    """Whether a request to stop ended learning or plays early; the stated bounds hold nevertheless."""
    _made: Callable[[], Found] = field(repr=False)

    @cached_property
    def strategy(self) -> Found:
        """The response of the player, together with the given strategies of the others; made at the first access.

        If these are not a table, a table of the sets that plays reached takes their place. The response can also be the
        rule or player that was given, or a `LookAheadPlayer`, from which `gathered` makes a policy.
        """
        return self._made()

    def __repr__(self) -> str:
        gain = f"player {self.player} gains about {self.gain:.6g} by {self.method!r}"
        bound = "no bound, as the range of payoffs is not known"
        if self.lower_bound is not None:
            bound = f"a best response at least {self.lower_bound:.6g} with probability {self.confidence:.6g}"
        return f"MeasuredResponse({gain}, {bound})"

    def record(self) -> dict[str, Any]:
        """Return the numbers as a dictionary, for JSON."""
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
    on: str = "serial",
    workers: int | Workers | None = None,
) -> MeasuredResponse:
    """Find a response of one player to the others' strategies, and measure what it gains by fresh plays.

    If a strategy is not a table (networks), responses are learned from a table of the sets that plays met, and their
    gain is measured against the strategy itself.

    Parameters
    ----------
    strategy : Strategy, Result or path
        The strategies of all players.
    player : int
        The player who responds, counted from 0.
    method : str, Strategy, function, Player or Responder, default: "auto"
        How to find the response. "exact" is a best response, for expanded games. "learned" learns by sampling, with
        the player's full memory and with a memory that forgets. "search" looks ahead during play, and "local" looks
        one step ahead. "auto" is exact for a profile, and tries the others for any other strategy. A strategy, a
        player of matches or a callable from a `Sight` to an action or a distribution is measured as the response. A
        `hannan.methods.Responder`, its class or `file.py:Class` finds a response in its own way.
    seconds : float, optional
        Seconds for the whole call. Default: 10, if `walks` has no value.
    walks : int, optional
        Walks of each way to learn, or simulated plays at each choice of a search. Without `seconds`, no clock is read,
        and the same seed gives the same bits.
    seed : int, default: 0
        The seed of the random numbers.
    plays : int, optional
        Plays that measure the gain.
    confidence : float, default: 0.95
        The probability with which the bounds hold.
    bounds : two numbers, optional
        The least and the most that any player can earn in a play. Default: what the tree or the rules say. If they say
        nothing, the gain has no bound.
    before : Mean, optional
        What the player earns by the strategy itself, if plays with another seed have measured it.
    field : Field, optional
        The policy in the layout that an earlier call for another player made.
    stop : function, optional
        If it returns true, learning ends and the response is measured for a second. Default: the first Ctrl-C does
        this.
    on : {"serial", "processes", "ray"} or "ray://HOST:PORT", default: "serial"
        Where ways to learn are tried and plays are made. Without `seconds`, it changes no number.
    workers : int, optional
        How many workers there are. Without `seconds`, it changes no number; with a time limit, more workers learn
        more.

    Returns
    -------
    MeasuredResponse
        The response, its `gain`, and a lower bound on the gain of a best response.

    Raises
    ------
    PlayerError
        If a given rule gives no legal answer. Its `partial` is what the rule earned in the plays before.
    ParameterError
        If an option has a wrong value.
    UnsuitableError
        If the method does not apply to the strategy.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.respond(hn.uniform("kuhn_poker"), 0, "exact").gain
    0.375
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
        if on != "serial":
            raise UnsuitableError("an exact best response is one computation, which cannot be split: leave `on` out")
        return _exact(strategy, player, confidence, began)
    with interrupts(1) if stop is None else nullcontext(stop) as stopped, hired(on, workers) as crew:
        clock = Clock(began, seconds, stopped)
        return _measured(strategy, player, method, clock, walks, seed, plays, confidence, given, before, field, crew)


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
    workers: Workers,
) -> MeasuredResponse:
    """Find a response and measure its gain, both by playing."""
    if workers.on != "serial":
        check_travels("the strategy", strategy)
    _ = strategy.game.played().rules  # a game with locks raises an error here: a response by plays would ignore them
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
    responding = Responding(laid, others, player, seed, clock, walks, plays, workers)
    if before is None:
        if others is policy and workers.on == "serial":
            laid.lay_out()
        before = responding.measure(others, BEFORE_STREAM, clock.over(clock.share + BEFORE, BEFORE_PATIENCE))
    responding.before = before
    name: str
    response: Learner | Learnt | Strategy | Rule | Player
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
        _made=partial(_told, _written(response), gain),
    )


def _written(response: Learner | Learnt | Found) -> Callable[[], Found]:
    """Return a function that makes the response at a later time."""
    if isinstance(response, Learner):
        return response.written()
    kept = response.response() if isinstance(response, Learnt) else response
    return lambda: kept


def _told(made: Callable[[], Found], gain: float) -> Found:
    """Return the response with its gain among its facts."""
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
    """Compile the functions in use, and return the seconds this took: they do not count towards the time limit."""
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
    """Return a policy with one player's part from another policy; refuse a policy of another game."""
    ours, theirs = policy.game.played(), other.game.played()
    if ours.rules is not theirs.rules and (ours.name, ours.parameters) != (theirs.name, theirs.parameters):
        raise MismatchError(f"the response is for {theirs.address}, not for {ours.address}")
    return policy.taking(player, other)
