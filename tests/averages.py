"""The strategies of a solver on an expanded game, which are profiles."""

from __future__ import annotations

import hannan as hn
from hannan.solvers.base import Solver


def average_of(solver: Solver) -> hn.Profile:
    strategy = solver.average()
    assert isinstance(strategy, hn.Profile)
    return strategy


def current_of(solver: Solver) -> hn.Profile:
    strategy = solver.current()
    assert isinstance(strategy, hn.Profile)
    return strategy
