"""Arms that form one family of similar chance nodes: the smallest box for such families."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.certificates.pseudogame import Pair, Pseudogame
from hannan.certificates.solution import Solved
from hannan.rules.box import Box, ChanceMove, View

RARE = 0.05
"""The probability with which the last arm is pulled."""


class Arms(Box):
    """One player pulls an arm, which pays 1 with its own probability and else 0; all arms are of one family."""

    players = 1
    name = "arms"
    similar = True

    def __init__(self, odds: Sequence[float], told: float) -> None:
        """`told`: the claimed largest distance between the arms."""
        self.odds, self.told = tuple(odds), told
        self._random = random.Random()
        self._won: int | None = None

    def reset(self, seed: int) -> View:
        self._random.seed(seed)
        self._won = None
        return View([0.0], [(0.0, 1.0)], (0,), [range(len(self.odds))], ["which"])

    def step(self, moves: tuple[Any, ...]) -> View:
        if self._won is not None:
            return View([float(self._won)])
        self._won = int(self._random.random() < self.odds[moves[0]])
        return View([0.0], None, draw=ChanceMove(self._won, (0, 1), similar=("arms", self.told)))


def seldom(game: Pseudogame, solved: Solved) -> Sequence[Pair]:
    """Pull the last of two arms with probability `RARE`, else the first one."""
    return ((np.array([1.0, 1.0 - RARE, RARE]), np.ones(1)),)
