"""How good a solver's average play is by now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hannan.arguments import shown
from hannan.errors import MismatchError, ParameterError, RulesError
from hannan.measures.evaluation import Evaluation, evaluate, judge, respond
from hannan.solvers.base import Solver
from hannan.solvers.sampling.sampler import Sampling, Variance
from hannan.strategies.profile import Profile


@dataclass(frozen=True)
class Gaps:
    """How far the average profile of a solver is from equilibrium."""

    evaluation: Evaluation
    cce_gap: float | None
    gap: float
    name: str
    """Which gap it is: NashConv, or the CCE gap."""


def gaps(solver: Solver, profile: Profile | None = None) -> Gaps:
    """Measure the gaps exactly: where the solver's state lies, or on the plain layout; of its average, or a profile."""
    game, average = solver.game.expanded(), solver.measured()
    if average is None:
        evaluation = evaluate(game, solver.average() if profile is None else profile)
        cce = cce_gap(solver, evaluation)
    else:
        evaluation = judge(game, average.values, average.best_values)
        cce = _against_play(solver, average.correlated_best_values or evaluation.best_values)
    if not all(map(math.isfinite, (*evaluation.values, *evaluation.best_values, cce or 0.0))):
        raise RulesError(
            f"the payoffs of {solver.game.address} are too large or too small: their sums overflow, or the rates that "
            f"{solver.method} takes for them; measure them in other units"
        )
    if game.form.competitive or cce is None:
        return Gaps(evaluation, cce, evaluation.nash_conv, "NashConv")
    return Gaps(evaluation, cce, cce, "CCE gap")


def cce_gap(solver: Solver, evaluation: Evaluation | None = None) -> float | None:
    """Return the largest gain of any player against the correlated average play, where the solver keeps it."""
    if not isinstance(solver, Solver):
        raise ParameterError(f"{shown(solver)} is no solver, such as hannan.CFR(game)")
    if evaluation is not None and not isinstance(evaluation, Evaluation):
        raise ParameterError(f"evaluation={shown(evaluation)} should be what `evaluate` returns")
    if evaluation is not None and len(evaluation.values) != solver.game.players:
        raise MismatchError(f"the evaluation is of {len(evaluation.values)} players; {solver.game.address} has others")
    play = solver.correlated()
    if play is None:
        return None
    game = solver.game.expanded()
    if play.gradient is None:
        return _against_play(solver, (evaluation or evaluate(game, solver.average())).best_values)
    return _against_play(solver, [respond(game, player, play.gradient)[0] for player in range(game.players)])


def _against_play(solver: Solver, best_values: Sequence[float]) -> float | None:
    """Return the largest gain against the correlated average play, from what best responses to it earn."""
    play = solver.correlated()
    if play is None:
        return None
    gains = [best - value for best, value in zip(best_values, play.values, strict=True)]
    return math.nan if any(map(math.isnan, gains)) else max(0.0, *gains)


def spread(sampler: Sampling, walks: int) -> Variance:
    """Measure the variance of a sampler's estimates."""
    variance = sampler.variance(walks)
    if not math.isfinite(variance.total) or not math.isfinite(variance.given_visit):
        raise RulesError(f"the estimates on {sampler.game.address} are too large: the sums of their squares overflow")
    return variance
