"""What somebody earns against somebody else where one of them is no table: plays by plain steps."""

from __future__ import annotations

from itertools import count
from math import sqrt

import numpy as np

from hannan.forms.game import PlayedGame
from hannan.measures.players import Player, Rule, asked_player, rule_player, table_player
from hannan.measures.playing import Table
from hannan.measures.rollouts import Mean, Stop
from hannan.solvers.sampling.tables import first_random
from hannan.strategies.asked import Asked
from hannan.strategies.policy import Policy

FIRST_PLAYS = 100
"""Plays that are made in any case."""
PLAYS = 20_000
"""The most plays: plain steps are slow."""
CHANCE, DRAWS = 11, 12
"""Numbers of streams of random numbers."""


def earned_by(
    strategy: Policy | Asked, player: int, response: Policy | Asked | Rule, seed: int, plays: int, stop: Stop
) -> Mean:
    """Play a response in the seat of a player, everybody else by the strategy, and average what it earns.

    A rule's answer that is no legal action and no distribution is refused with the path of play.
    """
    game = strategy.game.played()
    named = str(getattr(response, "__name__", type(response).__name__))
    everybody = [_seated(game, named, response), _seated(game, "the strategy", strategy)]
    seating = np.ones((1, game.players), np.int64)
    seating[0, player] = 0
    table, earned = Table(game, everybody, seating), []
    for k in count():
        if k >= min(plays, PLAYS) or (k >= FIRST_PLAYS and stop()):
            break
        chance, drawn = (first_random(first_random(seed, number), k) for number in (CHANCE, DRAWS))
        earned.append(float(table.play(0, chance, drawn).earned[player]))
    return Mean(len(earned), float(np.mean(earned)), float(np.std(earned)) / sqrt(len(earned)))


def _seated(game: PlayedGame, name: str, given: Policy | Asked | Rule) -> Player:
    if isinstance(given, Policy):
        return table_player(game, name, given)
    return asked_player(game, name, given) if isinstance(given, Asked) else rule_player(game, name, given)
