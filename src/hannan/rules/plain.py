"""Plain rules: a small Python class over any immutable state.

Rules do not state information sets. hannan derives them: an information set is the player's own last choice (the set
and the action taken there) together with what the player observes now. Perfect recall therefore holds by construction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Final

from hannan.turns import CHANCE as CHANCE
from hannan.turns import END as END
from hannan.turns import MOST_GAIN as MOST_GAIN
from hannan.turns import MOST_JOINT as MOST_JOINT
from hannan.turns import NO_MOVERS as NO_MOVERS

MOST_PLAYERS: Final = 14

MOST_MOVES: Final = 4096
"""The largest number of moves of a play. A longer play counts as endless."""


class Rules(ABC):
    """The rules of a finite game. Subclass it and write six short methods.

    States may be any values; they must not change once made, and equal histories must give equal states. `bounds`,
    `position`, `chance_group`, `features` and `similar` are optional: some algorithms need them.
    `grid` is optional too: the explorer uses it.
    """

    players: int = 2
    """The number of players, from 1 to 14."""
    name: str = ""
    """The name of the game in results and files; default: the name of the class."""
    feature_groups: Sequence[tuple[str, int]] = ()
    """The names and sizes of consecutive groups of `features`, such as cards and bets; empty: no groups."""

    @property
    def observations_name_sets(self) -> bool:
        """Whether an observation alone identifies its information set, without the player's earlier choices."""
        return False

    @abstractmethod
    def start(self) -> Any:
        """Return the first state of a play."""

    @abstractmethod
    def turn(self, state: Any) -> int | tuple[int, ...]:
        """Return who acts: `END`, `CHANCE`, a player 0, 1, …, or a tuple of players who move at once (ascending)."""

    @abstractmethod
    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        """Return the legal actions of `player`: the same list at every node of an information set."""

    def chance(self, state: Any) -> Sequence[tuple[Hashable, float]]:
        """Return the outcomes of a chance node with their probabilities."""
        raise TypeError("turn() returned CHANCE, but chance() is not defined")

    @abstractmethod
    def after(self, state: Any, move: Any) -> Any:
        """Return the next state. `move` is an outcome, an action, or a tuple of actions, one for each mover."""

    @abstractmethod
    def observe(self, state: Any, player: int) -> Hashable:
        """Return everything that `player`, about to act, has learnt since its own last choice (more does no harm)."""

    def gains(self, state: Any) -> Sequence[float]:
        """Return the gain of each player on reaching this state; players may gain at the end, on the way, or both."""
        return (0.0,) * self.players

    def bounds(self, state: Any) -> Sequence[tuple[float, float]] | None:
        """Return the least and the most that each player can still gain from here; None if that is not known.

        The gains on reaching this state itself do not count.
        """
        return None

    def position(self, state: Any) -> Hashable:
        """Return a value that decides the rest of the play: after equal positions, play and gains are the same."""
        position: Hashable = state
        return position

    def chance_group(self, state: Any) -> Hashable | None:
        """Name the chance nodes that share one distribution, outcomes matched by place; None: no other node does."""
        return None

    def features(self, state: Any, player: int) -> Sequence[float] | None:
        """Return what `player`, about to act, knows, as a list of numbers; it has the same length at every state."""
        return None

    def similar(self, state: Any) -> tuple[Hashable, float] | None:
        """Return the name of a family of chance nodes with similar distributions, and δ; None: no family.

        Outcomes are matched by place. The probabilities of any set of outcomes differ by at most δ between two nodes of
        a family. Every node of a family has the same number of outcomes and states the same δ.
        """
        return None

    def grid(self, player: int, way: Sequence[Hashable]) -> tuple[str, str, str] | None:
        """Return the place of an information set in a picture: its row, its column and its label; None: no place.

        `way` holds the observations and actions of `player` in turn: observation, action, observation, …, and last the
        present observation. The row is the player's private information, such as its card, and the column the public
        information. Two sets of a player differ in row or column.
        """
        return None

    def writes(self, name: str) -> bool:
        """Return whether the rules define an optional method (such as `bounds`, `features` or `grid`)."""
        return getattr(type(self), name) is not getattr(Rules, name)

    def action_text(self, player: int, action: Any) -> str:
        """Return the text of an action of a player, or of an outcome of chance if `player` is `CHANCE`."""
        return str(action)

    def action_help(self, player: int, action: Any) -> str:
        """Return a few words that explain an action of a player; empty if its name is clear."""
        return ""

    def board_text(self, state: Any, player: int) -> str:
        """Return a line or a picture of what `player`, about to act, knows of the state; empty: no board.

        It is the same throughout an information set.
        """
        return ""

    def observation_text(self, player: int, observation: Any) -> str:
        """Return the text of an observation."""
        return str(observation)

    def __repr__(self) -> str:
        return f"{self.name or type(self).__name__}, {self.players} players"


def movers(turn: int | tuple[int, ...]) -> tuple[int, ...]:
    """Return the players who act, from what `Rules.turn` returned; empty at chance and at the end."""
    if isinstance(turn, tuple):
        return turn
    return (turn,) if turn >= 0 else ()
