"""Strategies given as callables: at each choice, the callable gets what its player has seen and returns what to do."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import isfinite
from os import PathLike
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import STRAY, HannanError, ParameterError, PlayerError, UnsuitableError
from hannan.forms.loader import load
from hannan.rules.positions import look_for_hidden
from hannan.rules.promises import told
from hannan.rules.standing import Track
from hannan.strategies.asked import asked_profile
from hannan.strategies.profile import Profile
from hannan.strategies.seats import Answer, Seat
from hannan.strategies.strategy import Strategy

MOST_ERROR = 1e-6
"""The most by which the probabilities that a rule returns may miss the sum 1."""


@dataclass(frozen=True)
class Sight:
    """All that a rule knows when it moves."""

    seat: int
    players: int
    history: tuple[tuple[Hashable, Hashable], ...]
    """What it saw and what it did, at each of its own earlier choices."""
    observation: Hashable
    """What it has learnt since its last choice."""
    seen: str
    """The observation as people read it."""
    actions: tuple[Hashable, ...]
    """Its legal actions, in the form that the rules use."""
    names: tuple[str, ...]
    """The names of the actions. The rule may return an action or its name."""
    random: random.Random
    """Random numbers that begin anew in each play: equal seeds give equal plays."""
    infer: Callable[[], tuple[Any, ...]] = field(repr=False, compare=False)
    """Computes `position`."""

    @property
    def position(self) -> tuple[Any, ...]:
        """The moves from the start of play, which `Searcher.jump` takes; inferred from what the seat saw and did.

        A game in which more than the current joint move is hidden has no such position: an `UnsuitableError` names two
        lines of play that the seat cannot tell apart.
        """
        return self.infer()


Rule = Callable[[Sight], Any]
"""From what a player has seen to an action, a dictionary of probabilities by action, or a list of them in order."""


@dataclass(frozen=True, eq=False)
class Ruled(Strategy):
    """A strategy in which a callable chooses for every player. A class is first called without arguments.

    >>> import hannan as hn
    >>> timid = hn.Ruled("kuhn_poker", lambda sight: {sight.names[0]: 1.0})
    >>> hn.evaluate(timid).values
    (0.0, 0.0)
    """

    game: Any  # PlayedGame, made from whatever `load` takes
    rule: Any  # Rule
    facts: Mapping[str, Any] = field(default_factory=dict)
    kind = "a rule that is called while it plays"
    is_drawn = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", load(self.game).played())
        rule, name = self.rule, self.name
        if isinstance(rule, type):
            try:
                rule = rule()
            except STRAY as error:
                raise PlayerError(f"making the rule raised {told(error)}") from error
        if not callable(rule):
            raise ParameterError(f"{shown(rule)} cannot be called and so cannot play")
        object.__setattr__(self, "rule", rule)
        object.__setattr__(self, "facts", {"method": name, **self.facts})

    @property
    def name(self) -> str:
        """The name of the rule."""
        return str(getattr(self.rule, "__name__", type(self.rule).__name__))

    @cached_property
    def _hiding(self) -> UnsuitableError | None:
        """The reason why a seat of this game cannot know the position; None if it can."""
        try:
            look_for_hidden(self.game.rules, "sight.position")
        except UnsuitableError as error:
            return error
        return None

    def track(self, seat: int) -> Track:
        """Return an object that infers the line of play for a seat; refuse games that hide more than a joint move."""
        if self._hiding is not None:
            raise self._hiding
        return Track(self.game.rules, seat)

    def sit(self, seat: int, luck: int) -> Seat:
        self.game.check_player(seat)
        return _RuleSeat(self, seat, luck)

    def profile(self) -> Profile:
        return asked_profile(self, self.game)

    @property
    def digest(self) -> str:
        raise UnsuitableError(f"{self.name} is {self.kind}: no digest tells whether it plays as another one does")

    def save(self, path: str | PathLike[str]) -> None:
        raise UnsuitableError(
            f"{self.name} is {self.kind}, and files hold no code: keep your code, or save its `profile()` if the game "
            "can be expanded"
        )

    def __repr__(self) -> str:
        return f"Ruled({self.game.address}, {self.name})"


class _RuleSeat:
    def __init__(self, ruled: Ruled, seat: int, luck: int) -> None:
        self._ruled, self._rules, self._seat, self._random = ruled, ruled.game.rules, seat, random.Random(luck)
        self._history: tuple[tuple[Hashable, Hashable], ...] = ()
        self._now: tuple[Hashable, Sequence[Hashable]] = (None, ())
        self._track: Track | None = None

    def _infer(self, history: tuple[tuple[Hashable, Hashable], ...], observation: Hashable) -> tuple[Any, ...]:
        self._track = self._track or self._ruled.track(self._seat)
        return self._track.to(history, observation)

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        rules, seat = self._rules, self._seat
        names = tuple(rules.action_text(seat, action) for action in actions)
        self._now = observation, actions
        seen = rules.observation_text(seat, observation)
        sight = Sight(
            seat, rules.players, self._history, observation, seen, tuple(actions), names, self._random,
            partial(self._infer, self._history, observation),
        )  # fmt: skip
        try:
            answer = self._ruled.rule(sight)
        except HannanError:
            raise
        except STRAY as error:
            raise PlayerError(f"it raised {told(error)}") from error
        return understood(answer, actions, names)

    def took(self, k: int) -> None:
        observation, actions = self._now
        self._history = (*self._history, (observation, actions[k]))


def understood(answer: Any, actions: Sequence[Hashable], names: Sequence[str]) -> Answer:
    """Return the probabilities that a rule returned in any of its forms; raise an error for a wrong answer."""
    menu = f"its actions are {', '.join(names)}"
    if isinstance(answer, Mapping):
        weights = np.zeros(len(actions))
        for action, weight in answer.items():
            weights[_number(action, actions, names, menu)] += _weight(weight)
        return Answer(_checked(weights, answer), True)
    if isinstance(answer, list | np.ndarray) or (isinstance(answer, tuple) and answer not in actions):
        if len(answer) != len(actions):
            raise PlayerError(f"it returned {len(answer)} probabilities for {len(actions)} actions; {menu}")
        return Answer(_checked(np.array([_weight(weight) for weight in answer]), answer), True)
    weights = np.zeros(len(actions))
    weights[_number(answer, actions, names, menu)] = 1.0
    return Answer(weights, False)


def _number(action: Any, actions: Sequence[Hashable], names: Sequence[str], menu: str) -> int:
    """Return the place of an action that is given in the form of the game's rules, or else by its name."""
    for menu_of in (actions, names):
        for k, other in enumerate(menu_of):
            if type(action) is not bool and action == other:
                return k
    raise PlayerError(f"it returned {shown(action)}, which is not a legal action; {menu}")


def _weight(weight: Any) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float | np.integer | np.floating):
        raise PlayerError(f"it returned {shown(weight)} for a probability")
    if not (isfinite(weight) and weight >= 0):
        raise PlayerError(f"it returned {shown(weight)} for a probability, which is negative or not finite")
    return float(weight)


def _checked(weights: Floats, answer: Any) -> Floats:
    total = float(weights.sum())
    if not abs(total - 1.0) <= MOST_ERROR:
        raise PlayerError(f"it returned {shown(answer)}, and these probabilities sum to {total:.9g}, not 1")
    return weights
