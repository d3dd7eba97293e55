"""Public rules: public play, and one private type for each of two players.

Everything after the deal is public: actions, and cards dealt to the table. The hidden information is dealt once, at the
start: a type for each player, such as a hand of cards. Such a game has a small public tree. A method holds vectors over
types at its nodes, and the payoffs at an end of play are an operator on such a vector.

The same object is also plain rules, in which chance first deals a type to each player. So every small instance can be
expanded, drawn, played and certified like any other game.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Bools, Floats, Ints
from hannan.errors import RulesError, UnknownNameError, nearest
from hannan.rules.plain import CHANCE, END, Rules

Cards = tuple[int, ...]


@dataclass(frozen=True)
class Fold:
    """An end of play with the same gains for all types."""

    gains: tuple[float, float]
    """The gain of each player."""


@dataclass(frozen=True)
class Showdown:
    """An end of play at which the stronger type wins, see `PublicRules.strengths`."""

    win: tuple[float, float]
    """The gain of each player if it has the stronger type."""
    lose: tuple[float, float]
    tie: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Table:
    """An end of play with a table of gains by types."""

    gains: Floats  # [2, types of player 0, types of player 1]


Ending = Fold | Showdown | Table


class Mirror(NamedTuple):
    """A symmetry: the image of each outcome, and of each type of each player."""

    outcomes: dict[Hashable, Hashable]
    types: tuple[Sequence[int], Sequence[int]]


class Private(NamedTuple):
    """An outcome of the first two chance nodes: the type of a player, by its place."""

    player: int
    place: int


class _State(NamedTuple):
    """A history of the plain rules."""

    types: tuple[int, ...]  # empty, that of player 0, or those of both
    line: Any
    board: tuple[Hashable, ...]
    told: tuple[tuple[str, ...], tuple[str, ...]]  # each player's public observations since its own last choice


class PublicRules(Rules):
    """Rules with public play and one private type for each of two players. Subclass it and write the methods below.

    A *line* is the public play without the cards on the table; the *board* is the outcomes dealt so far. Types hold up
    to two cards each. Two types with a card in common cannot be dealt together, and types with a card of the board are
    excluded.
    """

    players = 2

    @abstractmethod
    def types(self, player: int) -> Sequence[str]:
        """Return the names of the types of a player."""

    def weights(self, player: int) -> Sequence[float]:
        """Return the weight of each type, up to a factor: a possible pair is dealt in proportion to the product."""
        return [1.0] * len(self.types(player))

    def cards(self, player: int) -> Sequence[Cards]:
        """Return the cards of each type: at most two integers, 0 or larger."""
        return [()] * len(self.types(player))

    @abstractmethod
    def opening(self) -> Any:
        """Return the first line of a play; lines are hashable."""

    @abstractmethod
    def mover(self, line: Any) -> int:
        """Return who acts: a player, `CHANCE` if a card is dealt, or `END`."""

    @abstractmethod
    def options(self, line: Any) -> Sequence[Hashable]:
        """Return the legal actions of the player who acts."""

    @abstractmethod
    def following(self, line: Any, action: Any) -> Any:
        """Return the line after an action."""

    @abstractmethod
    def ending(self, line: Any) -> Ending:
        """Return the gains at an end of play."""

    def outcomes(self, board: tuple[Any, ...]) -> Sequence[tuple[Hashable, float]]:
        """Return the next outcomes on the table, each with its probability given any two types without its cards."""
        return []

    def dealt(self, line: Any, outcome: Any) -> Any:
        """Return the line after a card was dealt to the table."""
        return line

    def outcome_cards(self, outcome: Any) -> Cards:
        """Return the cards of an outcome: types that hold one of them are excluded after it."""
        return ()

    def strengths(self, board: tuple[Any, ...], player: int) -> Sequence[int] | Ints:
        """Return the strength of each type at a showdown on this board; equal numbers tie."""
        raise TypeError("ending() returned a Showdown, but strengths() is not defined")

    def mirrors(self, board: tuple[Any, ...]) -> Sequence[Mirror]:
        """Return symmetries of the game on this board, without the identity; the list may be incomplete or empty."""
        return []

    def outcome_text(self, outcome: Any) -> str:
        """Return the text of an outcome."""
        return str(outcome)

    def option_text(self, option: Any) -> str:
        """Return the text of an action."""
        return str(option)

    def types_in(self, player: int, text: str) -> Sequence[int]:
        """Return the types for a text that is neither a name nor a pattern, such as a range of hands."""
        raise UnknownNameError(f"player {player} has no type {text!r}{nearest(text, self.types(player))}")

    def spelled(self) -> dict[str, Any] | None:
        """Return the parameters of the built-in game, with the contents of files in place of their names, or None.

        Strategies and checkpoints store these, so that they can be read without the files.
        """
        return None

    def findings(self, exploitability: float) -> dict[str, Any]:
        """Return additional facts about the exploitability of a result, by key, such as a share of the pot."""
        return {}

    @property
    def usual_gap(self) -> float | None:
        """The NashConv at which a run without a limit stops; None: the usual one."""
        return None

    # the methods of plain rules

    @cached_property
    def _hidden(self) -> tuple[tuple[Sequence[str], ...], tuple[Sequence[Cards], ...]]:
        return (self.types(0), self.types(1)), (self.cards(0), self.cards(1))

    @cached_property
    def _pairs(self) -> Floats:
        """The weight of each pair of types, [types of player 0, types of player 1]."""
        weights: Floats = np.multiply.outer(np.asarray(self.weights(0), float), np.asarray(self.weights(1), float))
        weights = np.where(_meeting(*self._hidden[1]), weights, 0.0)
        if not weights.any():
            raise RulesError(
                f"{self.name or type(self).__name__}: no deal is possible: all types have a card in common, or weight 0"
            )
        return weights

    def start(self) -> _State:
        return _State((), None, (), ((), ()))

    def turn(self, state: _State) -> int:
        return self.mover(state.line) if len(state.types) == 2 else CHANCE

    def actions(self, state: _State, player: int) -> Sequence[Hashable]:
        return self.options(state.line)

    def chance(self, state: _State) -> Sequence[tuple[Hashable, float]]:
        player = len(state.types)
        if player < 2:
            weights = self._pairs[state.types[0]] if player else self._pairs.sum(axis=1)
            places = np.flatnonzero(weights)
            odds = weights[places] / weights.sum()
            return [(Private(player, place), p) for place, p in zip(places.tolist(), odds.tolist(), strict=True)]
        held = {card for p in (0, 1) for card in self._hidden[1][p][state.types[p]]}
        return [(move, odds) for move, odds in self.outcomes(state.board) if held.isdisjoint(self.outcome_cards(move))]

    def after(self, state: _State, move: Any) -> _State:
        if len(state.types) < 2:
            types = (*state.types, move.place)
            if len(types) < 2:
                return state._replace(types=types)
            told = tuple((names[place],) for names, place in zip(self._hidden[0], types, strict=True))
            return _State(types, self.opening(), (), (told[0], told[1]))
        mover = self.mover(state.line)
        if mover == CHANCE:
            word = self.outcome_text(move)
            both = (*state.told[0], word), (*state.told[1], word)
            return state._replace(line=self.dealt(state.line, move), board=(*state.board, move), told=both)
        heard = *state.told[1 - mover], self.option_text(move)
        return state._replace(line=self.following(state.line, move), told=((), heard) if mover == 0 else (heard, ()))

    def observe(self, state: _State, player: int) -> Hashable:
        return state.told[player]

    def observation_text(self, player: int, observation: Any) -> str:
        return " ".join(observation)

    def grid(self, player: int, way: Sequence[Any]) -> tuple[str, str, str] | None:
        words = [*way[0]]
        for k, part in enumerate(way[1:]):
            words += [self.option_text(part)] if k % 2 == 0 else [*part]
        return words[0], " ".join(words[1:]), " ".join(words)

    def gains(self, state: _State) -> Sequence[float]:
        if self.turn(state) != END:
            return (0.0, 0.0)
        ending, (i, j) = self.ending(state.line), state.types
        if isinstance(ending, Fold):
            return ending.gains
        if isinstance(ending, Table):
            return float(ending.gains[0, i, j]), float(ending.gains[1, i, j])
        mine, theirs = self.strengths(state.board, 0)[i], self.strengths(state.board, 1)[j]
        if mine == theirs:
            return ending.tie
        winner = 0 if mine > theirs else 1
        gains = [ending.lose[0], ending.lose[1]]
        gains[winner] = ending.win[winner]
        return gains

    def action_text(self, player: int, action: Any) -> str:
        if player != CHANCE:
            return self.option_text(action)
        if isinstance(action, Private):
            return self._hidden[0][action.player][action.place]
        return self.outcome_text(action)


def _meeting(first: Sequence[Cards], second: Sequence[Cards]) -> Bools:
    """Return whether two types have no card in common, [types of player 0, types of player 1]."""
    most = 1 + max((card for cards in (*first, *second) for card in cards), default=0)
    held = [np.zeros((len(player), most), np.float32) for player in (first, second)]
    for marks, player in zip(held, (first, second), strict=True):
        for place, cards in enumerate(player):
            marks[place, list(cards)] = 1
    result: Bools = held[0] @ held[1].T == 0
    return result
