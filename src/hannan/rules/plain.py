"""The plain door of the rules: a small Python class over any immutable state.

An information set is derived and never stated: it is the player's own last choice (the information set and the
action taken there) together with what the player observes now. Perfect recall therefore holds by construction.
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
"""A line of play longer than this counts as one without end."""


class Rules(ABC):
    """The rules of a finite game. Subclass it and write six short methods.

    States may be any values; they must not change once made, and equal histories must give equal states. `bounds`,
    `position`, `chance_group`, `features` and `similar` are optional: each is there for the algorithms that need it.
    `grid` is optional too: pictures use it.
    """

    players: int = 2
    name: str = ""
    """How the game is called in results and files; the class name where this is empty."""
    feature_groups: Sequence[tuple[str, int]] = ()
    """The names and sizes of consecutive groups of `features`, such as cards and bets; empty: there are no groups."""

    @property
    def observations_name_sets(self) -> bool:
        """Whether an observation names its information set alone, without what the player saw and did before."""
        return False

    @abstractmethod
    def start(self) -> Any:
        """Return the state before anything has happened."""

    @abstractmethod
    def turn(self, state: Any) -> int | tuple[int, ...]:
        """Say who acts: `END`, `CHANCE`, a player 0, 1, …, or a tuple of players who move at once (ascending)."""

    @abstractmethod
    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        """List what `player` may do; the same list everywhere in an information set."""

    def chance(self, state: Any) -> Sequence[tuple[Hashable, float]]:
        """List the outcomes of a chance node with their probabilities."""
        raise TypeError("turn() says CHANCE, and chance() is not written")

    @abstractmethod
    def after(self, state: Any, move: Any) -> Any:
        """Return the next state. `move` is an outcome, an action, or a tuple of actions, one for each mover."""

    @abstractmethod
    def observe(self, state: Any, player: int) -> Hashable:
        """Return all that `player`, about to act, has learnt since its own last choice (more does no harm)."""

    def gains(self, state: Any) -> Sequence[float]:
        """Return what each player gains on reaching this state: at the end, on the way, or both."""
        return (0.0,) * self.players

    def bounds(self, state: Any) -> Sequence[tuple[float, float]] | None:
        """For each player the least and the most that it can still gain from here; None where that is not known.

        What `gains` gives on reaching this very state does not count.
        """
        return None

    def position(self, state: Any) -> Hashable:
        """Return what matters from here on: where it is equal, play goes on in the same way and gains the same."""
        position: Hashable = state
        return position

    def chance_group(self, state: Any) -> Hashable | None:
        """Name the chance nodes that share one distribution, outcomes matched by place; None: only this node."""
        return None

    def features(self, state: Any, player: int) -> Sequence[float] | None:
        """Return what `player`, about to act, knows, as numbers: equally many everywhere in the game."""
        return None

    def similar(self, state: Any) -> tuple[Hashable, float] | None:
        """Return the name of a family of chance nodes that draw almost alike, and δ; None: it is in no family.

        Outcomes are matched by place. The probabilities of any set of outcomes differ by at most δ between two nodes of
        a family. Every node of a family has the same number of outcomes and tells the same δ.
        """
        return None

    def grid(self, player: int, way: Sequence[Hashable]) -> tuple[str, str, str] | None:
        """Place an information set in a grid for people: its row, its column and its label; None: it has no place.

        `way` is what `player` saw and did: observation, action, observation, …, and last what it sees now. The row is
        what the player holds, such as its card, and the column is what everybody knows. Two sets of a player differ in
        row or column.
        """
        return None

    def writes(self, name: str) -> bool:
        """Say whether an optional method (such as `bounds`, `features` or `grid`) is written."""
        return getattr(type(self), name) is not getattr(Rules, name)

    def action_text(self, player: int, action: Any) -> str:
        """Name an action (of a player, or of chance where `player` is `CHANCE`) for people."""
        return str(action)

    def action_help(self, player: int, action: Any) -> str:
        """Explain an action of a player to people in a few words; empty if its name says enough."""
        return ""

    def board_text(self, state: Any, player: int) -> str:
        """Show what `player`, about to act, knows of the state, for people: a line or a picture; empty for nothing.

        It is the same throughout an information set.
        """
        return ""

    def observation_text(self, player: int, observation: Any) -> str:
        """Name what `observe` returned, for people."""
        return str(observation)

    def __repr__(self) -> str:
        return f"{self.name or type(self).__name__}, {self.players} players"


def movers(turn: int | tuple[int, ...]) -> tuple[int, ...]:
    """Return the players who act, from what `Rules.turn` returned; empty at chance and at the end."""
    if isinstance(turn, tuple):
        return turn
    return (turn,) if turn >= 0 else ()
