"""The command `match`: players meet in every seat, and each gets a score with a bound on its error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json, check_targets, consent, offering
from hannan.cli.report import answer
from hannan.errors import HannanError, PlayerError
from hannan.runs.match import match as matching
from hannan.runs.status_line import duration
from hannan.runs.tally import MatchResult

STOPS = {
    "games": "all games were played",
    "decided": "it is certain who scores most",
    "seconds": "time was up",
    "interrupted": "interrupted",
    "failed": "a player failed",
}


@offering(matching)
def match(game: str, /, *players: str, as_json: Json = False, **given: Any) -> None:
    """Let players meet in every seat, with the same chance, and print scores with bounds on their error.

    A resumed match needs the same players and options; only the number of games may be larger.
    """
    record, checkpoint, decide = given.get("record"), given.get("checkpoint"), given.get("decide", False)
    check_targets({"--record": record, "--checkpoint": checkpoint}, (game, *players))
    given["trust"] = consent(given.get("trust", False), as_json)
    try:
        run = matching.begin(game, *players, progress=True, **given)
        result = run.finish()
    except HannanError as error:
        if isinstance(error.partial, MatchResult):
            _print(error.partial, decide, record if isinstance(error, PlayerError) else None, checkpoint, as_json)
        raise
    _print(result, decide, record, checkpoint if run.unsaved is None else None, as_json)
    if run.unsaved is not None:
        raise run.unsaved


def _print(result: MatchResult, decide: bool, record: Path | None, checkpoint: Path | None, as_json: bool) -> None:
    def show() -> None:
        report.grid(f"{result.game}: {result.games:,} games", *result.table())
        if result.pairings:
            met = [
                [" — ".join(result.players[k] for k in who), "  ".join(f"{score:.6g}" for score in scores)]
                for who, scores in result.pairings
            ]
            report.grid("\nwho met", ["players", "scores a game"], met)
        worth = result.effective_games
        rows = {
            "stopped": f"{STOPS[result.stop]}, after {duration(result.seconds)}"
            + ("; it is not certain who scores most" if decide and result.stop != "decided" else ""),
            "confidence": f"{100 * result.confidence:.6g} %, of all bounds together, whenever the match ends"
            if result.half_widths is not None
            else "no bounds: the range of payoffs is not known (--bounds LOW,HIGH)",
            "intervals": "none: the scores themselves decided when the match ended"
            if decide
            else "Student's, at the same confidence: approximations, and wrong if large losses are rare",
            "chance": "the same for all seatings" if result.duplicate else "anew in every game",
        }
        if worth is not None and result.variance_reduction is not None:
            rows["worth"] = f"{worth:,.0f} independent games ({result.variance_reduction:.3g} times as many)"
        report.facts("", rows)
        report.name_files(False, {"every game": record, "checkpoint": checkpoint})

    answer(as_json, result.record(), show)
