"""Tiles: the back end for middle and large games, on one thread."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.kernels.fullwidth import tiled as kernels
from hannan.kernels.fullwidth.records import Tiled
from hannan.layouts.backend import InMemory, Setup
from hannan.layouts.layout import tiled_of


class Tiles(InMemory[Tiled]):
    """Sets side by side, payoffs in dense blocks. It has no learner FACTORS."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, tiled_of(setup.form, setup.payoffs))
        self.arrays = self.arrays._replace(scratch=np.zeros_like(self.arrays.scratch))  # the rest is shared
        self._plans = None if self._prior is None else (self._prior, np.zeros(setup.sequences))

    def gradient(self, player: int) -> None:
        kernels.gradient(self.arrays, player, self._learning.reach, self._worth)

    def learn(self, player: int, step: Floats) -> None:
        kernels.learn(self.arrays, player, self._learning, self._plans, step, self.setup.tracking, self._worth)

    def average(self, player: int, decay: float) -> None:
        kernels.average(self.arrays, player, self._learning, decay)

    def run(self, schedule: Floats) -> None:
        asked = (self.setup.simultaneous, self.setup.tracking)
        kernels.run(self.arrays, self._learning, self._plans, schedule, *asked, self._worth)
