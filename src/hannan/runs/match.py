"""Matches: players take every seat in turn, with the same chance for all of them, and get scores with bounds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import combinations
from os import PathLike

import numpy as np

from hannan import arguments
from hannan.arguments import check_trust
from hannan.arrays import Longs
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.loader import Loadable, load
from hannan.forms.trust import Trust
from hannan.measures.bounds import Range
from hannan.measures.corrections import corrected_ranges
from hannan.measures.imagined import imagined
from hannan.measures.plays import PlayTable
from hannan.measures.ranges import given_range, payoff_range
from hannan.measures.values import learnt_worth
from hannan.runs.match_work import Matching, Terms
from hannan.runs.past import past_in
from hannan.runs.players import Given, seated
from hannan.runs.progress import Limits, Schedule
from hannan.runs.run import EVERY, PathTo, Run, finishing
from hannan.runs.status_line import Watcher, clock_line
from hannan.runs.tally import Match, Span, Tally
from hannan.splitmix import first_random

VALUES_STREAM = 2
NEVER = Schedule(first=2**62)
"""When a match measures a gap."""


@finishing("this match", ("checkpoint",), ("record",))
def match(
    game: Loadable,
    *players: Given,
    games: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    duplicate: bool = True,
    aivat: int = 0,
    decide: bool = False,
    bounds: tuple[float, float] | None = None,
    seconds: float | None = None,
    record: str | PathLike[str] | None = None,
    names: Sequence[str] | None = None,
    checkpoint: PathTo | None = None,
    every: float = EVERY,
    resume: PathTo | None = None,
    progress: bool | Watcher | None = None,
    trust: Trust = False,
) -> Run[Match]:
    """Let players meet in every seat, and say what each earns a game.

    players: profiles, policies, strategy files, `uniform`, callables from a `Sight`, `file.py:Rule`, methods such as
    `cfr+(iterations=100)`, a `Searcher` or `search(rule='rm',iterations=1000)`, `openspiel:BOT`; as many as there are
    seats, or more for a round robin. names: what results call them. games: how many in all, rounded up so that
    everybody sits in every seat equally often. confidence: the probability with which all bounds hold together.
    seconds: of play, at most. duplicate: every row of games, in which all seatings come once, has the same chance.
    aivat: iterations of a sampler that learns values of histories, by which luck is then taken out of the scores (0:
    none). decide: stop as soon as it is certain, with `confidence`, who scores most. bounds: the least and the most
    that anybody can earn in a game. Default: what the tree or the rules say; where they say nothing, there is no bound.
    record: a file for every game, JSON lines. Checkpoint, resume and progress are as for `solve`; a match is resumed
    with the same players and terms, and may then have more games. trust: whether code that a player's file names, such
    as the evaluation function of an exact search, may be run.

    A player that gives no legal answer raises a `PlayerError`, whose `match` tells of the games until then.
    """
    check_trust(trust)
    played = load(game).played()
    with _shown(progress, "making the players"):
        table_players = seated(played, players, names, trust)
    games, seed = arguments.whole("games", games, 1, 2**40), arguments.seed(seed)
    confidence, aivat = arguments.between("confidence", confidence), arguments.count("aivat", aivat)
    arguments.truth("duplicate", duplicate)
    if seconds is not None:
        arguments.positive("seconds", seconds)
    arguments.truth("decide", decide)
    given = given_range(bounds)
    seatings = _seatings(len(table_players), played.players)
    with _shown(progress, "learning what histories are worth"):
        worth = learnt_worth(played, aivat, first_random(seed, VALUES_STREAM) >> 1) if aivat else None
        table = PlayTable(played, table_players, seatings, worth, imagined(played, table_players, seatings, worth))
    span = _span(table, given)
    if decide and span is None:
        raise UnsuitableError(f"the rules of {played.address} do not say what can be earned: give --bounds LOW,HIGH")
    tally = Tally(table, span, 1 - confidence, decide)
    terms = Terms(seed, duplicate, confidence, decide, aivat)
    work = Matching(table, tally, -(-games // len(seatings)), terms, record)
    past = None if resume is None else past_in(resume, {"seconds": work.restore(resume).get("seconds", 0.0)})
    until = Limits(seconds=seconds)
    return Run(work, until, past=past, schedule=NEVER, checkpoint=checkpoint, every=every, progress=progress)


def _shown(progress: bool | Watcher | None, what: str) -> AbstractContextManager[None]:
    """Show what is being made ready, where somebody watches a terminal."""
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
    """Return between which numbers lies what each seat earns, and its corrected score; None where that is not known."""
    ranges = payoff_range(table.game, given)
    if ranges is None:
        return None
    low, high = np.array(ranges, np.float64).T
    least, most = corrected_ranges(table, low, high)
    return Span(low, high, least, most)
