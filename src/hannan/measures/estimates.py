"""Estimates from plays: the values of a strategy, and responses that bound each player's gain from below.

For games too large to expand. All bounds hold together with the stated confidence: the failure probability is shared
equally by three groups (values, responses, and responses to uniform play where these are compared), and within each
group equally by the players.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any, Literal, get_args

import numpy as np

from hannan.arguments import between, choice, positive, whole
from hannan.arguments import seed as checked_seed
from hannan.errors import PlayerError
from hannan.forms.treeplex import even
from hannan.interrupts import interrupts
from hannan.measures.bounds import Range
from hannan.measures.means import Mean
from hannan.measures.piecework import Stop
from hannan.measures.players import Player
from hannan.measures.ranges import given_range
from hannan.measures.responses.field import Field
from hannan.measures.responses.respond import MeasuredResponse, Method, respond
from hannan.measures.responses.responder import Responder, responder_of
from hannan.measures.rollouts import Rollouts, rollouts, usual_plays
from hannan.pieces.workers import Workers
from hannan.strategies.correlated import CorrelatedPlay
from hannan.strategies.given import strategy_of, uniform_play
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile
from hannan.strategies.ruled import Rule
from hannan.strategies.strategy import Strategy

SECONDS = 30.0
"""Default number of seconds for the whole estimate."""
NONE = "none"
"""The word that asks for no responses."""
LEAST_PLAYS = 100
"""Fewer plays are too few for intervals of the normal approximation."""
LEAST_SHARE = 0.2
"""The share of the time that responses get in any case, however long reading and expanding took."""

Looked = Method | Literal["none"] | Strategy | Rule | Player | Responder
"""How to look for responses, or the responses themselves."""
Saying = Callable[[str, float | None], AbstractContextManager[None]]
"""Shows the name of a step and the most seconds that it may take."""


@dataclass(frozen=True)
class Estimates:
    """Estimates from plays: values, the gains of responses, and lower bounds against uniform play for comparison."""

    seed: int
    confidence: float
    """The probability with which all bounds hold together."""
    rollouts: Rollouts
    responses: tuple[MeasuredResponse, ...] | None
    """One for each player; None if no search was made."""
    uniform_lower_bounds: tuple[float | None, ...] | None
    failed: tuple[int, Mean | None] | None = None
    """The player whose response gave no legal answer, and its earnings before that; later players are missing."""
    interrupted: bool = False
    """Whether Ctrl-C ended the estimate: there are fewer plays, and responses of some players may be missing."""
    correlated: bool = False
    """Whether one of several strategies is drawn for all players: NashConv is not defined for such play."""

    @property
    def lower_bounds(self) -> tuple[float | None, ...] | None:
        """What a best response of each player gains at least; None if no search was made or no range is known."""
        return None if self.responses is None else tuple(response.lower_bound for response in self.responses)

    @property
    def nash_conv(self) -> float | None:
        """A lower bound on NashConv: the sum of the lower bounds; None if one is missing, and for correlated play."""
        known = [bound for bound in self.lower_bounds or () if bound is not None]
        missing = self.lower_bounds is None or len(known) < len(self.lower_bounds)
        return None if missing or self.correlated else sum(known)

    def record(self) -> dict[str, Any]:
        """Return the numbers as JSON names them; null for missing responses and for missing bounds."""
        responses, values = self.responses, self.rollouts
        record = {
            "values": values.values,
            "half_widths": values.half_widths,
            "interval_half_widths": values.interval_half_widths,
            "confidence": self.confidence,
            "plays": values.plays,
            "seed": self.seed,
            "response_gains": None if responses is None else [response.gain for response in responses],
            "lower_bounds": None if responses is None else list(self.lower_bounds or ()),
            "nash_conv_lower_bound": self.nash_conv,
            "uniform_lower_bounds": self.uniform_lower_bounds,
            "responses": None if responses is None else [response.record() for response in responses],
        }
        return record | {"stop": self.stop, "failed": self.failure}

    @property
    def stop(self) -> str | None:
        """Why there are fewer plays or responses than the caller asked for; None if there are not."""
        return "interrupted" if self.interrupted else None if self.failed is None else "failed"

    @property
    def failure(self) -> dict[str, Any] | None:
        """The failed response as JSON names it."""
        if self.failed is None:
            return None
        player, mean = self.failed
        return {"player": player, "plays": 0 if mean is None else mean.plays, "value": mean and mean.value}


@dataclass(frozen=True)
class Effort:
    """How much to play, and the confidence of the bounds. None: the default."""

    plays: int | None = None
    """Plays for each player; see `usual_plays`."""
    seconds: float | None = None
    """Seconds for the whole estimate; 30 if `walks` is not given either."""
    walks: int | None = None
    """Walks of each method that learns, or plays from each choice of a search. Without `seconds`, the time is
    unlimited."""
    seed: int = 0
    confidence: float = 0.95
    bounds: Range | None = None
    """The least and the most that any player can earn in a play. Default: the range that the tree or rules state."""
    began: float = field(default_factory=perf_counter)
    """The time at which the work began, by `perf_counter`."""

    def __post_init__(self) -> None:
        if self.plays is not None:
            whole("plays", self.plays, LEAST_PLAYS)
        if self.seconds is not None:
            positive("seconds", self.seconds)
        if self.walks is not None:
            whole("walks", self.walks)
        between("confidence", self.confidence)
        checked_seed(self.seed)
        given_range(self.bounds)

    def share(self, responses: int) -> float | None:
        """Return the seconds for each of `responses` responses; None if walks limit the work and not the clock."""
        if self.seconds is None and self.walks is not None:
            return None
        seconds = SECONDS if self.seconds is None else self.seconds
        left = seconds - (perf_counter() - self.began)
        return max(left, LEAST_SHARE * seconds) / responses


def estimate(
    strategy: Strategy,
    method: Looked | None = None,
    *,
    effort: Effort | None = None,
    saying: Saying | None = None,
    workers: Workers | None = None,
) -> Estimates:
    """Play a strategy against itself, then find a response of each player.

    method: how to find responses, as for `respond`; `none` for no responses. Default: auto. A strategy other than
    uniform play is also compared with uniform play. Ctrl-C ends the estimate early, with the numbers known by then.
    workers: the back end that learns and plays. Default: this process.
    """
    effort, saying = effort or Effort(), saying or _silently
    method, is_uniform = _looked(strategy, method), _is_uniform(strategy)
    seed = effort.seed
    plays = effort.plays or usual_plays(strategy)
    compared = not is_uniform and isinstance(method, str)
    groups = 1 if method is None else 3 if compared else 2
    group = 1 - (1 - effort.confidence) / groups
    with interrupts(1) as pressed:
        with saying(f"estimating values from {plays:,} plays for each player", None):
            values = rollouts(
                strategy, plays=plays, seed=seed, confidence=group, bounds=effort.bounds, stop=pressed, workers=workers
            )  # fmt: skip
        if method is None:
            return Estimates(seed, effort.confidence, values, None, None, interrupted=pressed() > 0)
        return _responses(strategy, method, effort, group, values, is_uniform, saying, pressed, workers)


def _silently(what: str, seconds: float | None) -> AbstractContextManager[None]:
    return nullcontext()


def _looked(strategy: Strategy, method: Any) -> Any:
    """Return how to look for responses; None for no responses. A text or file that means a strategy becomes one."""
    if method is None:
        return "auto"
    if (responder := responder_of(method)) is not None:
        return responder
    if isinstance(method, str):
        choice("response", method, (*get_args(Method), NONE))
        return None if method == NONE else method
    plays = isinstance(method, Player) or callable(method)
    return method if plays and not isinstance(method, Strategy) else strategy_of(method, strategy.game)


def _is_uniform(strategy: Strategy) -> bool:
    """Return whether a table plays uniformly at every set that it lists."""
    if isinstance(strategy, Profile):
        return all(
            bool(np.array_equal(plays, even(plex)))
            for plays, plex in zip(strategy.strategies, strategy.game.form.treeplexes, strict=True)
        )
    return isinstance(strategy, Policy) and strategy.sets == 0


def _responses(
    strategy: Strategy,
    method: Any,
    effort: Effort,
    group: float,
    values: Rollouts,
    is_uniform: bool,
    saying: Saying,
    stop: Stop,
    workers: Workers | None,
) -> Estimates:
    """Find a response of each player. If the second Ctrl-C ends a search, that player and later ones are missing."""
    game, seed, players = strategy.game.played(), effort.seed, strategy.game.players
    even_play = uniform_play(game) if isinstance(strategy, Profile) else Policy.uniform(game)
    compared = not is_uniform and isinstance(method, str)
    responses: list[MeasuredResponse] = []
    bounds: list[float | None] = []
    laid = Field(strategy) if isinstance(strategy, Policy) else None
    look = partial(
        respond, walks=effort.walks, seed=seed, plays=effort.plays, confidence=1 - (1 - group) / players,
        bounds=effort.bounds, stop=stop, workers=workers,
    )  # fmt: skip
    correlated = isinstance(strategy, CorrelatedPlay) and len(strategy.strategies) > 1
    told = partial(Estimates, seed, effort.confidence, values, correlated=correlated)
    for player in range(players):
        if stop():
            break
        seconds = effort.share((players - player) * (2 if compared else 1))
        known = values.means[player] if seconds is None else None  # a limit of time leaves room for more plays
        try:
            with saying(f"looking for a response of player {player}", seconds):
                responses.append(look(strategy, player, method, seconds=seconds, before=known, field=laid))
            bounds.append(responses[-1].lower_bound if is_uniform else None)
            if compared and not stop():
                same: Any = "learned" if method == "exact" else method
                with saying(f"looking for a response of player {player} to uniform play", seconds):
                    uniform = look(even_play, player, same, seconds=seconds)
                bounds[-1] = None if uniform.interrupted else uniform.lower_bound
        except PlayerError as error:
            error.partial = told(tuple(responses), None, (player, error.partial))
            raise
        except KeyboardInterrupt:
            break
    uniform_bounds = tuple(bounds) if isinstance(method, str) and bounds else None
    return told(tuple(responses), uniform_bounds, interrupted=stop() > 0)
