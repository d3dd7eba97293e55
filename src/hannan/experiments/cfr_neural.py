"""Sections 3.5 and 3.6 of the CFR survey: neural solvers beside tabular ones; and how much smaller networks are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hannan.experiments.cfr_samplers import Race, panels
from hannan.experiments.cfr_survey import PAPER
from hannan.experiments.claims import Claim, Report
from hannan.forms.game import ExpandedGame
from hannan.forms.loading import load
from hannan.neural.deep_cfr import SDCFR
from hannan.neural.solver import NeuralSolver
from hannan.runs.progress import Limits, Schedule
from hannan.runs.run import Run
from hannan.runs.solve import make_solver
from hannan.runs.solving import Solving
from hannan.solvers.sampling.sampler import Sampling

DOUBLE, TWIN, DEEP = "Double Neural CFR", "its tabular twin", "Deep CFR"

METHODS = {
    "CFR": ("cfr", 400),
    "MCCFR, external": ("mccfr-es(on=tree)", 60_000),
    DEEP: ("deep-cfr", 80),
    "SD-CFR": ("sd-cfr", 80),
    DOUBLE: ("double-neural(steps=400)", 40),
    TWIN: ("double-neural(approximation=table)", 40),
    "Double Neural, PDCFR+": ("double-neural(steps=400,learner='pdcfr+')", 40),
    "DREAM": ("dream", 60),
    "ESCHER": ("escher", 60),
}
"""The methods with their parameters, and how many iterations each makes."""

QUICK = {
    "CFR": ("cfr", 10),
    "MCCFR, external": ("mccfr-es(on=tree)", 300),
    DEEP: ("deep-cfr(steps=10,policy_steps=20,traversals=50,units=8)", 2),
    DOUBLE: ("double-neural(steps=5,traversals=50,units=8)", 2),
    TWIN: ("double-neural(approximation=table,traversals=50)", 4),
}

SCHEDULE = Schedule(first=1, spacing=1.5)
"""Where NashConv is measured."""

TIMES = 1.5
"""Up to this factor, performance is comparable."""
NEAR = 0.5
"""NashConv that Deep CFR should have on Leduc."""

COMPRESSED = {"Leduc": "leduc_poker", "liar's dice-6": "liars_dice"}
QUICK_COMPRESSED = {"Kuhn": "kuhn_poker"}


def race(game: ExpandedGame, address: str, iterations: int) -> Race:
    """Measure a method at so many iterations and before; count the histories that it touched."""
    solver, _ = make_solver(game, address, None, {})
    run, histories = Run(Solving(solver), Limits(iterations=iterations), schedule=SCHEDULE), []
    for _ in run.measurements():
        counted = isinstance(solver, Sampling | NeuralSolver)
        histories.append(solver.histories if counted else solver.iterations * game.sizes.histories)  # type: ignore[attr-defined]
    return Race(tuple(run.curve), tuple(histories))


def report(quick: bool = False, progress: Callable[[str], None] | None = None) -> Report:
    """Run neural solvers beside tabular ones on Leduc poker, and judge what the survey says of them."""
    name, address, methods = ("Kuhn", "kuhn_poker", QUICK) if quick else ("Leduc", "leduc_poker", METHODS)
    game, runs = load(address).expanded(), {}
    for label, (method, iterations) in methods.items():
        runs[label] = race(game, method, iterations)
        if progress is not None:
            last = runs[label].curve[-1]
            progress(f"{name}, {label}: NashConv {last.nash_conv:.3g} after {last.iteration:,} iterations")
    claims = (_comparable(runs), _converges(runs, name), _compression(QUICK_COMPRESSED if quick else COMPRESSED))
    notes = (
        "One seed, one thread. An iteration of a neural solver makes its preset's traversals for each player, one of "
        "MCCFR makes one, one of CFR walks the whole game. Seconds are those of iterations; training the network of "
        "Deep CFR's average strategy, done only to measure it, is not among them.",
        "A table holds two numbers for each sequence, regrets and average. The networks counted are the advantage "
        "networks and as many of the average strategy.",
    )
    return Report("cfr_neural", f"{PAPER}: neural solvers on {name}", panels(name, runs), claims, notes)


def _comparable(runs: Mapping[str, Race]) -> Claim:
    """Compare Double Neural CFR with its twin at equal iterations."""
    curves = [{point.iteration: point.nash_conv for point in runs[label].curve} for label in (DOUBLE, TWIN)]
    t = max(set(curves[0]) & set(curves[1]))
    factor = curves[0][t] / curves[1][t]
    told = f"NashConv {curves[0][t]:.3g} against {curves[1][t]:.3g} after {t} iterations: {factor:.2f} times"
    text = "Double Neural CFR's performance is comparable to tabular algorithms' (section 3.5)"
    return Claim(text, "comparable", told, factor <= TIMES)


def _converges(runs: Mapping[str, Race], name: str) -> Claim:
    last = runs[DEEP].curve[-1]
    told = f"NashConv {last.nash_conv:.3g} on {name} after {last.iteration} iterations"
    return Claim("Deep CFR converges to an ε-Nash equilibrium (section 3.6)", "an ε", told, last.nash_conv <= NEAR)


def _compression(games: Mapping[str, str]) -> Claim:
    """Compare how many numbers networks and tables consist of."""
    told, smaller = [], False
    for name, address in games.items():
        game = load(address).expanded()
        solver = SDCFR(game)
        networks = 2 * game.players * solver.approximator(0).parameters
        table = 2 * sum(plex.sequences - 1 for plex in game.form.treeplexes)
        told.append(f"{name}: {networks:,} parameters against {table:,} numbers")
        smaller = networks < table  # in the last game, the largest
    text = "networks compress: they need less memory than tables (section 3.5)"
    return Claim(text, "excellent compression", "; ".join(told), smaller)
