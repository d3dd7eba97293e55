"""A table of a strategy that is not a table, at the sets that plays reach: responses are learnt against this table."""

from __future__ import annotations

import random
from collections.abc import Hashable
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.rules.observations import canonical
from hannan.rules.paths import random_play
from hannan.strategies.policy import Policy
from hannan.strategies.seats import inform
from hannan.strategies.strategy import Strategy

PLAYS = 3_000
"""The default number of plays."""


def tabulated(strategy: Strategy, seed: int, plays: int = PLAYS) -> Policy:
    """Return the strategy's mean probabilities at the sets that plays reached; elsewhere play is uniform.

    In each play at most one player, each in turn, takes a uniformly random action half of the time, because a response
    reaches sets that the strategy itself does not reach.
    """
    table, draw = _Table(strategy), random.Random(seed)
    for play in range(plays):
        table.play(draw, play % (strategy.game.players + 1))
    return table.policy()


class _Table:
    """Sets in the order in which plays reached them."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy, self.game = strategy, strategy.game.played()
        self.rules, self.players = self.game.rules, self.game.players
        self.places: dict[tuple[int, int], int] = {}
        self.codes: dict[Hashable, int] = {}
        self.base: list[int] = []
        self.weight: list[Floats] = []
        self.visits: list[int] = []
        self.end = self.players

    def play(self, draw: random.Random, straying: int) -> None:
        """Make one play, in which the player `straying` (or no player) strays from the strategy."""
        rules, last = self.rules, list(range(self.players))
        luck = draw.getrandbits(62) * self.players
        seats = [self.strategy.sit(player, luck + player) for player in range(self.players)]

        def choose(state: Any, player: int, menu: list[Any]) -> int:
            seat = seats[player]
            inform(seat, rules, state, player)
            seen = rules.observe(state, player)
            weights = seat.choose(seen, menu).weights
            place = self._place(last[player], seen, weights)
            stray = player == straying and draw.random() < 0.5
            (k,) = draw.choices(range(len(menu)), None if stray else weights.tolist())
            seat.took(k)
            last[player] = self.base[place] + k
            return k

        for _ in random_play(rules, draw, choose):
            pass

    def _place(self, before: int, seen: Hashable, weights: Floats) -> int:
        code: Any = seen if self.game.coded else self.codes.setdefault(seen, len(self.codes))
        place = self.places.setdefault((before, code), len(self.places))
        if place == len(self.base):
            self.base.append(self.end)
            self.weight.append(np.zeros(len(weights)))
            self.visits.append(0)
            self.end += len(weights)
        self.weight[place] += weights
        self.visits[place] += 1
        return place

    def policy(self) -> Policy:
        """Return the table."""
        keys = np.array(list(self.places), np.int64).reshape(-1, 2)
        means = [weight / visits for weight, visits in zip(self.weight, self.visits, strict=True)]
        labels = None if self.game.coded else tuple(map(canonical, self.codes))
        return Policy(
            self.game, np.ascontiguousarray(keys[:, 0]), np.ascontiguousarray(keys[:, 1]),
            np.array(self.base, np.int64), np.array([len(mean) for mean in means], np.int64),
            np.concatenate((np.ones(self.players), *means)), labels, dict(self.strategy.facts),
            None if labels is None else dict(self.codes),
        )  # fmt: skip
