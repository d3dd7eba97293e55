"""Players: named strategies, searches and bots of other libraries that can take any seat of a game."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from hannan.errors import MismatchError, ParameterError, PlayerError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.rules.doors import alike
from hannan.strategies.locks import unlocked
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile
from hannan.strategies.ruled import Ruled
from hannan.strategies.seats import Seat
from hannan.strategies.strategy import Strategy


@runtime_checkable
class Player(Protocol):
    """Anything that can take any seat of a game."""

    @property
    def name(self) -> str:
        """The name in results."""

    def sit(self, seat: int, luck: int) -> Seat:
        """Begin a play in a seat; `luck` is the seed of the player's own random numbers."""


@dataclass(frozen=True)
class Playing:
    """A strategy under a name, in any seat."""

    name: str
    strategy: Strategy

    @cached_property
    def table(self) -> Policy | None:
        """The strategy as a table; None if it is not one."""
        return self.strategy.policy() if self.strategy.is_table else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Playing, (self.name, self.strategy if self.table is None else self.table)  # a table is not expanded

    def sit(self, seat: int, luck: int) -> Seat:
        return self.strategy.sit(seat, luck)


def table_of(player: Player) -> Policy | None:
    """Return the table that a player plays by; None if it does not play by a table."""
    return player.table if isinstance(player, Playing) else None


def playing(game: PlayedGame, name: str, strategy: Strategy) -> Playing:
    """Return the player of a strategy; refuse a strategy of another game."""
    strategy = unlocked(strategy)
    other = strategy.game.stepped()
    same = other is game or _same_rules(other, game)
    if isinstance(strategy, Profile) and isinstance(game, ExpandedGame) and other is not game:
        same = strategy.game.form.hash == game.form.hash
    if not same:
        raise MismatchError(f"{name} is a strategy of {other.address}, not of {game.address}{_difference(other, game)}")
    player = Playing(name, strategy)
    if player.table is not None and (player.table.labels is None) != game.coded:
        raise MismatchError(
            f"{name} belongs to other rules than those of {game.address}: one of the two is compiled, and one is not"
        )
    return player


def _same_rules(other: PlayedGame, game: PlayedGame) -> bool:
    """Return whether two games are equal: the same object, the same functions and table, or the same address."""
    if alike(game.rules, other.rules) or (game.compiled and other.compiled):
        return alike(game.rules, other.rules)
    return (other.name, other.parameters) == (game.name, game.parameters) and game.compiled == other.compiled


def _difference(other: PlayedGame, game: PlayedGame) -> str:
    """Return how two games that have the same address differ, as a part of a message."""
    if other.address != game.address:
        return ""
    kinds = ["compiled" if one.compiled else "plain Python" for one in (other, game)]
    if kinds[0] != kinds[1]:
        return f" itself: it belongs to {kinds[0]} rules, and those of the match are {kinds[1]}"
    return " itself: it belongs to other rules with the same name; make both games from one rules object"


def rule_player(game: PlayedGame, name: str, rule: Any) -> Playing:
    """Return the player of a callable."""
    try:
        return Playing(name, Ruled(game, rule))
    except (ParameterError, PlayerError) as error:
        raise type(error)(f"{name}: {error}") from error
