"""Black boxes: games that can only be played from the start, and that show only the path of play.

A box answers `reset(seed)` with a view of the root and `step(moves)` with a view of the next node. A caller never
copies it, never sets it back to an earlier node, and does not need its chance probabilities. A box may state
further facts (a bound, a group, a distribution); these must be true.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

from hannan.errors import HannanError, RulesError
from hannan.rules.bounds import Bounds

FAILED = "no answer"
"""The outcome of a chance step at which the simulator failed: any gains within the bounds are possible after it."""


class SimulatorError(RulesError):
    """A simulator crashed, hung or sent an invalid answer, and a second attempt failed as well."""


class OvertakenError(HannanError):
    """The answer to an earlier question is lost, because another play of the same box has begun."""


class Child(NamedTuple):
    """What a box states about a child before play has visited it."""

    gains: Sequence[float]
    bounds: Bounds
    """Bounds on each player's gains after the child, without `gains`."""


Similar = tuple[Hashable, float]
"""The name of a family of chance nodes, and an upper bound on the total variation distance between two of them."""


class ChanceMove(NamedTuple):
    """A move of chance: the drawn outcome, and what the box states about the distribution."""

    outcome: Hashable
    """The drawn outcome."""
    outcomes: Sequence[Hashable] | None = None
    """All possible outcomes; None if the box cannot list them, and then `most` is required."""
    most: int | None = None
    """An upper bound on the number of possible outcomes."""
    group: Hashable | None = None
    """The name of a group of chance nodes that share one distribution. Outcomes are matched by their place in the list,
    or by name if they are not listed."""
    odds: Sequence[float] | None = None
    """The exact probability of each listed outcome, if the box knows it."""
    similar: Similar | None = None
    """The name of a family of chance nodes with similar distributions, and δ: at two nodes of the family, the
    probabilities of any set of outcomes differ by at most δ. Outcomes are matched by place. A box that states families
    sets `similar` to True."""


class View(NamedTuple):
    """One node as a box shows it: the players who act, the chance move, or the end of play."""

    gains: Sequence[float]
    """The gain of each player on reaching this node."""
    bounds: Bounds | None = None
    """The least and the most that each player can still gain after this node; None: the parent's bounds apply."""
    movers: Sequence[int] = ()
    """The players who act at this node, ascending."""
    actions: Sequence[Sequence[Hashable]] = ()
    """The legal actions of each mover: the same list at every node of an information set."""
    observations: Sequence[Hashable] = ()
    """The observation of each mover: everything it has learnt since its own last choice."""
    draw: ChanceMove | None = None
    children: Sequence[Child] | None = None
    """Facts about each child before it is visited, in the order of the outcomes, or of the joint actions (the actions
    of the last mover vary fastest)."""


Met = tuple[tuple[int, ...], Hashable, list[float], Similar | None]
"""The numbers of the moves to a chance node, its group, its probabilities, and its family."""

Answer = Callable[[], View]
"""Waits for (or computes) the answer to a question that was sent to a box, and returns it."""


def misshapen(view: View) -> str | None:
    """Return a sentence if `actions` or `observations` lack an entry for each mover, or None."""
    parts = {"actions": (view.actions, "a list of actions", "[['p', 'b']]"),
             "observations": (view.observations, "an observation", "['K']")}  # fmt: skip
    for name, (entries, each, form) in parts.items():
        if len(entries) != len(view.movers) or isinstance(entries, str):
            there = f"`{name}` should be" if len(entries) else f"`{name}` is empty; it should be"
            return f"{there} a list with {each} for each mover, such as {form} for one mover"
    if any(isinstance(menu, str) or not isinstance(menu, Sequence) for menu in view.actions):
        return "`actions` should be a list with one list of actions for each mover, such as [['p', 'b']] for one mover"
    return None


class Box(ABC):
    """Base class of black boxes: games that can only be played. A subclass defines `reset` and `step`."""

    players: int = 2
    name: str = ""
    """The name of the game in results and files; default: the name of the class."""
    seeded: bool = True
    """Whether equal seeds and equal moves give the same play. If not, counts cannot be replayed."""
    hidden: int | None = None
    """For a box that never shows chance nodes: the largest number of different answers that can follow one history."""
    similar: bool = False
    """Whether chance nodes may state their family (`ChanceMove.similar`). If True, half of the failure probability is
    reserved for families."""
    batch: int = 1
    """The number of playthroughs of one profile before the profile is updated. Workers can play these in parallel."""

    @abstractmethod
    def reset(self, seed: int) -> View:
        """Start a new play, with chance drawn from a 64-bit seed, and return the view of the root."""

    @abstractmethod
    def step(self, moves: tuple[Any, ...]) -> View:
        """Play one action per mover, or () after a chance move, and return the view of the next node."""

    @property
    def play_number(self) -> int:
        """The number of plays that have begun, for a box that can begin a play before the last one ends."""
        return 0

    def reset_later(self, seed: int) -> Answer:
        """Send the question of `reset` without waiting, and return a function that returns the answer."""
        return partial(self.reset, seed)

    def step_later(self, moves: tuple[Any, ...]) -> Answer:
        """Send the question of `step` without waiting, and return a function that returns the answer."""
        return partial(self.step, moves)

    @property
    def restarts(self) -> int:
        """The number of restarts of the simulator process behind the box."""
        return 0

    @property
    def trouble(self) -> str:
        """The reason for the last failure of the simulator behind the box; empty if it always answered."""
        return ""

    def leave_odds(self) -> None:  # noqa: B027  # most boxes know no odds
        """Stop comparing probabilities within groups of chance nodes; the process that collects the plays does it."""

    def odds_met(self) -> Sequence[Met]:
        """Return the probabilities of the groups that this play has reached, if the box knows them."""
        return ()

    def compare_odds(self, met: Sequence[Met]) -> None:  # noqa: B027  # most boxes know no odds
        """Refuse probabilities that differ from those of an earlier play at a node of the same group."""

    def action_text(self, player: int, action: Any) -> str:
        """Return the text of an action of a player, or of an outcome of chance if `player` is negative."""
        return str(action)

    def observation_text(self, player: int, observation: Any) -> str:
        """Return the text of an observation."""
        return str(observation)

    def __repr__(self) -> str:
        return f"{self.name or type(self).__name__}, {self.players} players, a box"
