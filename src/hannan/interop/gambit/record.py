"""The content of a Gambit file, with every name and number as written in the file."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from hannan.interop.gambit.text import NUMBER, exact

TERMINAL, CHANCE = -1, 0
"""Entries of `EfgGame.player`; players are 1, 2, …"""


@dataclass(slots=True)
class StatedSet:
    """An information set of a tree, or a move of chance."""

    player: int
    number: int
    name: str
    actions: tuple[str, ...]
    odds: tuple[Fraction, ...] | None = None
    """The probabilities of chance's actions; None for a player."""


@dataclass
class EfgGame:
    """A tree in the order of its file: each node before its children."""

    title: str
    players: list[str]
    comment: str = ""
    player: array[int] = field(default_factory=lambda: array("b"))  # [nodes]  TERMINAL, CHANCE, or 1, 2, …
    set_of: array[int] = field(default_factory=lambda: array("i"))  # [nodes]  -1 at the ends
    outcome_of: array[int] = field(default_factory=lambda: array("i"))  # [nodes]  -1: nothing is gained
    child_begin: array[int] = field(default_factory=lambda: array("i"))  # [nodes]
    child: array[int] = field(default_factory=lambda: array("i"))  # [nodes - 1]
    labels: dict[int, str] = field(default_factory=dict)
    """By node: its label, if it has one."""
    sets: list[StatedSet] = field(default_factory=list)
    payoffs: list[str] = field(default_factory=list)
    """For each outcome, the payoffs as written in the file."""
    outcome_names: dict[int, str] = field(default_factory=dict)
    """By outcome: its name, if it has one."""
    outcome_numbers: dict[int, int] = field(default_factory=dict)
    """By outcome: its number in the file, if that is not its place counted from 1."""

    def children(self, node: int) -> Sequence[int]:
        """Return the children of a node, in the order of the actions."""
        first = self.child_begin[node]
        return self.child[first : first + self.width(node)]

    def width(self, node: int) -> int:
        """Return the number of children of a node."""
        return 0 if self.player[node] == TERMINAL else len(self.sets[self.set_of[node]].actions)


@dataclass
class NfgGame:
    """A table of payoffs; the first player's strategy runs fastest."""

    title: str
    players: list[str]
    strategies: list[tuple[str, ...]]
    comment: str = ""
    outcomes: list[tuple[str, tuple[Fraction, ...]]] | None = None
    """Name and payoffs of each outcome, in the outcome version of the format."""
    cells: list[int] = field(default_factory=list)
    """In the outcome version: the outcome of each cell, counted from 1; 0 if no player gains anything."""
    payoffs: list[tuple[Fraction, ...]] = field(default_factory=list)
    """In the payoff version: the payoffs of each cell."""

    def at(self, cell: int) -> tuple[Fraction, ...]:
        """Return the payoffs of a cell."""
        if self.outcomes is None:
            return self.payoffs[cell]
        number = self.cells[cell]
        return self.outcomes[number - 1][1] if number else (Fraction(0),) * len(self.players)


def fractions(payoffs: str) -> tuple[Fraction, ...]:
    """Return the numbers of a list of payoffs."""
    return tuple(exact(number) for number in NUMBER.findall(payoffs))


@lru_cache(maxsize=1 << 16)
def floats(payoffs: str) -> tuple[float, ...]:
    """Return the floats nearest to the numbers of a list of payoffs."""
    numbers = NUMBER.findall(payoffs)
    return tuple(float(exact(number)) if "/" in number else float(number) for number in numbers)
