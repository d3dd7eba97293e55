"""The results of the methods of this folder: equilibria one by one, and in the end whether these are all.

A method is a generator. It yields each equilibrium as soon as it is known, so a limit or Ctrl-C keeps what was found:
the caller just stops iterating. In long loops between two equilibria a method calls `hannan.interrupts.go_on`.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hannan.arrays import Floats, frozen

Fractions = tuple[tuple[Fraction, ...], ...]
"""A strategy for each player, exact."""


@dataclass(frozen=True, eq=False)
class Point:
    """One equilibrium, as a method yields it."""

    strategies: tuple[Floats, ...]
    """A player: [plans] probabilities of plans, or [sequences] probabilities of sequences, the empty one first."""
    space: Literal["plans", "sequences"] = "plans"
    fractions: Fractions | None = None
    """The strategies in exact fractions, if the method knows them: an equilibrium without any rounding."""
    radius: float | None = None
    """A true equilibrium is proven to lie within this distance of every probability. None: no such proof."""
    regret: float | None = None
    """A proven bound on what any player could gain by deviating from `strategies`. None: not bounded yet."""
    index: int | None = None
    """The index of the equilibrium, if the method knows it."""
    isolated: bool | None = None
    """Whether no other equilibrium is arbitrarily close, if the method knows it."""
    behaviour: Fractions | None = None
    """Each player's exact behaviour at every set, reached or not: [sequences], the empty one 1. For refinements."""

    def __post_init__(self) -> None:
        for strategy in self.strategies:
            frozen(strategy)


@dataclass(frozen=True)
class Ending:
    """The end of a method that was not interrupted."""

    complete: bool
    """Whether every equilibrium was found; for components, every extreme one."""
    why: str
    """A sentence that says why the list is complete, or why it need not be."""


Points = Generator[Point, None, Ending]
"""The generator that a method returns."""


def finished(points: Points) -> tuple[list[Point], Ending]:
    """Return all points that a method yields, and how it ended."""
    found = []
    while True:
        try:
            found.append(next(points))
        except StopIteration as end:
            return found, end.value
