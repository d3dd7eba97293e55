"""Matches: players take every seat in turn, with the same chance for all of them, and get scores with bounds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import combinations
from typing import Annotated, TypedDict, Unpack

import numpy as np

from hannan.arguments import SEED, Option, between, count, positive, settled, whole
from hannan.arrays import Longs
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import is_box
from hannan.forms.loader import Loadable, load
from hannan.forms.workers import open_workers
from hannan.measures.bounds import Range
from hannan.measures.corrections import corrected_ranges
from hannan.measures.imagined import imagined
from hannan.measures.plays import PlayTable
from hannan.measures.ranges import given_range, payoff_range
from hannan.measures.values import learnt_worth
from hannan.options import declaring
from hannan.pieces.options import SpreadOptions
from hannan.runs.match_pieces import check_table_travels
from hannan.runs.match_work import Matching, Terms
from hannan.runs.options import SavedOptions
from hannan.runs.past import past_in
from hannan.runs.players import Given, seated
from hannan.runs.progress import Limits, Schedule
from hannan.runs.run import PathTo, Run, finishing
from hannan.runs.status_line import Watcher, clock_line
from hannan.runs.tally import MatchResult, Span, Tally
from hannan.splitmix import first_random

VALUES_STREAM = 2
NEVER = Schedule(first=2**62)
"""When a match measures a gap."""


class _MatchTerms(TypedDict, total=False):
    games: Annotated[
        int,
        Option(
            "The number of games in all, rounded up so that each player sits in each seat equally often.",
            10_000,
            check=lambda name, value: whole(name, value, 1, 2**40),
        ),
    ]
    seed: Annotated[int, SEED]
    confidence: Annotated[
        float,
        Option("The probability with which all bounds hold together, whenever the match ends.", 0.95, check=between),
    ]
    duplicate: Annotated[
        bool, Option("Give all seatings of a row of games the same chance. A row has every seating once.", True)
    ]
    aivat: Annotated[
        int,
        Option(
            "Remove luck from the scores by values of histories that a sampler learns in this many iterations. 0: off.",
            0,
            check=count,
        ),
    ]
    decide: Annotated[bool, Option("Stop as soon as it is certain, with this confidence, who scores most.", False)]
    bounds: Annotated[
        tuple[float, float] | str | None,
        Option(
            "The least and the most that any player can earn in a game, as LOW,HIGH. Default: what the tree or the "
            "rules say. If they say nothing, there are intervals and no bounds."
        ),
    ]
    seconds: Annotated[float | None, Option("Stop after this many seconds of play.", check=positive)]
    record: Annotated[PathTo | None, Option("Write each game to this file, one JSON object per line.")]
    names: Annotated[Sequence[str] | None, Option("The names of the players in results.", python_only=True)]


class MatchOptions(_MatchTerms, SpreadOptions, SavedOptions, total=False):
    """The options of `match`."""


@finishing("this match", ("checkpoint",), ("record",))
@declaring(MatchOptions)
def match(
    game: Annotated[Loadable, Option("The game to play.")],
    *players: Annotated[
        Given,
        Option(
            "As many players as there are seats, or more for a round robin: strategies, strategy files, checkpoints, "
            "the word `uniform`, file.py:Rule (a callable from what a seat has seen to an action or a distribution), "
            "openspiel:BOT in one of OpenSpiel's games, a method such as 'cfr+(iterations=100)' or "
            "'file.py:MyCFR(iterations=100)', its class, a solver or a result, or a search before each move, such as "
            "\"search(rule='rm-mean',iterations=10000)\"."
        ),
    ],
    **options: Unpack[MatchOptions],
) -> Run[MatchResult]:
    """Play a match: strategies meet in every seat, and the result says what each earns per game.

    A match is resumed with the same players and options, and may then have more games. The command `hannan match` has
    the same options (docs/reference/options.md).

    Returns
    -------
    MatchResult
        The mean score of each player with its error bounds, in the order in which the players were given.

    Raises
    ------
    ParameterError
        If the number of players does not fit the seats of the game, or an option has a wrong value.
    PlayerError
        If a player gives no legal answer. Its attribute `match` has the result of the games until then.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.match("kuhn_poker", "uniform", hn.solve("kuhn_poker"), games=1000, seed=1)
    MatchResult(kuhn_poker: uniform -0.124 ± 0.088, lp +0.124 ± 0.088; 1,000 games, stopped by games)
    """
    chosen = settled("match", MatchOptions, options)
    seed, confidence, aivat, decide = chosen["seed"], chosen["confidence"], chosen["aivat"], chosen["decide"]
    progress, resume = chosen["progress"], chosen["resume"]
    given = given_range(chosen["bounds"])
    played = load(game).stepped()
    with _shown(progress, "making the players"):
        table_players = seated(played, players, chosen["names"], chosen["trust"])
    if aivat and is_box(played):
        raise UnsuitableError(
            f"{played.address} is a black box: what its histories are worth cannot be learnt; leave aivat out"
        )
    seatings = _seatings(len(table_players), played.players)
    with _shown(progress, "learning what histories are worth"):
        worth = learnt_worth(played, aivat, first_random(seed, VALUES_STREAM) >> 1) if aivat else None
        table = PlayTable(played, table_players, seatings, worth, imagined(played, table_players, seatings, worth))
    span = _span(table, given)
    if decide and span is None:
        raise UnsuitableError(f"the rules of {played.address} do not say what can be earned: give bounds, LOW,HIGH")
    tally = Tally(table, span, 1 - confidence, decide)
    terms = Terms(seed, chosen["duplicate"], confidence, decide, aivat)
    work = Matching(table, tally, -(-chosen["games"] // len(seatings)), terms, chosen["record"])
    past = None if resume is None else past_in(resume, {"seconds": work.restore(resume).get("seconds", 0.0)})
    if chosen["on"] != "serial":
        check_table_travels(table)
    run = Run(
        work, Limits(seconds=chosen["seconds"]), past=past, schedule=NEVER, checkpoint=chosen["checkpoint"],
        every=chosen["every"], progress=progress,
    )  # fmt: skip
    work.workers = run.hold.enter_context(open_workers(chosen))
    return run


def _shown(progress: bool | Watcher | None, what: str) -> AbstractContextManager[None]:
    """Show what is being prepared, if there is a terminal."""
    return clock_line(what) if progress is True else nullcontext()


def _seatings(players: int, seats: int) -> Longs:
    """List who sits where, [games a row, seats]: every choice of players, in every rotation."""
    if players < seats:
        raise ParameterError(
            f"the game has {seats} seats: name {seats} players and not {players}; name one several times if it should "
            "play itself"
        )
    turns = [
        [who[(seat + turn) % seats] for seat in range(seats)]
        for who in combinations(range(players), seats)
        for turn in range(seats)
    ]
    return np.array(turns, np.int64)


def _span(table: PlayTable, given: Range | None) -> Span | None:
    """Return the ranges of what each seat earns, and of its corrected score; None if they are not known."""
    ranges = payoff_range(table.game, given)
    if ranges is None:
        return None
    low, high = np.array(ranges, np.float64).T
    least, most = corrected_ranges(table, low, high)
    return Span(low, high, least, most)
