"""Sections 3.5 and 3.6 of the CFR survey: neural solvers compared with tabular ones."""

from __future__ import annotations

from collections.abc import Mapping

from hannan.experiments.cfr_survey import PAPER
from hannan.experiments.claims import Claim, Report, Say, silent
from hannan.experiments.race import BY, Curve, counted, panels, told
from hannan.forms.loader import load
from hannan.runs.progress import Limits, Schedule

DOUBLE, TWIN, DEEP = "Double Neural CFR", "its tabular twin", "Deep CFR"

METHODS = {
    "CFR": ("cfr", 400),
    "MCCFR, external": ("mccfr-es(over=tree)", 60_000),
    DEEP: ("deep-cfr", 80),
    "SD-CFR": ("sd-cfr", 80),
    DOUBLE: ("double-neural(steps=400)", 40),
    TWIN: ("double-neural(approximation=table)", 40),
    "Double Neural, PDCFR+": ("double-neural(steps=400,learner='pdcfr+')", 40),
    "DREAM": ("dream", 60),
    "ESCHER": ("escher", 60),
}
"""By label: a method with its parameters, and its number of iterations."""

QUICK = {
    "CFR": ("cfr", 10),
    "MCCFR, external": ("mccfr-es(over=tree)", 300),
    DEEP: ("deep-cfr(steps=10,policy_steps=20,traversals=50,units=8)", 2),
    DOUBLE: ("double-neural(steps=5,traversals=50,units=8)", 2),
    TWIN: ("double-neural(approximation=table,traversals=50)", 4),
}

SCHEDULE = Schedule(first=1, spacing=1.5)
"""When NashConv is measured."""

TIMES = 1.5
"""Up to this factor, performance is comparable."""
NEAR = 0.5
"""The largest NashConv of Deep CFR on Leduc with which its claim holds."""


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run neural and tabular solvers on Leduc poker, and judge the survey's claims."""
    name, address, methods = ("Kuhn", "kuhn_poker", QUICK) if quick else ("Leduc", "leduc_poker", METHODS)
    game, runs, histories = load(address).expanded(), dict[str, Curve](), dict[str, list[int]]()
    for label, (method, iterations) in methods.items():
        runs[label], histories[label] = counted(game, method, SCHEDULE, Limits(iterations=iterations))
        say(f"{name}, {label}: {told(runs[label])}")
    claims = (_comparable(runs), _converges(runs, name))
    notes = (
        "One seed, one thread. An iteration of a neural solver makes its preset's traversals for each player; an "
        "iteration of MCCFR makes one traversal, and one of CFR walks the whole game. Seconds are those of iterations, "
        "without the training of the network of Deep CFR's average strategy, which only measurements need.",
    )
    drawn = panels({name: runs}, BY, histories)
    return Report("cfr_neural", f"{PAPER}: neural solvers on {name}", drawn, claims, notes)


def _comparable(runs: Mapping[str, Curve]) -> Claim:
    """Compare Double Neural CFR with its twin at equal iterations."""
    curves = [{point.iteration: point.nash_conv for point in runs[label]} for label in (DOUBLE, TWIN)]
    t = max(set(curves[0]) & set(curves[1]))
    factor = curves[0][t] / curves[1][t]
    ours = f"NashConv {curves[0][t]:.3g} against {curves[1][t]:.3g} after {t} iterations: {factor:.2f} times"
    text = "Double Neural CFR's performance is comparable to tabular algorithms' (section 3.5)"
    return Claim(text, "comparable", ours, factor <= TIMES)


def _converges(runs: Mapping[str, Curve], name: str) -> Claim:
    text = "Deep CFR converges to an ε-Nash equilibrium (section 3.6)"
    return Claim(text, "an ε", f"{name}: {told(runs[DEEP])}", runs[DEEP][-1].nash_conv <= NEAR)
