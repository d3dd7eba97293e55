"""Algorithm 7.2: regret minimisers play, learn from their optimistic games, and gaps of their averages are bounded.

Iteration t is one playthrough with the current strategies σᵗ, and one loss for each minimiser: what each of its
strategies would earn against the others' σᵗ in its optimistic game. The result is the averages of the strategies, with
the gap ε = β̂*(ȳ) − α̂*(x̄) (Proposition 7.3), which is sound for any strategies. If all rounds together prove a
smaller gap of the averages, the result has that gap: ε̄, or ε̃ of outcome sampling (section 7.3, `rounds`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.certification import Bound, Certification
from hannan.certificates.compiledplay import CompiledPlay
from hannan.certificates.minimizers import MINIMIZERS, Manner, Minimizer, OutcomeSampling, Sweep
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.rounds import SHARE, Rounds, most
from hannan.certificates.seeds import own_seed
from hannan.certificates.trunk import Trunk
from hannan.errors import UnsuitableError
from hannan.kernels.certifying import records as rec
from hannan.rules.rulesbox import compiled_box

FEWEST = 100
"""Default least number of playthroughs between two measurements."""


class Regretting(Certification):
    """A certification by regret minimisers."""

    averages = True
    """Whether the averages over all rounds are the result."""

    def __init__(
        self, *arguments: Any, method: str = "mccfr", every: int | None = None, manner: Manner | None = None,
        rounds: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        """As `Certification`; without `every` it measures whenever the playthroughs have grown by 10 to 20 %.

        `manner` is how `mccfr` walks. Without `rounds`, no bound follows from sums over rounds.
        """
        super().__init__(*arguments, method=method, every=every or FEWEST, **options)
        if self.box.similar:
            raise UnsuitableError(
                "similar: only Algorithm 6.1 counts the draws of similar chance nodes together (auto, cfr, lp, "
                "induction: zero-sum, one player or two); leave `similar` out"
            )
        self.manner = manner or Manner()
        self._growing = every is None
        self._summed = rounds and self.averages and self.fixed is None and self.confidence.radius == "anytime"
        self._averaged = [-1, -1]
        """For each player, the number of playthroughs after which the kept strategy was the average."""
        self.rested = -math.inf, math.inf
        """The bounds on the averages from all rounds at the last measurement."""
        self._begin(self.trunk)

    @classmethod
    def after(cls, work: Certification, method: str, every: int | None) -> Regretting:
        """Continue another certification, on its trunk and with its counts; regrets begin at 0."""
        here = cls(
            work.box, method=method, every=every, confidence=work.confidence, bounds=work.given,
            expansion=work.expansion, seed=work.seed, scale=work.scale, batch=work.batch, rounds=False,
        )  # fmt: skip  # what was shown so far has taken all of the failure probability
        here.take(
            work.trunk, np.array(work.actions, np.int64), np.array(work.lengths, np.int64),
            np.array(work.failed, np.int64).reshape(-1, 2),
        )  # fmt: skip
        here.kept = work.kept
        here.spread = work.spread if here.splits else None
        here.simulator_seconds, here.solve_seconds = work.simulator_seconds, work.solve_seconds
        here.minimizer.extend(here.trunk)
        here._frozen = here.trunk.sequences.tolist()
        return here

    def _begin(self, trunk: Trunk) -> None:
        self.minimizer = self._minimizer(trunk)
        self._frozen = [1] * trunk.seats
        """The number of sequences of each player that the strategies of the running batch cover."""
        self.quick: CompiledPlay | None = None

    def _minimizer(self, trunk: Trunk) -> Minimizer:
        if self.method == OutcomeSampling.name:
            return OutcomeSampling(trunk, self.manner)
        return MINIMIZERS[self.method](trunk)

    def _compiled(self) -> CompiledPlay | None:
        """Return the fast player of compiled rules; None if the game or the options do not allow it."""
        box, minimizer = compiled_box(self.box), self.minimizer
        wanted = self.quick is None and self.expansion == "path" and self.fixed is None and self.batch == 1
        if wanted and box is not None and isinstance(minimizer, OutcomeSampling):
            self.quick = CompiledPlay(box, self.trunk, minimizer, self.seed)
        return self.quick

    @cached_property
    def radius(self) -> Floats:
        """The radius in the form that kernels take."""
        radius = np.zeros(rec.RADIUS)
        radius[rec.PAPER] = self.confidence.radius == "paper"
        radius[rec.LOG_FAILURE] = -math.log(self._failure)
        radius[rec.PLAYERS], radius[rec.SCALE] = self.trunk.players, self.scale
        return radius

    @property
    def _failure(self) -> float:
        """The failure probability of all bounds that follow from counts alone."""
        failure = 1.0 - self.confidence.level
        return failure * (1.0 - SHARE) if self._summed and self.minimizer.sampled else failure

    def next_due(self, t: int) -> int:
        step = self._step(t)
        return -(-t // step) * step

    def _step(self, t: int) -> int:
        """Return the distance of measurements near playthrough t: a power of 2 times the first distance."""
        return self.every << (t // (10 * self.every)).bit_length() if self._growing else self.every

    def _pause(self, t: int) -> int:
        """Return the first playthrough beyond t after which there is more to do than to play."""
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
            self.simulator_seconds = math.nan  # playing, counting and learning are one step
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
            if odd:  # Python plays this one, and raises the error
                quick.hand_over()
                solved |= super().advance(1, until, note, settled)
                quick.refresh()
            if until():
                break
        return solved

    def _horizon(self, t: int) -> int:
        return -(-t // self.batch) * self.batch

    @property
    def splits(self) -> bool:
        """Whether several playthroughs follow one profile, so that workers can make them at the same time."""
        return self.batch > 1 or self.fixed is not None

    def _noted(self) -> None:
        """Do the work for which compiled playthroughs pause."""

    def _plans(self) -> Sequence[Sequence[np.ndarray]]:
        return [[self.minimizer.strategy[player, : self._frozen[player]] for player in range(self.trunk.seats)]]

    def add(self, record: Playthrough) -> int:
        depth = super().add(record)
        if self.playthroughs % self.batch == 0 and self.fixed is None:
            self._learn()
        return depth

    def _learn(self) -> None:
        """Make the iterations of a complete batch."""
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
        beginner = self._minimizer(self.trunk)
        beginner.iterate(self.trunk, 1, np.zeros(1, np.uint64), self.radius)
        averages = [self.trunk.behaviour(p, beginner.average(self.trunk, p)) for p in range(self.trunk.seats)]
        self._judge(self.sweep(), averages)

    def _judge(self, game: Sweep, strategies: Sequence[Floats]) -> None:
        """Compute what strategies guarantee."""
        self._guarantees(game, strategies)

    def settle(self) -> bool:
        if not self.due(self.playthroughs):
            return False
        begun = time.perf_counter()
        self._measure()
        self.solve_seconds += time.perf_counter() - begun
        return True

    def sweep(self) -> Sweep:
        """Return the pseudogame of the counts so far, for passes over its nodes."""
        return Sweep(self.trunk, self.playthroughs, self.radius)

    def _measure(self) -> None:
        """Keep for each player the old or the new average, whichever guarantees more."""
        if self.fixed is not None:
            self.kept, self._proven = self.fixed(self.trunk), None
            return
        self.minimizer.extend(self.trunk)
        game = self.sweep()
        old = self.trunk.extended(self.kept)
        new = [self.trunk.behaviour(player, self.minimizer.average(self.trunk, player)) for player in (0, 1)]
        (low, high), (lower, upper) = (self._guarantees(game, pair) for pair in (old, new))
        self.rested = self._rounds(game)
        lowest, highest = max(lower, self.rested[0]), min(upper, self.rested[1])
        self.kept = new[0] if lowest >= low else old[0], new[1] if highest <= high else old[1]
        self._averaged = [self.playthroughs if lowest >= low else -1, self.playthroughs if highest <= high else -1]
        self._proven = self._combined(lower if lowest >= low else low, upper if highest <= high else high)

    def _combined(self, lower: float, upper: float) -> Bound:
        """Return the bounds on the kept strategies: those from counts, or those from rounds if they prove more."""
        low, high = self.rested
        now = [averaged == self.playthroughs for averaged in self._averaged]
        counted = self._bounded(lower, upper)
        both = self._bounded(max(lower, low) if now[0] else lower, min(upper, high) if now[1] else upper)
        more = both.lower > counted.lower, both.upper < counted.upper
        rounds = self._bounded(low, high).gap if self._summed else None
        return replace(both, rounds=rounds, of=tuple(player for player in (0, 1) if more[player]))

    def _rounds(self, game: Sweep) -> tuple[float, float]:
        """Return the bounds on the averages from all rounds: the least that player 0 earns, and the most.

        Player 0's average earns at least the first, and player 1's leaves it at most the second. A bound is infinite if
        rounds give none: with one player, they bound only what it can earn.
        """
        count = self.playthroughs // self.batch * self.batch
        if not self._summed or count == 0:
            return -math.inf, math.inf
        failure = SHARE * (1.0 - self.confidence.level)
        ups = [
            most(game, self.minimizer, self.manner, player, count, failure, self.scale)
            for player in range(self.trunk.players)
        ]
        return -ups[1] if len(ups) == 2 else -math.inf, ups[0]

    def _guarantees(self, game: Sweep, strategies: Sequence[Floats]) -> tuple[float, float]:
        """Return the least that player 0's strategy earns, α̂*(x), and the most that player 1's leaves it, β̂*(y)."""
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
        game = self.sweep()
        self.minimizer.extend(self.trunk)
        self.rested = self._rounds(game)
        return self._combined(*self._guarantees(game, self.kept))

    def proof(self) -> tuple[dict[str, np.ndarray], dict[str, Any] | None]:
        bound, count = self.bound(), self.playthroughs // self.batch * self.batch
        if not self._summed:
            return {}, None
        walked = self.minimizer.sampled
        rounds = Rounds(
            "sampled" if walked else "exact", count, int(self.minimizer.power),
            self.manner.epsilon if walked else None, self.manner.sampling if walked else None, bound.of,
        )  # fmt: skip
        sequences = self.trunk.sequences
        sums = {f"rounds{p}": self.minimizer.rounds[p, : sequences[p]].copy() for p in range(self.trunk.players)}
        return sums, rounds.facts

    def finish(self) -> None:
        if not self.due(self.playthroughs) or self.playthroughs == 0:
            self._measure()

    @property
    def setup(self) -> dict[str, Any]:
        return super().setup | self.manner.unusual

    def take(self, trunk: Trunk, actions: np.ndarray, lengths: np.ndarray, failed: np.ndarray) -> None:
        super().take(trunk, actions, lengths, failed)
        self._begin(trunk)

    def state(self) -> dict[str, np.ndarray]:
        state = {f"method_{name}": part for name, part in self.minimizer.state().items()}
        return state | {"frozen": np.array(self._frozen, np.int64), "averaged": np.array(self._averaged, np.int64)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.kept = state["strategy0"], state["strategy1"]
        self._resume(state)

    def _resume(self, state: dict[str, np.ndarray]) -> None:
        self._frozen, self._proven = state["frozen"].tolist(), None
        if "averaged" in state:
            self._averaged = state["averaged"].tolist()
        else:  # a checkpoint of version 0.1
            self._summed = False
            self.__dict__.pop("radius", None)
        learned = {name[7:]: part for name, part in state.items() if name.startswith("method_")}
        self.minimizer.restore(self.trunk, learned)
        self._compiled()  # refuses names that compiled rules cannot give

    @property
    def uncertainty(self) -> float:
        """U of Definition 5.4, the largest of the players': computed, or estimated without bias from the walks."""
        return float(self.minimizer.uncertainty.max())

    @property
    def uncertainty_bound(self) -> float:
        """The bound of Theorem 5.5 on the expected uncertainty, for payoffs of this range."""
        groups, T = self.trunk.groups, max(self.playthroughs, 1)
        unknown = np.flatnonzero(~groups.view("known"))
        largest = 0.0
        if len(unknown):
            size = groups.size[unknown] * math.log(2)
            if self.confidence.radius == "paper":
                logs = size + math.log(2.0 * T**2 * len(unknown) * self.trunk.players)
            else:
                m, k = np.maximum(groups.samples[unknown], 1).astype(float), groups.index[unknown].astype(float)
                logs = size + np.log(m * (m + 1)) + np.log(k * (k + 1)) - math.log(self._failure)
            largest = float(logs.max())
        bound = 2 * len(unknown) * math.sqrt(2 * T * largest) + self.trunk.nodes.used
        return bound * self._width

    @property
    def _width(self) -> float:
        nodes = self.trunk.nodes
        return float((nodes.high[0] - nodes.low[0]).max())
