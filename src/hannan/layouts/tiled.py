"""Tiles: the back end for middle and large games, on one thread."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.kernels.fullwidth import passes
from hannan.kernels.fullwidth import tiled as kernels
from hannan.kernels.fullwidth.records import REGRETS, Tiled
from hannan.layouts.backend import InMemory, Setup
from hannan.layouts.layout import tiled_of


class Tiles(InMemory[Tiled]):
    """Sets side by side, payoffs in dense blocks. It has no learner FACTORS."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, tiled_of(setup.form, setup.payoffs))
        self.arrays = self.arrays._replace(scratch=np.zeros_like(self.arrays.scratch))  # the rest is shared
        self._below = None if setup.learner == REGRETS else np.zeros(setup.sequences)

    def gradient(self, player: int) -> None:
        kernels.gradient(self.arrays, player, self._learning.reach, self._worth)

    def learn(self, player: int, step: Floats) -> None:
        held, scratch = (self._learning, self._prior, step), (self._worth, self._below)
        kernels.learn(self.arrays, player, *held, self.setup.tracking, *scratch)

    def average(self, player: int, decay: float) -> None:
        kernels.average(self.arrays, player, self._learning, decay)

    def track(self, player: int, decay: float) -> None:
        passes.track(self.arrays.sequence_begin, player, self._learning, decay, self._worth)

    def run(self, schedule: Floats) -> None:
        held, scratch = (self._learning, self._prior, schedule), (self._worth, self._below)
        kernels.run(self.arrays, *held, self.setup.simultaneous, self.setup.tracking, *scratch)
