"""The back end of games in which players forget: the plain layout, in which tied sets share one learner."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Ints
from hannan.kernels.fullwidth import tied
from hannan.layouts.backend import Plain, Setup


class Tied(Plain):
    """Sets one after another. Members of an abstract set hold the same regrets and the same strategy."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        assert setup.leaders is not None
        begin = self.arrays.set_begin[:-1].tolist()
        parts = [mine + first for mine, first in zip(setup.leaders, begin, strict=True)]
        self._leader: Ints = np.concatenate(parts).astype(np.int32)
        self._instant = np.zeros(setup.sequences)

    def learn(self, player: int, step: Floats) -> None:
        tracking, scratch = self.setup.tracking, (self._instant, self._worth)
        tied.learn(self.arrays, player, self._learning, self._leader, step, tracking, *scratch)

    def run(self, schedule: Floats) -> None:
        asked = (self.setup.simultaneous, self.setup.tracking)
        tied.run(self.arrays, self._learning, self._leader, schedule, *asked, self._instant, self._worth)
