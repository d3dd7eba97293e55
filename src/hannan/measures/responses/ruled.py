"""What a player earns against a strategy where one of them is no table: plays by plain steps."""

from __future__ import annotations

import numpy as np

from hannan.errors import HannanError
from hannan.measures.means import Mean
from hannan.measures.players import Player, playing
from hannan.measures.plays import PlayTable
from hannan.measures.rollouts import Stop
from hannan.splitmix import first_random
from hannan.strategies.strategy import Strategy

FIRST_PLAYS = 100
"""Plays that are made in any case."""
PLAYS = 20_000
"""The most plays: plain steps are slow."""


class SteppedPlays:
    """Plays of one player in a seat against a strategy in all others, one after another."""

    def __init__(self, strategy: Strategy, seat: int, player: Player, chance: int, drawn: int) -> None:
        """chance, drawn: where random numbers begin."""
        game, name = strategy.game.played(), "the strategy"
        seating = np.ones((1, game.players), np.int64)
        seating[0, seat] = 0
        self._table = PlayTable(game, [player, playing(game, name, strategy)], seating)
        self._seat, self._chance, self._drawn = seat, chance, drawn
        self._earned: list[float] = []

    @property
    def made(self) -> int:
        """How many plays were made."""
        return len(self._earned)

    def make(self, plays: int, stop: Stop) -> None:
        """Make plays until there were so many, or `stop` says true; an error has the `mean` of the plays before it."""
        while self.made < min(plays, PLAYS) and not (self.made >= FIRST_PLAYS and stop()):
            chance, drawn = first_random(self._chance, self.made), first_random(self._drawn, self.made)
            try:
                play = self._table.play(0, chance, drawn)
            except HannanError as error:
                error.partial = self.mean()
                raise
            self._earned.append(float(play.earned[self._seat]))

    def mean(self) -> Mean | None:
        """Return what the player has earned; None before the first play."""
        return Mean.of(np.array(self._earned)) if self._earned else None
