"""One small game of plain-Python rules, written with observations of every kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

import hannan as hn
from hannan.rules.plain import CHANCE, END, Rules
from tests.averages import average_of, current_of


class Guess(Rules):
    """Chance draws a or b; player 0 sees it and acts; player 1 sees the action only. They meet, or do not."""

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> Any:
        return (CHANCE, 0, 1, END)[len(state)]

    def chance(self, state: Any) -> Any:
        return [("a", 0.5), ("b", 0.5)]

    def actions(self, state: Any, player: int) -> Any:
        return [0, 1]

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Any:
        return self.seen(int(state[0] == "b") if player == 0 else state[1], state[0])

    def seen(self, number: int, hidden: str) -> Any:
        """Return what stands for a number; `hidden` may change its form."""
        return number

    def gains(self, state: Any) -> Any:
        if len(state) < 3:
            return 0.0, 0.0
        won = (state[1] == state[2]) * (1.0 if state[0] == "a" else -1.0)
        return won, -won


class Shown:
    """An observation that has the text of all objects, an address; equal where its number is."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shown) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)


class Hidden(Shown):
    """Says the same of every number."""

    def __repr__(self) -> str:
        return "hidden"


@dataclass(frozen=True)
class Card:
    rank: Any


class Colour(Enum):
    RED = 0
    BLACK = 1


class Numbers(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return bool(number) if hidden == "a" else np.int64(number)


class Tuples(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return ("card", float(number) if hidden == "a" else number)


class Sets(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return frozenset({"x", "y", str(number)})


class Cards(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return Card(bool(number) if hidden == "a" else number)


class Colours(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return Colour(number)


class Addresses(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return Shown(number)


class Alike(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return Hidden(number)


LASTING = (Guess, Numbers, Tuples, Sets, Cards, Colours)
PASSING = (Addresses, Alike)


def average(rules: Rules, over: Any, **parameters: Any) -> list[Any]:
    solver = hn.methods.ExternalSampling(rules, over=over, seed=4, **parameters)
    solver.run(30)
    return [*average_of(solver).strategies, *current_of(solver).strategies]
