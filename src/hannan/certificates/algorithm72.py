"""Algorithm 7.2: play as regret minimisers say, give them what the pseudogame says in their favour, and bound gaps.

Iteration t is one playthrough with the strategies σᵗ of the moment, and one loss for each minimiser: what each of its
strategies would earn against the others' σᵗ in its optimistic game. What is returned are the averages of these
strategies, with the gap β̂*(ȳ) − α̂*(x̄) (Proposition 7.3), which is sound for any strategies. The bounds ε̄ and ε̃ of
section 7.3 are not computed: they hide constants that the paper does not give.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.certification import Bound, Certification
from hannan.certificates.compiledplay import CompiledPlay
from hannan.certificates.minimizers import MINIMIZERS, Minimizer, OutcomeSampling, Sweep
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.seeds import own_seed
from hannan.certificates.trunk import Trunk
from hannan.kernels.certifying import records as rec
from hannan.rules.rulesbox import compiled_box

FEWEST = 100
"""Playthroughs between two measurements at least, where nobody says how many."""


class Regretting(Certification):
    """A certification by regret minimisers."""

    def __init__(self, *arguments: Any, method: str = "mccfr", every: int | None = None, **options: Any) -> None:
        """As `Certification`; without `every` there is a measurement whenever playthroughs have grown by 10 to 20 %."""
        super().__init__(*arguments, method=method, every=every or FEWEST, **options)
        self._growing = every is None
        self.batch = self.box.batch
        """Playthroughs under one profile; then as many iterations."""
        self._begin(self.trunk)

    @classmethod
    def after(cls, work: Certification, method: str, every: int | None) -> Regretting:
        """Go on from where another certification is, on its trunk and with its counts; regrets begin at 0."""
        here = cls(
            work.box, method=method, every=every, confidence=work.confidence, bounds=work.given,
            expansion=work.expansion, seed=work.seed, scale=work.scale,
        )  # fmt: skip
        here.take(
            work.trunk, np.array(work.actions, np.int64), np.array(work.lengths, np.int64),
            np.array(work.failed, np.int64).reshape(-1, 2),
        )  # fmt: skip
        here.kept = work.kept
        here.simulator_seconds, here.solve_seconds = work.simulator_seconds, work.solve_seconds
        here.minimizer.extend(here.trunk)
        here._frozen = here.trunk.sequences.tolist()
        return here

    def _begin(self, trunk: Trunk) -> None:
        self.minimizer: Minimizer = MINIMIZERS[self.method](trunk)
        self._frozen = [1] * trunk.seats
        """How many sequences of each player the strategies of the running batch cover."""
        self.quick: CompiledPlay | None = None

    def _compiled(self) -> CompiledPlay | None:
        """Return what plays compiled rules at speed, where that is possible."""
        box, minimizer = compiled_box(self.box), self.minimizer
        wanted = self.quick is None and self.expansion == "path" and self.fixed is None
        if wanted and box is not None and isinstance(minimizer, OutcomeSampling):
            self.quick = CompiledPlay(box, self.trunk, minimizer, self.seed)
        return self.quick

    @cached_property
    def radius(self) -> Floats:
        """The radius as kernels take it."""
        radius = np.zeros(rec.RADIUS)
        radius[rec.PAPER] = self.confidence.radius == "paper"
        radius[rec.LOG_FAILURE] = -math.log(1.0 - self.confidence.level)
        radius[rec.PLAYERS], radius[rec.SCALE] = self.trunk.players, self.scale
        return radius

    def next_due(self, t: int) -> int:
        step = self._step(t)
        return -(-t // step) * step

    def _step(self, t: int) -> int:
        """Return how far measurements are apart about playthrough t: a power of 2 times what they are at first."""
        return self.every << (t // (10 * self.every)).bit_length() if self._growing else self.every

    def _pause(self, t: int) -> int:
        """Return after which playthrough beyond t there is something to do besides playing."""
        return self.next_due(t + 1)

    def advance(
        self,
        playthroughs: int,
        until: Callable[[], bool] = lambda: False,
        note: Callable[[Playthrough, int], None] | None = None,
        settled: Callable[[], None] = lambda: None,
    ) -> bool:
        quick = self._compiled()
        if quick is None:
            return super().advance(playthroughs, until, note, settled)
        solved, last = False, self.playthroughs + playthroughs
        while self.playthroughs < last:
            count = min(last, self._pause(self.playthroughs)) - self.playthroughs
            actions, lengths, odd = quick.run(self.playthroughs + 1, count, self.radius)
            self.simulator_seconds = math.nan  # playing, counting and learning are one
            self.actions.frombytes(actions.tobytes())
            self.lengths.frombytes(lengths.tobytes())
            self.playthroughs += len(lengths)
            self._proven = None
            self._frozen = self.trunk.sequences.tolist()
            if len(lengths):
                self._noted()
            if len(lengths) and self.settle():
                solved = True
                settled()
            if odd:  # Python plays it, and says what is wrong
                quick.hand_over()
                solved |= super().advance(1, until, note, settled)
                quick.refresh()
            if until():
                break
        return solved

    def _horizon(self, t: int) -> int:
        return -(-t // self.batch) * self.batch

    def _noted(self) -> None:
        """Do what there is to do where compiled playthroughs pause."""

    def _plan(self, t: int) -> Sequence[np.ndarray]:
        return [self.minimizer.strategy[player, : self._frozen[player]] for player in range(self.trunk.seats)]

    def add(self, record: Playthrough) -> int:
        depth = super().add(record)
        if self.playthroughs % self.batch == 0 and self.fixed is None:
            self._learn()
        return depth

    def _learn(self) -> None:
        """Make the iterations of a batch that is complete."""
        begun = time.perf_counter()
        self.minimizer.extend(self.trunk)
        first = self.playthroughs - self.batch + 1
        states = np.array([own_seed(self.seed, t) for t in range(first, self.playthroughs + 1)], np.uint64)
        self.minimizer.iterate(self.trunk, first, states, self.radius)
        self._frozen = self.trunk.sequences.tolist()
        self.solve_seconds += time.perf_counter() - begun

    def rehearse(self) -> None:
        if (quick := self._compiled()) is not None:
            quick.rehearse(self.radius)
        beginner = type(self.minimizer)(self.trunk)
        beginner.iterate(self.trunk, 1, np.zeros(1, np.uint64), self.radius)
        averages = [self.trunk.behaviour(p, beginner.average(self.trunk, p)) for p in range(self.trunk.seats)]
        self._judge(self.sweep(), averages)

    def _judge(self, game: Sweep, strategies: Sequence[Floats]) -> None:
        """Work out what strategies guarantee."""
        self._guarantees(game, strategies)

    def settle(self) -> bool:
        if not self.due(self.playthroughs):
            return False
        begun = time.perf_counter()
        self._measure()
        self.solve_seconds += time.perf_counter() - begun
        return True

    def sweep(self) -> Sweep:
        """Return the pseudogame of this moment, for passes over its nodes."""
        return Sweep(self.trunk, self.playthroughs, self.radius)

    def _measure(self) -> None:
        """Keep of the old averages and the new ones what guarantees more."""
        if self.fixed is not None:
            self.kept, self._proven = self.fixed(self.trunk), None
            return
        self.minimizer.extend(self.trunk)
        game = self.sweep()
        old = self.trunk.extended(self.kept)
        new = [self.trunk.behaviour(player, self.minimizer.average(self.trunk, player)) for player in (0, 1)]
        (low, high), (lower, upper) = (self._guarantees(game, pair) for pair in (old, new))
        self.kept = new[0] if lower >= low else old[0], new[1] if upper <= high else old[1]
        self._proven = self._bounded(max(lower, low), min(upper, high))

    def _guarantees(self, game: Sweep, strategies: Sequence[Floats]) -> tuple[float, float]:
        """Return what player 0's strategy earns it at least, α̂*(x), and what player 1's leaves it at most, β̂*(y)."""
        reach = game.reaches(self._stacked(strategies))
        ups = [game.respond(p, game.gradient(p, reach))[0] for p in (0, 1)]
        return -ups[1], ups[0]

    def _stacked(self, strategies: Sequence[Floats]) -> Floats:
        """Return strategies as rows of one array."""
        rows = np.ones((self.trunk.seats, int(self.trunk.sequences.max())))
        for player, strategy in enumerate(strategies):
            rows[player, : len(strategy)] = strategy
        return rows

    def _prove(self) -> Bound:
        self.kept = self.trunk.extended(self.kept)
        return self._bounded(*self._guarantees(self.sweep(), self.kept))

    def finish(self) -> None:
        if not self.due(self.playthroughs) or self.playthroughs == 0:
            self._measure()

    def take(self, trunk: Trunk, actions: np.ndarray, lengths: np.ndarray, failed: np.ndarray) -> None:
        super().take(trunk, actions, lengths, failed)
        self._begin(trunk)

    def state(self) -> dict[str, np.ndarray]:
        state = {f"method_{name}": part for name, part in self.minimizer.state().items()}
        return state | {"frozen": np.array(self._frozen, np.int64)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.kept = state["strategy0"], state["strategy1"]
        self._resume(state)

    def _resume(self, state: dict[str, np.ndarray]) -> None:
        self._frozen, self._proven = state["frozen"].tolist(), None
        self.minimizer.restore({name[7:]: part for name, part in state.items() if name.startswith("method_")})
        self._compiled()  # names that no compiled rules give are refused here

    @property
    def uncertainty(self) -> float:
        """U of Definition 5.4, the largest of the players': computed, or estimated without bias from the walks."""
        return float(self.minimizer.uncertainty.max())

    @property
    def uncertainty_bound(self) -> float:
        """What Theorem 5.5 says the uncertainty is at most in expectation, for payoffs as wide as these."""
        groups, T = self.trunk.groups, max(self.playthroughs, 1)
        unknown = np.flatnonzero(~groups.view("known"))
        largest = 0.0
        if len(unknown):
            size = groups.size[unknown] * math.log(2)
            if self.confidence.radius == "paper":
                logs = size + math.log(2.0 * T**2 * len(unknown) * self.trunk.players)
            else:
                m, k = np.maximum(groups.samples[unknown], 1).astype(float), groups.index[unknown].astype(float)
                logs = size + np.log(m * (m + 1)) + np.log(k * (k + 1)) - math.log(1 - self.confidence.level)
            largest = float(logs.max())
        bound = 2 * len(unknown) * math.sqrt(2 * T * largest) + self.trunk.nodes.used
        return bound * self._width

    @property
    def _width(self) -> float:
        nodes = self.trunk.nodes
        return float((nodes.high[0] - nodes.low[0]).max())
