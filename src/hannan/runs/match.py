"""Matches: players take every seat in turn, with the same chance for all of them, and get scores with intervals."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from hannan import arguments
from hannan.arrays import Floats, Longs
from hannan.errors import HannanError, ParameterError, UnsuitableError
from hannan.files import check_writable, write_bytes
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.loading import Loadable, load
from hannan.measures.playing import Table
from hannan.measures.values import learnt_worth
from hannan.runs.interrupts import interrupts
from hannan.runs.players import Given, seated
from hannan.runs.tally import Match, Stop, Tally
from hannan.solvers.sampling.tables import MASK, first_random

FIRST_SLICE, LARGEST_SLICE = 16, 8192
"""Rows of games between two questions whether to stop: the same whatever the clock says, so that results are, too."""
CHANCE_STREAM, VALUES_STREAM = 1, 2
STEP = 0xD1342543DE82EF95


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
    progress: Callable[[int, int], None] | None = None,
) -> Match:
    """Let players meet in every seat, and say what each earns a game.

    players: profiles, policies, strategy files, `uniform`, callables from a `Sight`, `file.py:Rule`, methods such as
    `cfr+(iterations=100)`; as many as there are seats, or more for a round robin. games: how many in all, rounded up
    so that everybody sits in every seat equally often. duplicate: every row of games, in which all seatings come once,
    has the same chance. aivat: iterations of a sampler that learns values of histories, by which luck is then taken
    out of the scores (0: none). decide: stop as soon as it is certain, with `confidence`, who scores most; the
    intervals then hold at any stopping time. bounds: the least and the most that anybody can earn, where neither the
    tree nor the rules say so. record: a file for every game, JSON lines. progress: told how many games of how many
    are over.

    A player that gives no legal answer raises a `PlayerError`, whose `match` tells of the games until then.
    """
    played = load(game).played()
    table_players = seated(played, players, names)
    games, seed = arguments.whole("games", games, 1, 2**40), arguments.seed(seed)
    confidence, aivat = arguments.between("confidence", confidence), arguments.count("aivat", aivat)
    arguments.truth("duplicate", duplicate)
    if seconds is not None:
        arguments.positive("seconds", seconds)
    if arguments.truth("decide", decide) and aivat:
        raise ParameterError("decide and aivat do not go together: corrected scores have no range to bound them by")
    if record is not None:
        check_writable(record)
    seatings = _seatings(len(table_players), played.players)
    worth = learnt_worth(played, aivat, first_random(seed, VALUES_STREAM) >> 1) if aivat else None
    table = Table(played, table_players, seatings, worth)
    tally = Tally(table, _range(played, bounds) if decide else None, 1 - confidence)
    rows = -(-games // len(seatings))
    lines: list[str] | None = None if record is None else []
    begun = time.perf_counter()
    stop: Stop = "games"
    failure: HannanError | None = None
    with interrupts(1) as pressed:

        def late() -> bool:
            return bool(pressed()) or (seconds is not None and time.perf_counter() - begun >= seconds)

        while tally.rows < rows and stop == "games":
            size = min(LARGEST_SLICE, FIRST_SLICE + tally.rows // 4, rows - tally.rows)
            chances, draws = game_streams(seed, tally.rows, size, len(seatings), duplicate)
            batch = table.batch(chances, draws, late, lines is not None)
            tally.add(batch, lines)
            failure = batch.failure
            if progress is not None:
                progress(tally.games, rows * len(seatings))
            if failure is not None:
                stop = "failed"
            elif decide and tally.decided:
                stop = "decided"
            elif tally.rows < rows and late():
                stop = "interrupted" if pressed() else "seconds"
    if lines is not None and record is not None:
        write_bytes(record, "".join(lines).encode())
    result = tally.result(confidence, duplicate, time.perf_counter() - begun, stop, seed)
    if failure is not None:
        failure.partial = result
        raise failure
    return result


def _seatings(players: int, seats: int) -> Longs:
    """List who sits where, [games a row, seats]: every choice of players, in every rotation."""
    if players < seats:
        raise ParameterError(
            f"the game has {seats} seats, and there are {players} players: name as many as there are seats, one of "
            "them several times if it should play itself"
        )
    turns = [
        [who[(seat + turn) % seats] for seat in range(seats)]
        for who in combinations(range(players), seats)
        for turn in range(seats)
    ]
    return np.array(turns, np.int64)


def game_streams(seed: int, first: int, rows: int, games: int, duplicate: bool) -> tuple[Any, Any]:
    """Return where chance's and the players' random numbers begin in each game, [rows, games]."""
    row = np.arange(first, first + rows, dtype=np.uint64)[:, None]
    key = _mixed(np.uint64(first_random(seed, CHANCE_STREAM)) + row * np.uint64(STEP))
    game = np.arange(games, dtype=np.uint64)[None, :]
    chances = _mixed(key + (np.uint64(0) * game if duplicate else game) * np.uint64(2 * STEP & MASK))
    return chances, _mixed(key + (np.uint64(2) * game + np.uint64(1)) * np.uint64(STEP))


def _mixed(z: Any) -> Any:
    """Mix 64 bits: the last step of SplitMix64, on arrays."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _range(game: PlayedGame, bounds: tuple[float, float] | None) -> tuple[Floats, Floats]:
    """Return the least and the most that each seat can earn."""
    if bounds is not None:
        low, high = (arguments.number("bounds", end) for end in bounds)
        if low >= high:
            raise ParameterError(f"bounds={low:g},{high:g} should be the least and the most that anybody can earn")
        return np.full(game.players, low), np.full(game.players, high)
    if isinstance(game, ExpandedGame):
        return game.payoff_range
    start = game.rules.start()
    pairs = game.rules.bounds(start) if game.rules.writes("bounds") else None
    if pairs is None:
        raise UnsuitableError(f"the rules of {game.address} do not say what can be earned: give --bounds LOW,HIGH")
    gains = np.array(game.rules.gains(start))
    low_, high_ = np.array(pairs, np.float64).T
    return low_ + gains, high_ + gains
