"""Boxes that are odd and allowed: things of any type for names, numbers of any type, games of any shape."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum, Flag, IntEnum, StrEnum
from fractions import Fraction
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from hannan.rules.box import FAILED, Box, View
from hannan.rules.plain import CHANCE, END, Rules


class Suit(Enum):
    """Names that are no texts."""

    CLUBS = 1
    HEARTS = "x"
    SPADES = (1, 2)


class Rank(IntEnum):
    """Names that are numbers."""

    LOW = 1
    HIGH = 7


class Word(StrEnum):
    """Names that are texts."""

    YES = "yes"
    NO = "no"


class Bits(Flag):
    """Names that can be joined."""

    A = 1
    B = 2


@dataclass(frozen=True)
class Card:
    """A record of parts."""

    rank: Any
    suit: Any = None


class Pair(NamedTuple):
    """A tuple with names."""

    one: Any
    other: Any


THINGS: tuple[Callable[[str], Hashable], ...] = (
    lambda text: text,
    lambda text: hash_of(text),
    lambda text: np.int64(hash_of(text)),
    lambda text: hash_of(text) / 8,
    lambda text: Fraction(hash_of(text), 3),
    lambda text: float(hash_of(text)),
    lambda text: np.float64(hash_of(text) / 4),
    lambda text: text.encode(),
    lambda text: (text, None, 1.0, True),
    lambda text: frozenset({text, 3, (1.0,)}),
    lambda text: Card(text, Suit.HEARTS),
    lambda text: Pair(Rank.HIGH, Card(hash_of(text))),
    lambda text: (Suit.SPADES, Word.YES, text),
    lambda text: (Bits.A | Bits.B, text, "é\n'\"\0"),
    lambda text: complex(hash_of(text), 0),
    lambda text: complex(hash_of(text), 1),
    lambda text: (((text,),),),
    lambda text: 10**40 + hash_of(text),
)
"""What a text may become: different texts become different things."""


def hash_of(text: Any) -> int:
    """Return a number of 32 bits for a text; it tells the texts of one small game apart."""
    return crc32(str(text).encode())


NUMBERS: tuple[Callable[[Any], Any], ...] = (list, tuple, np.array, lambda gains: [np.float64(gain) for gain in gains])


class Odd(Box):
    """Shows what another box shows in things and numbers of other types."""

    def __init__(self, box: Box, seed: int) -> None:
        self.box, self.players, self.name, self.seeded = box, box.players, f"odd {box.name}", box.seeded
        draw = random.Random(seed)
        self._seen, self._taken, self._came, self._group = (draw.choice(THINGS) for _ in range(4))
        self._gains, self._bounds = draw.choice(NUMBERS), draw.choice(NUMBERS)
        self._view = View([0.0] * box.players)
        self._menus: list[list[Any]] = []

    def reset(self, seed: int) -> View:
        return self._told(self.box.reset(seed))

    def step(self, moves: tuple[Any, ...]) -> View:
        true = [
            menu[named.index(move)] for menu, named, move in zip(self._view.actions, self._menus, moves, strict=True)
        ]
        return self._told(self.box.step(tuple(true)))

    def _told(self, view: View) -> View:
        self._view = view
        self._menus = [[self._taken(str(action)) for action in menu] for menu in view.actions]
        bounds = None if view.bounds is None else self._bounds(view.bounds)
        draw = view.draw
        if draw is not None:
            listed = None if draw.outcomes is None else [self._outcome(outcome) for outcome in draw.outcomes]
            group = None if draw.group is None else self._group(str(draw.group))
            draw = draw._replace(outcome=self._outcome(draw.outcome), outcomes=listed, group=group)
        seen = [self._seen(str(one)) for one in view.observations]
        movers: Any = [np.int64(player) for player in view.movers]
        return View(self._gains(view.gains), bounds, movers, self._menus, seen, draw, view.children)

    def _outcome(self, outcome: Any) -> Hashable:
        return FAILED if outcome == FAILED else self._came(str(outcome))


class Shape(Rules):
    """A game of an extreme shape: over at once, nothing but luck, one way to go, a long way, or very many ways."""

    SHAPES = ("over", "luck", "one way", "long", "wide", "sure", "still", "many")

    def __init__(self, shape: str) -> None:
        self.shape, self.name, self.players = shape, f"shape {shape}", 5 if shape == "many" else 2

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> Any:
        last = {"over": 0, "luck": 1, "one way": 3, "long": 300, "wide": 1, "sure": 2, "still": 2, "many": 1}[
            self.shape
        ]
        if len(state) >= last:
            return END
        if self.shape == "many":
            return (0, 1, 2, 3, 4)
        return CHANCE if self.shape == "luck" or (self.shape == "sure" and not state) else len(state) % 2

    def chance(self, state: Any) -> Any:
        return [("only", 1.0)] if self.shape == "sure" else [("a", 0.0), ("b", 0.25), ("c", 0.75)]

    def actions(self, state: Any, player: int) -> Any:
        return range({"one way": 1, "wide": 300, "long": 1 + (len(state) == 299)}.get(self.shape, 2))

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Any:
        return None if self.shape == "still" else len(state)

    def gains(self, state: Any) -> Any:
        if self.turn(state) != END or self.shape == "still":
            return [0.0] * self.players
        worth = float(sum(move if isinstance(move, int) else 1 for move in state) % 3)
        return [worth, -worth] if self.players == 2 else [worth] * self.players

    def bounds(self, state: Any) -> Any:
        over = self.turn(state) == END or self.shape == "still"
        return [(0.0, 0.0) if over else (-2.0 - 3 * self.players, 2.0 + 3 * self.players)] * self.players
