"""A person at a terminal as a player: told what the seat observes and may do, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hannan.forms.game import PlayedGame
from hannan.measures.players import Player
from hannan.measures.poker.survey import Survey
from hannan.measures.tables import Measured
from hannan.strategies.index import UNKNOWN
from hannan.strategies.public import PublicSeat
from hannan.strategies.seats import Answer, Looking, Seat, TableSeat

HELP = "type an action, its number or how it begins; hint: what the strategy would do; quit: stop playing"
WORDS = ("help", "?", "hint", "quit")

FEW = 4
"""Actions with the same meaning that are all named."""

Ask = Callable[[str], str]
"""Prints a question, and returns the line that answers it."""
Say = Callable[[str], None]


class Quit(Exception):  # noqa: N818  # no error: somebody has had enough
    """The person wants to stop."""


@dataclass
class Choice:
    """One choice of a play, looked at afterwards."""

    seen: str
    """What the person had seen and done: the name of the information set."""
    action: str
    cost: float | None
    """What the best action gains over this one against the strategy, if the person goes on as it would."""
    best: str | None


@dataclass
class Person:
    """Whoever sits at the terminal, in whichever seat."""

    game: PlayedGame
    ask: Ask
    say: Say
    adviser: Player
    """Whose hints are told."""
    measured: Measured | None
    """The adviser's profile measured, where it is one of an expanded game."""
    hints: bool = False
    """Whether hints are told without a question."""
    name: str = "you"
    choices: list[Choice] = field(default_factory=list)
    """Of the play that is under way, or was last."""
    explained: set[tuple[int, str]] = field(default_factory=set)
    """Seats and actions that were explained already."""
    survey: Survey | None = None
    """The adviser's strategy measured, once a choice was made against one on a public tree."""

    def sit(self, seat: int, luck: int) -> Seat:
        self.choices = []
        self.say(f"you are player {seat}")
        return _PersonSeat(self, seat, self.adviser.sit(seat, luck))


class _PersonSeat:
    def __init__(self, person: Person, seat: int, advice: Seat) -> None:
        self.person, self.seat, self.advice = person, seat, advice
        self.story = ""
        self.names: list[str] = []
        self.helps: list[str] = []
        self.board = ""

    def look(self, state: Any) -> None:
        """Keep what the rules show this seat of the board, and nothing else of the state."""
        self.board = self.person.game.rules.board_text(state, self.seat)
        if isinstance(self.advice, Looking):
            self.advice.look(state)

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        rules = self.person.game.rules
        self.names = [rules.action_text(self.seat, action) for action in actions]
        self.helps = [rules.action_help(self.seat, action) for action in actions]
        self.story = f"{self.story} {rules.observation_text(self.seat, observation)}".strip()
        weights = self.advice.choose(observation, actions).weights
        self.person.say(f"you see: {self.story}")
        if self.board:
            self.person.say(self.board)
        if any((self.seat, name) not in self.person.explained for name in self.names):
            self._explain()
        if self.person.hints:
            self._hint(weights)
        return Answer(np.eye(len(actions))[self._asked(weights)], False)

    def _asked(self, weights: Sequence[float] | np.ndarray) -> int:
        numbered = not any(name.isdecimal() for name in self.names)
        menu = "  ".join(f"{number} {name}" if numbered else name for number, name in enumerate(self.names, 1))
        while True:
            word = self.person.ask(f"{menu} > ").strip()
            place = understood(word, self.names)
            if isinstance(place, int):
                return place
            if place == "quit":
                raise Quit
            if place == "hint":
                self._hint(weights)
            elif place is not None:
                self.person.say(HELP)
                self._explain()
            elif word:
                self.person.say(f"{word!r} is none of your actions, or begins several of them; {HELP}")

    def _explain(self) -> None:
        """Say what the actions mean: those that mean the same together."""
        self.person.explained |= {(self.seat, name) for name in self.names}
        meant: dict[str, list[str]] = {}
        for name, words in zip(self.names, self.helps, strict=True):
            meant.setdefault(words, []).append(name)
        for words, names in meant.items():
            if words:
                self.person.say(f"  {_short(names)}: {words}")

    def _hint(self, weights: Sequence[float] | np.ndarray) -> None:
        shares = (f"{name} {weight:.3f}" for name, weight in zip(self.names, weights, strict=True) if weight > 0)
        self.person.say(f"the strategy: {'  '.join(shares)}")

    def took(self, k: int) -> None:
        person, cost, best = self.person, None, None
        if person.measured is not None and isinstance(self.advice, TableSeat) and self.advice.place != UNKNOWN:
            plays = person.measured.row(self.advice.place).actions
            gains = [plays[place].regret for place in self.advice.places]
            known = [gain for gain in gains if gain is not None]  # none is, where the others never lead here
            if len(known) == len(gains):
                cost, best = max(known) - known[k], self.names[known.index(max(known))]
        elif isinstance(self.advice, PublicSeat):
            cost, best = self._public_cost(self.advice, k)
        person.choices.append(Choice(self.story, self.names[k], cost, best))
        self.story = f"{self.story} {self.names[k]}"
        self.advice.took(k)

    def _public_cost(self, advice: PublicSeat, k: int) -> tuple[float | None, str | None]:
        """Return what a choice costs against a strategy on a public tree, and the best one; None: play never comes."""
        strategy, cursor, kind = advice.standing
        if self.person.survey is None or self.person.survey.strategy is not strategy:
            self.person.survey = Survey(strategy)
        standing = self.person.survey.at(cursor)[self.seat]
        if standing.utilities is None:
            return None, None
        gains = standing.utilities[:, int(np.flatnonzero(standing.types == kind)[0])]
        if np.isnan(gains).any():
            return None, None
        return float(gains.max() - gains[k]), self.names[int(gains.argmax())]


def _short(names: Sequence[str]) -> str:
    """List names; of many, the first and the last ones."""
    return ", ".join(names if len(names) <= FEW else [*names[:2], "…", names[-1]])


def understood(word: str, names: Sequence[str]) -> int | str | None:
    """Return the place of an action, one of WORDS, or None. An action's own name wins over all else, then its number.

    Where a name is a number itself, actions have no numbers. Words that are also actions are asked for with a colon, as
    :quit.
    """
    if names.count(word) == 1:
        return names.index(word)
    numbered = not any(name.isdecimal() for name in names)
    if numbered and word.isdecimal() and 1 <= int(word) <= len(names):
        return int(word) - 1
    if word.lstrip(":").lower() in WORDS:
        return word.lstrip(":").lower()
    begun = [k for k, name in enumerate(names) if word and name.startswith(word)]
    return begun[0] if len(begun) == 1 else None
