"""Plain loops: the back end for tiny games."""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels.fullwidth import passes
from hannan.kernels.fullwidth import plain as kernels
from hannan.kernels.fullwidth.records import Flat
from hannan.layouts.backend import InMemory, Setup
from hannan.layouts.layout import plain_of


class Plain(InMemory[Flat]):
    """Sets one after another, payoffs as rows."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, plain_of(setup.form, setup.payoffs))

    def gradient(self, player: int) -> None:
        passes.gradient(self.arrays, player, self._learning.reach, self._worth)

    def learn(self, player: int, step: Floats) -> None:
        kernels.learn(
            self.arrays, player, self._learning, self._prior, step, self.setup.learner, self.setup.tracking, self._worth
        )

    def average(self, player: int, decay: float) -> None:
        passes.average(self.arrays, player, self._learning, decay)

    def run(self, schedule: Floats) -> None:
        asked = (self.setup.learner, self.setup.simultaneous, self.setup.tracking)
        kernels.run(self.arrays, self._learning, self._prior, schedule, *asked, self._worth)
