"""Traversals in pieces: the samples of a piece, and how workers make it.

A piece is a range of an iteration's traversals for one player. Its samples depend only on the networks and on the
numbers of its traversals. A worker has a solver of its own, made once, and gets the weights of the networks before each
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
    """Rows of one player with their menus; networks compute regrets from them after training."""

    known: Singles  # [rows, row size]
    head: Longs  # [rows, width]
    there: Any  # [rows, width]  whether the menu has an action at this place
    policy: Floats  # [rows, width]  0 beyond the menu

    @classmethod
    def of(cls, walks: Traversals, chosen: Longs) -> MenuRows:
        """Return chosen rows of traversals."""
        rows = walks.rows
        there = np.arange(rows.head.shape[1]) < rows.size[chosen][:, None]
        head, policy = np.where(there, rows.head[chosen], 0), np.where(there, rows.policy[chosen], 0.0)
        return cls(rows.known[chosen], head, there, policy)

    def regrets(self, values: Floats) -> Floats:
        """Return by head the value of each action minus the value of the policy; NaN: no such action.

        The policy's value is summed action by action, in the same order as in traversals.
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
    """The samples of a piece."""

    touched: int
    """The number of decision nodes and terminal nodes visited."""
    regrets: Samples
    policies: Mapping[int, Samples]
    """For each player but the traverser, its policies."""
    lessons: Mapping[int, Lessons] = field(default_factory=dict)
    """For each mover, the sampled values of its actions; empty unless the method learns them."""
    judged: MenuRows | None = None
    """The traverser's rows, if networks compute their regrets after they have learnt the lessons."""


Weights = Mapping[str, Mapping[str, Any]]
"""The arrays of each network, by its name."""


class Briefing:
    """What all pieces of one player's traversals share: the solver's recipe, and the weights of its networks."""

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
"""The solver of this worker, by the digest of its recipe. At most one: pieces of another solver replace it."""


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
        except Exception as error:  # a user's class may raise anything
            raise ParameterError(
                f"{game.address} or its method cannot be sent to another process ({error}): define classes and "
                "functions at the top of a file that can be imported, or use on='serial'"
            ) from error

    def prepare(self, weights: Weights) -> None:
        """Let every worker make its solver and load the compiled code."""
        pieces = [Piece(0, 0, 0, 1)] * self._workers.count
        for _ in run_pieces(make_piece, pieces, self._workers, shared=Briefing(self._recipe, weights)):
            pass

    def hauls(self, pieces: list[Piece], weights: Weights) -> Iterator[Haul]:
        """Yield the samples of the pieces, in their order."""
        try:
            for _, haul in run_pieces(make_piece, pieces, self._workers, shared=Briefing(self._recipe, weights)):
                yield haul
        except PieceError as error:
            raise error.__cause__ or error from None  # show the game's own message, as in this process
