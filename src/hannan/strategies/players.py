"""A strategy as a player: it takes a seat, sees what its player sees, and acts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import Any

from hannan.arguments import seed as checked_seed
from hannan.arguments import shown
from hannan.errors import MismatchError, ParameterError
from hannan.rules.observations import tupled
from hannan.strategies.asked import Asked, no_table
from hannan.strategies.kinds import check_is_strategy
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile


class StrategyPlayer:
    """Plays one seat by a profile or a policy, in a box or in a match; uniformly where the strategy knows nothing."""

    def __init__(self, strategy: Profile | Policy | Asked, player: int, seed: int = 0) -> None:
        check_is_strategy(strategy)
        if isinstance(strategy, Asked):
            raise no_table(strategy, "a player in a box")
        policy = Policy.of_profile(strategy) if isinstance(strategy, Profile) else strategy
        policy.game.check_player(player)
        self.policy, self.player = policy, player
        self._random = Random(checked_seed(seed))
        self._sequence = player

    def reset(self) -> None:
        """A new game begins."""
        self._sequence = self.player

    def act(self, observation: Any, actions: Sequence[Any]) -> Any:
        """Return one of the actions; they are in the order in which the game lists them.

        A list in an observation stands for a tuple: what came as JSON has lists.
        """
        observation = tupled(observation)
        if not isinstance(observation, Hashable):
            raise ParameterError(f"observation={shown(observation)} cannot be looked up")
        if not isinstance(actions, Sequence) or not actions:
            raise ParameterError(f"actions={shown(actions)} should be a list of actions to choose from")
        place = self.policy.find(self._sequence, observation, len(actions))
        weights, places = self.policy.offered(place, actions)
        if len(weights) != len(actions):
            raise MismatchError(
                f"the strategy of player {self.player} has {len(weights)} actions where it is offered {len(actions)}: "
                "it is one of another game"
            )
        (k,) = self._random.choices(range(len(actions)), weights.tolist())
        self._sequence = self.policy.after(self.player, place, places[k])
        return actions[k]
