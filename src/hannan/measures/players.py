"""What can play: a player sees what its seat observes and may do, and nothing else, and answers with probabilities.

A `Player` sits down once for each play. A table (a profile or a policy) looks up its set; a rule is any callable from a
`Sight` to an action or a distribution.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import isfinite
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import STRAY, HannanError, MismatchError, ParameterError, PlayerError, UnsuitableError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.rules.doors import alike
from hannan.rules.plain import Rules
from hannan.rules.positions import look_for_hidden
from hannan.rules.promises import told
from hannan.rules.standing import Track
from hannan.strategies.asked import Asked
from hannan.strategies.index import UNKNOWN
from hannan.strategies.locks import LockedGame
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

MOST_ERROR = 1e-6
"""How far from 1 the probabilities that a rule returns may sum."""


class Answer(NamedTuple):
    """What a player does at one of its choices."""

    weights: Floats  # [actions]  probabilities
    known: bool
    """Whether the player's play is drawn from `weights`. A rule that names an action may have drawn it itself."""
    even: bool = False
    """Whether it plays uniformly because it knows nothing: such draws need not look at `weights`."""


class Seat(Protocol):
    """A player in one play."""

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        """Say what to do, after this observation, of these actions."""

    def took(self, k: int) -> None:
        """Hear which action was drawn."""


@runtime_checkable
class Looking(Protocol):
    """A seat that is shown the whole state before it chooses: a player of another library, trusted as it is there."""

    def look(self, state: Any) -> None:
        """See where play stands."""


@runtime_checkable
class Player(Protocol):
    """Whatever can take any seat of a game."""

    @property
    def name(self) -> str:
        """How results call it."""

    def sit(self, seat: int, luck: int) -> Seat:
        """Begin a play in a seat; `luck` is where the player's own random numbers may begin."""


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
    """What it may do, as the rules know it."""
    names: tuple[str, ...]
    """The actions as people read them; an answer may name an action so, too."""
    random: random.Random
    """Random numbers that begin anew in each play: the same seed, the same play."""
    infer: Callable[[], tuple[Any, ...]] = field(repr=False, compare=False)
    """What works out `position`."""

    @property
    def position(self) -> tuple[Any, ...]:
        """The moves from the start of play, which `Searcher.jump` takes; inferred from what the seat saw and did.

        A game in which more than the current joint move is hidden has no such position: an `UnsuitableError` names two
        lines of play that the seat cannot tell apart.
        """
        return self.infer()


Rule = Callable[[Sight], Any]
"""From what a player has seen to an action, a dictionary of probabilities by action, or a list of them in order."""


@dataclass(frozen=True)
class TablePlayer:
    """Plays a policy, whichever seat it takes."""

    name: str
    policy: Policy

    def sit(self, seat: int, luck: int) -> Seat:
        return TableSeat(self.policy, seat)


class TableSeat:
    """A table in a seat."""

    def __init__(self, policy: Policy, seat: int) -> None:
        self.policy, self.seat, self.sequence, self.place = policy, seat, seat, UNKNOWN
        self.places: list[int] = []  # which of the table's actions each that was offered last is

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        known = self.sequence != UNKNOWN
        self.place = self.policy.find(self.sequence, observation, len(actions)) if known else UNKNOWN
        weights, self.places = self.policy.offered(self.place, actions)
        if len(weights) != len(actions):
            raise MismatchError(f"the table has {len(weights)} actions here, and the rules {len(actions)}")
        return Answer(np.array(weights), True, self.place == UNKNOWN)

    def took(self, k: int) -> None:
        self.sequence = self.policy.after(self.seat, self.place, self.places[k])


@dataclass(frozen=True)
class AskedPlayer:
    """Plays a strategy that is no table, whichever seat it takes."""

    name: str
    strategy: Asked

    def sit(self, seat: int, luck: int) -> Seat:
        return AskedTaken(self.strategy, seat, luck)


class AskedTaken:
    """Such a strategy in a seat. Before each choice it hears what the rules write of what the player knows."""

    def __init__(self, strategy: Asked, seat: int, luck: int) -> None:
        self.reads, self._asked = strategy.reads_features, strategy.seat(seat, luck)

    def know(self, features: Sequence[float] | None) -> None:
        """Hear the features."""
        self._asked.know(features)

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        return Answer(self._asked.weights(observation, actions), True)

    def took(self, k: int) -> None:
        self._asked.took(k)


@dataclass(frozen=True)
class RulePlayer:
    """Plays by asking a callable."""

    name: str
    rule: Rule
    rules: Rules

    @cached_property
    def _hiding(self) -> UnsuitableError | None:
        """Why a seat of this game cannot know the position; None where it can."""
        try:
            look_for_hidden(self.rules, "sight.position")
        except UnsuitableError as error:
            return error
        return None

    def track(self, seat: int) -> Track:
        """Return what infers the line of play, seen from a seat; refuses games that hide more than a joint move."""
        if self._hiding is not None:
            raise self._hiding
        return Track(self.rules, seat)

    def sit(self, seat: int, luck: int) -> Seat:
        return _RuleSeat(self, seat, luck)


class _RuleSeat:
    def __init__(self, player: RulePlayer, seat: int, luck: int) -> None:
        self._player, self._seat, self._random = player, seat, random.Random(luck)
        self._history: tuple[tuple[Hashable, Hashable], ...] = ()
        self._now: tuple[Hashable, Sequence[Hashable]] = (None, ())
        self._track: Track | None = None

    def _infer(self, history: tuple[tuple[Hashable, Hashable], ...], observation: Hashable) -> tuple[Any, ...]:
        self._track = self._track or self._player.track(self._seat)
        return self._track.to(history, observation)

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        rules, seat = self._player.rules, self._seat
        names = tuple(rules.action_text(seat, action) for action in actions)
        self._now = observation, actions
        seen = rules.observation_text(seat, observation)
        sight = Sight(
            seat, rules.players, self._history, observation, seen, tuple(actions), names, self._random,
            partial(self._infer, self._history, observation),
        )  # fmt: skip
        try:
            answer = self._player.rule(sight)
        except HannanError:
            raise
        except STRAY as error:
            raise PlayerError(f"it raised {told(error)}") from error
        return understood(answer, actions, names)

    def took(self, k: int) -> None:
        observation, actions = self._now
        self._history = (*self._history, (observation, actions[k]))


def understood(answer: Any, actions: Sequence[Hashable], names: Sequence[str]) -> Answer:
    """Read what a rule returned, or say what is wrong with it."""
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
    """Return the place of an action that is given as the rules know it, or else by its name."""
    for menu_of in (actions, names):
        for k, other in enumerate(menu_of):
            if type(action) is not bool and action == other:
                return k
    raise PlayerError(f"it returned {shown(action)}, which is no legal action; {menu}")


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


def table_player(game: PlayedGame, name: str, strategy: Profile | Policy) -> TablePlayer:
    """Return what plays a profile or a policy; one of another game is refused."""
    if isinstance(strategy, Profile) and isinstance(strategy.game, LockedGame):
        strategy = strategy.game.lift(strategy)
    other = strategy.game.played()
    same = other is game or _same_rules(other, game)
    if isinstance(strategy, Profile) and isinstance(game, ExpandedGame) and other is not game:
        same = strategy.game.form.hash == game.form.hash
    if not same:
        raise MismatchError(f"{name} is a strategy of {other.address}, not of {game.address}{_difference(other, game)}")
    policy = Policy.of_profile(strategy) if isinstance(strategy, Profile) else strategy
    if (policy.labels is None) != game.coded:
        raise MismatchError(f"{name} belongs to other rules than those of {game.address}: one is compiled, one is not")
    return TablePlayer(name, policy)


def _same_rules(other: PlayedGame, game: PlayedGame) -> bool:
    """Return whether two games are one: the same object, the same functions and table, or the same address."""
    if alike(game.rules, other.rules) or (game.compiled and other.compiled):
        return alike(game.rules, other.rules)
    return (other.name, other.parameters) == (game.name, game.parameters) and game.compiled == other.compiled


def _difference(other: PlayedGame, game: PlayedGame) -> str:
    """Say how two games that have the same address differ."""
    if other.address != game.address:
        return ""
    kinds = ["compiled" if one.compiled else "plain Python" for one in (other, game)]
    if kinds[0] != kinds[1]:
        return f" itself: it belongs to {kinds[0]} rules, and those of the match are {kinds[1]}"
    return " itself: it belongs to other rules with the same name; make both games from one rules object"


def asked_player(game: PlayedGame, name: str, strategy: Asked) -> AskedPlayer:
    """Return what plays a strategy that is no table; one of another game is refused."""
    if not _same_rules(strategy.game, game):
        raise MismatchError(
            f"{name} is a strategy of {strategy.game.address}, not of {game.address}{_difference(strategy.game, game)}"
        )
    return AskedPlayer(name, strategy)


def rule_player(game: PlayedGame, name: str, rule: Any) -> RulePlayer:
    """Return what plays a callable; a class is made without arguments first."""
    if isinstance(rule, type):
        try:
            rule = rule()
        except STRAY as error:
            raise PlayerError(f"{name}: making the rule raised {told(error)}") from error
    if not callable(rule):
        raise ParameterError(f"{name} is {shown(rule)}, which cannot be called and so cannot play")
    return RulePlayer(name, rule, game.rules)
