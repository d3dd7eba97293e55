"""Our samplers beside OpenSpiel's, which share no code with them: after as many iterations, as small a gap."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest

import hannan as hn

SEEDS = 15

CASES = (
    # averaging as OpenSpiel does it
    ("mccfr-os(averaging=weighted)", "OutcomeSamplingMCCFRSolver", 3000),
    ("mccfr-es(averaging=simple)", "ExternalSamplingMCCFRSolver", 1000),
)


@pytest.mark.parametrize(("method", "theirs", "iterations"), CASES)
def test_medians_agree(method: str, theirs: str, iterations: int) -> None:
    """Kuhn poker. Over 15 seeds a median of such gaps has a standard error near 12 %, so 45 % is three and a half."""
    pyspiel = pytest.importorskip("pyspiel")
    game = hn.load("kuhn_poker")
    ours, other = [], []
    for seed in range(SEEDS):
        ours.append(hn.solve(game, method, iterations=iterations, seed=seed).nash_conv)
        solver: Any = getattr(pyspiel, theirs)(pyspiel.load_game("kuhn_poker"), seed=seed + 1)
        for _ in range(iterations):
            solver.run_iteration()
        policy = solver.average_policy()
        other.append(pyspiel.nash_conv(pyspiel.load_game("kuhn_poker"), policy, True))
    assert median(ours) == pytest.approx(median(other), rel=0.45)
