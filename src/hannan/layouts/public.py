"""A back end for the public view: hands are vectors, ends of play are operators.

The state has 32-bit floats unless the precision is float64; sums at ends of play and measurements use doubles. With
several threads, each walks some of the stages that follow the first deal.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.forms.public import CONSTANT, PublicForm
from hannan.kernels.fullwidth import records as full
from hannan.kernels.public import passes, walk
from hannan.kernels.public import records as rec
from hannan.kernels.public.records import Room, State
from hannan.kernels.public.walk import Wish
from hannan.kernels.vectors import LANES
from hannan.layouts.backend import Average, Step

Kept = Literal["float32", "float64", "int16"]
"""The precision of the state."""


@dataclass(frozen=True)
class PublicSetup:
    """The requirements of a solver for this back end."""

    form: PublicForm
    simultaneous: bool = False
    threads: int = 1
    averaged: bool = True
    predicts: bool = False
    kept: Kept = "float32"
    fixed: Floats | None = None
    """Probabilities at locked information sets, -1 at free ones, in the order of the state."""

    @property
    def sizes(self) -> dict[str, int]:
        """The names and lengths of the arrays of a state; `State` describes them."""
        many = self.form.entries + LANES
        scales = 2 * self.form.slots if self.kept == "int16" else 0
        return {
            "regret": many,
            "total": many if self.averaged else 0,
            "last": many if self.predicts else 0,
            "scale": scales,
            "step": 2 * full.COLUMNS,
            "value": 3,
        }

    @property
    def bytes(self) -> int:
        """Bytes of the state and of the buffers of threads."""
        size, scratch = np.dtype(self.kept).itemsize, int(self.form.arrays.scratch[-1, 0])
        sizes = self.sizes
        entries = size * sum(sizes[name] for name in ("regret", "total", "last"))
        return entries + 8 * sizes["scale"] + (max(size, 4) * self.threads + 8) * scratch


class PublicBackend:
    """The state of one solver on the public view, and its iterations."""

    def __init__(self, setup: PublicSetup) -> None:
        self.setup = setup
        self._tree, form = setup.form.arrays, setup.form
        sizes, kept = setup.sizes, np.dtype(setup.kept)
        kind = np.dtype(np.float32) if setup.kept == "int16" else kept
        fixed = np.zeros(0, kind)
        if setup.fixed is not None:
            fixed = np.concatenate([setup.fixed, np.full(LANES, -1.0)]).astype(kind)
        self._state = State(
            regret=np.zeros(sizes["regret"], kept),
            total=np.zeros(sizes["total"], kept),
            last=np.zeros(sizes["last"], kind),
            fixed=fixed,
            scale=np.zeros((2, sizes["scale"] // 2)),
            step=np.zeros((2, full.COLUMNS)),
            value=np.zeros(3),
        )
        self._rooms = [room_of(form, kind) for _ in range(setup.threads)]
        self._worth = worth_of(form, kind)
        self._out = np.zeros((2, 2))
        self._ties = form.ties
        self._raked = not form.competitive
        self._shares = shares(form, setup.threads)

    @property
    def _shared(self) -> bool:
        """Whether several threads walk: this needs stages after the first deal to share."""
        return self.setup.threads > 1 and bool(self._tree.stage[0, rec.S_CHILDREN] > 1)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.setup.threads - 1, thread_name_prefix="hannan")

    def read(self, name: str) -> Any:
        """Return a copy of an array of the state."""
        return np.array(getattr(self._state, name)).reshape(-1)

    def write(self, name: str, array: Any) -> None:
        """Overwrite an array of the state."""
        mine = getattr(self._state, name)
        mine[...] = np.asarray(array).reshape(mine.shape)

    def prepare(self) -> None:
        """Compile what `run` needs; the state does not change."""
        if not self._shared:
            self.run(Step().rows(0))
            return
        tree, room, state, steps = self._tree, self._rooms[0], self._state, Step().rows(1)[0]
        wish = Wish(passes.REGRETS, 3, 0, False, self._ties)  # no player learns
        walk.start_walk(tree, room, state, wish)
        walk.walk_branches(tree, room, state, wish, steps, room.scratch, np.zeros(0, np.int64), self._worth)
        walk.end_walk(tree, room, state, wish, steps, self._worth, self._out)
        copy = state._replace(step=state.step.copy(), value=state.value.copy())
        walk.settled(copy, steps[0], 0, self._raked, self._out)

    def run(self, schedule: Floats) -> None:
        """Run one iteration for each row of the schedule, [iterations, 1 or 2, columns]."""
        setup = self.setup
        if not self._shared:
            held = (self._tree, self._rooms[0], self._state, schedule, setup.simultaneous)
            walk.iterate(*held, self._ties, self._raked, self._worth, self._out)
            return
        for steps in schedule:
            for first in range(1 if setup.simultaneous else 2):
                learns = 3 if setup.simultaneous else first + 1
                heroes = 3 if self._raked and first == 0 else learns
                wish = Wish(passes.REGRETS, heroes, learns, False, self._ties)
                self._walk(self._rooms, wish, steps, self._worth, self._out)
                for hero in range(2):
                    if learns & (hero + 1):
                        walk.settled(self._state, steps[min(hero, len(steps) - 1)], hero, self._raked, self._out)

    def _walk(self, rooms: list[Room], wish: Wish, steps: Floats, worth: Any, out: Floats) -> None:
        """Walk the tree on all threads."""
        tree, state, source = self._tree, self._state, rooms[0].scratch
        walk.start_walk(tree, rooms[0], state, wish)
        jobs = [
            self._pool.submit(walk.walk_branches, tree, room, state, wish, steps, source, which, worth)
            for room, which in zip(rooms[1:], self._shares[1:], strict=True)
        ]
        walk.walk_branches(tree, rooms[0], state, wish, steps, source, self._shares[0], worth)
        for job in jobs:
            job.result()
        walk.end_walk(tree, rooms[0], state, wish, steps, worth, out)

    def measure(self, *, current: bool = False) -> Average:
        """Measure the average play, or the current strategies, in doubles."""
        tree, form = self._tree, self.setup.form
        source = passes.REGRETS if current or not self.setup.averaged else passes.AVERAGE
        wish, out = Wish(source, 3, 0, True, self._ties), np.zeros((2, 2))
        rooms, steps = self._measuring, self._state.step
        worth = worth_of(form, np.dtype(np.float64))
        if self._shared:
            self._walk(rooms, wish, steps, worth, out)
        else:
            walk.walk(tree, rooms[0], self._state, wish, steps, worth, out)
        values, best = out.tolist()
        return Average(tuple(values), tuple(best), None)

    @cached_property
    def _measuring(self) -> list[Room]:
        return [room_of(self.setup.form, np.dtype(np.float64)) for _ in range(self.setup.threads)]

    def warm_start(self, probability: Any, schedule: Floats) -> None:
        """Begin as if a strategy had been played for as many iterations as there are rows of the schedule.

        Averages begin with it. Regrets are proportional to it, with their usual size after these iterations: the stake
        of a type times the root of the number of iterations.
        """
        state, weight = self._state, 0.0
        for decay in schedule[:, 0, full.DECAY].tolist():
            weight = weight * decay + 1.0
        values = self.measure_of(probability).values
        once = Step(positive=0.0, negative=0.0, decay=0.0).rows(1)[0]
        kept = state if self.setup.averaged else state._replace(total=np.zeros_like(state.regret))
        kept.total[: len(probability)] = probability
        wish = Wish(passes.AVERAGE, 3, 3, False, self._ties)
        walk.walk(self._tree, self._rooms[0], kept, wish, once, self._worth, self._out)
        walk.plant(self._tree, kept, np.asarray(probability, state.regret.dtype), weight, len(schedule) ** 0.5)
        if self.setup.predicts:
            state.last[:] = 0.0
        state.value[:] = [weight * value for value in (*values, 1.0)]
        state.step[:] = schedule[-1]
        state.step[:, full.FLOOR] = 0.0

    def measure_of(self, probability: Any) -> Average:
        """Measure a strategy, given as probabilities in the order of the state."""
        other = PublicBackend(replace(self.setup, averaged=True, predicts=False, kept="float64"))
        other.write("total", np.concatenate([np.asarray(probability, np.float64), np.zeros(LANES)]))
        return other.measure()

    def strategy(self, *, current: bool = False) -> Any:
        """Return the average strategy, or the current one, in the order and precision of the state."""
        source = passes.REGRETS if current or not self.setup.averaged else passes.AVERAGE
        out = np.zeros(self.setup.form.entries, self._rooms[0].scratch.dtype)
        walk.strategies(self._tree, self._state, source, self._rooms[0].scratch, out)
        return out


def rounding(form: PublicForm) -> float:
    """Return a bound on the rounding error of a value or best value of a measurement.

    Both are computed in doubles, with a relative error of at most u = 2^-53 per operation. A
    reach is a product of D strategies, each off by (A + 4)u at most for A actions. A sum at an end of play has at most
    2n + 10 additions for n types, of numbers no larger than 12 times the largest payoff times all reach. Up the tree,
    a node adds A terms and a deal at most `outcomes` terms. All of this is less than K·u times the largest payoff and
    the sum of all products of weights, with K = 100·(n + depth·(A + outcomes + 8)).
    """
    tree = form.arrays
    types = int(tree.stage[:, rec.S_TYPES : rec.S_TYPES + 2].max())
    actions = int(tree.node[:, rec.N_CHILDREN].max(initial=0))
    outcomes = max(map(len, form.links), default=0)
    depth = sum(template.depth + 1 for template in form.templates)
    operations = 100.0 * (types + depth * (actions + outcomes + 8))
    share = float(tree.weight[0].sum() * tree.weight[1].sum() / tree.pairs)
    return operations * 2.0**-53 * share * form.largest


def value_bounds(form: PublicForm, average: Average) -> tuple[float, float] | None:
    """Return bounds between which the value to player 0 lies, rounding included; None if the sum is not constant.

    Player 0 gets at least its value against a best response to its strategy, and at most the value of a best response
    to player 1's strategy. The form takes a sum of gains for constant if it varies by at most 1e-12 of the largest
    payoff, which is added to the bounds.
    """
    if form.total is None:
        return None
    error = rounding(form) + CONSTANT * form.largest
    return form.total - average.best_values[1] - error, average.best_values[0] + error


def gain_bounds(form: PublicForm, average: Average) -> tuple[float, float]:
    """Return upper bounds on what each player could gain by its best deviation, rounding included."""
    first, second = (
        max(best - value, 0.0) + 2 * rounding(form)
        for best, value in zip(average.best_values, average.values, strict=True)
    )
    return first, second


def room_of(form: PublicForm, kind: Any) -> Room:
    """Return the buffers of one thread, all 0."""
    tree = form.arrays
    widest = int(tree.stage[:, rec.S_WIDTH : rec.S_WIDTH + 2].max())
    return Room(
        scratch=np.zeros(int(tree.scratch[-1, 0]) + LANES, kind),
        y=np.zeros(widest * LANES, kind),
        u=np.zeros(widest * LANES, kind),
        sums=np.zeros(tree.cards * LANES),
        lanes=np.zeros(rec.W_COLUMNS * LANES),
        rows=np.zeros(LANES, np.int64),
        outs=np.zeros(LANES, np.int64),
        at=np.zeros((len(tree.template), 2), np.int64),
    )


def worth_of(form: PublicForm, kind: Any) -> Any:
    """Return an array for the values of each stage after the first deal."""
    tree = form.arrays
    leaves, children = int(tree.template[0, rec.T_LEAVES]), int(tree.stage[0, rec.S_CHILDREN])
    return np.zeros((children, 2, 2, leaves * int(tree.stage[0, rec.S_WIDTH : rec.S_WIDTH + 2].max())), kind)


def shares(form: PublicForm, threads: int) -> list[Longs]:
    """Return the stages after the first deal for each thread, with about equal work by entries of the state."""
    tree = form.arrays
    first, many = tree.stage[0, rec.S_CHILD], int(tree.stage[0, rec.S_CHILDREN])
    tops = tree.child[first : first + many]
    bounds = np.append(tree.stage[tops, rec.S_STATE], form.entries)
    loads, parts = np.zeros(threads), [list[int]() for _ in range(threads)]
    for k in np.argsort(-np.diff(bounds), kind="stable"):
        lightest = int(loads.argmin())
        parts[lightest].append(int(k))
        loads[lightest] += bounds[k + 1] - bounds[k] + 1
    return [np.array(sorted(part), np.int64) for part in parts]
