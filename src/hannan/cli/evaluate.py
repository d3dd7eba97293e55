"""The command `evaluate`: a strategy measured exactly or, in a game too large to expand, by playing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from hannan.cli import report
from hannan.cli.estimates import Estimating, estimated, show_estimates, together
from hannan.cli.options import Json, Trusted, Whole, check_targets, consent
from hannan.cli.report import answer
from hannan.cli.sets import NO_TABLE, most_used, show_sets
from hannan.cli.strategy import strategy_for
from hannan.errors import ParameterError, PlayerError, UnsuitableError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import PlayedGame
from hannan.forms.loader import load
from hannan.forms.trust import Trust
from hannan.measures import evaluation
from hannan.measures.estimates import Estimates
from hannan.measures.ranges import payoff_range, range_of_text
from hannan.measures.tables import SetRow, export_csv
from hannan.measures.visits import PLAYS as SET_PLAYS
from hannan.measures.visits import export_visits
from hannan.runs.strategies import read
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
        Plays for each estimate of a value. Default: 100,000; 2,000 for plain-Python rules.
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
    page = _Page(file, top, csv, out, estimating, as_json)
    try:
        page.measure(strategy) if isinstance(strategy, Profile) else page.estimate(strategy)
    except PlayerError as error:
        if isinstance(error.partial, Estimates):
            page.show_partial(played, error.partial)
        raise


@dataclass(frozen=True)
class _Page:
    """What a command wants to know of a strategy, and where it goes."""

    file: str
    top: int | None
    csv: Path | None
    out: Path | None
    estimating: Estimating
    as_json: bool

    def show_partial(self, game: PlayedGame, estimates: Estimates) -> None:
        """Print what is known from the plays before a response gave no legal answer."""
        record = {"game": game.address, "strategy": self.file, "exact": False, **estimates.record()}

        def show() -> None:
            report.facts(game.address, {"strategy": self.file})
            show_estimates(estimates, estimates.rollouts.ranges)

        answer(self.as_json, record, show)

    def estimate(self, strategy: Policy | Asked) -> None:
        """Measure a strategy by playing, and print it."""
        if isinstance(strategy, Asked) and (self.top is not None or self.csv is not None):
            raise UnsuitableError(NO_TABLE)
        played, seed = strategy.game.played(), self.estimating.seed
        report.note(f"{played.address} is too large to expand: what follows is estimated by playing")
        estimates = estimated(strategy, self.estimating, isinstance(strategy, Policy) and strategy.sets == 0)
        ranges = estimates.rollouts.ranges
        sets = None if self.top is None else most_used(strategy, self.top, seed)

        def show() -> None:
            known = strategy.sets if isinstance(strategy, Policy) else str(strategy)
            report.facts(played.address, {"strategy": self.file, "information sets known": known})
            show_estimates(estimates, ranges)

        record = {"exact": False, "payoff_range": ranges, **estimates.record()}
        try:
            self._answer(played, record, sets, show)
        finally:  # neither is lost if the other fails
            self._keep(estimates)
            if self.csv is not None and isinstance(strategy, Policy):
                export_visits(strategy, self.csv, seed=seed)
                report.name_files(self.as_json, {f"every set that {SET_PLAYS:,} plays came to": self.csv})

    def measure(self, strategy: Profile) -> None:
        """Measure a profile and print it; with `top`, its most used sets too; with `csv`, write all of them."""
        game, estimating = strategy.game, self.estimating
        sets = None if self.top is None else most_used(strategy, self.top)
        exact = _record(evaluation.evaluation_of(game, strategy))
        wanted = estimating.asked or self.out is not None
        beside = estimated(strategy, estimating, self.file == "uniform") if wanted else None
        ranges = payoff_range(game, estimating.bounds)

        def show() -> None:
            words = {"nash_conv": "NashConv", "best_values": "best responses earn"}
            known = {"strategy": self.file, **exact}
            report.facts(game.address, {words.get(name, name): fact for name, fact in known.items()})
            if beside is not None:
                show_estimates(beside, ranges)

        told = None if beside is None else beside.record()
        more: dict[str, Any] = {"exact": True, "payoff_range": ranges}
        more |= {name: None if told is None else told[name] for name in ("uniform_lower_bounds", "responses")}
        more |= {} if told is None else {"estimates": told}
        try:
            self._answer(game, {**exact, **more}, sets, show)
        finally:  # neither is lost if the other fails
            if beside is not None:
                self._keep(beside)
            if self.csv is not None:
                export_csv(strategy, self.csv)
                report.name_files(self.as_json, {"every set": self.csv})

    def _answer(
        self, game: PlayedGame, record: dict[str, Any], sets: Sequence[SetRow] | None, show: Callable[[], None]
    ) -> None:
        """Print what was measured, with the sets that are wanted."""

        def show_all() -> None:
            show()
            if sets is not None:
                show_sets(sets)

        record = {"game": game.address, "strategy": self.file, **record}
        record["seconds"] = perf_counter() - self.estimating.began
        if sets is not None:
            record["sets"] = [asdict(row) for row in sets]
        answer(self.as_json, record, show_all)

    def _keep(self, estimates: Estimates) -> None:
        """Write the responses to a file, if that was asked for."""
        if self.out is not None and estimates.responses:
            save(together(estimates.responses), self.out)
            report.note(f"responses written to {self.out}")


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


def _record(measured: evaluation.Evaluation) -> dict[str, Any]:
    return {
        "values": measured.values,
        "best_values": measured.best_values,
        "gains": measured.gains,
        "nash_conv": measured.nash_conv,
        "exploitability": measured.exploitability,
        "shortfalls": measured.shortfalls,
    }
