"""Sections 3.2 and 3.3 of the CFR survey: samplers by iterations, by histories touched and by seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hannan.experiments.cfr_survey import PAPER
from hannan.experiments.claims import Claim, Panel, Report
from hannan.experiments.race import ORDER, Curve, speedup
from hannan.forms.game import Game
from hannan.forms.loading import load
from hannan.runs.progress import Limits, Schedule
from hannan.runs.run import Run
from hannan.runs.solve import make_solver
from hannan.runs.solving import Solving
from hannan.solvers.sampling.sampler import Sampling

METHODS = {
    "MCCFR, outcome": "mccfr-os",
    "MCCFR, outcome, weighted average": "mccfr-os(averaging=weighted)",
    "MCCFR, external": "mccfr-es",
    "MCCFR, robust, k = 2": "mccfr-rs(k=2)",
    "MCCFR, chance": "mccfr-cs",
    "VR-MCCFR": "vr-mccfr",
    "VR-MCCFR, predictive": "vr-mccfr(baseline=predictive)",
    "VR-MCCFR+": "vr-mccfr(learner='rm+',gamma=2.0)",
    "VR-MCCFR+, predictive": "vr-mccfr(learner='rm+',gamma=2.0,baseline=predictive)",
}

BASE = "MCCFR, outcome"

TWO_ORDERS = 10**1.5
"""From here on a factor is nearer to a hundred than to ten, on a logarithmic scale."""

SCHEDULE = Schedule(first=100, spacing=1.25)
"""Where NashConv is measured."""

MOST, QUICK_MOST = 200_000_000, 100_000
"""Histories that each method may touch."""


@dataclass(frozen=True)
class Race:
    """The measurements of one sampler."""

    curve: Curve
    histories: tuple[int, ...]
    """How many were touched at each point of the curve."""


def race(game: Game, address: str, most: int) -> Race:
    """Measure a sampler until it has touched so many histories."""
    solver, _ = make_solver(game, address, None, {"on": "tree"})
    assert isinstance(solver, Sampling)
    run, histories = Run(Solving(solver), Limits(), schedule=SCHEDULE), []
    for _ in run.measurements():
        histories.append(solver.histories)
        if solver.histories >= most:
            break
    return Race(tuple(run.curve), tuple(histories))


def report(quick: bool = False, progress: Callable[[str], None] | None = None) -> Report:
    """Run the samplers on Leduc poker, and judge what the survey says of VR-MCCFR."""
    name, address, most = ("Kuhn", "kuhn_poker", QUICK_MOST) if quick else ("Leduc", "leduc_poker", MOST)
    game = load(address).expanded()
    runs = {}
    for label, method in METHODS.items():
        runs[label] = race(game, method, most)
        if progress is not None:
            last = runs[label].curve[-1]
            progress(f"{name}, {label}: NashConv {last.nash_conv:.3g} after {last.iteration:,} iterations")
    claims = (
        judged("VR-MCCFR", "VR-MCCFR improves on MCCFR by about one order of magnitude", "10 times", ORDER, runs),
        judged("VR-MCCFR+", "with CFR+ updates, by about two orders", "100 times", TWO_ORDERS, runs),
    )
    notes = (
        f"One seed, one thread, each method until it has touched {most:,} histories. MCCFR is outcome sampling with "
        "ε 0.6; all average lazily but one, whose weighted average has the right mean. Outcome sampling as OpenSpiel "
        "does it averages at the traverser's own sets, which is biased, and is far slower (`hannan bench sampling`): "
        "the survey's factors are nearer to those over it.",
        "A factor is the ratio of the iterations after which NashConv stays as low as where the slower run ends. "
        f"{ORDER:.2f} or more counts as about one order, {TWO_ORDERS:.1f} or more as about two.",
    )
    return Report("cfr_samplers", f"{PAPER}: samplers on {name}", panels(name, runs), claims, notes)


def judged(label: str, text: str, paper: str, least: float, runs: Mapping[str, Race]) -> Claim:
    """Judge a factor in iterations over outcome sampling."""
    factor = speedup(runs[label].curve, runs[BASE].curve)
    return Claim(text, paper, f"{factor:.1f} times fewer iterations", factor >= least)


def panels(name: str, runs: Mapping[str, Race]) -> tuple[Panel, ...]:
    """Return NashConv by iterations, by histories touched and by seconds."""
    across: dict[str, Callable[[Race], list[float]]] = {
        "iterations": lambda run: [point.iteration for point in run.curve],
        "histories touched": lambda run: list(run.histories),
        "seconds": lambda run: [point.seconds for point in run.curve],
    }
    return tuple(
        Panel(
            title=f"{name}, by {measure}",
            across=measure,
            up="NashConv",
            lines={
                label: list(zip(places(run), [point.nash_conv for point in run.curve], strict=True))
                for label, run in runs.items()
            },
            log=True,
        )
        for measure, places in across.items()
    )
