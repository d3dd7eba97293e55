"""Earnings of a player against a strategy if one of them is not a table: plays by plain steps, in pieces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hannan.errors import HannanError
from hannan.interrupts import go_on
from hannan.measures.means import Mean
from hannan.measures.piecework import Cut, Stop, cuts, taken, travelling
from hannan.measures.players import Player, playing
from hannan.measures.plays import PlayTable
from hannan.measures.responses.search import LookAheadPlayer, Note
from hannan.pieces.packing import check_travels
from hannan.pieces.workers import Workers
from hannan.splitmix import first_random
from hannan.strategies.strategy import Strategy

PIECE = 10
"""Plays in a piece."""
FIRST_PIECES = 10
"""The number of pieces that are always made."""
PLAYS = 20_000
"""The largest number of plays: plain steps are slow."""


class SteppedPart(NamedTuple):
    """The result of one piece."""

    earned: list[float]
    notes: list[Note]
    """The choices of a player that looks ahead."""
    failure: HannanError | None
    """The error in the next play, if it failed."""


class SteppedPlays:
    """Plays of one player in a seat against a strategy in all others."""

    def __init__(self, strategy: Strategy, seat: int, player: Player, chance: int, drawn: int) -> None:
        """chance, drawn: the first random numbers of chance and of the players."""
        self._given = strategy, seat, player, chance, drawn
        game, name = strategy.game.played(), "the strategy"
        seating = np.ones((1, game.players), np.int64)
        seating[0, seat] = 0
        self._table = PlayTable(game, [player, playing(game, name, strategy)], seating)
        self._notes: list[Note] = player.notes if isinstance(player, LookAheadPlayer) else []
        self._seat, self._chance, self._drawn = seat, chance, drawn
        self._earned: list[float] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return SteppedPlays, self._given

    def make(self, plays: int, stop: Stop, workers: Workers | None = None) -> None:
        """Make `plays` plays, or fewer if `stop` returns true; forget earlier plays.

        An error has the `mean` of the plays before it as `partial`.
        """
        if workers is not None and workers.on != "serial":
            for player in self._table.players:
                check_travels(player.name, player)
        pieces = cuts(min(plays, PLAYS), PIECE)
        parts: list[SteppedPart] = taken(
            SteppedPlays.piece, pieces, self, workers, stop=stop, least=FIRST_PIECES,
            last=lambda part: part.failure is not None,
        )  # fmt: skip
        self._earned = [earned for part in parts for earned in part.earned]
        for part in parts:
            self._notes += part.notes
        if parts and (failure := parts[-1].failure) is not None:
            failure.partial = self.mean()
            raise failure

    def piece(self, cut: Cut) -> SteppedPart:
        """Make the plays of one piece."""
        number, plays = cut
        earned, before, failure = list[float](), len(self._notes), None
        try:
            for k in range(PIECE * number, PIECE * number + plays):
                if earned:
                    go_on()
                play = self._table.play(0, first_random(self._chance, k), first_random(self._drawn, k))
                earned.append(float(play.earned[self._seat]))
        except HannanError as error:
            failure = travelling(error)
        finally:
            notes = self._notes[before:]
            del self._notes[before:]  # `make` adds the notes of all pieces in order
        return SteppedPart(earned, notes, failure)

    def mean(self) -> Mean | None:
        """Return the mean earnings of the player; None before the first play."""
        return Mean.of(np.array(self._earned)) if self._earned else None
