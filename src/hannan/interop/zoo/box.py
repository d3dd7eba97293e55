"""An environment as a black box."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from hannan.errors import RulesError
from hannan.interop.zoo.games import Wanted
from hannan.rules.box import Box, ChanceMove, View

MOST_PATHS = 1_000_000
"""The most paths whose observations are remembered; then the memory is cleared."""


class ZooBox(Box):
    """Plays an environment from the start.

    With `outcomes`, every step ends with a draw of chance, whose outcome is named by all observations after it. Without
    `outcomes`, the environment must not draw: if observations differ after the same actions, it is refused.
    """

    def __init__(self, wanted: Wanted) -> None:
        self._play, self._outcomes = wanted.make(), wanted.outcomes
        self.players, self.name, self.seeded = self._play.players, wanted.address, wanted.seeded
        self._drawn = False
        self._path: tuple[Any, ...] = ()
        self._known: dict[tuple[Any, ...], int] = {}
        """A hash of the observations after each path, if the environment does not draw."""

    def reset(self, seed: int) -> View:
        self._path = ()
        self._play.reset(seed & 0x7FFFFFFF)
        return self._shown()

    def step(self, moves: tuple[Any, ...]) -> View:
        if self._drawn:
            self._drawn = False
            return self._node()
        self._path = (*self._path, *moves)
        self._play.step(moves)
        return self._shown()

    def _shown(self) -> View:
        everything: Hashable = self._play.everything()
        if self._outcomes is not None:
            self._drawn = True
            return View((0.0,) * self.players, draw=ChanceMove(everything, most=self._outcomes))
        if len(self._known) >= MOST_PATHS:
            self._known.clear()
        if self._known.setdefault(self._path, hash(everything)) != hash(everything):
            raise RulesError(
                f"{self.name} draws at random: after the moves {list(self._path)} it was not the same as before. "
                "Give an upper bound on how many outcomes a draw can have, as in NAME(outcomes=6)"
            )
        return self._node()

    def _node(self) -> View:
        play = self._play
        return View(play.gains, None, play.movers, play.menus, play.seen)
