"""The back end on a card: one launch for many iterations, state in the card's memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hannan.arrays import Floats, Numbers
from hannan.kernels.fullwidth import passes
from hannan.kernels.fullwidth import records as rec
from hannan.layouts.backend import Average, Backend, Setup, rest
from hannan.layouts.cuda import program
from hannan.layouts.cuda.program import Card, Options
from hannan.layouts.cuda.slices import Slices, slices_of

OpenCard = Callable[[Options, int, int], Card]
"""A function that makes a card from compiler options, the items of the widest phase and the needed bytes."""


FORCED = {"strategy": 1.0, "regret": 0.0}
"""The state of the only action of a set, if it shares the place of the sequence before it."""


class Cuda(Backend):
    """The verbs of a back end as phases of one kernel; `run` is one launch.

    Idle sets (`hannan.forms.treeplex.idle_sets`) are left out of the iterations.
    """

    def __init__(self, setup: Setup, card: OpenCard) -> None:
        super().__init__(setup)
        # regrets alone have nothing to say about a set of one action, and gradients are tracked sequence by sequence
        contracted = setup.learner == rec.REGRETS and setup.tracking == rec.VALUES
        self._slices = slices_of(setup.form, setup.payoffs, contracted)
        plan = program.plan_of(self._slices)
        arrays = {"plan": plan, **_fixed(self._slices), **self._empty()}
        size = sum(array.nbytes for array in arrays.values())
        self._card = card(
            Options.of(setup, len(self._slices.table) > 0, plan), program.widest_phase(self._slices), size
        )
        self._at = {name: self._card.array(array) for name, array in arrays.items()}
        if not setup.averaged:
            self._at["total"] = self._at["reach"]  # `measure` uses the reaches in place of an average
        numbers = (self._slices.indexes, 0)
        fields = [self._at[name] for name in (*program.FIXED, *program.STATE, *program.SCRATCH)]
        results, self._measured = self._card.results(3 * setup.form.players + 1)
        self._header = np.array([*numbers, *fields, results], np.int64)
        self._resting: bool | None = None  # whether idle sets are left out; None: not determined yet

    def _empty(self) -> dict[str, Floats]:
        """Return the state and the scratch, all 0. Arrays that this learner does not use have one element."""
        setup, slices = self.setup, self._slices
        players, places = setup.form.players, slices.places
        sizes = dict.fromkeys((*program.STATE, "worth", "given"), places)
        sizes["played"] = places if setup.tracking == rec.GRADIENTS else 1
        sizes["prior"] = places if setup.learner in (rec.WEIGHTS, rec.FACTORS) else 1
        sizes["value"] = players + 1
        if not setup.averaged:
            del sizes["total"]
        sizes["node"] = max(slices.slots, 1)
        sizes["log"] = sizes["node"] if setup.learner == rec.WEIGHTS else 1
        sizes["late"] = places if setup.learner == rec.WEIGHTS else 1
        sizes["piece"] = int(slices.piece_begin[-1]) + 1
        sizes["sum"] = players * program.SHARES * (program.SHARES + 2)
        return {name: np.zeros(size) for name, size in sizes.items()}

    def read(self, name: str) -> Floats:
        array = self._held(name)
        if self._resting and name in ("reach", "total") and len(array):
            passes.spread_below(self._slices.idle, self._held("strategy"), array)
        return array

    def _held(self, name: str) -> Floats:
        """Return an array of the card's memory."""
        if self.setup.sizes[name] == 0:
            return np.zeros(0)
        array = self._card.read(self._at[name])
        return array if name == "value" else self._slices.outward(array, FORCED.get(name))

    def write(self, name: str, array: Floats) -> None:
        if self._resting:  # write what was left out, since the next run may not leave it out
            for late in ("reach", "total"):
                self._put(late, self.read(late))
        self._resting = None
        self._put(name, array)

    def _put(self, name: str, array: Floats) -> None:
        """Overwrite an array of the card's memory."""
        if self.setup.sizes[name] > 0:
            self._card.write(self._at[name], array if name == "value" else self._slices.inward(array))

    def run(self, schedule: Floats) -> None:
        if self._resting is None:
            learns, averaged = self.setup.learner == rec.REGRETS, self.setup.averaged
            self._resting = learns and rest(self._slices.idle, self._held, averaged, "float64")
            self._header[program.NUMBERS.index("resting")] = self._resting
        if len(schedule):
            self._card.iterate(self._header, np.ascontiguousarray(schedule))

    def measure(self) -> Average | None:
        if self.setup.payoffs != "float64":
            return None  # rounded payoffs give no exact measurement
        correlated = self.setup.tracking == rec.GRADIENTS
        self._card.measure(self._header, correlated)
        weight, *measured = self._measured.tolist()
        if weight == 0:
            return None  # no average before the first iteration
        players = self.setup.form.players
        values, bests, against = (tuple(measured[k * players : (k + 1) * players]) for k in range(3))
        return Average(values, bests, against if correlated else None)


def _fixed(slices: Slices) -> dict[str, Numbers]:
    """Return the arrays that never change, by their names in the header; none is empty."""
    arrays: dict[str, Numbers] = {name: getattr(slices, name) for name in program.FIXED if name != "plan"}
    return {name: array if array.size else np.zeros(4, array.dtype) for name, array in arrays.items()}
