"""How good a solver's average play is by now."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hannan.errors import RulesError
from hannan.measures.evaluation import Evaluation, evaluate, respond
from hannan.solvers.base import Solver
from hannan.solvers.sampling.sampler import Sampling, Variance
from hannan.strategies.profile import Profile


@dataclass(frozen=True)
class Gaps:
    """The average profile of a solver, and how far it is from equilibrium."""

    profile: Profile
    evaluation: Evaluation
    cce_gap: float | None
    gap: float
    name: str
    """Which gap it is: NashConv, or the CCE gap."""


def gaps(solver: Solver) -> Gaps:
    """Measure the gaps exactly."""
    game, strategy = solver.game.expanded(), solver.average()
    profile = strategy if isinstance(strategy, Profile) else strategy.profile()
    evaluation = evaluate(game, profile)
    cce = cce_gap(solver, evaluation)
    if not all(map(math.isfinite, (*evaluation.values, *evaluation.best_values, cce or 0.0))):
        raise RulesError(f"the payoffs of {solver.game.address} are too large: their sums overflow")
    if game.form.competitive or cce is None:
        return Gaps(profile, evaluation, cce, evaluation.nash_conv, "NashConv")
    return Gaps(profile, evaluation, cce, cce, "CCE gap")


def cce_gap(solver: Solver, evaluation: Evaluation | None = None) -> float | None:
    """Return the largest gain of any player against the correlated average play, where the solver keeps it."""
    play = solver.correlated()
    if play is None:
        return None
    game = solver.game.expanded()
    if play.gradient is None:
        bests = (evaluation or evaluate(game, solver.average())).best_values
    else:
        bests = tuple(respond(game, player, play.gradient)[0] for player in range(game.players))
    gains = [best - value for best, value in zip(bests, play.values, strict=True)]
    return math.nan if any(map(math.isnan, gains)) else max(0.0, *gains)


def spread(sampler: Sampling, walks: int) -> Variance:
    """Measure the variance of a sampler's estimates."""
    variance = sampler.variance(walks)
    if not math.isfinite(variance.total) or not math.isfinite(variance.given_visit):
        raise RulesError(f"the estimates on {sampler.game.address} are too large: the sums of their squares overflow")
    return variance
