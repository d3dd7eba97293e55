"""The command `evaluate`: a strategy measured exactly or, in a game too large to expand, by playing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.estimates import looked, saying, show_estimates, together
from hannan.cli.options import Json, Whole, check_targets, consent, offering
from hannan.cli.report import answer
from hannan.cli.sets import show_sets
from hannan.cli.strategy import strategy_for
from hannan.errors import ParameterError, PlayerError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load
from hannan.measures.appraisal import evaluate as measure
from hannan.measures.estimates import NONE
from hannan.measures.evaluation import Evaluation, is_exact
from hannan.measures.tables import export_csv, summary
from hannan.measures.visits import PLAYS as SET_PLAYS
from hannan.runs.strategies import read
from hannan.strategies.files import save
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile, uniform
from hannan.strategies.public import PublicStrategy
from hannan.strategies.strategy import Strategy

WORDS = {
    "best_values": "best responses earn", "nash_conv": "NashConv", "cce_gap": "CCE gap",
}  # fmt: skip
"""Labels of facts that have another name in JSON."""


@offering(measure)
def evaluate(
    game: str,
    strategy: str,
    /,
    *,
    top: Whole | None = None,
    csv: Path | None = None,
    out: Path | None = None,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Measure a strategy: values, gains, NashConv, exploitability, exactly where the game can be expanded.

    A game too large to expand is played instead: values with bounds on their error and, by a response of each
    player, lower bounds on what best responses gain; next to each, the range of payoffs in the game and what the same
    effort finds against uniform play.

    Parameters
    ----------
    top
        Show this many of the information sets that play comes to most often: frequency, value, and for each action
        its probability and what taking it would gain. In a game too large to expand, these are the sets that plays
        came to most often, with estimates.
    csv
        Write every action of every information set here, with these numbers.
    out
        Write the responses here: a strategy file in which every player plays its response.
    """
    agreed, response = consent(given.pop("trust", False), as_json), given.pop("response", None)
    check_targets({"--csv": csv, "--out": out}, (game, strategy))
    if out is not None and response == NONE:
        raise ParameterError("--out writes responses, but --response none looks for no response: leave one out")
    loaded, page = load(game), _Page(strategy, top, csv, out, given.get("seed", 0), as_json)
    if isinstance(loaded, ForgetfulGame):
        plays: Strategy = uniform(loaded) if strategy == "uniform" else read(strategy, loaded.refined, trust=agreed)
        wanted = {name: given[name] for name in ("refinements", "on") if name in given}
        page.show(plays, measure(loaded, plays, **wanted), loaded)
        return
    plays = strategy_for(loaded.played(), strategy, agreed)
    exact = given.get("exact")
    public = isinstance(plays, PublicStrategy) and exact is not False  # measured exactly on the public tree
    if not is_exact(plays) and not public and not exact:
        large = not isinstance(loaded, ExpandedGame)
        why = f"{loaded.address} is too large to expand" if large else "this strategy has no table of probabilities"
        report.note(f"{why}: the numbers below are estimated by playing")
    looking = looked(loaded.played(), response, agreed) or ("auto" if out is not None else None)
    try:
        evaluation = measure(plays, response=looking, saying=saying, **given)
    except PlayerError as error:
        if isinstance(error.partial, Evaluation):
            page.show(plays, error.partial, partial=True)
        raise
    page.show(plays, evaluation)


def _show_refinements(verdicts: dict[str, dict[str, Any]]) -> None:
    words = {True: "yes", False: "no", None: "not decided"}
    rows = [[name.replace("_", " "), words[one["holds"]], one["why"]] for name, one in verdicts.items()]
    report.grid("refinements", ["", "holds", "because"], rows)


@dataclass(frozen=True)
class _Page:
    """The measurements of a strategy that were asked for, and the files to write them to."""

    file: str
    top: int | None
    csv: Path | None
    out: Path | None
    seed: int
    as_json: bool

    def show(
        self, strategy: Strategy, measured: Evaluation, game: ForgetfulGame | None = None, *, partial: bool = False
    ) -> None:
        """Print what was measured; with `top`, the most used sets too; with `csv`, write all of them.

        game: given if a player forgets. partial: a response failed, and `measured` was known before.
        """
        sets = None if self.top is None or partial else summary(strategy, most=self.top, seed=self.seed)

        def show_all() -> None:
            self._facts(strategy, measured)
            if game is not None:
                report.note(f"{game.forgetting}. What a best response could gain is measured on {game.refined.address}")
            if measured.estimates is not None:
                show_estimates(measured.estimates, measured.payoff_range)
            if measured.refinements is not None:
                _show_refinements(measured.refinements.record())
            if sets is not None:
                show_sets(sets)

        more = {} if sets is None else {"sets": [asdict(row) for row in sets]}
        try:
            record = measured.record()
            answer(self.as_json, {"game": record.pop("game"), "strategy": self.file, **record, **more}, show_all)
        finally:  # if printing fails, the files are still written
            if not partial:
                self._keep(strategy, measured)

    def _facts(self, strategy: Strategy, measured: Evaluation) -> None:
        if measured.exact:
            names = ("values", "best_values", "gains", "nash_conv", "cce_gap", "exploitability", "shortfalls")
            known = {name: getattr(measured, name) for name in names}
            rows = {WORDS.get(name, name): fact for name, fact in known.items() if fact is not None}
        else:
            rows = {"information sets known": strategy.sets if isinstance(strategy, Policy) else str(strategy)}
        report.facts(measured.game, {"strategy": self.file, **rows})

    def _keep(self, strategy: Strategy, measured: Evaluation) -> None:
        """Write the responses and the sets, if files for them were named."""
        if self.out is not None and measured.responses:
            save(together(measured.responses), self.out)
            report.note(f"responses written to {self.out}")
        if self.csv is not None:
            export_csv(strategy, self.csv, seed=self.seed)
            every = "every set" if isinstance(strategy, Profile) else f"every set that {SET_PLAYS:,} plays reached"
            report.name_files(self.as_json, {every: self.csv})
