"""A strategy as a player: it takes a seat, sees what its player sees, and acts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import Any

from hannan.strategies.asked import Asked, no_table
from hannan.strategies.policy import UNKNOWN, Policy
from hannan.strategies.profile import Profile


class StrategyPlayer:
    """Plays one seat by a profile or a policy, in a box or in a match; uniformly where the strategy knows nothing."""

    def __init__(self, strategy: Profile | Policy | Asked, player: int, seed: int = 0) -> None:
        if isinstance(strategy, Asked):
            raise no_table(strategy, "a player in a box")
        policy = Policy.of_profile(strategy) if isinstance(strategy, Profile) else strategy
        policy.game.check_player(player)
        self.policy, self.player = policy, player
        self._random = Random(seed)
        self._sequence = player

    def reset(self) -> None:
        """A new game begins."""
        self._sequence = self.player

    def act(self, observation: Hashable, actions: Sequence[Any]) -> Any:
        """Return one of the actions; they are in the order in which the game lists them."""
        known = self._sequence != UNKNOWN
        place = self.policy.find(self._sequence, observation, len(actions)) if known else UNKNOWN
        weights, places = self.policy.offered(place, actions)
        (k,) = self._random.choices(range(len(actions)), weights.tolist())
        self._sequence = self.policy.after(self.player, place, places[k])
        return actions[k]
