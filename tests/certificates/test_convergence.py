"""What the paper warns of, shown with games of ours: section 7.3, and Warning 7.7."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.minimizers import Sweeping
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.pseudogame import Confidence
from tests.certificates.boxes import Bandit


def proven(work: Regretting, t: int) -> float:
    """The gap of the averages at time t."""
    work.playthroughs = t
    average = [work.trunk.behaviour(p, work.minimizer.average(work.trunk, p)) for p in (0, 1)]
    lower, upper = work._guarantees(work.sweep(), average)
    return upper - lower


def test_section_7_3_the_proven_gap_rises_again() -> None:
    """A sure prize of 0.95 beside an arm that never wins, which is given up after a few pulls.

    From then on only the sure arm is played, which adds nothing to the trunk, and ρ of the other grows with log t
    (equation 5.2). A regret minimiser looks at the sum of all losses, so it does not come back when the upper bound of
    the arm passes 0.95: for a long time the gap grows, where 1/√t falls.
    """
    work = Regretting(Bandit(sure=(0.95,), risky=(0.0,)), seed=4, every=10**9, confidence=Confidence("paper"))
    work.advance(2_000)
    risky = work.trunk.sets[0].rows.first[0]
    pulls = int(work.trunk.groups.samples[0])
    gaps, t = {}, 2_000
    for last in (10_000, 1_000_000):
        while t < last:
            many = min(10_000, last - t)
            states = np.arange(t, t + many).astype(np.uint64)
            work.minimizer.iterate(work.trunk, t + 1, states, work.radius)
            t += many
            assert work.minimizer.strategy[0, risky] == 0.0  # so every playthrough takes the sure arm
        gaps[t] = proven(work, t)
    rho = math.sqrt((2 * math.log(2) + math.log(t**2)) / (2 * pulls))
    assert gaps[1_000_000] == pytest.approx(min(rho, 1.0) - 0.95, abs=1e-3)
    assert gaps[1_000_000] > 2 * gaps[10_000] > 0.0
    assert gaps[1_000_000] > 20 / math.sqrt(1_000_000)


class Truthful(Regretting):
    """Algorithm 7.2 as Warning 7.7 warns: minimisers are given the true payoffs, not their upper bounds."""

    def _learn(self) -> None:
        self.minimizer.extend(self.trunk)
        assert isinstance(self.minimizer, Sweeping)
        box = self.box
        assert isinstance(box, Bandit)
        worth = np.array([0.0, *(box.value(arm) for arm in range(2))])
        reach = np.ones_like(self.minimizer.strategy)
        reach[0, 1:3] = self.minimizer.strategy[0, 1:3]
        self.minimizer.observe(self.trunk.flat(0), 0, worth, reach, self.playthroughs)
        self._frozen = self.trunk.sequences.tolist()


@pytest.mark.parametrize("kind", [Regretting, Truthful])
def test_warning_7_7_true_payoffs_leave_the_proven_gap_where_it_is(kind: type[Regretting]) -> None:
    """A sure prize of 0.5 beside an arm that wins 1 time in 5: given the truth, nobody pulls it, and nothing is proven.

    The true gap goes to 0 either way. The proven one stays near 0.5, the most that there can be, with true payoffs,
    and falls below 0.2 with upper bounds.
    """
    work = kind(Bandit(sure=(0.5,), risky=(0.2,)), method="online-cfr", seed=1, every=10**9, rounds=False)
    gaps = []
    for last in (1_000, 4_000):
        work.advance(last - work.playthroughs)
        work._measure()
        gaps.append(work.bound().gap)
    play = work.kept[0][1:]
    assert 0.5 - (0.2 * play[0] + 0.5 * play[1]) < 0.05
    if kind is Truthful:
        assert gaps[1] > 0.45
    else:
        assert gaps[1] < 0.2
        assert gaps[1] < 0.6 * gaps[0]


def test_a_playthrough_is_needed_to_learn() -> None:
    """Nothing is learnt between playthroughs: the state changes only when one is counted."""
    work = Regretting(Bandit(sure=(0.5,), risky=(0.2,)), seed=1, every=10**9)
    before = work.minimizer.regret.copy()
    record = work.next()
    assert isinstance(record, Playthrough)
    assert np.array_equal(before, work.minimizer.regret)
    work.add(record)
