"""The loop that runs a solver until its gap is small enough: it drives solvers and the evaluator, and knows both."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, Literal

from hannan.errors import ParameterError, UnknownNameError, nearest
from hannan.evaluate import Evaluation, evaluate, respond
from hannan.game import Game, load
from hannan.games.catalogue import parse
from hannan.locking import LockedGame, Locks
from hannan.logfile import Log
from hannan.profile import Profile
from hannan.progress import Limits, Point, Progress, time_left
from hannan.rules import Rules
from hannan.solvers import method_class
from hannan.solvers.base import Solver
from hannan.solvers.fullwidth import Updates

Stop = Literal["gap", "iterations", "seconds", "interrupted", "exact"]

DEFAULT_GAP = 1e-4
DEFAULT_ITERATIONS = 100_000
"""Where a run stops that was given no limit: at the gap, or here at the latest."""

SPACING = 1.2
"""The gap is measured at iterations that grow by this factor: it never depends on the clock."""

SLICE = 0.1
"""Seconds of solving between two looks at the clock."""


@dataclass(frozen=True)
class Result:
    """What a solve found, and how good it is."""

    game: str
    method: str
    updates: str | None
    why: str
    """Why this method, where it was chosen automatically."""
    iterations: int
    seconds: float
    """Solving alone: neither compiling nor evaluating."""
    stop: Stop
    gap: float
    """NashConv in two-player zero-sum games, the CCE gap of the average play elsewhere."""
    nash_conv: float
    exploitability: float
    gains: tuple[float, ...]
    cce_gap: float | None
    values: tuple[float, ...]
    seed: int
    profile: Profile
    curve: tuple[Point, ...]

    def record(self) -> dict[str, Any]:
        """Return the numbers as one object that JSON can hold."""
        names = (
            "game", "method", "updates", "iterations", "seconds", "stop", "gap", "nash_conv", "exploitability", "gains",
            "cce_gap", "values", "seed",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return (
            f"Result({self.game} by {self.method}: gap {self.gap:.3g}, NashConv {self.nash_conv:.3g}, values "
            f"{[round(value, 6) for value in self.values]}, {self.iterations} iterations in {self.seconds:.3g} s, "
            f"stopped by {self.stop})"
        )

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{name}</td><td>{fact}</td></tr>" for name, fact in self.record().items())
        return f"<table>{rows}</table>"


def solve(
    game: str | Rules | Game,
    method: str = "auto",
    *,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    updates: Updates | None = None,
    seed: int = 0,
    start: Profile | None = None,
    locks: Locks | None = None,
    progress: Callable[[Progress], None] | None = None,
    **parameters: Any,
) -> Result:
    """Find an equilibrium, and measure exactly how close it is.

    Stops at the first limit that is reached; without one, at gap 1e-4 or after 100,000 iterations. `method` may
    carry parameters, as in `dcfr(alpha=1.5)`; they may be given as keyword arguments too. `start` is a profile to
    begin from. With `locks` (see `hannan.lock`) the numbers are those of the game with these sets fixed, and the
    profile is for the game itself. Ctrl-C ends the run with the result so far.
    """
    game = load(game)
    playing = LockedGame(game, locks) if locks else game
    solver, why = make_solver(playing, method, updates, {"seed": seed, **parameters})
    if start is not None:
        solver.warm_start(start)
    result = run(solver, limits(gap, iterations, seconds), seed=seed, progress=progress, why=why)
    return replace(result, profile=playing.lift(result.profile)) if isinstance(playing, LockedGame) else result


def limits(gap: float | None, iterations: int | None, seconds: float | None) -> Limits:
    """Check the three limits; fill in the defaults where there is none."""
    for name, number in (("gap", gap), ("seconds", seconds), ("iterations", iterations)):
        if number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < math.inf:
            raise ParameterError(f"{name}={number!r} should be a number, 0 or more")
    if iterations is not None and not isinstance(iterations, int):
        raise ParameterError(f"iterations={iterations!r} should be a whole number")
    if gap is None and iterations is None and seconds is None:
        return Limits(DEFAULT_GAP, DEFAULT_ITERATIONS)
    return Limits(gap, iterations, seconds)


def make_solver(
    game: Game, method: str, updates: Updates | None, parameters: dict[str, Any] | None = None
) -> tuple[Solver, str]:
    """Return a solver for a method's address, and why it was chosen."""
    why = ""
    given = dict(parameters or {})
    seed = given.pop("seed", 0)
    if method == "auto":
        method, updates, why = choose(game, updates)
    else:
        method, from_address = split_method(method)
        given = {**from_address, **given}
    if updates is not None:
        given["updates"] = updates
    kind = method_class(method)
    known = kind.parameter_defaults()
    for name in given:
        if name not in known:
            raise UnknownNameError(f"{method} has no parameter {name!r}{nearest(name, known)}")
    if "seed" in known:
        given.setdefault("seed", seed)
    return kind(game, **given), why


def split_method(address: str) -> tuple[str, dict[str, Any]]:
    """Split `dcfr(alpha=1.5)` into the method and its parameters; names such as cfr+ are not Python's."""
    name, parenthesis, rest = address.partition("(")
    if not parenthesis:
        return name, {}
    return name, parse(f"method({rest}")[1]


def choose(game: Game, updates: Updates | None) -> tuple[str, Updates, str]:
    """Pick a method that suits the game, and say why."""
    if game.form.competitive:
        return (
            "pcfr+",
            updates or "alternating",
            "two players with opposed interests: predictive CFR+ usually needs the fewest iterations",
        )
    kind = "general-sum" if game.players == 2 else "one player" if game.players == 1 else f"{game.players} players"
    return (
        "cfr",
        updates or "simultaneous",
        f"{kind}: with simultaneous updates CFR's average play is proven to approach a coarse correlated equilibrium",
    )


def run(
    solver: Solver,
    until: Limits,
    *,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
    why: str = "",
    keep: Callable[[], None] | None = None,
    log: Log | None = None,
) -> Result:
    """Run a solver to the first limit that is reached (counted from its very beginning), and measure what it found.

    `keep` is called between iterations, often: it may save the solver. `log` takes every measurement.
    """
    solver.prepare()
    if until.seconds is not None:
        solver.time_limit = until.seconds
    most = min((n for n in (until.iterations, solver.most_iterations) if n is not None), default=None)
    stop: Stop | None = None
    measured: _Measured | None = None
    with _interrupts() as interrupted:
        while stop is None:
            target = next_measurement(solver.iterations)
            if most is not None:
                target = max(min(target, most), solver.iterations)
            stop = _advance(solver, target, until, interrupted, progress, keep)
            measured = _measure(solver)
            point = Point(solver.iterations, solver.seconds, measured.gap, measured.evaluation.nash_conv)
            if not solver.curve or solver.curve[-1].iteration < point.iteration:
                solver.curve.append(point)
                if log is not None:
                    log.point(point)
            if solver.exact and solver.iterations > 0:
                stop = "exact"
            elif until.gap is not None and measured.gap <= until.gap:
                stop = "gap"
            elif stop is None and most is not None and solver.iterations >= most:
                stop = "iterations"
    if log is not None:
        log.stop(stop)
    assert measured is not None
    return _result(solver, measured, stop, seed, why)


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
            last = solver.curve[-1].gap if solver.curve else None
            rate = solver.iterations / max(solver.seconds, 1e-9)
            left = time_left(until, solver.curve, solver.iterations, solver.seconds)
            progress(Progress(solver.iterations, solver.seconds, last, rate, left))
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
    return max(0.0, *(best - value for best, value in zip(bests, play.values, strict=True)))


def _result(solver: Solver, measured: _Measured, stop: Stop, seed: int, why: str) -> Result:
    facts = {
        "method": solver.method,
        "iterations": solver.iterations,
        "gap": measured.gap,
        "nash_conv": measured.evaluation.nash_conv,
        "seed": seed,
    }
    return Result(
        game=solver.game.address,
        method=solver.method,
        updates=solver.parameters.get("updates"),
        why=why,
        iterations=solver.iterations,
        seconds=solver.seconds,
        stop=stop,
        gap=measured.gap,
        nash_conv=measured.evaluation.nash_conv,
        exploitability=measured.evaluation.exploitability,
        gains=measured.evaluation.gains,
        cce_gap=measured.cce_gap,
        values=measured.evaluation.values,
        seed=seed,
        profile=Profile(solver.game, measured.profile.strategies, facts),
        curve=tuple(solver.curve),
    )


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into an answer to a question; a second one interrupts as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    flag = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if flag.is_set():
            raise KeyboardInterrupt
        flag.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield flag.is_set
    finally:
        signal.signal(signal.SIGINT, before)
