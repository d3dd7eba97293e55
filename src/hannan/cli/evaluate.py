"""The command `evaluate`: a strategy measured exactly or, in a game too large to expand, by playing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hannan.arguments import between, whole
from hannan.cli import report
from hannan.cli.options import Json, Whole
from hannan.cli.output import answer
from hannan.errors import ParameterError, SizeError
from hannan.files import check_writable
from hannan.forms.expanding import BYTES_PER_PLAIN_HISTORY
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.loading import load
from hannan.forms.survey import BYTES_PER_HISTORY, estimate
from hannan.measures import evaluation
from hannan.measures.rollouts import FoundResponse, Rollouts, rollouts, search_response
from hannan.measures.tables import SetRow, export_csv, summary
from hannan.memory import available
from hannan.rules.checks import make_plays
from hannan.rules.compiled import CompiledRules
from hannan.runs.reading import read
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile, uniform

PLAYS, PLAIN_PLAYS = 50_000, 2_000
"""Plays for each player where nobody says how many: of compiled rules, and of plain Python."""
PLAIN_SEARCH = 2_000
LEAST_PLAYS = 100
"""Fewer plays are too few for intervals of the normal approximation."""
FAR = 100
"""A game that seems so many times too large is not counted: the guess is no better than that."""


@dataclass(frozen=True)
class Estimating:
    """How `hannan evaluate` was asked to estimate; None where it was not."""

    plays: int | None
    search: int | None
    seed: int
    confidence: float

    def __post_init__(self) -> None:
        if self.plays is not None:
            whole("plays", self.plays, LEAST_PLAYS)
        if self.search is not None:
            whole("search", self.search, 0)
        between("confidence", self.confidence)

    @property
    def asked(self) -> bool:
        """Whether estimates are wanted where exact numbers are to be had."""
        return self.plays is not None or self.search is not None


@dataclass(frozen=True)
class Estimates:
    """What playing has told: values, and what responses that were searched for gain."""

    seed: int
    rollouts: Rollouts
    responses: tuple[FoundResponse, ...] | None
    """One for each player; None where nobody searched. All lower bounds hold together with the stated confidence."""

    @property
    def nash_conv(self) -> float | None:
        """A lower bound on NashConv: the sum of the lower bounds."""
        return None if self.responses is None else sum(response.lower_bound for response in self.responses)

    def record(self) -> dict[str, Any]:
        """Return the numbers as JSON names them; null where nobody searched."""
        responses = self.responses
        return {
            "values": self.rollouts.values,
            "half_widths": self.rollouts.half_widths,
            "confidence": self.rollouts.confidence,
            "plays": self.rollouts.plays,
            "seed": self.seed,
            "response_gains": None if responses is None else [response.gain for response in responses],
            "lower_bounds": None if responses is None else [response.lower_bound for response in responses],
            "nash_conv_lower_bound": self.nash_conv,
        }


def evaluate(
    game: str,
    file: str,
    /,
    *,
    top: Whole | None = None,
    csv: Path | None = None,
    plays: Whole | None = None,
    search: Whole | None = None,
    seed: Whole = 0,
    confidence: float = 0.95,
    as_json: Json = False,
) -> None:
    """Measure a saved strategy exactly: values, gains, NashConv, exploitability.

    A game too large to expand is played instead: values with their confidence intervals and, by a search for a
    response of each player, lower bounds on what best responses gain. With --plays or --search this is done for a
    small game too, beside the exact numbers.

    Parameters
    ----------
    game
        The game that the strategy is for.
    file
        A strategy file, a checkpoint, or the word `uniform`.
    top
        Show this many of the information sets that play comes to most often: frequency, value, and for each action
        its probability and what taking it would gain.
    csv
        Write every action of every information set here, with these numbers.
    plays
        Estimate values from this many plays for each player.
    search
        Iterations of the search for a response of each player; 0 searches none.
    seed
        Where the random numbers of the estimates begin.
    confidence
        The probability with which each value lies in its interval, and with which all lower bounds hold together.
    """
    estimating = Estimating(plays, search, seed, confidence)
    if csv is not None:
        check_writable(csv)
    played = load(game).played()
    strategy = _strategy(played, file)
    if isinstance(strategy, Profile):
        _measure(strategy, file, top, csv, estimating, as_json)
        return
    if top is not None or csv is not None:
        raise ParameterError(f"--top and --csv need an expanded game, and {played.address} is too large")
    report.note(f"{played.address} is too large to expand: what follows is estimated by playing")
    estimates, known = estimated(strategy, estimating), strategy.sets

    def show() -> None:
        report.facts(played.address, {"strategy": file, "information sets known": known})
        _show_estimates(estimates)

    answer(as_json, {"game": played.address, "strategy": file, **estimates.record()}, show)


def _measure(
    strategy: Profile, file: str, top: int | None, csv: Path | None, estimating: Estimating, as_json: bool
) -> None:
    """Measure a profile and print it; with `top`, its most used sets too; with `csv`, write all of them."""
    game = strategy.game
    sets = None if top is None else summary(game, strategy, top)
    exact = evaluation.evaluate(game, strategy)
    beside = estimated(strategy, estimating) if estimating.asked else None
    if csv is not None:
        export_csv(strategy, csv)
    record: dict[str, Any] = {"game": game.address, "strategy": file, **_record(exact)}

    def show() -> None:
        words = {"nash_conv": "NashConv", "best_values": "best responses earn"}
        report.facts(game.address, {words.get(name, name): fact for name, fact in record.items() if name != "game"})
        if beside is not None:
            _show_estimates(beside)
        if sets is not None:
            _show_sets(sets)
        if csv is not None:
            report.console().print(f"every set written to {csv}")

    more: dict[str, Any] = {} if beside is None else {"estimates": beside.record()}
    if sets is not None:
        more["sets"] = [asdict(row) for row in sets]
    answer(as_json, {**record, **more}, show)


def estimated(strategy: Policy | Profile, estimating: Estimating) -> Estimates:
    """Play a strategy against itself, then search a response of each player, and say so on standard error."""
    players, confidence, seed = strategy.game.players, estimating.confidence, estimating.seed
    compiled = isinstance(strategy.game.played().rules, CompiledRules)
    plays = estimating.plays or (PLAYS if compiled else PLAIN_PLAYS)
    report.note(f"estimating values from {plays:,} plays for each player")
    values = rollouts(strategy, plays=plays, seed=seed, confidence=confidence)
    search = estimating.search
    if search is None and not compiled:
        search = PLAIN_SEARCH
    if search == 0:
        return Estimates(seed, values, None)
    each = 1 - (1 - confidence) / players  # that one of them fails is no more likely than that 1 - confidence in all
    responses = []
    for player in range(players):
        report.note(f"searching a response of player {player}" + (f", {search:,} iterations" if search else ""))
        responses.append(
            search_response(strategy, player, iterations=search, plays=plays, seed=seed, confidence=each, before=values)
        )
    return Estimates(seed, values, tuple(responses))


def _strategy(game: PlayedGame, file: str) -> Profile | Policy:
    """Return a profile where the game can be expanded, else a policy."""
    if file == "uniform":
        return uniform(game) if _expands(game) else Policy.uniform(game)
    strategy = read(file, game)
    return strategy.profile() if isinstance(strategy, Policy) and isinstance(game, ExpandedGame) else strategy


def _expands(game: PlayedGame) -> bool:
    """Expand a game where it fits into memory, and say whether it does."""
    each = BYTES_PER_HISTORY if game.compiled else BYTES_PER_PLAIN_HISTORY
    if not isinstance(game, ExpandedGame) and _guess(game) > FAR * available() // each:
        return False
    try:
        return game.expanded() is not None
    except SizeError:
        return False


def _guess(game: PlayedGame) -> float:
    """Estimate how many histories there are, by plays that find rules without end or with errors first."""
    make_plays(game.rules, plays=8)
    return estimate(game.rules, plays=100)


def _record(measured: evaluation.Evaluation) -> dict[str, Any]:
    return {
        "values": measured.values,
        "best_values": measured.best_values,
        "gains": measured.gains,
        "nash_conv": measured.nash_conv,
        "exploitability": measured.exploitability,
        "shortfalls": measured.shortfalls,
    }


def _show_estimates(estimates: Estimates) -> None:
    values, responses = estimates.rollouts, estimates.responses
    header = ["player", "value, estimated", "give or take"]
    if responses is not None:
        header += ["the response gains, estimated", "a best response gains at least"]
    lines: list[list[Any]] = []
    for player, (value, width) in enumerate(zip(values.values, values.half_widths, strict=True)):
        lines.append([player, f"{value:.6g}", f"{width:.3g}"])
        if responses is not None:
            lines[-1] += [f"{responses[player].gain:.6g}", f"{responses[player].lower_bound:.6g}"]
    report.grid(f"\nestimated from {values.plays:,} plays for each player", header, lines)
    share = f"{100 * values.confidence:.6g} %"
    rows = {"confidence": f"{share}, of each interval (normal approximation)"}
    if estimates.nash_conv is not None:
        rows = {
            "lower bound on NashConv": f"{estimates.nash_conv:.6g}",
            "confidence": f"{share}, of each interval, and of all lower bounds together (normal approximation)",
        }
    report.facts("", rows)


def _show_sets(sets: tuple[SetRow, ...]) -> None:
    lines = []
    for row in sets:
        plays = (
            f"{play.action} {play.probability:.4f}" + (f" ({play.regret:+.3g})" if play.regret is not None else "")
            for play in row.actions
        )
        value = None if row.value is None else f"{row.value:.6g}"
        lines.append([row.player, row.name, f"{row.frequency:.6g}", value, "   ".join(plays)])
    header = ["player", "information set", "frequency", "value", "action, probability (regret)"]
    report.grid("\nmost used information sets", header, lines)
