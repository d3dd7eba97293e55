"""The information sets that plays of a strategy reach, with frequencies and values; the game is not expanded."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hannan.rules.paths import random_play
from hannan.strategies.seats import Seat, inform
from hannan.strategies.strategy import Strategy

PLAYS = 1000
"""The default number of plays by plain steps."""


@dataclass
class Visited:
    """The record of one information set."""

    player: int
    name: str
    actions: tuple[str, ...]
    probabilities: list[list[float]]
    """The strategy at each visit; only at the first visit if it is always the same."""
    visits: int = 0
    earned: list[float] = field(default_factory=list)

    @property
    def plays(self) -> list[float]:
        """The mean probability of each action."""
        return [sum(shares) / len(shares) for shares in zip(*self.probabilities, strict=True)]


def visited(strategy: Strategy, plays: int, seed: int) -> list[Visited]:
    """Return the information sets that plays of a strategy reached, the most frequent first."""
    sets: dict[Hashable, Visited] = {}
    luck = random.Random(seed)
    for _ in range(plays):
        _Play(strategy, luck).make(sets)
    return sorted(sets.values(), key=lambda one: -one.visits)


class _Play:
    """One play, which counts each set on its way once."""

    def __init__(self, strategy: Strategy, luck: random.Random) -> None:
        self.strategy, self.luck, self.rules = strategy, luck, strategy.game.played().rules
        self.mixed = strategy.is_drawn
        first, players = luck.getrandbits(62) if self.mixed else 0, self.rules.players
        self.seats: list[Seat] = [strategy.sit(player, first * players + player) for player in range(players)]
        self.words = [""] * players

    def make(self, sets: dict[Hashable, Visited]) -> None:
        """Play to the end."""
        met: dict[Hashable, Visited] = {}
        earned = [0.0] * self.rules.players

        def choose(state: Any, player: int, actions: list[Any]) -> int:
            seat, seen = self.seats[player], self.rules.observe(state, player)
            inform(seat, self.rules, state, player)
            weights = seat.choose(seen, actions).weights.tolist()
            k: int = self.luck.choices(range(len(actions)), weights)[0]
            seat.took(k)
            name, texts = self._named(player, seen, actions, k)
            key = (player, name, len(actions))
            one = sets.setdefault(key, Visited(player, name, texts, []))
            if self.mixed or not one.probabilities:
                one.probabilities.append(weights)
            met[key] = one
            return k

        for state, _ in random_play(self.rules, self.luck, choose):
            earned = [total + float(gain) for total, gain in zip(earned, self.rules.gains(state), strict=True)]
        for one in met.values():
            one.visits += 1
            one.earned.append(earned[one.player])

    def _named(self, player: int, seen: Hashable, actions: Sequence[Any], k: int) -> tuple[str, tuple[str, ...]]:
        """Return the name of the set and of its actions; the player has taken action k."""
        sight = self.rules.observation_text(player, seen)
        name = sight if player in self.strategy.forgets else f"{self.words[player]} {sight}".strip()
        texts = tuple(self.rules.action_text(player, action) for action in actions)
        self.words[player] = f"{name} {texts[k]}"
        return name, texts
