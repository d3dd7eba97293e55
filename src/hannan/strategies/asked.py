"""A strategy that is no table: it is asked, set by set, what to do. Networks are such strategies.

It plays any game whose rules can be stepped, is matched and responded to like a table, and becomes a profile where the
game can be expanded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import UnsuitableError
from hannan.forms.game import PlayedGame
from hannan.strategies.profile import Profile


class AskedSeat(Protocol):
    """Such a strategy in one seat of one play."""

    def know(self, features: Sequence[float] | None) -> None:
        """Hear what the rules write of what the player knows, before each choice."""

    def weights(self, observation: Hashable, actions: Sequence[Hashable]) -> Floats:
        """Return the probability of each action."""

    def took(self, k: int) -> None:
        """Hear which action was drawn."""


class Asked(ABC):
    """A strategy of all players of a game."""

    game: PlayedGame
    facts: Mapping[str, Any]

    @property
    @abstractmethod
    def reads_features(self) -> bool:
        """Whether a seat wants to hear features."""

    @abstractmethod
    def seat(self, player: int, luck: int) -> AskedSeat:
        """Begin a play as one of the players; `luck` is where its own random numbers begin."""

    @abstractmethod
    def earned(self, plays: int, seed: int) -> Floats:
        """Play it against itself, many plays at once; return what each player earned in each play, [plays, players]."""

    @abstractmethod
    def profile(self) -> Profile:
        """Return the same strategy on the expanded game; refuses one that does not fit into memory."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """A few bytes, in hexadecimal digits, that tell whether two of them play alike."""

    @abstractmethod
    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file that `hannan.read` reads."""

    def _repr_html_(self) -> str:
        from hannan.markup import facts, page

        return page(self.game.address, facts({"strategy": repr(self), **self.facts}))


def no_table(strategy: Asked, what: str) -> UnsuitableError:
    """Return the refusal of a strategy that is no table where one is needed."""
    return UnsuitableError(
        f"{what} needs a table of information sets, and {shown(strategy)} is none; `profile()` makes one where the "
        "game can be expanded"
    )
