"""The fourth view of a game, the black box: it can be played from the start, and shows what lies on the path of play.

A box answers `reset(seed)` with what there is to see at the root, and `step(moves)` with what there is to see next.
It is never copied, never set back, and asked for no odds. What is known besides (a bound, a group, a distribution) it
may tell; what it tells must be true.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

from hannan.errors import HannanError, RulesError
from hannan.rules.bounds import Bounds

FAILED = "no answer"
"""The outcome of a chance step at which a simulator failed: it may be worth anything within bounds."""


class SimulatorError(RulesError):
    """A simulator crashed, hung or said what cannot be understood, also when it was asked once more."""


class OvertakenError(HannanError):
    """The answer to a question is gone: another play of the same box has begun since."""


class Child(NamedTuple):
    """What a box tells of a node that play has not come to yet."""

    gains: Sequence[float]
    bounds: Bounds
    """What each player can still gain after it, these gains not counted."""


Similar = tuple[Hashable, float]
"""The name of a family of chance nodes, and how far apart their distributions are at most, in total variation."""


class ChanceMove(NamedTuple):
    """A move of chance: what could come, and what came."""

    outcome: Hashable
    """What was drawn."""
    outcomes: Sequence[Hashable] | None = None
    """Everything that could come; None where that cannot be listed, and then `most` is needed."""
    most: int | None = None
    """An upper bound on how many outcomes there are."""
    group: Hashable | None = None
    """A name that the nodes of one distribution share, outcomes matched by place (by name where they are not
    listed)."""
    odds: Sequence[float] | None = None
    """The exact probability of each listed outcome, where it is known."""
    similar: Similar | None = None
    """The name of a family of chance nodes that draw almost alike, outcomes matched by place, and δ: the probabilities
    of any set of outcomes differ by at most δ between two nodes of the family. A box that tells this sets `similar`."""


class View(NamedTuple):
    """What a box shows at one node: who moves, what chance has drawn, or that play is over."""

    gains: Sequence[float]
    """What each player gains on reaching this node."""
    bounds: Bounds | None = None
    """The least and the most that each player can still gain from here on; None: no more is known than before."""
    movers: Sequence[int] = ()
    """The players who act here, ascending."""
    actions: Sequence[Sequence[Hashable]] = ()
    """For each mover what it may do: the same list everywhere in an information set."""
    observations: Sequence[Hashable] = ()
    """For each mover all that it has learnt since its own last choice."""
    draw: ChanceMove | None = None
    children: Sequence[Child] | None = None
    """What is known of each child before it is visited: in the order of the outcomes, or of the joint actions (the
    last mover's run fastest)."""


Met = tuple[tuple[int, ...], Hashable, list[float], Similar | None]
"""The numbers of the moves to a chance node, its group, its odds, and its family."""

Answer = Callable[[], View]
"""Waits for the answer to a question that was put to a box, or computes it, and returns it."""


def misshapen(view: View) -> str | None:
    """Say that actions or observations are not one for each mover; None if they are."""
    parts = {"actions": (view.actions, "a list of actions", "[['p', 'b']]"),
             "observations": (view.observations, "an observation", "['K']")}  # fmt: skip
    for name, (entries, each, form) in parts.items():
        if len(entries) != len(view.movers) or isinstance(entries, str):
            there = f"`{name}` should be" if len(entries) else f"there are no `{name}`: they should be"
            return f"{there} a list with {each} for each mover, as {form} of one mover"
    if any(isinstance(menu, str) or not isinstance(menu, Sequence) for menu in view.actions):
        return "`actions` should be a list of lists: one list of actions for each mover, as [['p', 'b']] of one mover"
    return None


class Box(ABC):
    """A game that can only be played. Subclass it and write two methods."""

    players: int = 2
    name: str = ""
    """How the game is called in results and files; the class name where this is empty."""
    seeded: bool = True
    """Whether equal seeds and equal moves give equal play. Where not, counts cannot be replayed."""
    hidden: int | None = None
    """If the box never shows where chance moves: how many different answers can follow one history at most."""
    similar: bool = False
    """Whether chance nodes may tell their family (`ChanceMove.similar`); half of the failure probability is for
    families then."""
    batch: int = 1
    """How many playthroughs follow one profile before anything is learnt from them; workers can play these at the same
    time."""

    @abstractmethod
    def reset(self, seed: int) -> View:
        """Begin anew, with chance drawn from a 64-bit seed, and show the root."""

    @abstractmethod
    def step(self, moves: tuple[Any, ...]) -> View:
        """Go on by one action for each mover, or by () after chance has drawn, and show the next node."""

    @property
    def play_number(self) -> int:
        """How many plays have begun, where another may begin before the last is over."""
        return 0

    def reset_later(self, seed: int) -> Answer:
        """Put the question of `reset`, and return what gives the answer: a box elsewhere works on it meanwhile."""
        return partial(self.reset, seed)

    def step_later(self, moves: tuple[Any, ...]) -> Answer:
        """Put the question of `step`, and return what gives the answer."""
        return partial(self.step, moves)

    @property
    def restarts(self) -> int:
        """How often a simulator behind the box was started again."""
        return 0

    @property
    def trouble(self) -> str:
        """Why a simulator behind the box last gave no answer; empty if it always answered."""
        return ""

    def leave_odds(self) -> None:  # noqa: B027  # most boxes know no odds
        """Compare odds within groups of chance no more: the process that collects the plays of several boxes does."""

    def odds_met(self) -> Sequence[Met]:
        """Return the odds of the groups that this play has come to, if the box knows them."""
        return ()

    def compare_odds(self, met: Sequence[Met]) -> None:  # noqa: B027  # most boxes know no odds
        """Refuse odds that differ from those of an earlier play at a node of the same group."""

    def action_text(self, player: int, action: Any) -> str:
        """Name an action (of a player, or of chance where `player` is negative) for people."""
        return str(action)

    def observation_text(self, player: int, observation: Any) -> str:
        """Name an observation for people."""
        return str(observation)

    def __repr__(self) -> str:
        return f"{self.name or type(self).__name__}, {self.players} players, a box"
