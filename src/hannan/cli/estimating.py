"""What `hannan evaluate` finds out by playing: values, and responses of each player that bound its gain from below."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from time import perf_counter
from typing import Any, get_args

from hannan.arguments import between, positive, shown, whole
from hannan.cli import report
from hannan.errors import ParameterError, PlayerError, UnknownNameError, nearest
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.trust import Trust
from hannan.interrupts import interrupts
from hannan.measures.players import AskedPlayer, Player, Rule, RulePlayer, TablePlayer
from hannan.measures.responses.field import Field
from hannan.measures.responses.gathering import gathered
from hannan.measures.responses.respond import MeasuredResponse, Method, respond
from hannan.measures.responses.searching import SearchPlayer
from hannan.measures.rollouts import Mean, Rollouts, Stop, as_policy, rollouts
from hannan.runs.players import MAKERS
from hannan.runs.players import player as player_of
from hannan.runs.watching import clock_line, stderr
from hannan.strategies.asked import Asked
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

PLAYS, PLAIN_PLAYS = 50_000, 2_000
"""Plays for each player where nobody says how many: of compiled rules, and of plain Python."""
SECONDS = 30.0
"""Of the whole command, where nobody says how long."""
LEAST_PLAYS = 100
"""Fewer plays are too few for intervals of the normal approximation."""
LEAST_SHARE = 0.2
"""Of the time of the command, what responses get in any case, however long reading and expanding took."""
NONE = "none"
BESIDE = "against uniform play: the lower bound that the same effort finds there"
METHODS = (*get_args(Method), NONE)
Given = Method | Policy | Asked | Rule | Player
"""How responses are to be looked for, or the one that is given."""


@dataclass(frozen=True)
class Estimating:
    """How `hannan evaluate` was asked to estimate; None where it was not."""

    plays: int | None
    response: str | None
    seconds: float | None
    walks: int | None
    seed: int
    confidence: float
    began: float
    """When the command did, by `perf_counter`."""
    trust: Trust = False
    """Consent to code that the file of a response names."""

    def __post_init__(self) -> None:
        if self.plays is not None:
            whole("plays", self.plays, LEAST_PLAYS)
        if self.seconds is not None:
            positive("seconds", self.seconds)
        if self.walks is not None:
            whole("walks", self.walks)
        between("confidence", self.confidence)

    @property
    def asked(self) -> bool:
        """Whether estimates are wanted where exact numbers are to be had."""
        return any(wish is not None for wish in (self.plays, self.response, self.seconds, self.walks))

    def method(self, game: PlayedGame) -> Given | None:
        """Return how responses are to be looked for, or the one that is given; None: not at all."""
        response = self.response or "auto"
        if response == NONE:
            return None
        if response in METHODS:
            return response  # type: ignore[return-value]  # one of these words
        named = response.partition("(")[0] in MAKERS
        if not named and not Path(response).exists() and "." not in response:
            raise UnknownNameError(
                f"there is no response {shown(response)} and no such file{nearest(response, METHODS)}"
            )
        given = player_of(game, response, response, self.trust)
        if isinstance(given, TablePlayer):
            return given.policy
        if isinstance(given, AskedPlayer):
            return given.strategy
        return given.rule if isinstance(given, RulePlayer) else given

    def share(self, responses: int) -> float | None:
        """Return the seconds for each of so many responses; None where walks are counted and not the clock."""
        if self.seconds is None and self.walks is not None:
            return None
        seconds = SECONDS if self.seconds is None else self.seconds
        left = seconds - (perf_counter() - self.began)
        return max(left, LEAST_SHARE * seconds) / responses


@dataclass(frozen=True)
class Estimates:
    """What playing has told: values, and what responses gain, here and (the lower bounds) against uniform play."""

    seed: int
    rollouts: Rollouts
    responses: tuple[MeasuredResponse, ...] | None
    """One for each player; None where nobody searched. All lower bounds hold together with the stated confidence."""
    uniform_lower_bounds: tuple[float | None, ...] | None
    failed: tuple[int, Mean | None] | None = None
    """Whose response gave no legal answer, and what it earned in the plays before; the later ones are missing."""
    interrupted: bool = False
    """Whether it was ended by Ctrl-C: there are fewer plays, and responses of some players may be missing."""

    @property
    def nash_conv(self) -> float | None:
        """A lower bound on NashConv: the sum of the lower bounds."""
        return None if self.responses is None else sum(response.lower_bound for response in self.responses)

    def record(self) -> dict[str, Any]:
        """Return the numbers as JSON names them; null where nobody searched."""
        responses = self.responses
        record = {
            "values": self.rollouts.values,
            "half_widths": self.rollouts.half_widths,
            "confidence": self.rollouts.confidence,
            "plays": self.rollouts.plays,
            "seed": self.seed,
            "response_gains": None if responses is None else [response.gain for response in responses],
            "lower_bounds": None if responses is None else [response.lower_bound for response in responses],
            "nash_conv_lower_bound": self.nash_conv,
            "uniform_lower_bounds": self.uniform_lower_bounds,
            "responses": None if responses is None else [response.record() for response in responses],
        }
        if self.failed is not None:
            player, mean = self.failed
            known = {"plays": 0, "value": None} if mean is None else {"plays": mean.plays, "value": mean.value}
            record |= {"stop": "failed", "failed": {"player": player, **known}}
        if self.interrupted:
            record["stop"] = "interrupted"
        return record


def estimated(strategy: Policy | Profile | Asked, estimating: Estimating, is_uniform: bool) -> Estimates:
    """Play a strategy against itself, then find a response of each player, and say so on standard error."""
    game, confidence, seed = strategy.game.played(), estimating.confidence, estimating.seed
    method = estimating.method(game)
    plays = estimating.plays or (PLAYS if game.compiled else PLAIN_PLAYS)
    with interrupts(1) as pressed:
        with _saying(f"estimating values from {plays:,} plays for each player"):
            values = rollouts(strategy, plays=plays, seed=seed, confidence=confidence, stop=pressed)
        if method is None:
            return Estimates(seed, values, None, None, interrupted=pressed() > 0)
        return _responses(strategy, method, estimating, values, is_uniform, pressed)


def _saying(what: str, seconds: float | None = None) -> AbstractContextManager[None]:
    """Say what is being done: on a terminal as long as it is, with a clock, elsewhere in a line."""
    if not stderr().is_terminal:
        report.note(what)
    return clock_line(what, seconds)


def _responses(
    strategy: Policy | Profile | Asked,
    method: Given,
    estimating: Estimating,
    values: Rollouts,
    is_uniform: bool,
    stop: Stop,
) -> Estimates:
    """Find a response of each player; one that the second Ctrl-C ended, and later ones, are missing."""
    game, seed, players = strategy.game.played(), estimating.seed, strategy.game.players
    each = 1 - (1 - estimating.confidence) / players  # that one fails is no more likely than that 1 - confidence in all
    compared = not is_uniform and isinstance(method, str)
    responses: list[MeasuredResponse] = []
    bounds: list[float | None] = []
    field = Field(strategy) if isinstance(strategy, Policy) else None
    look = partial(
        respond, walks=estimating.walks, seed=seed, plays=estimating.plays, confidence=each, stop=stop
    )  # fmt: skip
    for player in range(players):
        if stop():
            break
        before = Mean(values.plays, values.values[player], values.deviations[player])
        seconds = estimating.share((players - player) * (2 if compared else 1))
        known = before if seconds is None else None  # given time, more plays tell more
        try:
            with _saying(f"looking for a response of player {player}", seconds):
                responses.append(look(strategy, player, method, seconds=seconds, before=known, field=field))
            bounds.append(responses[-1].lower_bound if is_uniform else None)
            if compared and not stop():
                same = "learned" if method == "exact" else method
                with _saying(f"looking for a response of player {player} to uniform play", seconds):
                    beside = look(Policy.uniform(game), player, same, seconds=seconds)
                bounds[-1] = None if beside.interrupted else beside.lower_bound
        except PlayerError as error:
            error.partial = Estimates(seed, values, tuple(responses), None, (player, error.partial))
            raise
        except KeyboardInterrupt:
            break
    told = tuple(bounds) if isinstance(method, str) and bounds else None
    return Estimates(seed, values, tuple(responses), told, interrupted=stop() > 0)


def together(responses: Sequence[MeasuredResponse]) -> Policy:
    """Return the strategy in which every player plays its response."""
    parts = []
    for response in responses:
        if isinstance(response.strategy, SearchPlayer):
            report.note(
                f"of player {response.player}, who searches while it plays, the file holds what it did at the sets "
                "that its plays came to, and the strategy elsewhere (uniform play, where it forgets); what that gains "
                "is measured with --response FILE"
            )
            parts.append((response.player, gathered(response.strategy, response.player)))
        elif isinstance(response.strategy, Policy | Profile):
            parts.append((response.player, as_policy(response.strategy)))
        else:
            raise ParameterError(
                "--out writes tables, and a rule is none, nor are networks or another player that was given; keep its "
                "file"
            )
    first: Policy = reduce(lambda policy, part: policy.taking(*part), parts[1:], parts[0][1])
    return first


def payoff_range(game: PlayedGame) -> list[tuple[float, float]] | None:
    """Return the least and the most that each player can earn: exact, or by the rules' bounds; None: not known."""
    if isinstance(game, ExpandedGame):
        return list(zip(*(ends.tolist() for ends in game.payoff_range), strict=True))
    start = game.rules.start()
    bounds = game.rules.bounds(start) if game.rules.writes("bounds") else None
    if bounds is None:
        return None
    return [(low + gain, high + gain) for (low, high), gain in zip(bounds, game.rules.gains(start), strict=True)]


def show_estimates(estimates: Estimates, spans: Sequence[tuple[float, float]] | None) -> None:
    """Print what playing has told; `spans` are the ranges of payoffs."""
    values, responses, beside = estimates.rollouts, estimates.responses, estimates.uniform_lower_bounds
    lines: list[list[Any]] = [
        [player, f"{value:.6g}", f"{width:.3g}"]
        for player, (value, width) in enumerate(zip(values.values, values.half_widths, strict=True))
    ]
    header = ["player", "value, estimated", "give or take"]
    report.grid(f"\nestimated from {values.plays:,} plays for each player", header, lines)
    if responses:
        lines = []
        for one in responses:
            lowest, highest = (None, None) if spans is None else spans[one.player]
            lines.append([one.player, f"{one.gain:.6g}", f"{one.half_width:.3g}", f"{one.lower_bound:.6g}"])
            uniform = None if beside is None else beside[one.player]
            lines[-1] += [None if uniform is None else f"{uniform:.6g}"]
            lines[-1] += ["not known" if lowest is None else f"{lowest:g} to {highest:g}", one.method]
        header = ["player", "it gains", "give or take", "a best response gains at least", "against uniform play"]
        title = "responses" if beside is None else f"responses; {BESIDE}"
        report.grid(f"\n{title}", [*header, "payoffs", "response"], lines)
    if estimates.failed is not None:
        player, mean = estimates.failed
        words = f"its response failed after {0 if mean is None else mean.plays:,} plays"
        words += "" if mean is None else f", in which it earned {mean.value:.6g} a play"
        report.facts("", {f"player {player}": words})
    if estimates.interrupted:
        missing = [] if responses is None else list(range(len(responses), len(values.values)))
        before = f", before a response of {' and '.join(f'player {player}' for player in missing)}" if missing else ""
        report.facts("", {"stopped": f"interrupted{before}"})
    share = f"{100 * values.confidence:.6g} %"
    rows = {"confidence": f"{share}, of each interval (normal approximation)"}
    if responses:
        rows = {
            "lower bound on NashConv": f"{estimates.nash_conv:.6g}",
            "confidence": f"{share}, of each interval, and of all lower bounds together (normal approximation)",
        }
    report.facts("", rows)
