"""A player in one play: it gets only its seat's observations and actions, and answers with probabilities."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from hannan.arguments import seed as checked_seed
from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import MismatchError, ParameterError
from hannan.rules.observations import hashed
from hannan.rules.plain import Rules
from hannan.strategies.index import UNKNOWN


class Answer(NamedTuple):
    """What a player does at one of its choices."""

    weights: Floats  # [actions]  probabilities
    known: bool
    """Whether the player's play is drawn from `weights`. A rule that names an action may have drawn it itself."""
    even: bool = False
    """Whether it plays uniformly because the set is unknown: then a draw does not need `weights`."""


class Seat(Protocol):
    """A player in one play."""

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        """Return the probabilities of these actions after this observation."""

    def took(self, k: int) -> None:
        """Take note that the k-th action was drawn."""


@runtime_checkable
class Informed(Protocol):
    """A seat that can take features before each choice: numbers with which the rules describe what its player knows."""

    reads_features: bool
    """Whether it needs features."""

    def know(self, features: Sequence[float] | None) -> None:
        """Take the features."""


@runtime_checkable
class Looking(Protocol):
    """A seat that gets the whole state before each choice: a player of another library, trusted as in that library."""

    def look(self, state: Any) -> None:
        """Take the present state."""


def inform(seat: Seat, rules: Rules, state: Any, player: int) -> None:
    """Give a seat, before it chooses, what it needs in addition to its observation: the state, or features."""
    here: Any = seat  # tested by name: comparing with a protocol takes longer than choosing does
    if getattr(here, "look", None) is not None:
        here.look(state)
    elif getattr(here, "reads_features", False):
        here.know(rules.features(state, player))


class Table(Protocol):
    """A table of information sets, such as a `Policy`."""

    def find(self, sequence: int, observation: Hashable, count: int = 0) -> int:
        """Return the number of a set, or UNKNOWN."""

    def offered(self, place: int, actions: Sequence[Hashable]) -> tuple[Floats, list[int]]:
        """Return the probabilities of `actions` in their order, and for each action its place at the set."""

    def after(self, player: int, place: int, k: int) -> int:
        """Return a player's sequence once it takes the k-th action at a set."""


class TableSeat:
    """A seat that plays by a table."""

    def __init__(self, policy: Table, seat: int) -> None:
        self.policy, self.seat, self.sequence, self.place = policy, seat, seat, UNKNOWN
        self.places: list[int] = []  # for each action of the last choice, its place in the table

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        known = self.sequence != UNKNOWN
        self.place = self.policy.find(self.sequence, observation, len(actions)) if known else UNKNOWN
        weights, self.places = self.policy.offered(self.place, actions)
        if len(weights) != len(actions):
            raise MismatchError(
                f"the strategy of player {self.seat} has {len(weights)} actions, but the game offers {len(actions)}: "
                "the strategy belongs to another game"
            )
        return Answer(np.array(weights), True, self.place == UNKNOWN)

    def took(self, k: int) -> None:
        self.sequence = self.policy.after(self.seat, self.place, self.places[k])


class StrategyPlayer:
    """Plays one seat by a strategy, in a box or in your own loop; a table plays uniformly at unknown sets."""

    def __init__(self, strategy: Any, player: int, seed: int = 0) -> None:
        """strategy: a `Strategy`, or an object that has one, such as a result."""
        self.strategy: Any = strategy if hasattr(strategy, "sit") else getattr(strategy, "strategy", strategy)
        if not hasattr(self.strategy, "sit"):
            raise ParameterError(
                f"{shown(strategy)} is not a strategy that can take a seat; `solve` and `read` return one"
            )
        self.strategy.game.check_player(player)
        self.player, self._random = player, Random(checked_seed(seed))
        self.reset()

    def reset(self) -> None:
        """Begin a new play."""
        luck = self._random.getrandbits(62) if self.strategy.is_drawn else 0
        self._seat = self.strategy.sit(self.player, luck * self.strategy.game.players + self.player)

    def know(self, features: Sequence[float] | None) -> None:
        """Take the features of what the player knows, before each choice, for networks that read them."""
        if isinstance(self._seat, Informed):
            self._seat.know(features)

    def act(self, observation: Any, actions: Sequence[Any]) -> Any:
        """Return one of `actions`, which must be in the order in which the game lists them."""
        seen = hashed(observation)
        try:
            hash(seen)
        except TypeError as error:
            raise ParameterError(f"observation={shown(observation)} cannot be looked up ({error})") from None
        if not isinstance(actions, Sequence) or not actions:
            raise ParameterError(f"actions={shown(actions)} should be a list of actions to choose from")
        weights = self._seat.choose(seen, actions).weights
        (k,) = self._random.choices(range(len(actions)), weights.tolist())
        self._seat.took(k)
        return actions[k]
