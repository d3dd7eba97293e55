"""Runs of Algorithm 7.2 for section 7.3 and Warning 7.7 of the certificates paper, on bandits and games of ours.

The paper's own counterexamples are in a text that we do not have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.compiledplay import CompiledPlay
from hannan.certificates.minimizers import Manner, Sweep, Sweeping
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.rounds import SHARE, caps, most, sure
from hannan.experiments.certificates4 import Bandit
from hannan.forms.boxes import boxed

SURE, POOR = 0.95, 0.0
"""Section 7.3: a sure prize, and the probability with which the other arm wins."""

PLAYED = 2_000
"""Playthroughs after which the arm is never pulled again; from then on they add nothing to the trunk."""

CHUNK = 2_000


class Watched(Regretting):
    """Algorithm 7.2 that also sums, for ε̄, the whole gradients of all rounds, whatever its minimiser samples."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.gradients = [np.zeros(1) for _ in range(self.trunk.players)]
        self.earned = np.zeros(self.trunk.players)
        """The least that σᵗ earned in the pseudogame of round t, summed over rounds with their weights."""

    def _compiled(self) -> CompiledPlay | None:
        return None

    def _learn(self) -> None:
        self.minimizer.extend(self.trunk)
        game, weight = self.sweep(), float(self.playthroughs) ** self.minimizer.power
        reach = game.reaches(self.minimizer.strategy)
        for player, total in enumerate(self.gradients):
            worth = game.gradient(player, reach, weight)
            worth[: len(total)] += total
            self.gradients[player] = worth
            self.earned[player] += weight * game.value(player, reach, 0)
        super()._learn()

    @property
    def weight(self) -> float:
        """The sum of the weights of all rounds."""
        return float(self.minimizer.total[0, 0])

    def exactly(self, game: Sweep, player: int) -> float:
        """Return the most that a player can earn against the averages, by whole gradients."""
        return game.respond(player, self.gradients[player] / self.weight)[0]

    def estimated(self, game: Sweep, player: int) -> float:
        """Return an upper bound on the same from sums of walks, which is raised by their possible shortfall."""
        failure = SHARE * (1.0 - self.confidence.level)
        return most(game, self.minimizer, self.manner, player, self.playthroughs, failure, self.scale)


class Truthful(Regretting):
    """Algorithm 7.2 as in Warning 7.7: minimisers are given the true payoffs, not their upper bounds."""

    def __init__(self, box: Bandit, **options: Any) -> None:
        super().__init__(box, method="online-cfr", rounds=False, **options)
        self.prizes = np.array([0.0, box.p, box.sure])

    def _learn(self) -> None:
        self.minimizer.extend(self.trunk)
        assert isinstance(self.minimizer, Sweeping)
        reach = np.ones_like(self.minimizer.strategy)
        reach[0, 1:3] = self.minimizer.strategy[0, 1:3]
        self.minimizer.observe(self.trunk.flat(0), 0, self.prizes.copy(), reach, self.playthroughs)
        self._frozen = self.trunk.sequences.tolist()


@dataclass(frozen=True)
class Moment:
    """Two bounds after t playthroughs."""

    t: int
    counted: float
    """ε: the bound on the average from the counts of that moment."""
    summed: float
    """ε̄, with the constant that section 7.3 hides."""


def after(T: int) -> float:
    """Return what Proposition 7.4 adds to the mean over T rounds, for rewards in [0, 1].

    The first √T rounds may be wrong, and each is off by 2 at most; the others are all correct with probability
    1 − 2/√T by Theorem 5.3.
    """
    return 2 * math.isqrt(T) / T


def abandoned(last: int, seed: int = 4) -> Iterator[Moment]:
    """Play section 7.3's bandit for `last` playthroughs, or until the arm is played again; yield the bounds.

    The radius is the paper's. From `PLAYED` on the strategy takes the sure arm alone, so playthroughs change nothing
    but t. Only the minimiser goes on, and the upper bound p̂ + ρ of the arm is summed numerically.
    """
    work = Watched(
        Bandit(POOR, SURE), manner=Manner(averaging="uniform"), every=10**9, confidence=Confidence("paper"), seed=seed
    )  # fmt: skip
    work.advance(PLAYED)
    arm, pulls = int(work.trunk.sets[0].rows.first[0]), int(work.trunk.groups.samples[0])
    sums, earned, t, due = work.gradients[0].copy(), float(work.earned[0]), PLAYED, 2.0 * PLAYED
    while t < last:
        rounds = np.arange(t + 1, min(t + CHUNK, last) + 1)
        work.minimizer.iterate(work.trunk, t + 1, rounds.astype(np.uint64), work.radius)
        if work.minimizer.strategy[0, arm] > 0.0:
            return
        rho = np.minimum(np.sqrt((2 * math.log(2) + 2 * np.log(rounds)) / (2 * pulls)), 1.0)  # equation 5.2
        wins = work.trunk.slots.count[1] / pulls
        sums[arm] += float((wins + rho).sum())
        sums[arm + 1] += SURE * len(rounds)
        earned += SURE * len(rounds)
        t = int(rounds[-1])
        if t >= due or t == last:
            due = 1.25 * t
            work.playthroughs = t
            lower, upper = work._guarantees(work.sweep(), averages(work))
            yield Moment(t, upper - lower, float(sums[1:].max() - earned) / t + after(t))


def averages(work: Regretting) -> list[Floats]:
    """Return the average strategies of this moment, even if older ones were kept."""
    return [work.trunk.behaviour(p, work.minimizer.average(work.trunk, p)) for p in (0, 1)]


def ceiling(work: Regretting) -> float:
    """Return our form of Corollary 7.6's bound on ε̃, from the sums of the walks (balanced walks).

    `raised` adds at most 1.02·√(2cL·S) + 1.6·cL to a sum S. A pure strategy plays at most n sequences; by Cauchy and
    Schwarz, with V the mean value of what it plays, the total is 1.02·√(2cL·n·V/W) + 1.6·n·cL/W.
    """
    trunk, game, minimizer = work.trunk, work.sweep(), work.minimizer
    total = 0.0
    for player in range(trunk.players):
        many, weight = trunk.sets[player].sequences, float(minimizer.total[player, 0])
        every, wide = caps(trunk, minimizer, work.manner, player, float(work.playthroughs) ** minimizer.power)
        cap = float(every.max())
        rates = 2 * math.log2(cap / wide * math.sqrt(work.playthroughs)) + 1
        share = SHARE * (1.0 - work.confidence.level) / trunk.players
        logs = math.log(many * (many + 1) * (rates + 2) ** 2 / share)
        value, _ = game.respond(player, minimizer.rounds[player, :many] / weight)
        added = 1.02 * math.sqrt(2 * cap * logs * many * value / weight) + 1.6 * many * cap * logs / weight
        total += sure(trunk, player) + value + added
    return total


def first_nontrivial(game: str, manner: Manner, most_rounds: int, seed: int = 1) -> tuple[int | None, int]:
    """Return the rounds after which ε̃ is below the range of payoffs, within 10 %, and the number of nodes then.

    Chance is known, so that only the walks are uncertain. None: not within `most_rounds`.
    """
    box = boxed(game, groups="known").box
    work = Regretting(box, every=10**9, confidence=Confidence("anytime", 0.999), manner=manner, seed=seed)
    nodes = work.trunk.nodes
    while work.playthroughs < most_rounds:
        step = max(1, work.playthroughs // 10)
        work.advance(min(step, most_rounds - work.playthroughs))
        work._measure()
        low, high = work.rested
        if high - low < float(nodes.high[0, 0] - nodes.low[0, 0]):
            return work.playthroughs, nodes.used
    return None, nodes.used
