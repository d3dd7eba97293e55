"""Several methods on several games: the NashConv of each run, and the iterations that it needed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from hannan.experiments.claims import Claim, Panel, Say
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load
from hannan.runs.progress import Limits, Point, Schedule
from hannan.runs.run import Run
from hannan.runs.solve import make_solver, solve
from hannan.runs.solve_work import Solving

Curve = tuple[Point, ...]
Races = Mapping[str, Mapping[str, Curve]]
"""The measurements of each method on each game."""

BY = ("iterations", "histories touched", "seconds")
"""The horizontal axes for methods that touch few histories per iteration."""

ORDER = math.sqrt(10)
"""From here on a factor is nearer to ten than to one, on a logarithmic scale: about an order of magnitude, or more."""


def race(games: Mapping[str, str], methods: Mapping[str, str], iterations: int, say: Say) -> Races:
    """Run every method (label to address) on every game (label to address) for `iterations` iterations."""
    curves: dict[str, dict[str, Curve]] = {}
    for name, address in games.items():
        game, curves[name] = load(address).formed(), {}
        for label, method in methods.items():
            result = solve(game, method, iterations=iterations)
            say(f"{name}, {label}: {told(result.curve)} in {result.seconds:.2f} s")
            curves[name][label] = result.curve
    return curves


def told(curve: Curve) -> str:
    """Describe the end of a curve."""
    return f"NashConv {curve[-1].nash_conv:.3g} after {curve[-1].iteration:,} iterations"


def counted(
    game: ExpandedGame, method: str, schedule: Schedule, limits: Limits, most: float = math.inf, **parameters: str
) -> tuple[Curve, list[int]]:
    """Run a method until it has touched `most` histories; return its curve and the histories at each point of it."""
    solver, _ = make_solver(game, method, None, parameters)
    run, histories = Run(Solving(solver), limits, schedule=schedule), list[int]()
    for _ in run.measurements():
        histories.append(getattr(solver, "histories", solver.iterations * game.sizes.histories))
        if histories[-1] >= most:
            break
    return tuple(run.curve), histories


def panels(
    races: Races, across: Sequence[str], histories: Mapping[str, Sequence[int]] | None = None
) -> tuple[Panel, ...]:
    """Return one panel per game for each measure: `iterations`, `seconds`, or `histories touched` by each method."""

    def line(label: str, curve: Curve, measure: str) -> list[tuple[float, float]]:
        places: dict[str, Sequence[float]] = {
            "iterations": [point.iteration for point in curve],
            "seconds": [point.seconds for point in curve],
            "histories touched": (histories or {}).get(label, ()),
        }
        return [(place, point.nash_conv) for place, point in zip(places[measure], curve, strict=True)]

    return tuple(
        Panel(
            title=f"{game}, by {measure}" if len(across) > 1 else game,
            across=measure,
            up="NashConv",
            lines={label: line(label, curve, measure) for label, curve in curves.items()},
            log=True,
        )
        for measure in across
        for game, curves in races.items()
    )


def needed(curve: Curve, gap: float) -> float | None:
    """Return the iteration from which on NashConv stays at or below `gap`; None if it ends above.

    Between two measurements NashConv is interpolated linearly on logarithmic scales.
    """
    if curve[-1].nash_conv > gap:
        return None
    above = max((k for k, point in enumerate(curve) if point.nash_conv > gap), default=None)
    if above is None:
        return float(curve[0].iteration)
    before, after = curve[above], curve[above + 1]
    if after.nash_conv <= 0:
        return float(after.iteration)
    share = math.log(before.nash_conv / gap) / math.log(before.nash_conv / after.nash_conv)
    return float(before.iteration * (after.iteration / before.iteration) ** share)


def speedup(curve: Curve, base: Curve) -> float:
    """Return how many times fewer iterations than `base` `curve` needs for the higher of their last NashConvs."""
    gap = max(curve[-1].nash_conv, base[-1].nash_conv)
    ours, theirs = needed(curve, gap), needed(base, gap)
    assert ours is not None
    assert theirs is not None
    return theirs / ours


def geometric_mean(numbers: Iterable[float]) -> float:
    """Return the geometric mean of factors."""
    logs = [math.log(number) for number in numbers]
    return math.exp(sum(logs) / len(logs))


def about_an_order(label: str, text: str, races: Races) -> Claim:
    """Judge whether a method is about ten times faster than CFR: on the geometric mean, and in most of the games."""
    factors = {game: speedup(curves[label], curves["CFR"]) for game, curves in races.items()}
    mean = geometric_mean(factors.values())
    words = ", ".join(f"{game} {factor:.1f}" for game, factor in factors.items())
    most = sum(factor >= ORDER for factor in factors.values()) > len(factors) / 2
    return Claim(text, "about 10 times", f"{mean:.1f} times fewer iterations ({words})", mean >= ORDER and most)
