"""The loop that runs a solver until its gap is small enough: it drives solvers and the evaluator, and knows both."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral, Real
from types import FrameType
from typing import Any

from hannan.errors import ParameterError, RulesError, UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loading import Loadable, load
from hannan.forms.sizes import check_decisions
from hannan.measures.evaluation import Evaluation, evaluate, respond
from hannan.rules.compiled import CompiledRules
from hannan.runs.choosing import make_solver
from hannan.runs.log import Log
from hannan.runs.progress import Limits, Point, Progress, time_left
from hannan.runs.result import UNMEASURED, Result, Stop
from hannan.solvers import METHODS, method_class
from hannan.solvers.base import Solver
from hannan.solvers.fullwidth.engine import Updates
from hannan.solvers.sampling.sampler import Sampling, Variance, whole
from hannan.strategies.locks import LockedGame, Locks, lock
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

DEFAULT_GAP = 1e-4
DEFAULT_ITERATIONS = 100_000
"""Where a run stops that was given no limit: at the gap, or here at the latest."""

SPACING = 1.2
"""The gap is measured at iterations that grow by this factor: it never depends on the clock."""

ROLLOUTS = 100_000
"""Plays from which the values of a strategy for a game that is not expanded are estimated."""

HASTE = 10
"""After an interrupt, one in so many of these plays is made."""

SLICE = 0.1
"""Seconds of solving between two looks at the clock."""


def solve(
    game: Loadable,
    method: str = "auto",
    *,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    updates: Updates | None = None,
    seed: int = 0,
    start: Profile | None = None,
    locks: Locks | None = None,
    variance: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    **parameters: Any,
) -> Result:
    """Find an equilibrium, and measure exactly how close it is.

    Stops at the first limit that is reached; without one, at gap 1e-4 or after 100,000 iterations. `method` may
    carry parameters, as in `dcfr(alpha=1.5)`; they may be given as keyword arguments too. `start` is a profile to
    begin from. With `locks` (see `hannan.lock`) the numbers are those of the game with these sets fixed, and the
    profile is for the game itself. With `variance`, the variance of a sampler's estimates is measured from so many
    walks a player wherever the gap is. Ctrl-C ends the run with the result so far.
    """
    game = load(game)
    playing = lock(game, locks) if locks else game
    solver, why = make_solver(playing, method, updates, {"seed": seed, **parameters})
    if start is not None:
        solver.warm_start(playing.project(start) if isinstance(playing, LockedGame) else start)
    until = limits(gap, iterations, seconds)
    result = run(solver, until, seed=seed, variance=variance, progress=progress, why=why)
    return (
        replace(result, strategy=playing.lift(result.profile)) if isinstance(playing, LockedGame) and locks else result
    )


def limits(gap: float | None, iterations: int | None, seconds: float | None) -> Limits:
    """Check the three limits; fill in the defaults where there is none."""
    for name, number in (("gap", gap), ("seconds", seconds), ("iterations", iterations)):
        if number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, Real) or not 0 <= number < math.inf:
            raise ParameterError(f"{name}={number!r} should be a number, 0 or more")
    if iterations is not None and not isinstance(iterations, Integral):
        raise ParameterError(f"iterations={iterations!r} should be a whole number")
    if gap is None and iterations is None and seconds is None:
        return Limits(DEFAULT_GAP, DEFAULT_ITERATIONS)
    return Limits(gap, None if iterations is None else int(iterations), seconds)


def run(
    solver: Solver,
    until: Limits,
    *,
    seed: int = 0,
    variance: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    why: str = "",
    keep: Callable[[], None] | None = None,
    log: Log | None = None,
    estimating: Callable[[Policy, int], None] | None = None,
) -> Result:
    """Run a solver to the first limit that is reached (counted from its very beginning), and measure what it found.

    `variance` is the number of walks a player from which a sampler's is measured, too: nothing is learnt from them.
    `keep` is called between iterations, often: it may save the solver. `log` takes every measurement.
    `estimating` is called where values are estimated at the end, before that: with the strategies found, and with how
    many plays there will be for each player.
    """
    sampler = sampler_of(solver, variance)
    if not measurable(solver) and until.iterations is None and until.seconds is None:
        raise ParameterError(f"{solver.game.address} is too large to measure a gap: say how many iterations or seconds")
    solver.prepare()
    if isinstance(solver.game, ExpandedGame):
        check_decisions(solver.game.address, solver.game.form)
    if until.seconds is not None:
        solver.time_limit = until.seconds
    if solver.most_iterations is not None and not solver.exact and (until.iterations or 0) > solver.most_iterations:
        raise ParameterError(
            f"{until.iterations} iterations are too many: {solver.method} was planned for {solver.most_iterations}"
        )
    most = min((n for n in (until.iterations, solver.most_iterations) if n is not None), default=None)
    stop: Stop | None = None
    measured: _Measured | None = None
    spread: Variance | None = None
    with _interrupts(1 if measurable(solver) else 2) as interrupts:
        while stop is None:
            target = next_measurement(solver.iterations)
            if most is not None:
                target = max(min(target, most), solver.iterations)
            stop = _advance(solver, target, until, lambda: interrupts() > 0, progress, keep)
            if measurable(solver):
                measured = _measure(solver)
            now = None
            if sampler is not None and variance is not None and not solver.stopped:  # full tables take no more walks
                now = spread = _spread(sampler, variance)
            _note(solver, measured, now, log)
            if solver.exact and solver.iterations > 0:
                stop = "exact"
            elif measured is not None and until.gap is not None and measured.gap <= until.gap:
                stop = "gap"
            elif stop is None and most is not None and solver.iterations >= most:
                stop = "iterations"
        if log is not None:
            log.stop(stop)
        if measured is not None:
            found = _result(solver, measured, stop, seed, why)
        else:
            patience = 1 if stop == "interrupted" else 0
            found = _estimated(solver, stop, seed, why, lambda: interrupts() > patience, estimating)
    if dropped := unmeasured_gap(solver, until):
        found = replace(found, note=f"{dropped}. {found.note}" if found.note else dropped)
    return found if spread is None else replace(found, variance=spread.total, given_visit=spread.given_visit)


def measurable(solver: Solver) -> bool:
    """Say whether the game is expanded, so that gaps can be measured."""
    return isinstance(solver.game, ExpandedGame)


def unmeasured_gap(solver: Solver, until: Limits) -> str:
    """Say that a gap was asked for and is not looked at, where that is so."""
    if measurable(solver) or until.gap is None or until == Limits(DEFAULT_GAP, DEFAULT_ITERATIONS):
        return ""
    return f"{solver.game.address} is too large to measure a gap: the limit gap={until.gap:g} is not looked at"


def sampler_of(solver: Solver, variance: int | None) -> Sampling | None:
    """Return the solver as one whose variance can be measured, where that is asked for; refuse what does not sample."""
    if variance is None:
        return None
    whole(variance=variance)
    if not isinstance(solver, Sampling):
        known = ", ".join(name for name in METHODS if issubclass(method_class(name), Sampling))
        raise UnsuitableError(f"{solver.method} does not sample: a variance is measured of {known}")
    return solver


def _spread(sampler: Sampling, walks: int) -> Variance:
    found = sampler.variance(walks)
    if not math.isfinite(found.total) or not math.isfinite(found.given_visit):
        raise RulesError(f"the estimates on {sampler.game.address} are too large: the sums of their squares overflow")
    return found


def _note(solver: Solver, measured: _Measured | None, spread: Variance | None, log: Log | None) -> None:
    """Add a measurement to the curve and the log, once for each iteration; again, where it has a variance only now."""
    if measured is None and spread is None:
        return
    gaps = (UNMEASURED, UNMEASURED) if measured is None else (measured.gap, measured.evaluation.nash_conv)
    spreads = (None, None) if spread is None else (spread.total, spread.given_visit)
    if solver.curve and solver.curve[-1].iteration == solver.iterations:
        if spread is None or solver.curve[-1].variance is not None:
            return
        solver.curve.pop()
    solver.curve.append(Point(solver.iterations, solver.seconds, *gaps, *spreads))
    if log is not None:
        log.point(solver.curve[-1])


def next_measurement(iteration: int) -> int:
    """Return the first point after `iteration` of the fixed sequence at which gaps are measured."""
    point = 1
    while point <= iteration:
        point = max(point + 1, math.ceil(point * SPACING))
    return point


def _advance(
    solver: Solver,
    target: int,
    until: Limits,
    interrupted: Callable[[], bool],
    progress: Callable[[Progress], None] | None,
    keep: Callable[[], None] | None,
) -> Stop | None:
    """Run up to iteration `target` in slices of about a tenth of a second; say why, if it ends before."""
    size = 1
    while solver.iterations < target:
        count = min(size, target - solver.iterations)
        before = time.perf_counter()
        solver.run(count)
        took = time.perf_counter() - before
        solver.seconds += took
        size = max(1, min(2 * count, int(count * SLICE / max(took, 1e-9))))
        if keep is not None:
            keep()
        if progress is not None:
            last = solver.curve[-1].gap if solver.curve and measurable(solver) else None
            rate = solver.iterations / max(solver.seconds, 1e-9)
            left = time_left(until, solver.curve, solver.iterations, solver.seconds)
            progress(Progress(solver.iterations, solver.seconds, last, rate, left))
        if solver.stopped:
            return "memory"
        if interrupted() or solver.cancelled:
            return "interrupted"
        if until.seconds is not None and solver.seconds >= until.seconds:
            return "seconds"
    return None


@dataclass(frozen=True)
class _Measured:
    profile: Profile
    evaluation: Evaluation
    cce_gap: float | None
    gap: float


def _measure(solver: Solver) -> _Measured:
    profile = solver.average()
    evaluation = evaluate(solver.game, profile)
    cce = cce_gap(solver, evaluation)
    if not all(map(math.isfinite, (*evaluation.values, *evaluation.best_values, cce or 0.0))):
        raise RulesError(f"the payoffs of {solver.game.address} are too large: their sums overflow")
    gap = evaluation.nash_conv if solver.game.form.competitive or cce is None else cce
    return _Measured(profile, evaluation, cce, gap)


def cce_gap(solver: Solver, evaluation: Evaluation | None = None) -> float | None:
    """Return the largest gain of any player against the correlated average play, where the solver keeps it."""
    play = solver.correlated()
    if play is None:
        return None
    game = solver.game
    if play.gradient is None:
        bests = (evaluation or evaluate(game, solver.average())).best_values
    else:
        bests = tuple(respond(game, player, play.gradient)[0] for player in range(game.players))
    gains = [best - value for best, value in zip(bests, play.values, strict=True)]
    return math.nan if any(map(math.isnan, gains)) else max(0.0, *gains)


def _result(solver: Solver, measured: _Measured, stop: Stop, seed: int, why: str) -> Result:
    facts = {
        "method": solver.method,
        "iterations": solver.iterations,
        "gap": measured.gap,
        "nash_conv": measured.evaluation.nash_conv,
        "seed": solver.parameters.get("seed", seed),
    }
    competitive = solver.game.form.competitive
    return Result(
        game=solver.game.address,
        method=solver.method,
        updates=solver.parameters.get("updates"),
        why=why,
        iterations=solver.iterations,
        seconds=solver.seconds,
        stop=stop,
        gap=measured.gap,
        gap_name="NashConv" if competitive or measured.cce_gap is None else "CCE gap",
        nash_conv=measured.evaluation.nash_conv,
        exploitability=measured.evaluation.exploitability,
        gains=measured.evaluation.gains,
        cce_gap=measured.cce_gap,
        values=measured.evaluation.values,
        half_widths=None,
        seed=solver.parameters.get("seed", seed),
        strategy=Profile(solver.game, measured.profile.strategies, facts),
        curve=tuple(solver.curve),
        note=solver.stopped,
    )


def _estimated(
    solver: Solver,
    stop: Stop,
    seed: int,
    why: str,
    enough: Callable[[], bool],
    estimating: Callable[[Policy, int], None] | None,
) -> Result:
    """Return what was found of a game that is not expanded: no gap, and values estimated from plays.

    There are fewer plays where somebody has interrupted the run, and no more as soon as they are said to be enough.
    """
    from hannan.measures.rollouts import rollouts

    policy = solver.average()
    plays = ROLLOUTS if isinstance(solver.game.rules, CompiledRules) else ROLLOUTS // 50
    if stop == "interrupted":
        plays //= HASTE
    if estimating is not None:
        estimating(policy, plays)
    estimate = rollouts(policy, plays=plays, seed=seed, stop=enough)
    few = f"the values are estimated from {estimate.plays:,} plays for each player" if estimate.plays < plays else ""
    return Result(
        game=solver.game.address,
        method=solver.method,
        updates=None,
        why=why,
        iterations=solver.iterations,
        seconds=solver.seconds,
        stop=stop,
        gap=UNMEASURED,
        gap_name="not measured",
        nash_conv=UNMEASURED,
        exploitability=UNMEASURED,
        gains=(UNMEASURED,) * solver.game.players,
        cce_gap=None,
        values=estimate.values,
        half_widths=estimate.half_widths,
        seed=solver.parameters.get("seed", seed),
        strategy=policy,
        curve=tuple(solver.curve),
        note=". ".join(filter(None, (solver.stopped, few))),
    )


@contextmanager
def _interrupts(most: int) -> Iterator[Callable[[], int]]:
    """Turn the first Ctrl-C, or the first few, into the answer to a question: how many. One more is as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    seen = 0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        if seen == most:
            raise KeyboardInterrupt
        seen += 1

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: seen
    finally:
        signal.signal(signal.SIGINT, before)
