"""Several methods on several games: what each run's NashConv was, and how many iterations it took to get so low."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from hannan.experiments.claims import Claim, Panel
from hannan.forms.game import Game
from hannan.forms.loading import load
from hannan.runs.progress import Point
from hannan.runs.solve import solve

Curve = tuple[Point, ...]
Races = Mapping[str, Mapping[str, Curve]]
"""For each game, for each method, its measurements."""

ORDER = math.sqrt(10)
"""From here on a factor is nearer to ten than to one, on a logarithmic scale: about an order of magnitude, or more."""


def race(
    games: Mapping[str, str],
    methods: Mapping[str, str],
    iterations: int,
    progress: Callable[[str], None] | None = None,
) -> Races:
    """Run every method (label to address) on every game (label to address) for so many iterations."""
    curves = {}
    for name, address in games.items():
        game = load(address).expanded()
        curves[name] = {
            label: _run(game, name, label, method, iterations, progress) for label, method in methods.items()
        }
    return curves


def _run(
    game: Game, name: str, label: str, method: str, iterations: int, progress: Callable[[str], None] | None
) -> Curve:
    result = solve(game, method, iterations=iterations)
    if progress is not None:
        took = f"{result.iterations:,} iterations in {result.seconds:.2f} s"
        progress(f"{name}, {label}: NashConv {result.nash_conv:.3g} after {took}")
    return result.curve


def panels(races: Races, across: Sequence[str]) -> tuple[Panel, ...]:
    """Return one panel a game, for each of `iterations` and `seconds` that is asked for."""
    return tuple(
        Panel(
            title=f"{game}, by {measure}" if len(across) > 1 else game,
            across=measure,
            up="NashConv",
            lines={
                label: [(point.iteration if measure == "iterations" else point.seconds, point.nash_conv) for point in c]
                for label, c in curves.items()
            },
            log=True,
        )
        for measure in across
        for game, curves in races.items()
    )


def needed(curve: Curve, gap: float) -> float | None:
    """Return the iteration from which on NashConv stays at or below `gap`; None where it ends above.

    Between two measurements it is taken to be a straight line on logarithmic scales.
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
    """Return how many times fewer iterations `curve` needs for the NashConv at which the slower of the two ends."""
    gap = max(curve[-1].nash_conv, base[-1].nash_conv)
    ours, theirs = needed(curve, gap), needed(base, gap)
    assert ours is not None
    assert theirs is not None
    return theirs / ours


def geometric_mean(numbers: Iterable[float]) -> float:
    """Return the mean of factors."""
    logs = [math.log(number) for number in numbers]
    return math.exp(sum(logs) / len(logs))


def about_an_order(label: str, text: str, races: Races) -> Claim:
    """Judge whether a method is about ten times faster than CFR: on the geometric mean, and in most of the games."""
    factors = {game: speedup(curves[label], curves["CFR"]) for game, curves in races.items()}
    mean = geometric_mean(factors.values())
    words = ", ".join(f"{game} {factor:.1f}" for game, factor in factors.items())
    most = sum(factor >= ORDER for factor in factors.values()) > len(factors) / 2
    return Claim(text, "about 10 times", f"{mean:.1f} times fewer iterations ({words})", mean >= ORDER and most)
