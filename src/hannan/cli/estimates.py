"""Estimates by playing in `hannan evaluate`: how responses are named, and how the estimates are printed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import reduce
from math import isfinite
from pathlib import Path
from typing import Any, get_args

from hannan.arguments import shown
from hannan.cli import report
from hannan.errors import ParameterError, UnknownNameError, nearest
from hannan.forms.game import PlayedGame
from hannan.forms.trust import Trust
from hannan.measures.bounds import Range
from hannan.measures.estimates import NONE, Estimates, Looked
from hannan.measures.players import Playing
from hannan.measures.responses.notes import gathered
from hannan.measures.responses.respond import MeasuredResponse, Method
from hannan.measures.responses.responder import responder_of
from hannan.measures.responses.search import LookAheadPlayer
from hannan.runs.players import MAKERS
from hannan.runs.players import player as player_of
from hannan.runs.status_line import clock_line, stderr
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy

BESIDE = "against uniform play: the lower bound that the same effort finds there"
METHODS = (*get_args(Method), NONE)
NO_BOUND = "none: the range of payoffs is not known (--bounds LOW,HIGH)"


def looked(game: PlayedGame, response: str | None, trust: Trust) -> Looked | None:
    """Return the method that looks for responses, or the given response. trust: consent to code that its file names."""
    if response is None or response in METHODS:
        return response  # type: ignore[return-value]  # a word of METHODS
    named = response.partition("(")[0] in MAKERS
    if not named and not Path(response).exists() and "." not in response:
        raise UnknownNameError(f"{shown(response)} is neither a response nor a file{nearest(response, METHODS)}")
    if not Path(response).exists() and (responder := responder_of(response)) is not None:
        return responder
    given = player_of(game, response, response, trust)
    return given.strategy if isinstance(given, Playing) else given


def saying(what: str, seconds: float | None = None) -> AbstractContextManager[None]:
    """Show what is being done: on a terminal with a running clock, else as one printed line."""
    if not stderr().is_terminal:
        report.note(what)
    return clock_line(what, seconds)


def together(responses: Sequence[MeasuredResponse]) -> Policy:
    """Return the strategy in which every player plays its response."""
    parts = []
    for response in responses:
        found = response.strategy
        if isinstance(found, LookAheadPlayer):
            report.note(
                f"player {response.player} searches while it plays: the file holds the actions of the search at the "
                "sets that its plays reached, and the strategy elsewhere (uniform play if the strategy forgets); "
                "measure the gain of the file with --response FILE"
            )
            parts.append((response.player, gathered(found, response.player)))
        elif isinstance(found, Strategy) and found.is_table:
            parts.append((response.player, found.policy()))
        else:
            raise ParameterError(
                "--out writes tables only; a rule, networks or another given player cannot be written as one: keep its "
                "file"
            )
    first: Policy = reduce(lambda policy, part: policy.taking(*part), parts[1:], parts[0][1])
    return first


def _width(width: float | None) -> str | None:
    return None if width is None or not isfinite(width) else f"{width:.3g}"


def show_estimates(estimates: Estimates, ranges: Sequence[Range] | None) -> None:
    """Print the estimates. ranges: of the payoffs of each player."""
    values, responses, baseline = estimates.rollouts, estimates.responses, estimates.uniform_lower_bounds
    unknown = (None,) * len(values.values)
    lines: list[list[Any]] = [
        [player, f"{value:.6g}", _width(width), _width(interval)]
        for player, (value, width, interval) in enumerate(
            zip(values.values, values.half_widths or unknown, values.interval_half_widths or unknown, strict=True)
        )
    ]
    header = ["player", "value, estimated", "off by at most", "interval, ±"]
    report.grid(f"\nestimated from {values.plays:,} plays for each player", header, lines)
    if responses:
        lines = []
        for one in responses:
            uniform = None if baseline is None else baseline[one.player]
            bound = None if one.lower_bound is None else f"{one.lower_bound:.6g}"
            lines.append([one.player, f"{one.gain:.6g}", _width(one.interval_half_width), bound])
            lines[-1] += [None if uniform is None else f"{uniform:.6g}"]
            lines[-1] += ["not known" if ranges is None else "{:g} to {:g}".format(*ranges[one.player]), one.method]
        header = ["player", "it gains", "interval, ±", "a best response gains at least", "against uniform play"]
        title = "responses" if baseline is None else f"responses; {BESIDE}"
        report.grid(f"\n{title}", [*header, "payoffs", "response"], lines)
    if estimates.failed is not None:
        player, mean = estimates.failed
        words = f"its response failed after {0 if mean is None else mean.plays:,} plays"
        words += "" if mean is None else f", in which it earned {mean.value:.6g} per play"
        report.facts("", {f"player {player}": words})
    if estimates.interrupted:
        missing = [] if responses is None else list(range(len(responses), len(values.values)))
        before = f", before a response of {' and '.join(f'player {player}' for player in missing)}" if missing else ""
        report.facts("", {"stopped": f"interrupted{before}"})
    share = f"{100 * estimates.confidence:.6g} %, of all bounds together, whatever the distribution within the payoffs"
    rows = {"confidence": NO_BOUND if values.ranges is None else share}
    if responses:
        name, least = "NashConv", estimates.nash_conv
        if estimates.correlated:
            known = [one.lower_bound for one in responses if one.lower_bound is not None]
            name, least = "the CCE gap", max(known, default=None)
        rows = {f"lower bound on {name}": NO_BOUND if least is None else f"{least:.6g}", **rows}
    rows["intervals"] = "normal approximation, at the same confidence: not bounds, and wrong if large losses are rare"
    report.facts("", rows)
