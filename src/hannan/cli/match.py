"""The command `match`: players meet in every seat, and each gets a score with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hannan.cli import report
from hannan.cli.options import Json, Whole
from hannan.cli.output import answer
from hannan.cli.targets import check_targets
from hannan.errors import HannanError, ParameterError, PlayerError
from hannan.runs.match import begin
from hannan.runs.tally import Match
from hannan.runs.watching import duration

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
    as_json: Json = False,
) -> None:
    """Let players meet in every seat, with the same chance, and print scores with their intervals.

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
        The probability with which all intervals hold together.
    duplicate
        Give all seatings of a row of games the same chance.
    aivat
        Take luck out of the scores with values of histories that a sampler learns in so many iterations.
    decide
        Stop as soon as it is certain who scores most; the intervals then hold at any stopping time.
    bounds
        LOW,HIGH: the least and the most that anybody can earn, for --decide where the rules do not say so.
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
    ends = None if bounds is None else _ends(bounds)
    try:
        run = begin(
            game, *players, games=games, seed=seed, confidence=confidence, duplicate=duplicate, aivat=aivat,
            decide=decide, bounds=ends, seconds=seconds, record=record, checkpoint=checkpoint, every=every,
            resume=resume, progress=True,
        )  # fmt: skip
        result = run.finish()
    except HannanError as error:
        if isinstance(error.partial, Match):
            _print(error.partial, decide, record if isinstance(error, PlayerError) else None, checkpoint, as_json)
        raise
    _print(result, decide, record, checkpoint if run.unsaved is None else None, as_json)
    if run.unsaved is not None:
        raise run.unsaved


def _ends(text: str) -> tuple[float, float]:
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise ParameterError(f"--bounds {text} should be two numbers, LOW,HIGH") from None
    return low, high


def _short(numbers: Sequence[float | None]) -> list[str | None]:
    return [None if number is None else f"{number:.4g}" for number in numbers]


def _print(result: Match, decide: bool, record: Path | None, checkpoint: Path | None, as_json: bool) -> None:
    def show() -> None:
        seats = [f"seat {seat}" for seat in range(len(result.seats[0]))]
        header = ["player", "score a game", "give or take", "won", "drawn", "lost", *seats]
        lines = [
            [name, f"{score:.6g}", f"{width:.3g}", won, drawn, lost, *_short(by_seat)]
            for name, score, width, won, drawn, lost, by_seat in zip(
                result.players, result.scores, result.half_widths, result.wins, result.draws, result.losses,
                result.seats, strict=True,
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
            "confidence": f"{100 * result.confidence:.6g} %, of all intervals together"
            + (", at any stopping time" if decide else ""),
            "chance": "the same for all seatings" if result.duplicate else "anew in every game",
        }
        if worth is not None and result.variance_reduction is not None:
            rows["worth"] = f"{worth:,.0f} independent games ({result.variance_reduction:.3g} times as many)"
        report.facts("", rows)
        if record is not None:
            report.console().print(f"every game written to {record}")
        if checkpoint is not None:
            report.console().print(f"checkpoint written to {checkpoint}")

    answer(as_json, result.record(), show)
