"""Traversals in pieces: what a piece brings home, and how workers make it.

A piece is a run of an iteration's traversals for one player. What it brings depends on the networks and on the numbers
of its traversals alone. A worker has a solver of its own, made once, and gets the weights of the networks before each
player's traversals.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError, PieceError
from hannan.forms.game import PlayedGame
from hannan.neural.memories import Lessons
from hannan.neural.traversals import Samples, Singles, Traversals
from hannan.pieces.run import run_pieces
from hannan.pieces.workers import Workers


class Piece(NamedTuple):
    """Traversals low … high-1 of iteration t for one player."""

    t: int
    player: int
    low: int
    high: int


@dataclass(frozen=True)
class MenuRows:
    """Rows of one player in the order of their menus, to be judged once networks have learnt."""

    known: Singles  # [rows, row size]
    head: Longs  # [rows, width]
    there: Any  # [rows, width]  whether the menu has so many actions
    policy: Floats  # [rows, width]  0 beyond the menu

    @classmethod
    def of(cls, walks: Traversals, chosen: Longs) -> MenuRows:
        """Return chosen rows of traversals."""
        rows = walks.rows
        there = np.arange(rows.head.shape[1]) < rows.size[chosen][:, None]
        head, policy = np.where(there, rows.head[chosen], 0), np.where(there, rows.policy[chosen], 0.0)
        return cls(rows.known[chosen], head, there, policy)

    def regrets(self, values: Floats) -> Floats:
        """Return by head what actions are worth minus what the policy is worth, NaN where there is no such action.

        The mean is added up action by action, in the order in which traversals add.
        """
        guess: Floats = np.where(self.there, np.take_along_axis(values, self.head, axis=1), 0.0)
        mean = np.zeros(len(guess))
        for k in range(guess.shape[1]):
            mean += self.policy[:, k] * guess[:, k]
        target = np.full(values.shape, np.nan)
        row, place = np.nonzero(self.there)
        target[row, self.head[row, place]] = (guess - mean[:, None])[row, place]
        return target


@dataclass(frozen=True)
class Haul:
    """What a piece brings home."""

    touched: int
    """How many decisions and ends of play were visited."""
    regrets: Samples
    policies: Mapping[int, Samples]
    """For each player but the traverser, what it did."""
    lessons: Mapping[int, Lessons] = field(default_factory=dict)
    """For each mover, what its actions came to; empty unless the method learns it."""
    judged: MenuRows | None = None
    """The traverser's rows, if their regrets are what networks say after they have learnt the lessons."""


Weights = Mapping[str, Mapping[str, Any]]
"""The arrays of each network, by its name."""


class Briefing:
    """What all pieces of one player's traversals share: how the solver is made, and the weights of its networks."""

    def __init__(self, recipe: bytes, weights: Weights) -> None:
        self.recipe, self.weights = recipe, weights
        self._solver: Any = None

    @property
    def solver(self) -> Any:
        """The solver of this process, with these weights."""
        if self._solver is None:
            self._solver = _solver(hashlib.sha256(self.recipe).digest(), self.recipe)
            parts = self._solver.parts()
            for name, arrays in self.weights.items():
                parts[name].restore(arrays)
        return self._solver

    def __reduce__(self) -> tuple[Any, ...]:
        return Briefing, (self.recipe, self.weights)


_SOLVERS: dict[bytes, Any] = {}
"""The solver of this worker, by the digest of how it is made: one, until pieces of another one come."""


def _solver(digest: bytes, recipe: bytes) -> Any:
    if digest not in _SOLVERS:
        _SOLVERS.clear()
        kind, game, parameters = pickle.loads(recipe)
        _SOLVERS[digest] = kind(game, **parameters)
    return _SOLVERS[digest]


def make_piece(briefing: Briefing, piece: Piece) -> Haul:
    """Make the traversals of a piece."""
    haul: Haul = briefing.solver.haul(*piece)
    return haul


class Crew:
    """Workers that make traversals."""

    def __init__(self, workers: Workers, kind: type, game: PlayedGame, parameters: Mapping[str, Any]) -> None:
        self._workers = workers
        try:
            self._recipe = pickle.dumps((kind, game, dict(parameters)), protocol=5)
        except Exception as error:  # whatever a user's class raises
            raise ParameterError(
                f"{game.address} or its method cannot be sent to another process ({error}): define classes and "
                "functions at the top of a file that can be imported, or use on='serial'"
            ) from error

    def prepare(self, weights: Weights) -> None:
        """Let every worker make its solver, and load what is compiled."""
        pieces = [Piece(0, 0, 0, 1)] * self._workers.count
        for _ in run_pieces(make_piece, pieces, self._workers, shared=Briefing(self._recipe, weights)):
            pass

    def hauls(self, pieces: list[Piece], weights: Weights) -> Iterator[Haul]:
        """Yield what pieces bring, in their order."""
        try:
            for _, haul in run_pieces(make_piece, pieces, self._workers, shared=Briefing(self._recipe, weights)):
                yield haul
        except PieceError as error:
            raise error.__cause__ or error from None  # the sentence of the game, as in this process
