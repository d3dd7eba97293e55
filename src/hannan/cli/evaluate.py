"""The command `evaluate`: a strategy measured exactly or, in a game too large to expand, by playing."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from hannan.cli import report
from hannan.cli.estimating import Estimating, estimated, show_estimates, together
from hannan.cli.options import Json, Trusted, Whole, check_targets, consent
from hannan.cli.reading import strategy_for
from hannan.cli.report import answer
from hannan.cli.sets import NO_TABLE, most_used, show_sets
from hannan.errors import ParameterError, PlayerError, UnsuitableError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import PlayedGame
from hannan.forms.loading import load
from hannan.forms.trust import Trust
from hannan.measures import evaluation
from hannan.measures.estimates import Estimates
from hannan.measures.ranges import payoff_range, range_of_text
from hannan.measures.tables import export_csv
from hannan.measures.visits import PLAYS as SET_PLAYS
from hannan.measures.visits import export_visits
from hannan.runs.reading import read
from hannan.strategies.asked import Asked
from hannan.strategies.files import save
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile, uniform


def evaluate(
    game: str,
    file: str,
    /,
    *,
    top: Whole | None = None,
    csv: Path | None = None,
    plays: Whole | None = None,
    response: str | None = None,
    seconds: float | None = None,
    walks: Whole | None = None,
    out: Path | None = None,
    seed: Whole = 0,
    confidence: float = 0.95,
    bounds: str | None = None,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Measure a strategy: values, gains, NashConv, exploitability, exactly where the game can be expanded.

    A game too large to expand is played instead: values with bounds on their error and, by a response of each
    player, lower bounds on what best responses gain; beside each, the range of payoffs in the game and what the same
    effort finds against uniform play. With --plays or --response this is done for a small game too, beside the exact
    numbers.

    Parameters
    ----------
    game
        The game that the strategy is for.
    file
        A strategy file, a checkpoint, or the word `uniform`.
    top
        Show this many of the information sets that play comes to most often: frequency, value, and for each action
        its probability and what taking it would gain. In a game too large to expand, these are the sets that plays
        came to most often, with estimates.
    csv
        Write every action of every information set here, with these numbers.
    plays
        Estimate values from this many plays for each player; 100,000, or 2,000 of plain-Python rules, where not given.
    response
        How to find a response of each player: auto (the default), learned, search, local, exact (of an expanded game),
        or none; or a strategy file whose parts are the responses; or file.py:Rule, a callable from what a player has
        seen to an action.
    seconds
        The time of the whole command, 30 without this and without --walks; compiling, done once, is not counted.
    walks
        How many walks each way to learn a response makes, or how many plays a search simulates from each choice;
        without --seconds no clock is asked.
    out
        Write the responses here: a strategy file in which every player plays its response.
    seed
        Where the random numbers of the estimates begin.
    confidence
        The probability with which all bounds hold together, those of values included.
    bounds
        LOW,HIGH: the least and the most that anybody can earn in a play, where neither the tree nor the rules say so.
        Bounds need this range; without one, only intervals are printed.
    """
    estimating = Estimating(
        plays, seconds, walks, seed, confidence, range_of_text(bounds), perf_counter(), response=response,
        trust=consent(trust, as_json),
    )  # fmt: skip
    check_targets({"--csv": csv, "--out": out}, (game, file))
    if out is not None and response == "none":
        raise ParameterError("--out writes responses, and --response none looks for none")
    loaded = load(game)
    if isinstance(loaded, ForgetfulGame):
        _values(loaded, file, estimating.trust, as_json)
        return
    played = loaded.played()
    strategy = strategy_for(played, file, estimating.trust)
    try:
        _measure_any(strategy, file, top, csv, out, estimating, as_json)
    except PlayerError as error:
        if isinstance(error.partial, Estimates):
            _show_partial(played, file, error.partial, as_json)
        raise


def _show_partial(game: PlayedGame, file: str, estimates: Estimates, as_json: bool) -> None:
    """Print what is known from the plays before a response gave no legal answer."""
    record = {"game": game.address, "strategy": file, "exact": False, **estimates.record()}

    def show() -> None:
        report.facts(game.address, {"strategy": file})
        show_estimates(estimates, estimates.rollouts.ranges)

    answer(as_json, record, show)


def _measure_any(
    strategy: Profile | Policy | Asked,
    file: str,
    top: int | None,
    csv: Path | None,
    out: Path | None,
    estimating: Estimating,
    as_json: bool,
) -> None:
    """Measure a profile exactly, or a policy by playing, and print it."""
    if isinstance(strategy, Profile):
        _measure(strategy, file, top, csv, out, estimating, as_json)
        return
    if isinstance(strategy, Asked) and (top is not None or csv is not None):
        raise UnsuitableError(NO_TABLE)
    played, seed = strategy.game.played(), estimating.seed
    report.note(f"{played.address} is too large to expand: what follows is estimated by playing")
    is_uniform = isinstance(strategy, Policy) and strategy.sets == 0
    estimates = estimated(strategy, estimating, is_uniform)
    ranges = estimates.rollouts.ranges
    sets = None if top is None else most_used(strategy, top, seed)

    def show() -> None:
        known = strategy.sets if isinstance(strategy, Policy) else str(strategy)
        report.facts(played.address, {"strategy": file, "information sets known": known})
        show_estimates(estimates, ranges)
        if sets is not None:
            show_sets(sets)

    record: dict[str, Any] = {
        "game": played.address,
        "strategy": file,
        "exact": False,
        "payoff_range": ranges,
        **estimates.record(),
    }
    if sets is not None:
        record["sets"] = [asdict(row) for row in sets]
    try:
        answer(as_json, {**record, "seconds": perf_counter() - estimating.began}, show)
    finally:  # neither is lost if the other fails
        _keep(out, estimates)
        if csv is not None and isinstance(strategy, Policy):
            export_visits(strategy, csv, seed=seed)
            if not as_json:
                report.console().print(f"every set that {SET_PLAYS:,} plays came to written to {csv}")


def _values(game: ForgetfulGame, file: str, trust: Trust, as_json: bool) -> None:
    """Print what a strategy earns where somebody forgets: best responses, and so gains, are not defined by it."""
    strategy = uniform(game) if file == "uniform" else read(file, game.refined, trust=trust)
    profile = strategy if isinstance(strategy, Profile) else strategy.profile()
    values = evaluation.values(game, profile)
    nothing = ("best_values", "gains", "nash_conv", "exploitability", "shortfalls")
    record = {"game": game.address, "strategy": file, "values": values, **dict.fromkeys(nothing), "exact": True}

    def show() -> None:
        report.facts(game.address, {"strategy": file, "values": values})
        report.note(f"{game.forgetting}. What a best response could gain is measured on {game.refined.address}")

    answer(as_json, record, show)


def _keep(out: Path | None, estimates: Estimates) -> None:
    """Write the responses to a file, if that was asked for."""
    if out is None or not estimates.responses:
        return
    save(together(estimates.responses), out)
    report.note(f"responses written to {out}")


def _measure(
    strategy: Profile,
    file: str,
    top: int | None,
    csv: Path | None,
    out: Path | None,
    estimating: Estimating,
    as_json: bool,
) -> None:
    """Measure a profile and print it; with `top`, its most used sets too; with `csv`, write all of them."""
    game = strategy.game
    sets = None if top is None else most_used(strategy, top)
    exact = evaluation.evaluation_of(game, strategy)
    beside = estimated(strategy, estimating, file == "uniform") if estimating.asked or out is not None else None
    ranges = payoff_range(game, estimating.bounds)
    record: dict[str, Any] = {"game": game.address, "strategy": file, **_record(exact)}

    def show() -> None:
        words = {"nash_conv": "NashConv", "best_values": "best responses earn"}
        report.facts(game.address, {words.get(name, name): fact for name, fact in record.items() if name != "game"})
        if beside is not None:
            show_estimates(beside, ranges)
        if sets is not None:
            show_sets(sets)

    told = None if beside is None else beside.record()
    more: dict[str, Any] = {"exact": True, "payoff_range": ranges}
    more |= {name: None if told is None else told[name] for name in ("uniform_lower_bounds", "responses")}
    if told is not None:
        more["estimates"] = told
    more["seconds"] = perf_counter() - estimating.began
    if sets is not None:
        more["sets"] = [asdict(row) for row in sets]
    try:
        answer(as_json, {**record, **more}, show)
    finally:  # neither is lost if the other fails
        if beside is not None:
            _keep(out, beside)
        if csv is not None:
            export_csv(strategy, csv)
            if not as_json:
                report.console().print(f"every set written to {csv}")


def _record(measured: evaluation.Evaluation) -> dict[str, Any]:
    return {
        "values": measured.values,
        "best_values": measured.best_values,
        "gains": measured.gains,
        "nash_conv": measured.nash_conv,
        "exploitability": measured.exploitability,
        "shortfalls": measured.shortfalls,
    }
