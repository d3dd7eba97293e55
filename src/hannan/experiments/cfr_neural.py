"""Sections 3.5 and 3.6 of the CFR survey: neural solvers beside tabular ones, robust sampling, and compression."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hannan.experiments.cfr_compression import QUICK_TRIALS, TIMES, TRIALS, compression
from hannan.experiments.cfr_survey import PAPER
from hannan.experiments.claims import Claim, Report, Say, silent
from hannan.experiments.race import BY, Curve, counted, panels, told
from hannan.forms.loader import load
from hannan.runs.progress import Limits, Schedule

DOUBLE, TWIN, DEEP = "Double Neural CFR", "its tabular twin", "Deep CFR"

METHODS = {
    "CFR": ("cfr", 400),
    "MCCFR, external": ("mccfr-es(on=tree)", 60_000),
    DEEP: ("deep-cfr", 80),
    f"{DEEP}, printed loss": ("deep-cfr(loss=squares)", 80),
    f"{DEEP}, branches": ("deep-cfr(network=branches)", 80),
    "SD-CFR": ("sd-cfr", 80),
    DOUBLE: ("double-neural(steps=400)", 40),
    TWIN: ("double-neural(approximation=table)", 40),
    "Double Neural, PDCFR+": ("double-neural(steps=400,learner='pdcfr+')", 40),
    "DREAM": ("dream", 60),
    "ESCHER": ("escher", 60),
}
"""The methods with their parameters, and how many iterations each makes."""

ROBUST = {
    f"{DOUBLE}, k = 1": ("double-neural(steps=400,actions=1)", 40),
    f"{TWIN}, k = 1": ("double-neural(approximation=table,actions=1)", 40),
    f"{DOUBLE}, k = 2": ("double-neural(steps=400,actions=2)", 40),
    f"{TWIN}, k = 2": ("double-neural(approximation=table,actions=2)", 40),
}
"""Double Neural CFR with robust sampling; above, the traverser takes all of its actions."""

QUICK = {
    "CFR": ("cfr", 10),
    "MCCFR, external": ("mccfr-es(on=tree)", 300),
    DEEP: ("deep-cfr(steps=10,policy_steps=20,traversals=50,units=8)", 2),
    DOUBLE: ("double-neural(steps=5,traversals=50,units=8)", 2),
    TWIN: ("double-neural(approximation=table,traversals=50)", 4),
}
QUICK_ROBUST = {
    f"{DOUBLE}, k = 1": ("double-neural(steps=5,traversals=50,units=8,actions=1)", 2),
    f"{TWIN}, k = 1": ("double-neural(approximation=table,traversals=50,actions=1)", 4),
}

SCHEDULE = Schedule(first=1, spacing=1.5)
"""Where NashConv is measured."""

NEAR = 0.5
"""NashConv that Deep CFR should have on Leduc."""
BETTER = 1.25
"""From this factor on, NashConv is better at the same number of histories touched."""


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run neural solvers beside tabular ones on Leduc poker, and judge what the survey says of them."""
    name, address, methods = ("Kuhn", "kuhn_poker", QUICK) if quick else ("Leduc", "leduc_poker", METHODS)
    game, runs, histories = load(address).expanded(), dict[str, Curve](), dict[str, list[int]]()
    sampled = QUICK_ROBUST if quick else ROBUST
    for label, (method, iterations) in {**methods, **sampled}.items():
        runs[label], histories[label] = counted(game, method, SCHEDULE, Limits(iterations=iterations))
        say(f"{name}, {label}: {told(runs[label])}")
    robust = {label: runs[label] for label in (*sampled, DOUBLE, TWIN)}
    compressed, compresses, note = compression(QUICK_TRIALS if quick else TRIALS, SCHEDULE, say)
    claims = (_comparable(robust), _robust(robust, histories), _converges(runs, name), compresses)
    notes = (
        "One seed, one thread. An iteration of a neural solver makes its preset's traversals for each player, one of "
        "MCCFR makes one, one of CFR walks the whole game. Seconds are those of iterations; training the network of "
        "Deep CFR's average strategy, done only to measure it, is not among them.",
        f"k is how many of its actions the traverser takes, drawn uniformly (robust sampling); {DOUBLE} without k "
        "takes all of them, which is external sampling.",
        note,
    )
    drawn = (
        *panels({name: {label: runs[label] for label in methods}}, BY, histories),
        *panels({f"{name}, robust sampling": robust}, BY, histories),
        *compressed,
    )
    return Report("cfr_neural", f"{PAPER}: neural solvers on {name}", drawn, claims, notes, rows=3)


def _comparable(runs: Mapping[str, Curve]) -> Claim:
    """Compare Double Neural CFR with its twin after equally many iterations, for each k."""
    words, factors = [], []
    for label in (label for label in runs if label.startswith(DOUBLE)):
        twin = label.replace(DOUBLE, TWIN)
        curves = [{point.iteration: point.nash_conv for point in runs[each]} for each in (label, twin)]
        t = max(set(curves[0]) & set(curves[1]))
        factors.append(curves[0][t] / curves[1][t])
        k = label.removeprefix(DOUBLE).removeprefix(", ") or "all actions"
        words.append(f"{k}: {curves[0][t]:.3g} against {curves[1][t]:.3g}, {factors[-1]:.2f} times")
    text = "Double Neural CFR's performance is comparable to tabular algorithms' (section 3.5)"
    ours = f"NashConv after {t} iterations beside the tabular twin: {'; '.join(words)}"
    return Claim(text, "comparable", ours, max(factors) <= TIMES)


def _robust(runs: Mapping[str, Curve], histories: Mapping[str, Sequence[int]]) -> Claim:
    """Compare fewer actions of the traverser with all of them, after equally many histories touched."""
    words, better = [], False
    for kind in (DOUBLE, TWIN):
        mine = [label for label in runs if label.startswith(kind)]
        most = min(histories[label][-1] for label in mine)
        said = {label: touched(runs[label], histories[label], most) for label in mine}
        rest = [f"{label.split(', ')[-1]} {said[label]:.3g}" for label in mine if label != kind]
        words.append(f"{kind} after {most:,} histories: {', '.join(rest)}, all actions {said[kind]:.3g}")
        if kind == DOUBLE:
            better = min(said[label] for label in mine if label != kind) * BETTER <= said[kind]
    text = "robust sampling contributes to a better convergence (section 3.5)"
    return Claim(text, "better", f"NashConv of {'; '.join(words)}", better)


def touched(curve: Curve, histories: Sequence[int], most: int) -> float:
    """Return NashConv after `most` histories: between two measurements, a straight line on logarithmic scales."""
    after = next(k for k, many in enumerate(histories) if many >= most)
    if after == 0 or histories[after] == most:
        return curve[after].nash_conv
    low, high = histories[after - 1], histories[after]
    share = math.log(most / low) / math.log(high / low) if low > 0 else 1.0
    return float(curve[after - 1].nash_conv * (curve[after].nash_conv / curve[after - 1].nash_conv) ** share)


def _converges(runs: Mapping[str, Curve], name: str) -> Claim:
    mine = [label for label in runs if label.startswith(DEEP)]
    text = "Deep CFR converges to an ε-Nash equilibrium (section 3.6)"
    words = "; ".join(f"{label}: {told(runs[label])}" for label in mine)
    return Claim(text, "an ε", f"{name}, {words}", all(runs[label][-1].nash_conv <= NEAR for label in mine))
