"""What a rule earns against a strategy: plays by plain steps, because a rule is Python."""

from __future__ import annotations

from itertools import count
from math import sqrt

import numpy as np

from hannan.measures.players import Player, Rule, rule_player, table_player
from hannan.measures.playing import Table
from hannan.measures.rollouts import Mean, Stop
from hannan.solvers.sampling.tables import first_random
from hannan.strategies.policy import Policy

FIRST_PLAYS = 100
"""Plays that are made in any case."""
PLAYS = 20_000
"""The most plays: plain steps are slow."""
CHANCE, DRAWS = 11, 12
"""Numbers of streams of random numbers."""


def earned_by_rule(policy: Policy, player: int, rule: Rule, seed: int, plays: int, stop: Stop) -> Mean:
    """Play a rule in the seat of a player, everybody else by the policy, and average what it earns.

    An answer that is no legal action and no distribution is refused with the path of play.
    """
    name = str(getattr(rule, "__name__", type(rule).__name__))
    game = policy.game.played()
    everybody: list[Player] = [rule_player(game, name, rule), table_player(game, "the strategy", policy)]
    seating = np.ones((1, policy.game.players), np.int64)
    seating[0, player] = 0
    table, earned = Table(game, everybody, seating), []
    for k in count():
        if k >= min(plays, PLAYS) or (k >= FIRST_PLAYS and stop()):
            break
        chance, drawn = (first_random(first_random(seed, number), k) for number in (CHANCE, DRAWS))
        earned.append(float(table.play(0, chance, drawn).earned[player]))
    return Mean(len(earned), float(np.mean(earned)), float(np.std(earned)) / sqrt(len(earned)))
