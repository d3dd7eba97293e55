"""A test whether a game has more sequences than a given number, without expanding it."""

from __future__ import annotations

import random
from collections.abc import Hashable
from typing import Any

from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.outline import estimate
from hannan.rules.paths import moves_at
from hannan.rules.plain import CHANCE, Rules, movers

MANY = 100
"""If a game has at most this many estimated histories per allowed sequence, it can be expanded and counted instead."""

MOST_PLAYS = 2000
"""The most random plays."""


def more_sequences(game: PlayedGame, most: int) -> bool:
    """Return whether random plays meet more than `most` sequences of all players; True is certain, False is not."""
    if isinstance(game, ExpandedGame) and "tree" in vars(game):
        return False
    if estimate(game.rules, plays=8) <= MANY * most:
        return False
    return _met(game.rules, most, min(64 + most // 4, MOST_PLAYS)) > most


def _met(rules: Rules, most: int, plays: int) -> int:
    """Count the sequences that `plays` random plays meet; stop soon after there are more than `most`."""
    draw = random.Random(0)
    sets: dict[Hashable, int] = {}  # by the last own sequence and the observation: the first sequence of the set
    count = rules.players
    for _ in range(plays):
        state: Any = rules.start()
        last = list(range(rules.players))
        while moves := moves_at(rules, state):
            turn = rules.turn(state)
            move = draw.choice(moves)[0]
            for player in () if turn == CHANCE else movers(turn):
                actions = list(rules.actions(state, player))
                key = (last[player], rules.observe(state, player))
                if key not in sets:
                    sets[key] = count
                    count += len(actions)
                taken = move[movers(turn).index(player)] if isinstance(turn, tuple) else move
                last[player] = sets[key] + actions.index(taken)
            if count > most:
                return count
            state = rules.after(state, move)
    return count
