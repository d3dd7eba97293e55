"""The back end of public trees on a card: every phase of a walk is one kernel over all stages of one depth.

An iteration reads and writes the necessary 20 bytes per entry of the state (in 32-bit floats) and, in the scratch, the
reaches of every node twice and its values twice.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import UnsuitableError
from hannan.kernels.public import passes
from hannan.kernels.public import records as rec
from hannan.layouts.backend import Average
from hannan.layouts.cuda import public_program as program
from hannan.layouts.cuda.public_program import Plan
from hannan.layouts.public import PublicBackend, PublicSetup

THREADS = 128
"""Threads of a block; blocks at ends of play have one warp."""
WARP = 32
WINDOW = 16
"""As in the source: the types that a lane collects before it writes them."""
ENOUGH = 1 << 20
"""Threads for each player that keep a card busy."""
STAGES = 65535
"""The most stages in the grid of a launch; kernels loop if there are more."""


class Kernels(Protocol):
    """A machine that runs the program: a real card, or a stand-in."""

    @property
    def free(self) -> int:
        """Bytes that are available."""

    def require(self, size: int, instead: str) -> None:
        """Refuse to begin if `size` bytes are not free."""

    def array(self, array: Any) -> int:
        """Copy an array there for as long as this object lives; return its address."""

    def read(self, address: int) -> Any:
        """Return a copy of the array at an address."""

    def write(self, address: int, array: Any) -> None:
        """Overwrite the array at an address."""

    def lent(self, array: Any) -> AbstractContextManager[int]:
        """Copy an array there for a while; yield its address."""

    def compiled(self, source: str) -> dict[str, Any]:
        """Return the kernels of a program by name."""

    def launch(
        self, kernel: Any, grid: tuple[int, int, int], threads: int, shared: int, tree: Longs, *numbers: int
    ) -> None:
        """Launch a kernel; `tree` is its record."""

    def wait(self) -> None:
        """Return when all kernels have ended."""


class _Walker:
    """One program with its scratch: it walks the whole tree, for learning or for measuring."""

    def __init__(self, card: Kernels, setup: PublicSetup, at: dict[str, int], plan: Plan, real: str, measures: bool):
        self._card, self._form, self._plan = card, setup.form, plan
        self._kernels = card.compiled(program.source(setup.form, setup.kept, real, measures=measures))
        placed = {"where": card.array(plan.where), "list": card.array(plan.list)}
        self._tree = program.record(setup.form, {**at, **placed})
        arrays = setup.form.arrays
        self._widest = int(arrays.stage[:, rec.S_WIDTH : rec.S_WIDTH + 2].max()) + WARP
        self._shared = WARP * (8 * arrays.cards + np.dtype(real).itemsize * (WINDOW + 1))
        mirrored = np.flatnonzero((arrays.twin_at >= 0).any(axis=1))
        self._mirrored = {int(depth) for depth in arrays.stage[mirrored, rec.S_DEPTH]}

    def walk(self, source: int, heroes: int, learns: int, steps: int, rows: int, moved: int = 3) -> None:
        """Walk the tree; `steps` is the address of the steps of the learning players.

        `moved` has the players whose strategies have changed since the last walk. If the scratch holds all stages, the
        reaches of the other players are still valid.
        """
        plan = self._plan
        movers = moved if len(plan.groups) <= 1 else 3
        self._open(0, 0, 1, source, movers)
        for group in plan.groups:
            for depth, (first, many) in enumerate(group.depths, 1):
                self._open(depth, first, many, source, movers)
            for depth, (first, many) in reversed(list(enumerate(group.depths, 1))):
                if depth < len(group.depths):
                    self._launch("leave", self._count(depth, rec.T_LEAVES), first, many, heroes, -1, -1)
                self._close(depth, first, many, source, heroes, learns, steps, rows)
            self._launch("leave", self._count(0, rec.T_LEAVES), 0, 1, heroes, group.low, group.high)
        self._close(0, 0, 1, source, heroes, learns, steps, rows)

    def settle(self, heroes: int, learns: int, raked: bool, steps: int, rows: int) -> None:
        """Write the results of the walk."""
        numbers = (heroes, learns, int(raked), steps, rows)
        self._card.launch(self._kernels["settle"], (1, 1, 1), WARP, 0, self._tree, *numbers)

    def _open(self, depth: int, first: int, many: int, source: int, movers: int) -> None:
        strands = self._strands(depth, many)
        self._launch("down", strands, first, many, strands, source, movers)

    def _close(
        self, depth: int, first: int, many: int, source: int, heroes: int, learns: int, steps: int, rows: int
    ) -> None:
        shape = self._form.arrays.template[depth]
        showdowns, folds = int(shape[rec.T_SHOWDOWNS]), int(shape[rec.T_FOLDS])
        if showdowns or folds:
            batches = -(-showdowns // WARP) + -(-folds // WARP)
            grid, numbers = (batches, min(many, STAGES), 2), (first, many, heroes, int(self._form.ties))
            self._card.launch(self._kernels["finish"], grid, WARP, self._shared, self._tree, *numbers)
        if shape[rec.T_TABLES]:
            self._launch("spell", int(shape[rec.T_TABLES]), first, many, heroes)
        strands = self._strands(depth, many)
        self._launch("up", strands, first, many, strands, source, heroes, learns, steps, rows)
        if learns and depth in self._mirrored:
            self._launch("even_out", max(shape[rec.T_SLOTS : rec.T_SLOTS + 2].tolist()), first, many, learns)

    def _count(self, depth: int, column: int) -> int:
        return int(self._form.arrays.template[depth, column])

    def _strands(self, depth: int, many: int) -> int:
        """Return the number of parts into which the lines of a stage are split, so that the card has enough work."""
        return min(max(-(-ENOUGH // (many * self._widest)), 1), self._count(depth, rec.T_LINES))

    def _launch(self, name: str, rows: int, first: int, many: int, *numbers: int) -> None:
        """Launch a kernel with an item for each stage, row and type."""
        grid = (max(-(-rows * self._widest // THREADS), 1), min(many, STAGES), 2)
        self._card.launch(self._kernels[name], grid, THREADS, 0, self._tree, first, many, *numbers)


class PublicCuda:
    """The state of one solver on the public view in the card's memory, and its iterations."""

    def __init__(self, setup: PublicSetup, card: Callable[[], Kernels]) -> None:
        if setup.kept == "int16":
            raise UnsuitableError("device=cuda keeps float32 or float64; precision=int16 is for device=cpu")
        self.setup, form = setup, setup.form
        self._card = card()
        lines = program.lines_of(form)
        tree = {name: getattr(form.arrays, name) for name in program.TREE}
        state = self._empty()
        held = sum(array.nbytes for array in (*tree.values(), *lines.values(), *state.values()))
        learning = self._plan(lines["before"], held, np.dtype(setup.kept).itemsize, measures=False)
        measuring = self._plan(lines["before"], held, 8, measures=True)
        scratch = max(np.dtype(setup.kept).itemsize * learning.size, 8 * measuring.size)
        fixed = {**tree, **lines, "scratch": np.zeros(scratch // 8 + 1), "out": np.zeros(4)}
        self._at = {name: self._card.array(program.nonempty(array)) for name, array in {**fixed, **state}.items()}
        kept = {**self._at, **{name: 0 for name, array in state.items() if not array.size}}
        self._learner = _Walker(self._card, setup, kept, learning, setup.kept, measures=False)
        self._measurer = _Walker(self._card, setup, kept, measuring, "float64", measures=True)
        self._raked = not form.competitive

    def _empty(self) -> dict[str, Any]:
        """Return the arrays of the state, all 0, by their names in the program."""
        sizes, kind = self.setup.sizes, np.dtype(self.setup.kept)
        fixed = np.zeros(0, kind) if self.setup.fixed is None else np.asarray(self.setup.fixed, kind)
        state: dict[str, Any] = {name: np.zeros(sizes[name], kind) for name in ("regret", "total", "last")}
        return {**state, "fixed": fixed, "step": np.zeros(sizes["step"]), "sum": np.zeros(sizes["value"])}

    def _plan(self, before: Any, held: int, item: int, *, measures: bool) -> Plan:
        """Place the stages: all at one time if the card has room for them."""
        most = (self._card.free - held) // item
        plan = program.plan_of(self.setup.form, before, measures=measures, most=most)
        self._card.require(held + item * plan.size, "")
        return plan

    def read(self, name: str) -> Any:
        """Return a copy of an array of the state."""
        if self.setup.sizes[name] == 0:
            return np.zeros(0, np.float64 if name == "scale" else self.setup.kept)
        return self._card.read(self._at[_NAMES.get(name, name)])

    def write(self, name: str, array: Any) -> None:
        """Overwrite an array of the state."""
        if self.setup.sizes[name] > 0:
            self._card.write(self._at[_NAMES.get(name, name)], np.asarray(array).reshape(-1))

    def prepare(self) -> None:
        """Compile what `run` needs; the state does not change."""
        self._learner.walk(passes.REGRETS, 3, 0, 0, 1)  # no player learns
        self._card.wait()

    def run(self, schedule: Floats) -> None:
        """Run one iteration for each row of the schedule, [iterations, 1 or 2, columns]."""
        rows, size, moved = schedule.shape[1], schedule[:1].nbytes, 3
        with self._card.lent(schedule) as begin:
            for t in range(len(schedule)):
                steps = begin + t * size
                for learns in (3,) if self.setup.simultaneous else (1, 2):
                    heroes = 3 if self._raked and learns == 1 else learns
                    self._learner.walk(passes.REGRETS, heroes, learns, steps, rows, moved)
                    moved = learns
                    self._learner.settle(heroes, learns, self._raked, steps, rows)
            self._card.wait()

    def measure(self, *, current: bool = False) -> Average:
        """Measure the average play, or the current strategies, in doubles."""
        source = passes.REGRETS if current or not self.setup.averaged else passes.AVERAGE
        self._measurer.walk(source, 3, 0, 0, 1)
        self._measurer.settle(3, 0, self._raked, 0, 1)
        self._card.wait()
        values, best = self._card.read(self._at["out"]).reshape(2, 2).tolist()
        return Average(tuple(values), tuple(best), None)

    def warm_start(self, probability: Any, schedule: Floats) -> None:
        """Begin as if a strategy had been played for as many iterations as there are rows of the schedule."""
        here = PublicBackend(self.setup)
        here.warm_start(probability, schedule)
        for name in self.setup.sizes:
            self.write(name, here.read(name))

    def strategy(self, *, current: bool = False) -> Any:
        """Return the average strategy, or the current one, in the order and precision of the state."""
        here = PublicBackend(self.setup)
        for name in self.setup.sizes:
            here.write(name, self.read(name))
        return here.strategy(current=current)


_NAMES = {"value": "sum"}
"""The program's names of arrays of the state, if they differ."""
