"""The loop that runs a solver until its gap is small enough: it drives solvers and the evaluator, and knows both."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Literal

from hannan.errors import ParameterError
from hannan.evaluate import Evaluation, evaluate, respond
from hannan.game import Game, load
from hannan.games.catalogue import parse
from hannan.profile import Profile
from hannan.progress import Limits, Point, Progress, time_left
from hannan.rules import Rules
from hannan.solvers import METHODS, method_class
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
    progress: Callable[[Progress], None] | None = None,
    **parameters: Any,
) -> Result:
    """Find an equilibrium, and measure exactly how close it is.

    Stops at the first limit that is reached; without one, at gap 1e-4 or after 100,000 iterations. `method` may
    carry parameters, as in `dcfr(alpha=1.5)`; they may be given as keyword arguments too. Ctrl-C ends the run with
    the result so far.
    """
    game = load(game)
    solver, why = make_solver(game, method, updates, parameters)
    return run(solver, limits(gap, iterations, seconds), seed=seed, progress=progress, why=why)


def limits(gap: float | None, iterations: int | None, seconds: float | None) -> Limits:
    """Check the three limits; fill in the defaults where there is none."""
    for name, number in (("gap", gap), ("seconds", seconds), ("iterations", iterations)):
        if number is not None and (isinstance(number, bool) or not number >= 0 or not math.isfinite(number)):
            raise ParameterError(f"{name}={number!r} should be a number, 0 or more")
    if gap is None and iterations is None and seconds is None:
        return Limits(DEFAULT_GAP, DEFAULT_ITERATIONS)
    return Limits(gap, iterations, seconds)


def make_solver(
    game: Game, method: str, updates: Updates | None, parameters: dict[str, Any] | None = None
) -> tuple[Solver, str]:
    """Return a solver for a method's address, and why it was chosen."""
    why = ""
    given = dict(parameters or {})
    if method == "auto":
        method, updates, why = choose(game, updates)
    else:
        method, from_address = split_method(method)
        given = {**from_address, **given}
    if updates is not None:
        given["updates"] = updates
    try:
        return method_class(method)(game, **given), why
    except TypeError as error:
        raise ParameterError(f"{method}: {_argument(error)}") from error


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
    kind = (
        "general-sum"
        if game.players == 2
        else "one player"
        if game.players == 1
        else f"{game.players} players"
    )
    return (
        "cfr",
        updates or "simultaneous",
        f"{kind}: with simultaneous updates CFR's average play is proven to approach a coarse correlated equilibrium",
    )


def _argument(error: TypeError) -> str:
    words = str(error)
    return words.split("() ", 1)[1] if "() " in words else words


def run(
    solver: Solver,
    until: Limits,
    *,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
    why: str = "",
) -> Result:
    """Run a solver to the first limit that is reached, and measure what it found."""
    solver.prepare()
    curve: list[Point] = []
    spent = 0.0
    begun = solver.iterations
    stop: Stop | None = None
    measured = _measure(solver)
    with _interrupts() as interrupted:
        while stop is None:
            target = max(solver.iterations + 1, math.ceil(solver.iterations * SPACING))
            if until.iterations is not None:
                target = min(target, begun + until.iterations)
            slice_size = 1
            while solver.iterations < target and stop is None:
                count = min(slice_size, target - solver.iterations)
                before = time.perf_counter()
                solver.run(count)
                took = time.perf_counter() - before
                spent += took
                slice_size = max(1, min(2 * count, int(count * SLICE / max(took, 1e-9))))
                if interrupted():
                    stop = "interrupted"
                elif until.seconds is not None and spent >= until.seconds:
                    stop = "seconds"
                if progress is not None:
                    done = solver.iterations - begun
                    last = curve[-1].gap if curve else None
                    left = time_left(until, curve, done, spent)
                    progress(Progress(solver.iterations, spent, last, done / max(spent, 1e-9), left))
            measured = _measure(solver)
            curve.append(Point(solver.iterations, spent, measured.gap, measured.evaluation.nash_conv))
            if until.gap is not None and measured.gap <= until.gap:
                stop = "gap"
            elif (
                stop is None
                and until.iterations is not None
                and solver.iterations >= begun + until.iterations
            ):
                stop = "iterations"
    return _result(solver, measured, stop, spent, tuple(curve), seed, why)


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


def _result(
    solver: Solver,
    measured: _Measured,
    stop: Stop,
    spent: float,
    curve: tuple[Point, ...],
    seed: int,
    why: str,
) -> Result:
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
        seconds=spent,
        stop=stop,
        gap=measured.gap,
        nash_conv=measured.evaluation.nash_conv,
        exploitability=measured.evaluation.exploitability,
        gains=measured.evaluation.gains,
        cce_gap=measured.cce_gap,
        values=measured.evaluation.values,
        seed=seed,
        profile=Profile(solver.game, measured.profile.strategies, facts),
        curve=curve,
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


__all__ = ["METHODS", "Result", "choose", "limits", "make_solver", "run", "solve"]
