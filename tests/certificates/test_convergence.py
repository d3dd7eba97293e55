"""What the paper warns of, shown with games of ours: section 7.3, and Warning 7.7."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.minimizers import Manner
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.rounds import raised
from hannan.experiments.certificates4 import Bandit
from hannan.experiments.convergence import PLAYED, Truthful, Watched, abandoned, after, ceiling
from hannan.forms.boxes import boxed


@pytest.mark.slow
def test_section_7_3_the_proven_gap_rises_again() -> None:
    """A sure prize of 0.95 beside an arm that never wins, which is given up after a few pulls.

    From then on only the sure arm is played, which adds nothing to the trunk, and ρ of the other grows with log t
    (equation 5.2). A regret minimiser looks at the sum of all losses, so it does not come back when the upper bound of
    the arm passes 0.95: for a long time ε grows, where 1/√t falls. ε̄, which looks at the same sum, falls.
    """
    moments = list(abandoned(1_000_000))
    lowest, last = min(moments, key=lambda moment: moment.counted), moments[-1]
    assert last.t == 1_000_000
    assert last.counted > 100 * lowest.counted > 0.0
    assert last.counted > 20 / math.sqrt(last.t)
    assert [moment.summed for moment in moments] == sorted((moment.summed for moment in moments), reverse=True)
    assert last.summed < last.counted / 10
    work = Watched(
        Bandit(0.0, 0.95), manner=Manner(averaging="uniform"), every=10**9, confidence=Confidence("paper"), seed=4
    )  # fmt: skip
    work.advance(PLAYED)
    pulls = int(work.trunk.groups.samples[0])
    rho = math.sqrt((2 * math.log(2) + math.log(last.t**2)) / (2 * pulls))
    assert last.counted == pytest.approx(min(rho, 1.0) - 0.95, abs=1e-3)


@pytest.mark.slow
def test_what_is_summed_in_numbers_is_what_a_longer_run_would_add() -> None:
    """The shortcut of section 7.3's run, which leaves out playthroughs of the sure arm, beside the run itself."""
    moments = {moment.t: moment for moment in abandoned(4_000)}
    work = Watched(
        Bandit(0.0, 0.95), manner=Manner(averaging="uniform"), every=10**9, confidence=Confidence("paper"), seed=4
    )  # fmt: skip
    work.advance(4_000)
    bound = work.exactly(work.sweep(), 0) - float(work.earned[0]) / 4_000
    assert moments[4_000].summed == pytest.approx(bound + after(4_000), abs=1e-9)


@pytest.mark.parametrize("truthful", [False, True])
def test_warning_7_7_true_payoffs_leave_the_proven_gap_where_it_is(truthful: bool) -> None:
    """A sure prize of 0.5 beside an arm that wins 1 time in 5: given the truth, nobody pulls it, and nothing is proven.

    The true gap goes to 0 either way. The proven one stays near 0.5, the most that there can be, with true payoffs,
    and falls below 0.2 with upper bounds.
    """
    box = Bandit(0.2, 0.5)
    work = (
        Truthful(box, seed=1, every=10**9)
        if truthful
        else Regretting(box, method="online-cfr", seed=1, every=10**9, rounds=False)
    )
    gaps = []
    for last in (1_000, 4_000):
        work.advance(last - work.playthroughs)
        work._measure()
        gaps.append(work.bound().gap)
    play = work.kept[0][1:]
    assert 0.5 - (0.2 * play[0] + 0.5 * play[1]) < 0.05
    if truthful:
        assert gaps[1] > 0.45
    else:
        assert gaps[1] < 0.2
        assert gaps[1] < 0.6 * gaps[0]


def test_what_is_added_to_walks_has_the_form_of_corollary_7_6() -> None:
    """`raised` adds at most 1.02·√(2cL·S) + 1.6·cL, and no less than half of √(2cL·S): for sums from 0 to 10⁹ caps."""
    cap, wide, failure = 24.0, 4.0, 1e-5
    for sums in (0.0, 1.0, 30.0, *(cap * 10.0**k for k in range(10))):
        rates = 2 * math.log2(cap / wide * math.sqrt(max(sums / cap, 1.0))) + 1
        logs = math.log(2 * (rates + 2) ** 2 / failure)
        added = float(raised(np.array([sums]), np.array([cap]), failure, wide)[0]) - sums
        assert added <= 1.02 * math.sqrt(2 * cap * logs * sums) + 1.6 * cap * logs
        assert added >= 0.5 * math.sqrt(2 * cap * logs * sums)


def test_corollary_7_6_with_our_constants() -> None:
    """Balanced walks on Leduc poker, chance known: ε̃ is below the explicit bound, and above half of the best values."""
    manner = Manner(sampling="balanced", averaging="uniform")
    work = Regretting(boxed("leduc_poker", groups="known").box, every=10**9, manner=manner, seed=1)
    for t in (1_000, 20_000):
        work.advance(t - work.playthroughs)
        work._measure()
        low, high = work.rested
        assert high - low <= ceiling(work)
        sequences = max(work.trunk.sequences)
        assert all(work.minimizer.breadth[p, 0] <= sequences <= work.trunk.nodes.used for p in (0, 1))  # M ≤ N


def test_a_playthrough_is_needed_to_learn() -> None:
    """Nothing is learnt between playthroughs: the state changes only when one is counted."""
    work = Regretting(Bandit(0.2, 0.5), seed=1, every=10**9)
    before = work.minimizer.regret.copy()
    record = work.next()
    assert isinstance(record, Playthrough)
    assert np.array_equal(before, work.minimizer.regret)
    work.add(record)
