"""Bounds are true as often as promised. A run fails if any bound that it ever showed is false.

Sizes are for CI; `hannan reproduce certificates soundness` makes 2,000 runs of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import hannan as hn
from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.certification import Bound, Certification
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.radii import anytime, paper
from hannan.certificates.strategies import strategy_of
from hannan.forms.boxes import boxed
from hannan.measures.appraisal import evaluate
from hannan.strategies.profile import Profile
from tests.certificates.boxes import Bandit, Lottery

SLACK = 1e-9


def bandit_is_false(box: Bandit) -> Callable[[Certification, Bound], bool]:
    values = np.array([box.value(arm) for arm in range(len(box.risky) + len(box.sure))])

    def false(work: Certification, bound: Bound) -> bool:
        x = work.kept[0][1:]
        return float(x @ values) < bound.lower - SLACK or values.max() > bound.upper + SLACK

    return false


def game_is_false(game: hn.Game) -> Callable[[Certification, Bound], bool]:
    """Compare with the best responses in the true game."""

    def false(work: Certification, bound: Bound) -> bool:
        profile = strategy_of(game, work.trunk, work.kept, {})
        assert isinstance(profile, Profile)
        known = evaluate(profile.game, profile)
        least, most = known.values[0] - known.gains[1], known.values[0] + known.gains[0]
        return least < bound.lower - SLACK or most > bound.upper + SLACK

    return false


def failed(
    work: Certification, playthroughs: int, false: Callable[[Certification, Bound], bool], target: float
) -> bool:
    """Whether any bound shown up to a number of playthroughs, or up to where the gap reaches a target, is false."""
    while work.playthroughs < playthroughs:
        if work.advance(1):
            bound = work.bound()
            if false(work, bound):
                return True
            if bound.gap <= target:
                return False
    return False


def bandit_failures(runs: int, playthroughs: int, confidence: float, scale: float) -> int:
    box = Bandit(risky=(0.6,))
    false = bandit_is_false(box)
    setup = {"method": "induction", "every": 1, "confidence": Confidence("anytime", confidence), "scale": scale}
    return sum(failed(Resolving(box, seed=s, **setup), playthroughs, false, 0.0) for s in range(runs))  # type: ignore[arg-type]


@pytest.mark.slow
def test_no_more_runs_fail_on_a_bandit_than_promised() -> None:
    """300 runs of 20 bounds at δ = 0.01: 3 may fail. With half of ρ about 6.6 % do.

    At the promised rate 10 or more would fail in 1 of 1,000 such tests.
    """
    assert bandit_failures(300, 20, 0.99, 1.0) <= 3
    assert bandit_failures(300, 20, 0.99, 0.5) >= 10


def test_the_radius_on_the_bandit_of_the_paper_has_no_room_for_a_half() -> None:
    """2,000 runs of 3,000 draws at p = 0.6, δ = 0.001: a run fails if any radius is too small. Promised: 2 of 2,000.

    9 or more would come by chance in 1 of 4,000 such tests. With half of ρ more than 3 % fail.
    """
    generator = np.random.default_rng(4)
    m = np.arange(1, 3001)
    rho = anytime(np.full(3000, 2), m, np.ones(3000), 0.001)
    whole = half = 0
    for _ in range(2000):
        error = np.abs(np.cumsum(generator.random(3000) < 0.6) / m - 0.6)
        whole += bool((error > rho).any())
        half += bool((error > rho / 2).any())
    assert whole <= 8
    assert half >= 60


def test_the_radius_of_the_paper_at_a_fixed_number_of_samples() -> None:
    """Section 4's bandit, p = 0.6, 30 samples: 2/30² = 0.2 % promised, about 2.1 % with half of ρ."""
    generator = np.random.default_rng(5)
    rho = float(paper([2], [30], 30, 1, 1)[0])
    error = np.abs(generator.binomial(30, 0.6, 100_000) / 30 - 0.6)
    assert np.mean(error > rho) <= 2 / 30**2
    assert np.mean(error > rho / 2) >= 4 * 2 / 30**2


@pytest.mark.slow
@pytest.mark.parametrize(("game", "groups"), [("kuhn_poker", "none"), ("random_game(seed=3)", "rules")])
def test_no_bound_is_false_on_small_games(game: str, groups: str) -> None:
    """40 runs of up to 600 playthroughs at δ = 0.05, stopping at a target gap. 2 may fail; 9 would by chance in 1 of
    10,000 tests."""
    told = boxed(game, groups=groups)  # type: ignore[arg-type]
    false = game_is_false(told.game)
    failures = 0
    for seed in range(40):
        work = Resolving(told.box, method="cfr", every=100, confidence=Confidence("anytime", 0.95), seed=seed)
        failures += failed(work, 600, false, 2.5)
    assert failures <= 8


def test_outcomes_that_cannot_be_listed_are_bounded_too() -> None:
    """30 runs at δ = 0.05, groups by key and none: the true value lies in the bounds."""
    for grouped in (False, True):
        box = Lottery(grouped=grouped)
        failures = 0
        for seed in range(15):
            work = Resolving(box, method="cfr", every=50, confidence=Confidence("anytime", 0.95), seed=seed)
            work.advance(300)
            bound = work.bound()
            failures += not bound.lower - SLACK <= box.value <= bound.upper + SLACK
        assert failures <= 4


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker", "goofspiel(cards=3)"])
def test_the_gap_is_never_below_the_true_gap(game: str) -> None:
    certificate = hn.certify(game, playthroughs=1000, groups="rules", solve_every=250, check=True)
    assert certificate.true_gap is not None
    assert certificate.true_gap <= certificate.gap


@pytest.mark.slow
def test_the_gap_falls_like_one_over_the_root_of_playthroughs() -> None:
    """On Kuhn from 1,000 to 8,000 playthroughs, √(log t / t): a slope on log-log scales of -0.5, give or take 0.1."""
    curve = hn.certify("kuhn_poker", playthroughs=8000, solve_every=1000, method="lp", confidence=0.9).curve
    first, last = curve[0], curve[-1]
    slope = math.log(last.gap / first.gap) / math.log(last.playthroughs / first.playthroughs)
    assert -0.6 <= slope <= -0.4


@pytest.mark.slow
@pytest.mark.parametrize(("game", "T", "every", "largest"), [("bandit", 4000, 80, 0.4), ("kuhn_poker", 2000, 50, 0.6)])
def test_corollary_6_6(game: str, T: int, every: int, largest: float) -> None:
    """The mean over seeds of the best gap so far, for rewards in [0, 1], is below 2C√(2M/T) + N/T.

    The gap of the bandit goes up to 0.5, that of Kuhn poker up to 1. The bound is `largest` at most, so that a gap can
    exceed it: radii three times as wide show in Kuhn poker, radii six times as wide in the bandit.
    """
    box: hn.Box = Bandit(sure=(0.5,), risky=(0.6, 0.4)) if game == "bandit" else boxed(game, groups="rules").box
    width = 1.0 if game == "bandit" else 4.0
    best, bounds = [], []
    for seed in range(5):
        work = Resolving(box, method="lp", every=every, confidence=Confidence("paper"), seed=seed)
        gaps = []
        while work.playthroughs < T:
            work.advance(every)
            gaps.append(work.bound().gap / width)
        C, N, players = work.trunk.unknown, work.trunk.nodes.used, box.players
        M = max(work.trunk.groups.view("size")) * math.log(2) + math.log(2 * T**2 * C * players)
        best.append(min(gaps))
        bounds.append(2 * C * math.sqrt(2 * M / T) + N / T)
    assert np.mean(best) <= np.mean(bounds) <= largest


def test_both_ways_to_solve_agree() -> None:
    """On the same trunk: the tolerance of the full-width method is 1 % of what the two games are apart, for each."""
    for game in ("kuhn_poker", "goofspiel(cards=3)"):
        told = boxed(game, groups="rules")
        bounds = []
        for method in ("lp", "cfr"):
            work = Resolving(told.box, method=method, every=500, explore="uniform", seed=1)
            work.advance(1500)
            bounds.append(work.bound())
        one, other = bounds
        assert one.trunk == other.trunk
        assert one.gap <= other.gap + SLACK
        assert other.gap <= 1.03 * one.gap
