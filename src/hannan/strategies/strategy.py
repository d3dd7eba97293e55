"""The base class of all strategies: tables, networks, rules that are called during play, and correlated play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from importlib import import_module
from os import PathLike
from typing import Any, ClassVar

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import UnsuitableError
from hannan.forms.game import Game
from hannan.strategies.seats import Seat, StrategyPlayer
from hannan.strategies.ways import distribution


class Strategy(ABC):
    """What every player of a game does.

    A `Profile` is the exact table of an expanded game, a `Policy` the table of a game that is only played. Networks,
    rules and correlated play are not tables: they are called at each choice.
    """

    game: Game
    facts: Mapping[str, Any]
    """Where the strategy came from: method, iterations, gap, seed."""
    kind: ClassVar[str]
    """The kind of strategy, in a few words."""
    instead: ClassVar[str] = "`profile()` makes one if the game can be expanded"
    """How to get a table, if the strategy is not one."""
    forgets: tuple[int, ...] = ()
    """The players who forget: what they do depends on what they see now, not on how they came there."""
    is_table: ClassVar[bool] = False
    """Whether it lists information sets, so that `policy()` returns a table."""
    batched: ClassVar[bool] = False
    """Whether `earned` makes many plays at once. Otherwise plays are made one by one."""

    @abstractmethod
    def sit(self, seat: int, luck: int) -> Seat:
        """Begin a play in a seat. `luck` is the seed of the strategy's own random numbers.

        The lucks of all seats in one play are `players · n + seat` with the same n.
        """

    @abstractmethod
    def profile(self) -> Any:
        """Return the same strategy as a `Profile` of the expanded game; refuse a game that is too large to expand."""

    def policy(self) -> Any:
        """Return the same strategy as a `Policy`, a table of information sets; refuse networks, rules and the like."""
        raise no_table(self, "this")

    @property
    @abstractmethod
    def digest(self) -> str:
        """A few bytes, in hexadecimal digits, that tell whether two strategies play alike."""

    @abstractmethod
    def save(self, path: str | PathLike[str]) -> None:
        """Write the strategy to a file that `hannan.read` reads."""

    def at(self, player: int, place: int | str) -> dict[str, float]:
        """Return what a player does at an information set, given by its number or its name.

        Parameters
        ----------
        player : int
            The player, from 0 on.
        place : int or str
            A whole number is always the number of the information set, from 0 on, even if observations are whole
            numbers. A name is always text: `at(0, 2)` is the third set of player 0, and `at(0, "2")` is the set with
            the name 2. A `Profile` numbers the sets of each player; a `Policy` numbers the sets of all players
            together. `distribution(0, 2)` differs: it takes observations and actions as the rules use them.

        Returns
        -------
        dict
            The probability of each action, by the name of the action.

        Examples
        --------
        >>> import hannan as hn
        >>> profile = hn.profile("kuhn_poker", {0: {"K": {"b": 1.0}}})
        >>> profile.game.set_text(0, 2)
        'K'
        >>> profile.at(0, 2), profile.at(0, "K")
        ({'p': 0.0, 'b': 1.0}, {'p': 0.0, 'b': 1.0})
        """
        found: dict[str, float] = self.profile().at(player, place)
        return found

    def distribution(self, player: int, *way: Hashable) -> dict[str, float]:
        """Return what a player does after `observation, action, observation, …, observation` of its own.

        Each is given in the form that the rules use, or as text. If one of several strategies is drawn before the play,
        the result is their mean, weighted by the probability of each after these actions.

        >>> import hannan as hn
        >>> hn.uniform("kuhn_poker").distribution(0, "K", "p", "Kpb")
        {'p': 0.5, 'b': 0.5}
        """
        return distribution(self, player, way)

    def player(self, seat: int, seed: int = 0) -> StrategyPlayer:
        """Return a player for this seat: in each play `reset()`, then `act(observation, actions)` at each choice."""
        return StrategyPlayer(self, seat, seed)

    def members(self) -> tuple[tuple[float, Strategy], ...]:
        """Return the strategies of which one is drawn before each play, with their probabilities; often only itself."""
        return ((1.0, self),)

    @property
    def is_drawn(self) -> bool:
        """Whether plays depend on `luck`: one of several strategies is drawn, or a rule may draw by itself."""
        return len(self.members()) > 1

    def earned(self, plays: int, seed: int) -> Floats:
        """Play the strategy against itself, many plays at once; return gains, [plays, players]. Only if `batched`."""
        raise UnsuitableError(f"{shown(self)} is {self.kind}: its plays are made one by one")

    def _repr_html_(self) -> str:
        from hannan.markup import facts, page

        return page(self.game.address, facts({"strategy": repr(self), **self.facts}))


def later(module: str, name: str) -> Any:
    """Return a name of a module that imports this one, and so cannot be imported at the top of this file."""
    return getattr(import_module(f"hannan.{module}"), name)


def no_table(strategy: Strategy, what: str) -> UnsuitableError:
    """Return the error for a strategy that is not a table, if `what` needs one."""
    return UnsuitableError(
        f"{what} needs a table of information sets, and {shown(strategy)} is {strategy.kind}; {strategy.instead}"
    )
