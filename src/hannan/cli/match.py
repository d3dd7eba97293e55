"""The command `match`: players meet in every seat, and each gets a score with a bound on its error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hannan.cli import report
from hannan.cli.options import Json, Trusted, Whole, check_targets, consent
from hannan.cli.report import answer
from hannan.errors import HannanError, PlayerError
from hannan.measures.ranges import range_of_text
from hannan.runs.match import match as matching
from hannan.runs.status_line import duration
from hannan.runs.tally import Match

STOPS = {
    "games": "all games were played",
    "decided": "it is certain who scores most",
    "seconds": "time was up",
    "interrupted": "interrupted",
    "failed": "a player failed",
}


def match(
    game: str,
    /,
    *players: str,
    games: Whole = 10_000,
    seed: Whole = 0,
    confidence: float = 0.95,
    duplicate: bool = True,
    aivat: Whole = 0,
    decide: bool = False,
    bounds: str | None = None,
    seconds: float | None = None,
    record: Path | None = None,
    checkpoint: Path | None = None,
    every: float = 60.0,
    resume: Path | None = None,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Let players meet in every seat, with the same chance, and print scores with bounds on their error.

    Parameters
    ----------
    game
        The game to play.
    players
        As many as there are seats, or more for a round robin: strategy files, checkpoints, the word `uniform`,
        `file.py:Rule` (a callable from what a seat has seen to an action or a distribution), `openspiel:BOT` in one of
        OpenSpiel's games, a method with its parameters, such as 'cfr+(iterations=100)', or a search before each move,
        such as "search(rule='rm-mean',iterations=10000)".
    games
        How many games in all, rounded up so that everybody sits in every seat equally often.
    seed
        Where random numbers begin.
    confidence
        The probability with which all bounds hold together, whenever the match ends.
    duplicate
        Give all seatings of a row of games the same chance.
    aivat
        Take luck out of the scores with values of histories that a sampler learns in so many iterations.
    decide
        Stop as soon as it is certain, with this confidence, who scores most.
    bounds
        LOW,HIGH: the least and the most that anybody can earn in a game, where neither the tree nor the rules say so.
        Bounds need this range; without one, only intervals are printed.
    seconds
        Stop after so many seconds of play.
    record
        Write every game here, one JSON object a line.
    checkpoint
        Write what is known of the games so far here, about every so many seconds and at the end.
    every
        Seconds between two checkpoints.
    resume
        Go on from this checkpoint, with the same players and terms; there may be more games.
    """
    check_targets({"--record": record, "--checkpoint": checkpoint}, (game, *players))
    ends = range_of_text(bounds)
    try:
        run = matching.begin(
            game, *players, games=games, seed=seed, confidence=confidence, duplicate=duplicate, aivat=aivat,
            decide=decide, bounds=ends, seconds=seconds, record=record, checkpoint=checkpoint, every=every,
            resume=resume, progress=True, trust=consent(trust, as_json),
        )  # fmt: skip
        result = run.finish()
    except HannanError as error:
        if isinstance(error.partial, Match):
            _print(error.partial, decide, record if isinstance(error, PlayerError) else None, checkpoint, as_json)
        raise
    _print(result, decide, record, checkpoint if run.unsaved is None else None, as_json)
    if run.unsaved is not None:
        raise run.unsaved


def _short(numbers: Sequence[float | None], digits: int = 4) -> list[str | None]:
    return [None if number is None else f"{number:.{digits}g}" for number in numbers]


def _print(result: Match, decide: bool, record: Path | None, checkpoint: Path | None, as_json: bool) -> None:
    def show() -> None:
        seats = [f"seat {seat}" for seat in range(len(result.seats[0]))]
        header = ["player", "score a game", "off by at most", "interval, ±", "won", "drawn", "lost", *seats]
        unknown = (None,) * len(result.players)
        lines = [
            [name, f"{score:.6g}", *_short(widths, 3), won, drawn, lost, *_short(by_seat)]
            for name, score, widths, won, drawn, lost, by_seat in zip(
                result.players, result.scores,
                zip(result.half_widths or unknown, result.interval_half_widths or unknown, strict=True),
                result.wins, result.draws, result.losses, result.seats, strict=True,
            )
        ]  # fmt: skip
        report.grid(f"{result.game}: {result.games:,} games", header, lines)
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
            "intervals": "none: looking at the games ended the match"
            if decide
            else "Student's, at the same confidence: approximations, and false where large losses are rare",
            "chance": "the same for all seatings" if result.duplicate else "anew in every game",
        }
        if worth is not None and result.variance_reduction is not None:
            rows["worth"] = f"{worth:,.0f} independent games ({result.variance_reduction:.3g} times as many)"
        report.facts("", rows)
        report.name_files(False, {"every game": record, "checkpoint": checkpoint})

    answer(as_json, result.record(), show)
