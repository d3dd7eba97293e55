"""Fictitious play: each player plays a best response to the others' average play so far.

G. W. Brown (1951), Iterative solution of games by fictitious play. All players move at once; of several best responses
the first is played.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hannan.arrays import Floats


def against(payoffs: Floats, player: int, mixed: tuple[Floats, ...]) -> Floats:
    """Return the payoff of each plan of a player against the others' mixed strategies; `payoffs` are the player's."""
    table = np.moveaxis(payoffs, player, 0)
    for other in reversed([strategy for p, strategy in enumerate(mixed) if p != player]):
        table = table @ other
    return table


def fictitious_play(payoffs: Floats, start: tuple[Floats, ...]) -> Iterator[tuple[Floats, ...]]:
    """Yield the play of each round; `start` counts as one round before the first."""
    beliefs, rounds = [part.copy() for part in start], 1
    while True:
        values = [against(payoffs[p], p, tuple(beliefs)) for p in range(len(beliefs))]
        played = tuple(np.eye(len(value))[int(value.argmax())] for value in values)
        yield played
        rounds += 1
        for belief, pure in zip(beliefs, played, strict=True):
            belief += (pure - belief) / rounds
