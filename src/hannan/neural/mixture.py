"""Mixtures of strategies: each player draws one before a play and keeps it to the end."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.forms.game import ExpandedGame
from hannan.strategies.profile import Profile, reaches


def mixture(game: ExpandedGame, strategies: list[tuple[Floats, ...]], weights: list[float]) -> tuple[Floats, ...]:
    """Return behaviour strategies equivalent to drawing one of several before each play, by weight."""
    total = [np.zeros(plex.sequences) for plex in game.form.treeplexes]
    ends = np.cumsum([0, *(plex.sequences for plex in game.form.treeplexes)])
    for weight, profile in zip(weights, strategies, strict=True):
        reach = reaches(game, Profile(game, profile))
        for player, mine in enumerate(total):
            mine += weight * reach[ends[player] : ends[player + 1]]
    result = []
    for plex, mine in zip(game.form.treeplexes, total, strict=True):
        strategy = np.ones(plex.sequences)
        above = np.repeat(mine[plex.parent], plex.sizes)
        strategy[1:] = np.divide(mine[1:], above, out=np.repeat(1.0 / plex.sizes, plex.sizes), where=above > 0.0)
        result.append(strategy)
    return tuple(result)
